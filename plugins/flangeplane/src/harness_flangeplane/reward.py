"""The reward layer: scores a submission from the identity, the answer and one analysis of it in the real joint.

Success asks for every requirement and for a right reading at once. Partial credit is the share of values read right
and the closeness of the requirements.
"""

from __future__ import annotations

from collections.abc import Mapping

from harness import Json, Log, Score, Term
from harness_flangeplane.options import Options
from harness_flangeplane.sample import Identity

REACH = 0.5
"""Relative distance from a requirement at which nothing is earned for it."""

FRUGAL = 0.1
"""Share of the allowed cost that has to be saved for the whole of the term."""


class FlangeReward:
    """Scores an episode."""

    id = "flangeplane-1"

    def __init__(self, options: Options) -> None:
        self._options = options

    def score(self, identity: Identity, log: Log) -> Score:
        """Score what was handed in; without it nothing is earned."""
        seen = log.metrics
        if log.answer is None or "readings" not in seen:
            return Score(False, (Term("readings", 0.0), Term("requirements", 0.0)), margin=-1.0, detail="no submission")
        readings, margins = seen["readings"], seen["margins"]
        right = [margin >= 0 for margin in readings.values()]
        closeness = [max(0.0, 1 + min(0.0, margin) / REACH) for margin in margins.values()]
        met = sum(closeness) / len(closeness) if closeness else 0.0
        margin = max(-1.0, min(1.0, *readings.values(), *margins.values())) if margins else -1.0
        unspent = 1 - log.spent("analyses") / identity.budgets[0]
        saved = min(1.0, max(0.0, margins.get("cost", 0.0)) / FRUGAL)
        return Score(
            success=margin >= 0,
            progress=(Term("readings", sum(right) / len(right), 2), Term("requirements", met, 3)),
            efficiency=(Term("analyses_unused", max(0.0, unspent), 1), Term("cost_saved", saved, 1)),
            margin=margin,
            reason="unsafe_action" if seen.get("unsafe") else None,
            detail=_detail(readings, margins),
        )


def _detail(readings: Mapping[str, Json], margins: Mapping[str, Json]) -> str:
    wrong = [name for name, margin in readings.items() if margin < 0]
    said = [f"read wrong: {', '.join(wrong)}" if wrong else "read right"]
    if not margins:
        said.append("the bolt holes cut the gasket")
    missed = [f"{name} by {-100 * margin:.1f} %" for name, margin in margins.items() if margin < 0]
    said += [f"missed: {', '.join(missed)}"] if missed else []
    return "; ".join(said)
