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

MISSED_WEIGHT = 4.0
"""Weight of a requirement that the lead misses, beside 1 for one that it meets."""


class ConformerReward:
    """Scores the energy of the submitted conformer after minimisation."""

    id = "mole-conformer-1"

    def __init__(self, options: Options) -> None:
        self.options = options

    def score(self, identity: ConformerIdentity, log: Log) -> Score:
        """Score the submitted torsions; without them nothing is earned."""
        if log.answer is None or "energy" not in log.metrics:
            return Score(False, (Term("energy", 0.0),), margin=-1.0, detail="nothing was submitted")
        energy = float(log.metrics["energy"])
        gap, room = energy - identity.energy, round(identity.target - round(energy, 2), 2)  # the numbers that are told
        margin = max(-1.0, min(1.0, room / TOLERANCE))
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
            return Score(False, _closeness(identity, {}), margin=-1.0, detail="nothing was submitted")
        margin = min(_margin(requirement, float(values[requirement.name])) for requirement in asked)
        missed = [r.name for r in asked if r.off(float(values[r.name])) != 0]
        return Score(
            success=margin >= 0,
            progress=_closeness(identity, values),
            efficiency=(*_unspent(log, self.options.lead_budgets()), _turns(log, self.options)),
            margin=margin,
            detail=f"missed: {', '.join(missed)}" if missed else "every requirement is met",
        )


def _closeness(identity: LeadIdentity, values: Mapping[str, Any]) -> tuple[Term, ...]:
    """One term a requirement; those that the lead misses weigh more, since leaving it alone is no progress."""
    return tuple(
        Term(
            asked.name,
            asked.closeness(float(values[asked.name]), start) if values else 0.0,
            MISSED_WEIGHT if asked.off(start) else 1.0,
        )
        for asked, start in zip(identity.requirements, identity.start, strict=True)
    )


def _margin(requirement: Requirement, value: float) -> float:
    return max(-1.0, min(1.0, requirement.room(value) / (10 * requirement.hair)))


def _unspent(log: Log, budgets: Mapping[str, int]) -> tuple[Term, ...]:
    return tuple(
        Term(f"{name}_unused", max(0.0, 1 - log.spent(name) / total)) for name, total in budgets.items() if total
    )


def _turns(log: Log, options: Options) -> Term:
    return Term("turns_unused", min(1.0, max(0.0, 1 - log.turns / options.turns)))
