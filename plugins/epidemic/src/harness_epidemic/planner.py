"""The planner: an officer who knows the told rules, sees bulletins only, and looks weeks ahead.

At every decision it simulates, on what it believes, pairs of packages of measures: one until the next decision and one
after it, to the end of its sight. It then tries other packages region by region. What it reaches is what an instance
asks for.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from typing import Any, Final, TypeAlias

import numpy as np
from attrs import asdict

from harness_epidemic import disease
from harness_epidemic.belief import STEPS, Belief, Brief, first_belief
from harness_epidemic.disease import FATALITY, Array
from harness_epidemic.measures import BED_PRICE, Policy
from harness_epidemic.score import VALUES
from harness_epidemic.weeks import Field, Model, aftermath, patients

Order: TypeAlias = tuple[str, dict[str, Any]]

LADDER: Final = (
    Policy(),
    Policy(masks=True, testing=1),
    Policy(1, "open", True, "open", 1),
    Policy(2, "open", True, "open", 2),
    Policy(3, "hybrid", True, "open", 2),
    Policy(4, "closed", True, "restricted", 2),
)
"""Packages from nothing to nearly everything."""

LONGEST: Final = 4
"""Weeks that a call of `advance` can pass."""

SIGHT: Final = 10
"""Weeks that a plan reaches ahead, where nothing else is said."""

PARTS: Final = 4
"""Steps that a plan of a single choice takes apart; the last choice holds to the end."""

CHANGE: Final = 2
"""By how many packages a plan may change after the next decision, and a region depart from the others."""

SPARE_BEDS: Final = 1.1
"""Beds wanted per patient expected at the worst."""

FEWEST_BEDS: Final = 5
"""Beds worth an order."""

PENDING_VALUE: Final = 1.5
"""Credits for an infected person where a plan's sight ends before the horizon."""

TRIES: Final = 300
"""Plans of a blind random search."""

SPAN: Final = 3
"""Weeks that such a plan takes as one."""


class Planner:
    """Turns bulletins into orders.

    Attributes:
        ladder: The packages to choose from.
        sight: Weeks that a plan reaches ahead.
        steps: Steps of its model in a week.
    """

    def __init__(
        self, brief: Brief, ladder: tuple[Policy, ...] = LADDER, sight: int = SIGHT, steps: int = STEPS
    ) -> None:
        self.brief, self.ladder, self.sight, self.steps = brief, ladder, sight, steps
        self._belief: Belief | None = None
        self._orders = brief.orders
        self._packages = [0] * len(brief.regions)

    def decide(self, bulletin: Mapping[str, Any]) -> Iterator[Order]:
        """Yield the orders of a decision, the last of which move time on."""
        belief, store = self._learn(bulletin), bulletin["store"]
        weeks = min(self.brief.step, bulletin["weeks_left"])
        if store["doses"] or store["tests"]:
            yield from self._order("allocate", region="all", doses=store["doses"], tests=store["tests"])
            belief.distribute(belief.field, float(store["doses"]), float(store["tests"]))
        packages, peak = self._choose(belief, bulletin["weeks_left"], weeks)
        yield from self._beds(belief, peak, bulletin)
        yield from self._announce(belief, packages)
        for start in range(0, weeks, LONGEST):
            yield "advance", {"weeks": min(LONGEST, weeks - start)}

    def package(self, bulletin: Mapping[str, Any]) -> int:
        """Return the package of a country whose only choice that is, and hold it to be in force."""
        belief, left, step = self._learn(bulletin), bulletin["weeks_left"], self.brief.step
        parts = min(PARTS, -(-left // step))
        plans = np.array(list(product(range(len(self.ladder)), repeat=parts)))[:, None, :]
        losses, _ = self._simulate(belief, plans, left, step)
        chosen = int(plans[np.argmin(losses), 0, 0])
        belief.field.ordered[0] = self.ladder[chosen].row()
        return chosen

    def _learn(self, bulletin: Mapping[str, Any]) -> Belief:
        if self._belief is None:
            self._belief = first_belief(self.brief, bulletin, self.steps)
        else:
            self._belief.catch_up(bulletin)
        return self._belief

    # ---- looking ahead

    def _choose(self, belief: Belief, left: int, step: int) -> tuple[list[int], Array]:
        """Return the package of each region until the next decision, and the patients to expect at the worst."""
        regions, count = len(self.brief.regions), len(self.ladder)
        near = [(now, later) for now, later in product(range(count), repeat=2) if abs(now - later) <= CHANGE]
        pairs = near if left > step else [(package, package) for package in range(count)]
        common = np.repeat(np.array(pairs)[:, None, :], regions, axis=1)
        losses, peaks = self._simulate(belief, common, left, step)
        best = int(np.argmin(losses))
        packages, spare = [pairs[best][0]] * regions, self._spare(left, step)
        if regions > 1 and spare > 0:
            packages = self._refine(belief, pairs[best], float(losses[best]), left, step)
        return packages, peaks[best]

    def _refine(self, belief: Belief, pair: tuple[int, int], loss: float, left: int, step: int) -> list[int]:
        """Let the regions that gain most by it depart from the common package."""
        (first, later), regions, count = pair, len(self.brief.regions), len(self.ladder)
        near = [package for package in range(count) if 0 < abs(package - first) <= CHANGE]
        tries = list(product(range(regions), near))
        rows = np.full((len(tries), regions, 2), first)
        rows[..., 1] = later
        for row, (region, package) in enumerate(tries):
            rows[row, region] = package, min(count - 1, max(0, later + (1 if package > first else -1)))
        losses, _ = self._simulate(belief, rows, left, step)
        packages, changed = [first] * regions, 0
        for row in np.argsort(losses, kind="stable"):
            region, package = tries[row]
            if losses[row] < loss and packages[region] == first and changed < self._spare(left, step):
                packages[region], changed = package, changed + 1
        return packages

    def _simulate(self, belief: Belief, plans: Array, left: int, step: int) -> tuple[Array, Array]:
        """Return the loss and the worst patients of plans, shape (plans, regions, steps taken apart)."""
        ordered = np.array([policy.row() for policy in self.ladder], dtype=float)[plans]
        field, model = belief.field.repeat(len(plans)), belief.model()
        loss, peak, sight = -field.spent, np.zeros(field.beds.shape), min(self.sight, left)
        for place, (start, weeks) in enumerate(_stretches(plans.shape[2], step, sight)):
            field.ordered = ordered[:, :, place]
            loss += belief.pass_weeks(model, field, belief.week + start, weeks)
            peak = np.maximum(peak, patients(field))
        loss += field.spent
        return loss + _afterwards(model, field, belief.week + sight, sight == left), peak

    # ---- ordering

    def _spare(self, left: int, step: int) -> int:
        """Orders that a decision may spend on single regions, with what later decisions need kept back."""
        decisions = max(1, -(-left // step))
        return int(self._orders / decisions) - 2

    def _order(self, tool: str, **arguments: Any) -> Iterator[Order]:
        if self._orders > 0:
            self._orders -= 1
            yield tool, arguments

    def _beds(self, belief: Belief, peak: Array, bulletin: Mapping[str, Any]) -> Iterator[Order]:
        """Order surge beds where a plan expects more patients than beds, for half of the credits left at most."""
        if bulletin["weeks_left"] <= 2:
            return
        reserve = min(bulletin["store"]["beds"], bulletin["credits_left"] // (2 * BED_PRICE))
        for place, report in enumerate(self.brief.reports(bulletin)):
            amount = min(reserve, int(SPARE_BEDS * peak[place] - report["beds"] - report["beds_coming"]))
            if amount >= FEWEST_BEDS and self._orders > 2:
                reserve -= amount
                belief.field.beds[0, place] += amount
                yield from self._order("allocate", region=self.brief.regions[place].name, beds=amount)

    def _announce(self, belief: Belief, packages: list[int]) -> Iterator[Order]:
        """Yield the changes of policy: one for all regions if they then agree, else one for each that differs."""
        changed = [place for place, package in enumerate(packages) if package != self._packages[place]]
        common = max(packages, key=lambda package: (packages.count(package), -package))
        others = [place for place, package in enumerate(packages) if package != common]
        if changed and 1 + len(others) < len(changed):
            yield from self._enact(belief, "all", common, range(len(packages)))
            changed = others
        for place in changed:
            yield from self._enact(belief, self.brief.regions[place].name, packages[place], [place])

    def _enact(self, belief: Belief, region: str, package: int, places: Sequence[int]) -> Iterator[Order]:
        for order in self._order("set_policy", region=region, **asdict(self.ladder[package])):
            for place in places:
                self._packages[place] = package
            belief.field.ordered[0, list(places)] = self.ladder[package].row()
            yield order


def search_plan(brief: Brief, bulletin: Mapping[str, Any], rng: np.random.Generator) -> list[tuple[int, int]]:
    """Search at random over whole plans for all regions from one bulletin; return (first week, package) pairs."""
    belief, weeks = first_belief(brief, bulletin), list(range(0, brief.weeks, SPAN))
    plans = rng.integers(len(LADDER), size=(TRIES, len(weeks)))
    smooth = rng.random(plans.shape) < 0.7
    for place in range(1, len(weeks)):
        plans[:, place] = np.where(smooth[:, place], plans[:, place - 1], plans[:, place])
    ordered = np.array([policy.row() for policy in LADDER], dtype=float)[plans]
    field, model, loss = belief.field.repeat(TRIES), belief.model(), np.zeros(TRIES)
    for place, week in enumerate(weeks):
        field.ordered = np.repeat(ordered[:, place, None, :], len(brief.regions), axis=1)
        loss += belief.pass_weeks(model, field, week, min(SPAN, brief.weeks - week))
    loss += field.spent + _afterwards(model, field, brief.weeks, True)
    return list(zip(weeks, plans[int(np.argmin(loss))].tolist(), strict=True))


def _afterwards(model: Model, field: Field, week: int, end: bool) -> Array:
    """Return what the state at the end of sight is worth avoiding."""
    if end:
        return VALUES["aftermath"] * aftermath(model, field, week, whole=True)
    infected = (field.people[disease.E] + field.people[disease.I]).sum(axis=1)
    dying = (field.people[disease.H] * np.tile(FATALITY, field.beds.shape[1])).sum(axis=1)
    value: Array = PENDING_VALUE * infected + VALUES["deaths"] * dying
    return value


def _stretches(parts: int, step: int, sight: int) -> Iterator[tuple[int, int]]:
    """Yield (start, weeks) of the parts of a plan: one until each next decision, the last to the end of sight."""
    for place, start in enumerate(range(0, min(parts * step, sight), step)):
        yield start, sight - start if place == parts - 1 else min(step, sight - start)
