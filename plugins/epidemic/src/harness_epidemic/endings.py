"""Endings without a plan: lifting, or ordering, everything at one of the last decisions, and leaving it at that.

The sampler keeps an instance only if none of them does better than the planner, so that it is never worth while to
let the epidemic loose at the end, or to lock down to it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

import numpy as np
from attrs import frozen

from harness_epidemic.country import Identity
from harness_epidemic.measures import Policy
from harness_epidemic.weeks import Field, aftermath, model_of, run_week
from harness_epidemic.world import Result, World, field_of, settle

LATE: Final = 7
"""Weeks before the end within which a decision may be one of the last."""


@frozen(eq=False)
class Moment:
    """An episode as a decision finds it.

    Attributes:
        coming: Surge beds on their way: (week, region, beds).
        orders: Orders given so far.
    """

    week: int
    field: Field
    coming: tuple[tuple[int, ...], ...]
    deaths: float
    overflow: float
    orders: int


def moment(world: World, orders: int) -> Moment:
    """Remember how an episode stands."""
    coming = tuple(map(tuple, world.coming))
    return Moment(world.week, field_of(world), coming, world.deaths, world.overflow, orders)


def endings(identity: Identity, moments: Sequence[Moment], packages: Sequence[Policy]) -> Iterator[tuple[Result, int]]:
    """Yield what each package, ordered everywhere at each moment and held to the end, comes to, and the orders given.

    The numbers are those of an episode; all run side by side.
    """
    rows = np.array([package.row() for package in packages], dtype=float)[:, None, :]
    model, among = model_of(identity), sorted(moments, key=lambda one: one.week)
    field, joined = None, 0
    deaths, overflow = (np.repeat([getattr(one, name) for one in among], len(rows)) for name in ("deaths", "overflow"))
    for week in range(among[0].week, identity.weeks):
        while joined < len(among) and among[joined].week == week:
            new = among[joined].field.repeat(len(rows))
            new.ordered = np.repeat(rows, len(identity.regions), axis=1)
            field, joined = new if field is None else field.beside(new), joined + 1
        assert field is not None
        tally = run_week(model, field, week, float(identity.supply.treasury)).tally
        settle(field)
        for place, one in enumerate(among[:joined]):
            for opens, region, beds in one.coming:
                field.beds[len(rows) * place : len(rows) * (place + 1), region] += beds * (opens == week + 1)
        size = len(rows) * joined
        deaths[:size] += tally.deaths.sum(axis=1)
        overflow[:size] += tally.overflow.sum(axis=1)
    assert field is not None
    later, given = aftermath(model, field, identity.weeks), np.repeat([one.orders + 1 for one in among], len(rows))
    for numbers, orders in zip(zip(deaths, overflow, field.spent, later, strict=True), given, strict=True):
        yield Result(*map(float, numbers)), int(orders)
