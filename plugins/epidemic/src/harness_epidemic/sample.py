"""Proposing instances: draw a country and its disease, let the planner play it, and ask for what it reached.

The planner plays through the same tools, bulletins and budgets as any policy. Targets are what it reached plus the
slack of the level; partial credit starts at the best of the simple rules, swept over with the true model (at `tiny`,
where beginners shall earn some, at a poor one).
Draws in which the planner is no better than a simple rule, or the epidemic is none, are rejected, and so are those in
which letting go, or ordering everything, at one of the last decisions does better.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import numpy as np
from attrs import evolve

from harness import Clock, Reject
from harness_epidemic import tiny
from harness_epidemic.belief import Brief
from harness_epidemic.bulletin import bulletin
from harness_epidemic.country import Bar, Disease, Identity, Region, Supply, Surveillance, Targets
from harness_epidemic.endings import LATE, Moment, endings, moment
from harness_epidemic.measures import BED_PRICE, LOCKDOWN, Policy
from harness_epidemic.naive import CONSTANT, burdens
from harness_epidemic.options import PLANS, Options, Plan, budgets
from harness_epidemic.planner import Planner
from harness_epidemic.score import burden, rate, targets_for
from harness_epidemic.tools import EpidemicTools
from harness_epidemic.world import World, measure, start_world

NAMES: Final = (
    "Alder", "Birch", "Cedar", "Dorn", "Elm", "Fern", "Grove", "Heath", "Iris", "Juniper", "Linden", "Maple",
)  # fmt: skip

RANGES: Final[Mapping[str, tuple[float, float]]] = {
    "r0": (1.7, 3.0),
    "latent": (2.5, 4.5),
    "infectious": (4.5, 7.0),
    "stay": (7.0, 11.0),
    "immune": (150.0, 350.0),
    "severity": (0.7, 1.4),
    "season": (0.0, 0.15),
    "gain": (1.15, 1.4),
    "escape": (0.05, 0.25),
    "fatigue": (0.02, 0.06),
    "rate": (0.15, 0.5),
    "seeded": (20.0, 90.0),
    "beds": (0.0006, 0.0012),
}
"""Ranges of what is drawn where a level has no others; the prompt tells those that an officer would know."""

DRAWN: Final = ("r0", "latent", "infectious", "stay", "immune", "severity", "season", "gain", "escape", "fatigue")
"""What is drawn of the disease, in this order."""

EXTREMES: Final = {True: (tiny.LADDER[0], tiny.LADDER[-1]), False: (Policy(), LOCKDOWN)}
"""What letting go and ordering everything are, at `tiny` and elsewhere."""

LEAST_GAIN: Final = 0.02
"""By how much of its burden the planner must beat the best simple rule."""

WORTH: Final = 0.005
"""Reward, or share of the burden, that an ending without a plan may gain: a planner may let go when it is time."""


class Proposer:
    """Draws countries of a level."""

    identity: type = Identity

    def __init__(self, options: Options) -> None:
        self.options = options
        self.plan: Plan = PLANS[options.level]

    def sample(self, rng: np.random.Generator) -> Identity:
        """Propose an instance whose planner beats the simple rules, to the end."""
        drawn = draw(self.plan, rng)
        small, late = self.options.level == "tiny", Late(drawn)
        world = tiny.play(drawn, late.watch) if small else play(drawn, self.options, late)
        reached = measure(drawn, world)
        simple = burdens(drawn, tiny.LADDER, 1) if small else burdens(drawn, CONSTANT)
        planned = burden(reached)
        if planned * (1.0 + LEAST_GAIN) > simple[0]:
            raise Reject("a simple rule does as well as the planner")
        bar = Bar(round(simple[self.plan.foot], 3), round(planned, 3))
        identity = evolve(drawn, targets=targets_for(reached, self.plan.slack), bar=bar)
        kept = rate(identity, reached, self.options.level, late.orders).total
        for result, orders in endings(drawn, late.moments, EXTREMES[small]):
            gained = rate(identity, result, self.options.level, orders).total - kept
            if gained > WORTH or burden(result) < planned * (1.0 - WORTH):
                raise Reject("letting go, or ordering everything, at the end does better than the planner")
        return identity


class Late:
    """Remembers the last decisions of an episode.

    Attributes:
        orders: Orders given so far.
    """

    def __init__(self, identity: Identity) -> None:
        self.weeks, self.orders, self.moments = identity.weeks, 0, list[Moment]()

    def watch(self, world: World) -> None:
        """See a world at a decision."""
        if self.weeks - world.week <= LATE:
            self.moments.append(moment(world, self.orders))


def play(identity: Identity, options: Options, late: Late) -> World:
    """Let the planner play an instance through the tools; return the final world."""
    world = start_world(identity)
    planner = Planner(brief_of(identity, options.level))
    while world.week < identity.weeks:
        late.watch(world)
        for name, arguments in planner.decide(bulletin(identity, world)):
            tools = EpidemicTools(identity, options, world, Clock())
            getattr(tools, name)(**arguments)
            late.orders += name != "advance"
    return world


def brief_of(identity: Identity, level: str) -> Brief:
    """Return what the prompt of an instance tells a planner."""
    granted = budgets(identity.weeks, level)
    return Brief(identity.weeks, identity.regions, identity.supply, granted["bulletins"], granted["orders"])


def draw(plan: Plan, rng: np.random.Generator) -> Identity:
    """Draw a country without targets."""
    count = int(rng.integers(plan.regions[0], plan.regions[1] + 1))
    weeks = 2 * int(rng.integers(plan.weeks[0] // 2, plan.weeks[1] // 2 + 1))
    regions = _regions(plan, count, rng)
    people = sum(region.population for region in regions)
    return Identity(
        weeks,
        regions,
        _mobility(count, rng),
        _disease(plan, weeks, rng),
        Surveillance(_in(plan, "rate", rng), _uniform(*plan.delay, rng), plan.noise),
        tuple(_in(plan, "seeded", rng) * (1.0 if place == 0 else _uniform(0.1, 1.0, rng)) for place in range(count)),
        _supply(people, weeks, rng) if plan.supplied else Supply(weeks + 1, 0, 0, 0, 10**9),
        int(rng.integers(2**31)),
        plan.shock,
        Targets(1, 1, 1, 1),
        Bar(0.0, 0.0),
    )


def _regions(plan: Plan, count: int, rng: np.random.Generator) -> tuple[Region, ...]:
    names = [NAMES[i] for i in rng.permutation(len(NAMES))[:count]]
    people = [1000 * int(rng.integers(120, 700)) for _ in names]
    return tuple(
        Region(name, population, int(population * _in(plan, "beds", rng)))
        for name, population in zip(names, people, strict=True)
    )


def _mobility(count: int, rng: np.random.Generator) -> tuple[tuple[float, ...], ...]:
    return tuple(
        tuple(_uniform(0.01, 0.05, rng) if here != there else 0.0 for there in range(count)) for here in range(count)
    )


def _disease(plan: Plan, weeks: int, rng: np.random.Generator) -> Disease:
    drawn = {name: _in(plan, name, rng) for name in DRAWN}
    arrives = int(rng.integers(weeks // 4, weeks // 2)) if rng.random() < plan.variant else 200
    return Disease(**drawn, peak=_uniform(0.0, 52.0, rng), variant=arrives)


def _supply(people: int, weeks: int, rng: np.random.Generator) -> Supply:
    first = int(rng.integers(weeks // 5, weeks // 2))
    tests = int(people * 0.01 * _uniform(0.8, 1.6, rng))
    doses = int(people * _uniform(0.006, 0.016, rng))
    beds = int(people * _uniform(0.0003, 0.0006, rng))
    treasury = int(people / 1000.0 * weeks * _uniform(16.0, 24.0, rng)) + BED_PRICE * beds
    return Supply(first, doses, tests, beds, treasury)


def _in(plan: Plan, name: str, rng: np.random.Generator) -> float:
    return _uniform(*plan.ranges.get(name, RANGES[name]), rng)


def _uniform(low: float, high: float, rng: np.random.Generator) -> float:
    return round(float(rng.uniform(low, high)), 6)
