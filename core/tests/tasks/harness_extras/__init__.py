"""Plugins for tests: each module changes or watches one thing of the toy."""
