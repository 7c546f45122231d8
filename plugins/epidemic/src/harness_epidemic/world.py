"""The world of an episode: what travels between calls, as plain numbers, and how it moves on by a week.

Next to the state of the country it keeps the books (store, purchases on their way, credits) and the weekly history
from which bulletins are made.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from attrs import Factory, define, frozen

from harness_epidemic import measures
from harness_epidemic.country import HISTORY, Identity
from harness_epidemic.disease import AGES, SHARES
from harness_epidemic.measures import Policy
from harness_epidemic.weeks import Field, Week, aftermath, model_of, patients, run_week, start_field

BED_DELAY: Final = 2
"""Weeks from ordering a surge bed to its first patient."""


@define
class World:
    """The state of an episode; lists by region where nothing else is said.

    Attributes:
        people: Compartments × cells; like the history typed loosely, which spares converting thousands of numbers.
        jabbed: By cell.
        store: Doses, tests and surge beds not yet sent anywhere.
        coming: Surge beds on their way: [week, region, beds].
        history: Week by week from the start of the history: onsets, admissions, deaths, patients, testing.
        unpaid: Weeks whose measures could not be paid.
    """

    week: int
    people: list[Any]
    jabbed: list[float]
    compliance: list[float]
    policies: list[Policy]
    store: dict[str, int]
    doses: list[int]
    tests: list[int]
    beds: list[int]
    coming: list[list[int]] = Factory(list)
    spent: float = 0.0
    overflow: float = 0.0
    history: list[Any] = Factory(list)
    unpaid: int = 0

    @property
    def deaths(self) -> float:
        """Deaths since week 0."""
        return sum(sum(week[2]) for week in self.history[HISTORY:])


@frozen
class Result:
    """How an episode ended, in the four quantities that count."""

    deaths: float
    overflow: float
    cost: float
    aftermath: float


def outbreak(identity: Identity) -> Field:
    """Return the country at its first infections, `HISTORY` weeks before week 0."""
    heads = (identity.populations[:, None] * SHARES).ravel()
    return start_field(identity.regions, heads * np.repeat(np.array(identity.seeded), AGES) / 1e5)


def start_world(identity: Identity) -> World:
    """Return the world at week 0: the outbreak has run for `HISTORY` weeks without measures."""
    field, model = outbreak(identity), model_of(identity)
    history = [_leaf(field, run_week(model, field, week - HISTORY)) for week in range(HISTORY)]
    regions = len(identity.regions)
    world = World(
        0,
        field.people[:, 0].tolist(),
        field.jabbed[0].tolist(),
        field.compliance[0].tolist(),
        [Policy()] * regions,
        {"doses": 0, "tests": identity.supply.tests, "beds": identity.supply.beds},
        [0] * regions,
        [0] * regions,
        [region.beds for region in identity.regions],
        history=history,
    )
    deliver(identity, world)
    return world


def deliver(identity: Identity, world: World) -> None:
    """Bring what arrives at the start of the world's week: doses, tests, surge beds."""
    if world.week >= identity.supply.first:
        world.store["doses"] += identity.supply.doses
    if world.week > 0:
        world.store["tests"] += identity.supply.tests
    for week, region, beds in world.coming:
        if week == world.week:
            world.beds[region] += beds
    world.coming = [entry for entry in world.coming if entry[0] > world.week]


def field_of(world: World) -> Field:
    """Return the arrays of a world."""
    return Field(
        np.array(world.people)[:, None, :],
        np.array([world.jabbed]),
        np.array([world.compliance]),
        measures.orders(world.policies),
        np.array([world.doses], dtype=np.float64),
        np.array([world.tests], dtype=np.float64),
        np.array([world.beds], dtype=np.float64),
        np.array([world.spent]),
    )


def pass_week(identity: Identity, world: World) -> Week:
    """Move a world on by a week, in place."""
    field = field_of(world)
    week = run_week(model_of(identity), field, world.week, float(identity.supply.treasury))
    settle(field)
    world.history.append(_leaf(field, week))
    world.people, world.jabbed = field.people[:, 0].tolist(), field.jabbed[0].tolist()
    world.compliance, world.spent = field.compliance[0].tolist(), float(field.spent[0])
    world.doses, world.tests = (stock[0].astype(int).tolist() for stock in (field.doses, field.tests))
    world.overflow += float(week.tally.overflow.sum())
    world.unpaid += int(week.unpaid[0])
    world.week += 1
    deliver(identity, world)
    return week


def settle(field: Field) -> None:
    """Leave whole doses and tests in stock."""
    field.doses, field.tests = (np.floor(stock + 1e-6) for stock in (field.doses, field.tests))


def run_out(identity: Identity, world: World) -> None:
    """Let the remaining weeks pass under the last policies."""
    while world.week < identity.weeks:
        pass_week(identity, world)


def measure(identity: Identity, world: World) -> Result:
    """Return the four quantities of a world at its end."""
    later = float(aftermath(model_of(identity), field_of(world), world.week)[0])
    return Result(world.deaths, world.overflow, world.spent, later)


def _leaf(field: Field, week: Week) -> list[list[float]]:
    tally = week.tally
    rows = (tally.onsets, tally.admissions, tally.deaths, patients(field), week.traced)
    leaf: list[list[float]] = np.round([row[0] for row in rows], 3).tolist()
    return leaf
