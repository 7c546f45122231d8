"""The reward layer: four quantities against their targets; else how far from a simple rule towards the planner.

Pure: it reads the identity and what `calc_reward` measured of the final world. The margin is that of the worst
quantity. Of a success, the rest of the scale rewards staying below the targets and giving few orders.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from harness.records import Log, Score
from harness_epidemic.country import Identity
from harness_epidemic.options import Options
from harness_epidemic.score import QUANTITIES, rate
from harness_epidemic.world import Result


class EpidemicReward:
    """Scores an episode."""

    id = "epidemic-1"

    def __init__(self, options: Options) -> None:
        self.options = options

    def score(self, identity: Identity, log: Log) -> Score:
        """Score the final world."""
        return rate(identity, read_result(log.metrics), self.options.level, log.spent("orders"))


def read_result(metrics: Mapping[str, Any]) -> Result:
    """Read the four quantities from the metrics of a log."""
    return Result(**{name: float(metrics[name]) for name in QUANTITIES})
