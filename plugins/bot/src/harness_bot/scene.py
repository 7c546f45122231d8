"""What stands in the cell: spheres, boxes and capsules, as records that identity, prompt and tools share."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Literal

import numpy as np
from attrs import frozen

from harness import Json

Point = tuple[float, float, float]


@frozen
class Obstacle:
    """A solid body that does not move. Metres and degrees.

    Attributes:
        kind: Which shape.
        centre: Middle of the body.
        size: Sphere: radius. Box: half lengths along its x, y and z. Capsule: radius, half length of its axis.
        turn: Box: rotation about the vertical. Capsule: direction of its axis, seen from above.
        rise: Capsule: elevation of its axis, 90 for an upright one.
    """

    name: str
    kind: Literal["sphere", "box", "capsule"]
    centre: Point
    size: tuple[float, ...]
    turn: float = 0.0
    rise: float = 0.0

    @property
    def axis(self) -> np.ndarray:
        """Unit vector along a capsule."""
        turn, rise = math.radians(self.turn), math.radians(self.rise)
        return np.array((math.cos(rise) * math.cos(turn), math.cos(rise) * math.sin(turn), math.sin(rise)))

    @property
    def ends(self) -> np.ndarray:
        """Ends of a capsule's axis, shape (2, 3)."""
        return np.array(self.centre) + np.outer((-self.size[1], self.size[1]), self.axis)

    @property
    def extent(self) -> float:
        """Radius of the smallest ball about the centre that holds the body."""
        if self.kind == "box":
            return math.hypot(*self.size)
        return float(sum(self.size))


def tell(obstacle: Obstacle) -> dict[str, Json]:
    """Return an obstacle as a prompt or a tool tells it: to the millimetre and the tenth of a degree."""
    centre, size = ([round(v, 3) for v in values] for values in (obstacle.centre, obstacle.size))
    turn, rise = round(obstacle.turn, 1), round(obstacle.rise, 1)
    told: dict[str, Json] = {"name": obstacle.name, "kind": obstacle.kind, "centre": centre}
    if obstacle.kind == "sphere":
        return told | {"radius": size[0]}
    if obstacle.kind == "box":
        return told | {"half_lengths": size, "turn_deg": turn}
    return told | {"radius": size[0], "half_length": size[1], "turn_deg": turn, "rise_deg": rise}


def read(told: Mapping[str, Json]) -> Obstacle:
    """Read what `tell` wrote."""
    x, y, z = told["centre"]
    kind = told["kind"]
    if kind == "sphere":
        size: tuple[float, ...] = (told["radius"],)
    elif kind == "box":
        size = tuple(told["half_lengths"])
    else:
        size = (told["radius"], told["half_length"])
    return Obstacle(told["name"], kind, (x, y, z), size, told.get("turn_deg", 0.0), told.get("rise_deg", 0.0))
