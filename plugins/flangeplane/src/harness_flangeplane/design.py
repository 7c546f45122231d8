"""A design, a reading of the drawing, and the rules of geometry that every design must keep.

Rules are told in the prompt. All but one follow from the design alone; the bolt holes must also clear the gasket, whose
size stands in the drawing only.
"""

from __future__ import annotations

import math
from typing import Annotated, Final

from attrs import frozen

from harness import Range, Unit
from harness_flangeplane.stock import BOLTS, GASKETS, MATERIALS, Bolt, BoltName, MaterialName

CLEARANCE: Final = 6.0
"""What the bolt circle exceeds the gasket's outer diameter and a hole by at least, mm."""

SLIP: Final = 1e-6
"""Rounding that the rules forgive, mm."""


@frozen
class Design:
    """A plate flange.

    Attributes:
        material: Material of the plate.
        bolt: Bolt size.
        bolts: Number of bolts, even.
        bolt_circle: Diameter of the bolt circle.
        outer_diameter: Diameter of the rim.
        thickness: Thickness of the plate.
    """

    material: MaterialName
    bolt: BoltName
    bolts: Annotated[int, Range(4, 40)]
    bolt_circle: Annotated[float, Range(60, 600), Unit("mm")]
    outer_diameter: Annotated[float, Range(80, 700), Unit("mm")]
    thickness: Annotated[float, Range(6, 120), Unit("mm")]

    @property
    def size(self) -> Bolt:
        """Measures of the bolt size."""
        return BOLTS[self.bolt]

    @property
    def volume(self) -> float:
        """Volume of the blank, a full disc, dm3."""
        return math.pi / 4 * self.outer_diameter**2 * self.thickness / 1e6

    @property
    def blank(self) -> float:
        """Weight of the blank, kg."""
        return self.volume * MATERIALS[self.material].density

    @property
    def cost(self) -> float:
        """Price of the blank and of the bolts with their holes, EUR."""
        return self.blank * MATERIALS[self.material].price + self.bolts * self.size.price

    @property
    def spacing(self) -> float:
        """Distance of neighbouring bolts along the bolt circle, mm."""
        return math.pi * self.bolt_circle / self.bolts


@frozen
class Reading:
    """What the drawing says of the flange as it was built, and of its joint.

    Attributes:
        bore: Diameter of the bore.
        gasket_outer: Outer diameter of the gasket.
        bolt_circle: Diameter of the bolt circle of the flange in the drawing.
        thickness: Thickness of the flange in the drawing.
        bolts: Number of bolt holes of the flange in the drawing.
        pressure: Design pressure, the number of the pressure class PN.
    """

    bore: Annotated[float, Range(1, 1000), Unit("mm")]
    gasket_outer: Annotated[float, Range(1, 1000), Unit("mm")]
    bolt_circle: Annotated[float, Range(1, 1000), Unit("mm")]
    thickness: Annotated[float, Range(1, 500), Unit("mm")]
    bolts: Annotated[int, Range(1, 100)]
    pressure: Annotated[float, Range(1, 1000), Unit("bar")]


@frozen
class Broken:
    """A rule that a design breaks: its argument, what it says and what is asked, in mm or as a count."""

    argument: str
    rule: str
    value: float
    bound: str

    @property
    def text(self) -> str:
        """The rule and the numbers in one line."""
        return f"{self.rule}: got {self.value:g}, allowed {self.bound}"


def widest(bolt: Bolt, thickness: float, gasket: str) -> float:
    """Largest distance of neighbouring bolts that keeps the gasket pressed between them, mm."""
    return 2 * bolt.diameter + 6 * thickness / (GASKETS[gasket].factor + 0.5)


def slimmest(bolt: Bolt, spacing: float, gasket: str) -> float:
    """Least thickness at which bolts of a distance press the gasket between them, mm; rounded up to hundredths."""
    return math.ceil((spacing - 2 * bolt.diameter) * (GASKETS[gasket].factor + 0.5) / 6 * 100) / 100


def broken_rule(design: Design, gasket: str) -> Broken | None:
    """Return the first rule that a design breaks by itself, without regard to what stands in the drawing."""
    bolt, name = design.size, design.bolt
    if design.bolts % 2:
        return Broken("design.bolts", "bolts must be even", design.bolts, "4, 6, 8, …")
    rim = design.bolt_circle + 2 * bolt.edge
    if design.outer_diameter < rim - SLIP:
        rule = f"outer_diameter leaves no room for {name} (bolt circle + 2 x {bolt.edge:g} mm)"
        return Broken("design.outer_diameter", rule, round(design.outer_diameter, 3), f"at least {rim:.3f} mm")
    spacing, most = design.spacing, widest(bolt, design.thickness, gasket)
    if spacing < bolt.pitch - SLIP:
        rule = f"bolts too close for a wrench on {name} (pi x bolt_circle / bolts)"
        return Broken("design.bolts", rule, round(spacing, 3), f"at least {bolt.pitch:g} mm")
    if spacing > most + SLIP:
        rule = "bolts too far apart to press the gasket (pi x bolt_circle / bolts)"
        return Broken("design.bolts", rule, round(spacing, 3), f"at most {most:.3f} mm")
    return None


def clears(design: Design, gasket_outer: float) -> bool:
    """Whether the bolt holes stay clear of the gasket."""
    return design.bolt_circle >= least_circle(design.size, gasket_outer) - SLIP


def least_circle(bolt: Bolt, gasket_outer: float) -> float:
    """Smallest bolt circle that clears a gasket, mm."""
    return gasket_outer + bolt.hole + CLEARANCE
