"""Finite-element engineering: drive a heated plate to requirements, or identify what is hidden in it."""

from harness_fenics.problem import Exchange, Law, Patch, Plate, Segment, Source, Steady, Transient

__all__ = ["Exchange", "Law", "Patch", "Plate", "Segment", "Source", "Steady", "Transient"]
