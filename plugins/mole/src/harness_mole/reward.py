"""The reward layer: scores what was submitted, from the measurement that the toolset made at close.

Both variants ask for one thing told in the prompt: an energy at most so high, or every requirement on a molecule met.
Partial credit falls with the distance from it; the rest of a success rewards what was left unspent.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from harness.records import Log, Score, Term
from harness_mole.requirements import Requirement
from harness_mole.sample import TOLERANCE, ConformerIdentity, LeadIdentity, Options

ENERGY_REACH = 10.0
"""Energy above the certified minimum, in kcal/mol, at which nothing is earned."""


class ConformerReward:
    """Scores the energy of the submitted conformer after minimisation."""

    id = "mole-conformer-1"

    def __init__(self, options: Options) -> None:
        self.options = options

    def score(self, identity: ConformerIdentity, log: Log) -> Score:
        """Score the submitted torsions; without them nothing is earned."""
        if log.answer is None or "energy" not in log.metrics:
            return Score(False, (Term("energy", 0.0),), margin=-1.0, detail="nothing was submitted")
        gap = float(log.metrics["energy"]) - identity.energy
        margin = max(-1.0, min(1.0, (TOLERANCE - gap) / TOLERANCE))
        return Score(
            success=margin >= 0,
            progress=(Term("energy", max(0.0, min(1.0, 1 - gap / ENERGY_REACH))),),
            efficiency=(*_unspent(log, self.options.conformer_budgets()), _turns(log, self.options)),
            margin=margin,
            detail=f"{gap:.2f} kcal/mol above the certified minimum",
        )


class LeadReward:
    """Scores the submitted molecule against the requirements."""

    id = "mole-lead-1"

    def __init__(self, options: Options) -> None:
        self.options = options

    def score(self, identity: LeadIdentity, log: Log) -> Score:
        """Score the submitted molecule; without one nothing is earned."""
        values: Mapping[str, Any] = log.metrics.get("values", {})
        asked = identity.requirements
        if log.answer is None or not values:
            return Score(False, tuple(Term(r.name, 0.0) for r in asked), margin=-1.0, detail="nothing was submitted")
        margin = min(_margin(requirement, float(values[requirement.name])) for requirement in asked)
        missed = [r.name for r in asked if r.off(float(values[r.name])) != 0]
        return Score(
            success=margin >= 0,
            progress=tuple(Term(r.name, r.closeness(float(values[r.name]))) for r in asked),
            efficiency=(*_unspent(log, self.options.lead_budgets()), _turns(log, self.options)),
            margin=margin,
            detail=f"missed: {', '.join(missed)}" if missed else "every requirement is met",
        )


def _margin(requirement: Requirement, value: float) -> float:
    return max(-1.0, min(1.0, requirement.room(value) / (10 * requirement.hair)))


def _unspent(log: Log, budgets: Mapping[str, int]) -> tuple[Term, ...]:
    return tuple(
        Term(f"{name}_unused", max(0.0, 1 - log.spent(name) / total)) for name, total in budgets.items() if total
    )


def _turns(log: Log, options: Options) -> Term:
    return Term("turns_unused", min(1.0, max(0.0, 1 - log.turns / options.turns)))
