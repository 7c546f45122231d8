"""The reward layer: four quantities against their targets; else how far from a simple rule towards the planner.

Pure: it reads the identity and what `calc_reward` measured of the final world. The margin is that of the worst
quantity. Of a success, the rest of the scale rewards staying below the targets and giving few orders.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from attrs import asdict

from harness.records import Log, Score, Term
from harness_epidemic.country import Identity
from harness_epidemic.options import Options, budgets
from harness_epidemic.score import QUANTITIES, burden, margin, standing
from harness_epidemic.world import Result

FULL_SPARE: Final = 0.5
"""Mean share of the targets left over at which nothing more can be earned."""


class EpidemicReward:
    """Scores an episode."""

    id = "epidemic-1"

    def __init__(self, options: Options) -> None:
        self.options = options

    def score(self, identity: Identity, log: Log) -> Score:
        """Score the final world."""
        result = read_result(log.metrics)
        distance = margin(identity.targets, result)
        bar = identity.bar
        gap = (bar.naive - burden(result)) / (bar.naive - bar.planner)
        told = standing(identity.targets, result)
        detail = "; ".join(f"{name} {told[name]}" for name in QUANTITIES)
        return Score(
            distance >= 0, (Term("gap", _clip(gap)),), self._efficiency(identity, result, log), distance, detail=detail
        )

    def _efficiency(self, identity: Identity, result: Result, log: Log) -> tuple[Term, ...]:
        limits, values = asdict(identity.targets), asdict(result)
        spare = sum(1 - values[name] / limits[name] for name in QUANTITIES) / len(QUANTITIES)
        terms = (Term("spare", _clip(spare / FULL_SPARE), 3),)
        if self.options.level == "tiny":
            return terms
        granted = budgets(identity.weeks, self.options.level)["orders"]
        return (*terms, Term("orders_unused", _clip(1 - log.spent("orders") / granted)))


def read_result(metrics: Mapping[str, Any]) -> Result:
    """Read the four quantities from the metrics of a log."""
    return Result(**{name: float(metrics[name]) for name in QUANTITIES})


def _clip(value: float) -> float:
    return min(1.0, max(0.0, value))
