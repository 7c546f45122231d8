"""Plate flanges read from a drawing and redesigned under finite elements: the task `flangeplane-v1`."""

__all__: list[str] = []
__version__ = "0.1.0"
