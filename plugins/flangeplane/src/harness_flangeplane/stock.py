"""What a flange can be made of and bolted with: five materials, seven bolt sizes, four gaskets. All of it is told.

Figures are those of the world of this task: rounded from common tables, with prices chosen so that no material is the
best in everything.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Literal, TypeAlias, get_args

from attrs import frozen

MaterialName: TypeAlias = Literal["GJS-400", "S355", "42CrMo4", "AW-7075", "Ti-6Al-4V"]
BoltName: TypeAlias = Literal["M10", "M12", "M16", "M20", "M24", "M30", "M36"]

MATERIAL_NAMES: Final[tuple[MaterialName, ...]] = get_args(MaterialName)
BOLT_NAMES: Final[tuple[BoltName, ...]] = get_args(BoltName)


@frozen
class Material:
    """A plate material: Young's modulus (GPa), yield strength (MPa), density (kg/dm3), price of a blank (EUR/kg)."""

    modulus: float
    strength: float
    density: float
    price: float


@frozen
class Bolt:
    """A bolt size.

    Attributes:
        diameter: nominal diameter, mm.
        area: stress area, mm2.
        hole: diameter of its hole, mm.
        washer: diameter of its washer, mm.
        edge: least distance from the bolt circle to the rim, mm.
        pitch: least distance of neighbours along the bolt circle, room for the wrench, mm.
        price: of a bolt with its hole, EUR.
    """

    diameter: float
    area: float
    hole: float
    washer: float
    edge: float
    pitch: float
    price: float


@frozen
class Gasket:
    """A gasket: its factor m and its seating stress y (MPa)."""

    factor: float
    seating: float


MATERIALS: Final[Mapping[str, Material]] = {
    "GJS-400": Material(169, 250, 7.1, 3.2),
    "S355": Material(210, 355, 7.85, 4.6),
    "42CrMo4": Material(206, 650, 7.85, 8.0),
    "AW-7075": Material(71, 430, 2.81, 17.0),
    "Ti-6Al-4V": Material(114, 830, 4.43, 55.0),
}

BOLTS: Final[Mapping[str, Bolt]] = {
    "M10": Bolt(10, 58, 11, 20, 15, 25, 2.0),
    "M12": Bolt(12, 84.3, 13.5, 24, 18, 30, 2.4),
    "M16": Bolt(16, 157, 17.5, 30, 23, 38, 3.6),
    "M20": Bolt(20, 245, 22, 37, 29, 48, 5.5),
    "M24": Bolt(24, 353, 26, 44, 34, 57, 8.5),
    "M30": Bolt(30, 561, 33, 56, 43, 71, 15.0),
    "M36": Bolt(36, 817, 39, 66, 51, 85, 24.0),
}

GASKETS: Final[Mapping[str, Gasket]] = {
    "fibre": Gasket(2.0, 11.0),
    "graphite": Gasket(2.0, 17.0),
    "PTFE": Gasket(2.5, 20.0),
    "grooved": Gasket(3.0, 30.0),
}

PRESSURES: Final = (16, 25, 40, 63)
"""Pressure classes: PN and design pressure in bar."""
