"""What can be set: the level, whether every week is scored, and the plan behind each level."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from attrs import field, frozen

from harness import option

LEVELS: Final = ("easy", "medium", "hard", "tiny")


@frozen
class Options:
    """Options of the task."""

    level: str = option("medium", "size of the country; `tiny` is one region, one choice", choices=LEVELS)
    dense: bool = option(False, "tell after every advance how the four targets stand", seeded=False)


@frozen
class Plan:
    """How the countries of a level are drawn.

    Attributes:
        regions: Fewest and most.
        weeks: Shortest and longest horizon.
        slack: By how much a target lies above what the planner reached.
        noise: Of reported numbers, on the logarithm.
        delay: Bounds of the mean delay of case reports in days.
        variant: Chance of a variant within the horizon.
        shock: Weekly shock of transmission, on the logarithm.
        step: Weeks between readings that the bulletins granted suffice for.
        orders: Orders granted per such reading.
        supplied: Whether there are vaccine, tests, surge beds and a treasury.
        foot: Which of the constant levels, best first, earns the least partial credit.
        ranges: Bounds that differ from those of `sample.RANGES`.
    """

    regions: tuple[int, int]
    weeks: tuple[int, int]
    slack: float
    noise: float
    delay: tuple[float, float]
    variant: float
    shock: float
    step: int
    orders: int
    supplied: bool = True
    foot: int = 0
    ranges: Mapping[str, tuple[float, float]] = field(factory=dict)


DIVERSE: Final = {
    "r0": (1.5, 3.2),
    "severity": (0.4, 2.5),
    "rate": (0.3, 0.36),
    "seeded": (5.0, 300.0),
    "beds": (0.0003, 0.002),
}
"""Level `tiny`: outbreaks so unlike in pace, severity and stage that no one sequence of levels suits many."""

PLANS: Final[Mapping[str, Plan]] = {
    "easy": Plan((1, 1), (16, 18), 0.25, 0.05, (2.0, 5.0), 0.0, 0.03, 2, 3),
    "medium": Plan((2, 3), (20, 24), 0.18, 0.09, (3.0, 8.0), 0.6, 0.05, 2, 4),
    "hard": Plan((4, 5), (26, 30), 0.12, 0.13, (4.0, 11.0), 1.0, 0.06, 3, 6),
    "tiny": Plan((1, 1), (18, 18), 0.10, 0.03, (1.0, 3.0), 0.0, 0.02, 3, 1, supplied=False, foot=2, ranges=DIVERSE),
}


def budgets(weeks: int, level: str) -> dict[str, int]:
    """Return the budgets of a horizon: bulletins, and orders."""
    plan = PLANS[level]
    readings = -(-weeks // plan.step)
    return {"bulletins": readings, "orders": readings * plan.orders}
