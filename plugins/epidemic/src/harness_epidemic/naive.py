"""Simple rules, swept over with the true model: the foot of the scale of partial credit.

Every constant level of distancing, with and without masks and testing, with vaccine and tests sent out evenly as they
arrive. Real policies that do the same are in `policies`; here the rules run side by side in one field.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from harness_epidemic.country import HISTORY, Identity
from harness_epidemic.disease import Array
from harness_epidemic.measures import LEVELS, Policy
from harness_epidemic.score import VALUES
from harness_epidemic.weeks import Field, aftermath, model_of, run_week
from harness_epidemic.world import outbreak

DOUBLE: Final = 2
"""Weeks that a sweep over constant policies takes as one, as only a scale is wanted; horizons are even."""

CONSTANT: Final = tuple(
    Policy(level, "closed" if level == LEVELS - 1 else "open", level > 0, "open", min(level, 1))
    for level in range(LEVELS)
)
"""One package per level of distancing."""


def sweep(identity: Identity, policies: tuple[Policy, ...], span: int = DOUBLE) -> dict[str, Array]:
    """Return deaths, overflow, cost and aftermath of each policy, held from week 0 to the end."""
    return sweep_sequences(identity, policies, np.arange(len(policies))[:, None], identity.weeks, span)


def sweep_sequences(
    identity: Identity, ladder: tuple[Policy, ...], sequences: Array, step: int, span: int = 1
) -> dict[str, Array]:
    """Return the four quantities of sequences of packages, each held for `step` weeks; shape (sequences, steps).

    They are those of an episode, and with a longer `span`, of weeks taken as one, near them.
    """
    model, field = model_of(identity), outbreak(identity)
    for week in range(-HISTORY, 0):
        run_week(model, field, week)
    field = field.repeat(len(sequences))
    deaths, overflow = np.zeros(len(sequences)), np.zeros(len(sequences))
    rows = np.array([policy.row() for policy in ladder], dtype=float)
    for week in range(0, identity.weeks, span):
        chosen = rows[sequences[:, week // step]][:, None, :]
        field.ordered = np.repeat(chosen, len(identity.regions), axis=1)
        for arrives in range(week, week + span):
            _send(identity, field, arrives)
        tally = run_week(model, field, week, float(identity.supply.treasury), span).tally
        deaths, overflow = deaths + tally.deaths.sum(axis=1), overflow + tally.overflow.sum(axis=1)
    later = aftermath(model, field, identity.weeks)
    return {"deaths": deaths, "overflow": overflow, "cost": field.spent, "aftermath": later}


def burdens(identity: Identity, policies: tuple[Policy, ...], span: int = DOUBLE) -> list[float]:
    """Return the burdens of some constant policies, best first."""
    found = sweep(identity, policies, span)
    return sorted(np.sum([VALUES[name] * values for name, values in found.items()], axis=0).tolist())


def _send(identity: Identity, field: Field, week: int) -> None:
    share = identity.populations / identity.populations.sum()
    field.doses = field.doses + (identity.supply.doses if week >= identity.supply.first else 0) * share
    field.tests = field.tests + identity.supply.tests * share
