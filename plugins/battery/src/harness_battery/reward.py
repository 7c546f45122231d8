"""The reward: how far the submitted design is from each requirement, from the measured evidence in the log.

The toolset simulates the submitted design once, at close, and puts its quantities into the log; scoring compares them
with the identity's requirements and runs no model. A failure earns, per requirement, what its shortfall leaves of 1.
"""

from __future__ import annotations

import math

from harness import Log, Score, Term
from harness_battery.requirements import DANGER_C, Margin, margins
from harness_battery.sample import Identity

FALL = 0.06  # shortfall, as a share of the requirement, at which the credit of a term has fallen to 1/e


class DesignReward:
    """All requirements met, else partial credit; a success is worth more the fewer simulations it took."""

    id = "battery-margins-1"

    def score(self, identity: Identity, log: Log) -> Score:
        """Score an episode from its log."""
        if log.answer is None:
            return Score(False, (Term("answered", 0.0),), margin=-1.0)
        if not log.metrics.get("feasible"):
            progress = (Term("answered", 1.0, weight=0.25), Term("feasible", 0.0, weight=3.0))
            return Score(
                False, progress, margin=-1.0, reason="infeasible_state", detail="the submitted design has no solution"
            )
        found = tuple(margins(identity.requirements, log.metrics["quantities"]))
        success = all(m.met for m in found)
        left = 1.0 - min(1.0, log.spent("simulations") / identity.simulations)
        return Score(
            success,
            progress=(Term("answered", 1.0, weight=0.25), *(Term(m.name, _credit(m)) for m in found)),
            efficiency=(Term("simulations_left", left),),
            margin=_decision(found),
            reason=_reason(success, log.metrics["quantities"]["peak_c"]),
            detail="" if success else "missed: " + ", ".join(m.name for m in found if not m.met),
        )


def _credit(margin: Margin) -> float:
    """Return 1 for a requirement that is met, else what its shortfall leaves."""
    return math.exp(min(0.0, margin.share) / FALL)


def _decision(found: tuple[Margin, ...]) -> float:
    """Return the least margin as a share: the distance of the decision from its boundary, at most 1 either way."""
    return max(-1.0, min(m.share for m in found))


def _reason(success: bool, peak_c: float) -> str | None:
    return "unsafe_action" if not success and peak_c > DANGER_C else None
