"""A small complete task for the core's own tests: find a hidden number by asking."""
