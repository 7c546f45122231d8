"""Level `tiny`: one region, one choice of four levels every three weeks, six steps; for very small models.

The disease, the reports and the four targets are those of the other levels; vaccine, tests, surge beds and the
treasury are left out, and what a bulletin would tell comes back with every step. Outbreaks differ more in pace,
severity and stage than elsewhere, so that the reports, not habit, have to choose the level.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any, ClassVar, Final, Literal

import numpy as np

from harness import Result, Toolset, tool
from harness_epidemic.belief import Brief
from harness_epidemic.bulletin import series
from harness_epidemic.country import Identity, Region, Supply
from harness_epidemic.measures import Policy, weekly_price
from harness_epidemic.options import Options
from harness_epidemic.planner import Planner
from harness_epidemic.score import standing
from harness_epidemic.world import World as State
from harness_epidemic.world import measure, pass_week, run_out, start_world

STEP: Final = 3
"""Weeks of a step."""

STEPS: Final = 4
"""Steps of the planner's model in a week."""

RATE, DELAY = 0.33, 2.0
"""Share of infections reported, as the prompt tells it, and days until they are."""

LADDER: Final = (
    Policy(),
    Policy(1, masks=True),
    Policy(2, "closed", masks=True),
    Policy(4, "closed", masks=True),
)
"""What the four levels stand for."""


def prices() -> list[float]:
    """Return what a week of each level costs per 1,000 people."""
    rows = np.array([[policy.row()] for policy in LADDER], dtype=float)
    priced: list[float] = weekly_price(rows, np.array([1000.0]))[:, 0].tolist()
    return priced


class TinyTools(Toolset):
    """The callable affordances of an episode of level `tiny`."""

    World: ClassVar[type] = State
    identity: Identity
    options: Options
    world: State

    @classmethod
    def create(cls, identity: Identity, options: Any) -> State:
        """Let the outbreak run up to week 0."""
        return start_world(identity)

    @tool(budget="steps")
    def advance(self, level: Literal[0, 1, 2, 3]) -> Result:
        """Three weeks pass.

        Args:
            level: 3 is strictest.
        """
        told = step(self.identity, self.world, level)
        if self.options.dense:
            told |= {"standing": standing(self.identity.targets, measure(self.identity, self.world))}
        return Result(told, done=self.world.week >= self.identity.weeks)

    @tool
    def close_out(self) -> Result:
        """Finish at this level."""
        run_out(self.identity, self.world)
        return Result({"week": self.world.week}, done=True)

    def calc_reward(self) -> Mapping[str, Any]:
        """Run out the horizon if need be, and measure deaths, overflow, cost and aftermath."""
        played = self.world.week
        run_out(self.identity, self.world)
        result = measure(self.identity, self.world)
        return {
            "deaths": result.deaths,
            "overflow": result.overflow,
            "cost": result.cost,
            "aftermath": result.aftermath,
            "weeks_played": played,
        }


def step(identity: Identity, world: State, level: int) -> dict[str, Any]:
    """Let three weeks pass at a level; return what is reported of them."""
    world.policies[0] = LADDER[level]
    for _ in range(STEP):
        pass_week(identity, world)
    return {"week": world.week, **report(identity, world, STEP)}


def report(identity: Identity, world: State, weeks: int) -> dict[str, Any]:
    """Return the cases of the last weeks, the admissions of the last week reported, and the patients."""
    reports = series(identity, world)
    return {
        "cases": [week[0] for week in reports["cases"][-weeks:]],
        "admitted": reports["admissions"][-1][0],
        "patients": reports["patients"][-1][0],
    }


def first_report(identity: Identity) -> dict[str, Any]:
    """Return what is reported at week 0."""
    return dict(_first_report(identity))


@lru_cache(maxsize=256)
def _first_report(identity: Identity) -> dict[str, Any]:
    return report(identity, start_world(identity), 4)


class TinyPlanner:
    """The planner behind the short reports."""

    def __init__(self, people: int, beds: int, weeks: int, cases: Sequence[int], admitted: int, patients: int) -> None:
        region = Region("here", people, beds)
        self._brief = Brief(weeks, (region,), Supply(weeks + 1, 0, 0, 0, 10**9), weeks // STEP, 0, RATE, DELAY)
        self._planner = Planner(self._brief, LADDER, weeks, STEPS)
        self._cases, self._admitted, self._patients, self._week = list(cases), admitted, patients, 0

    def level(self) -> int:
        """Return the level of the next step."""
        region = self._brief.regions[0]
        told = {
            "cases": self._cases,
            "admissions": [self._admitted],
            "patients": self._patients,
            "beds": region.beds,
            **dict.fromkeys(("beds_coming", "doses", "tests"), 0),
        }
        left = self._brief.weeks - self._week
        return self._planner.package({"week": self._week, "weeks_left": left, "regions": {region.name: told}})

    def learn(self, told: Mapping[str, Any]) -> None:
        """Take in the report of a step."""
        self._week = told["week"]
        self._cases += told["cases"]
        self._admitted, self._patients = told["admitted"], told["patients"]


def play(identity: Identity, watch: Callable[[State], None]) -> State:
    """Let the planner play an instance; show the world at every decision, return the final one."""
    world, seen, region = start_world(identity), first_report(identity), identity.regions[0]
    planner = TinyPlanner(region.population, region.beds, identity.weeks, **seen)
    while world.week < identity.weeks:
        watch(world)
        planner.learn(step(identity, world, planner.level()))
    return world
