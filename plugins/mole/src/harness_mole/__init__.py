"""Molecules: find the lowest conformer, or change a lead until its properties fit."""

from harness_mole.chemistry import Edit, Properties, properties
from harness_mole.landscape import Band, Landscape, Relaxed, Template, landscape

__all__ = ["Band", "Edit", "Landscape", "Properties", "Relaxed", "Template", "landscape", "properties"]
