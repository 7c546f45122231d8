"""The planner: an officer who knows the told rules, sees bulletins only, and looks weeks ahead.

It keeps a model of the country with middling durations, corrects it with every bulletin (level of infection from
cases and admissions, transmission from their drift, patients as reported), and at every decision simulates pairs of
packages, one until the next decision and one after it, to the end of its sight. It then tries other packages region
by region. What it reaches is what an instance asks for.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from typing import Any, Final, TypeAlias

import numpy as np
from attrs import asdict, define, frozen

from harness_epidemic import disease
from harness_epidemic.bulletin import reported_cases
from harness_epidemic.country import HISTORY, Region, Supply
from harness_epidemic.disease import AGES, FATALITY, SHARES, Array, pace
from harness_epidemic.measures import BED_PRICE, Policy
from harness_epidemic.score import VALUES
from harness_epidemic.weeks import Field, Model, aftermath, patients, run_week, start_field

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

STEPS: Final = 2
"""Steps of the planner's own model in a week."""

SIGHT: Final = 8
"""Weeks that a plan reaches ahead."""

SPAN: Final = 3
"""Weeks that a plan takes as one after the next decision."""

CHANGE: Final = 2
"""By how many packages a plan may change after the next decision."""

TRIES: Final = 300
"""Plans of a blind random search."""

MOBILITY: Final = 0.03
"""What the planner believes of the share of contacts in each other region."""


PENDING_VALUE: Final = 1.5
"""Credits for an infected person where a plan's sight ends before the horizon."""


@frozen
class Brief:
    """What the planner reads in the prompt."""

    weeks: int
    regions: tuple[Region, ...]
    supply: Supply
    bulletins: int
    orders: int

    @property
    def populations(self) -> Array:
        """People by region."""
        return np.array([float(region.population) for region in self.regions])

    @property
    def step(self) -> int:
        """Weeks between decisions that the bulletins suffice for."""
        return -(-self.weeks // max(1, self.bulletins))


@define
class Belief:
    """What the planner thinks of the country now."""

    field: Field
    strength: Array
    rate: float
    onsets: list[Array]
    testing: list[Array]
    week: int


class Planner:
    """Turns bulletins into orders."""

    def __init__(self, brief: Brief, ladder: tuple[Policy, ...] = LADDER) -> None:
        self.brief, self.ladder = brief, ladder
        self._pace = pace(7.0 / STEPS, 3.5, 5.5, 9.0, 250.0, 1.0)
        self._mobility = MOBILITY * (1.0 - np.eye(len(brief.regions)))
        self._belief: Belief | None = None
        self._orders = brief.orders
        self._packages = [0] * len(brief.regions)

    def decide(self, bulletin: Mapping[str, Any]) -> Iterator[Order]:
        """Yield the orders of a decision, the last of which moves time on."""
        reports = [bulletin["regions"][region.name] for region in self.brief.regions]
        belief, store = self._learn(bulletin, reports), bulletin["store"]
        weeks = min(self.brief.step, bulletin["weeks_left"])
        if store["doses"] or store["tests"]:
            yield from self._order("allocate", region="all", doses=store["doses"], tests=store["tests"])
            self._distribute(belief.field, float(store["doses"]), float(store["tests"]))
        packages, plan = self._choose(belief, bulletin["weeks_left"], weeks)
        yield from self._beds(belief, plan, reports, store["beds"], bulletin)
        yield from self._announce(packages)
        for start in range(0, weeks, LONGEST):
            yield "advance", {"weeks": min(LONGEST, weeks - start)}

    def package(self, bulletin: Mapping[str, Any]) -> int:
        """Return the package of a country whose only choice that is, and hold it to be in force."""
        belief = self._learn(bulletin, list(bulletin["regions"].values()))
        weeks = min(self.brief.step, bulletin["weeks_left"])
        packages, _ = self._choose(belief, bulletin["weeks_left"], weeks)
        belief.field.ordered[0] = self.ladder[packages[0]].row()
        return packages[0]

    def search(self, bulletin: Mapping[str, Any], rng: np.random.Generator) -> list[tuple[int, int]]:
        """Search at random over whole plans for all regions from one bulletin; return (first week, package) pairs."""
        belief = self._learn(bulletin, [bulletin["regions"][region.name] for region in self.brief.regions])
        weeks = list(range(0, self.brief.weeks, SPAN))
        plans = rng.integers(len(self.ladder), size=(TRIES, len(weeks)))
        smooth = rng.random(plans.shape) < 0.7
        for place in range(1, len(weeks)):
            plans[:, place] = np.where(smooth[:, place], plans[:, place - 1], plans[:, place])
        losses = self._follow(belief, plans, weeks)
        return list(zip(weeks, plans[int(np.argmin(losses))].tolist(), strict=True))

    def _follow(self, belief: Belief, plans: Array, weeks: list[int]) -> Array:
        """Return the loss of plans to the end of the horizon, shape (plans, stretches)."""
        ordered = np.array([policy.row() for policy in self.ladder], dtype=float)[plans]
        field, model, loss = belief.field.repeat(len(plans)), self._model(belief.strength), np.zeros(len(plans))
        for place, week in enumerate(weeks):
            field.ordered = np.repeat(ordered[:, place, None, :], len(self.brief.regions), axis=1)
            loss += self._stretch(model, field, week, min(SPAN, self.brief.weeks - week))
        return loss + field.spent + self._afterwards(model, field, self.brief.weeks, True)

    def _stretch(self, model: Model, field: Field, week: int, weeks: int) -> Array:
        """Let supplies arrive and weeks pass in a field; return deaths and overflow in credits."""
        vaccine = sum(week + ahead >= self.brief.supply.first for ahead in range(1, weeks + 1))
        self._distribute(field, float(self.brief.supply.doses * vaccine), float(self.brief.supply.tests * weeks))
        tally = run_week(model, field, week, span=weeks).tally
        loss: Array = VALUES["deaths"] * tally.deaths.sum(axis=1) + VALUES["overflow"] * tally.overflow.sum(axis=1)
        return loss

    # ---- learning

    def _model(self, strength: Array) -> Model:
        steps = [np.repeat(strength, AGES, axis=-1)] * STEPS
        return Model(self.brief.populations, self._mobility, self._pace, 0.04, lambda week: steps)

    def _learn(self, bulletin: Mapping[str, Any], reports: Sequence[Mapping[str, Any]]) -> Belief:
        cases = np.array([report["cases"] for report in reports], dtype=float).T + 0.5
        admissions = np.array([report["admissions"] for report in reports], dtype=float).T + 0.5
        beds_taken = np.array([report["patients"] for report in reports], dtype=float)
        if self._belief is None:
            belief = self._belief = self._first(cases, admissions)
        else:
            belief = self._belief
            model = self._model(belief.strength)
            while belief.week < bulletin["week"]:
                week = run_week(model, belief.field, belief.week)
                belief.onsets.append(week.tally.onsets[0])
                belief.testing.append(week.traced[0])
                belief.week += 1
                self._deliver(belief)
            self._correct(belief, cases, admissions, beds_taken)
        self._observe(belief.field, reports, beds_taken)
        return belief

    def _first(self, cases: Array, admissions: Array) -> Belief:
        """Start from the trend of the history: growth gives transmission, admissions the level."""
        growth = np.clip(np.log(cases[-1] / cases[-3]) / 2.0, -0.3, 1.2)
        reproduction = (1.0 + growth / 7.0 * 3.5) * (1.0 + growth / 7.0 * 5.5)
        admitted = float((disease.ADMISSION * SHARES).sum()) * 0.8
        level = admissions[-1] * np.exp(growth) / admitted / 7.0
        shares = np.repeat(level, AGES) * np.tile(SHARES, len(level))
        field = start_field(self.brief.regions, shares * (3.5 + 5.5))
        weeks = [admissions[-1] * np.exp(growth * (1 - ago)) / admitted for ago in reversed(range(HISTORY))]
        rate = float(np.exp(np.mean(np.log(cases[-1] / weeks[-2]))))
        calm = [np.zeros(len(level))] * HISTORY
        return Belief(field, reproduction / 5.5, min(0.9, rate), weeks, list(calm), 0)

    def _correct(self, belief: Belief, cases: Array, admissions: Array, beds_taken: Array) -> None:
        """Move level, transmission and reporting rate towards what was reported."""
        expected = reported_cases(np.array(belief.onsets), np.array(belief.testing), belief.rate, 6.0) + 0.5
        miss = np.clip(np.log(cases[-1] / expected[-1]), -1.5, 1.5)
        before = np.clip(np.log(cases[-2] / expected[-2]), -1.5, 1.5)
        ill = np.clip(np.log((beds_taken + 1.0) / (patients(belief.field)[0] + 1.0)), -1.0, 1.0)
        level = np.exp(0.6 * miss + 0.2 * ill)
        belief.field.people[[disease.E, disease.I]] *= np.repeat(level, AGES)
        belief.onsets[-2:] = [week * level for week in belief.onsets[-2:]]
        belief.rate = float(np.clip(belief.rate * np.exp(-0.25 * np.mean(ill)), 0.02, 0.95))
        drift = np.clip(0.25 * (miss - before) + 0.15 * miss, -0.25, 0.25)
        belief.strength = np.clip(belief.strength * np.exp(drift), 0.12, 1.2)

    def _observe(self, field: Field, reports: Sequence[Mapping[str, Any]], beds_taken: Array) -> None:
        """Take over what is told: patients, beds, stocks."""
        known = patients(field)[0]
        factor = np.repeat((beds_taken + 0.5) / (known + 0.5), AGES)
        field.people[disease.H] *= factor
        field.beds = np.array([[float(report["beds"] + report["beds_coming"]) for report in reports]])
        field.doses = np.array([[float(report["doses"]) for report in reports]])
        field.tests = np.array([[float(report["tests"]) for report in reports]])

    # ---- looking ahead

    def _deliver(self, belief: Belief) -> None:
        doses = self.brief.supply.doses if belief.week >= self.brief.supply.first else 0
        self._distribute(belief.field, float(doses), float(self.brief.supply.tests))

    def _distribute(self, field: Field, doses: float, tests: float) -> None:
        share = self.brief.populations / self.brief.populations.sum()
        field.doses, field.tests = field.doses + doses * share, field.tests + tests * share

    def _choose(self, belief: Belief, left: int, step: int) -> tuple[list[int], Array]:
        """Return the package of each region until the next decision, and the patients to expect at the worst."""
        regions, count = len(self.brief.regions), len(self.ladder)
        near = [(now, later) for now, later in product(range(count), repeat=2) if abs(now - later) <= CHANGE]
        pairs = near if left > step else [(package, package) for package in range(count)]
        common = np.repeat(np.array(pairs)[:, None, :], regions, axis=1)
        losses, peaks = self._simulate(belief, common, left, step)
        best = int(np.argmin(losses))
        first, later = pairs[best]
        packages, peak = [first] * regions, peaks[best]
        spare = self._spare(left, step)
        if regions > 1 and spare > 0:
            packages = self._refine(belief, first, later, float(losses[best]), left, step, spare)
        return packages, peak

    def _refine(
        self, belief: Belief, first: int, later: int, loss: float, left: int, step: int, spare: int
    ) -> list[int]:
        """Let the regions that gain most by it depart from the common package."""
        regions, count = len(self.brief.regions), len(self.ladder)
        near = [p for p in range(count) if p != first and abs(p - first) <= 2]
        tries = [(region, package) for region in range(regions) for package in near]
        rows = np.full((len(tries), regions, 2), first)
        rows[..., 1] = later
        for row, (region, package) in enumerate(tries):
            rows[row, region, 0] = package
            rows[row, region, 1] = min(count - 1, max(0, later + (1 if package > first else -1)))
        losses, _ = self._simulate(belief, rows, left, step)
        packages, changed = [first] * regions, 0
        for row in np.argsort(losses, kind="stable"):
            region, package = tries[row]
            if losses[row] < loss and packages[region] == first and changed < spare:
                packages[region], changed = package, changed + 1
        return packages

    def _simulate(self, belief: Belief, plans: Array, left: int, step: int) -> tuple[Array, Array]:
        """Return the loss and the worst week's patients of plans, shape (plans, regions, 2): packages now and later."""
        ordered = np.array([policy.row() for policy in self.ladder], dtype=float)[plans]
        field, model = belief.field.repeat(len(plans)), self._model(belief.strength)
        loss, peak, sight = -field.spent, np.zeros(field.beds.shape), min(SIGHT, left)
        for start, weeks in _spans(step, sight):
            field.ordered = ordered[:, :, 0 if start < step else 1]
            loss += self._stretch(model, field, belief.week + start, weeks)
            peak = np.maximum(peak, patients(field))
        loss += field.spent
        return loss + self._afterwards(model, field, belief.week + sight, sight == left), peak

    def _afterwards(self, model: Model, field: Field, week: int, end: bool) -> Array:
        """Return what the state at the end of sight is worth avoiding."""
        if end:
            return VALUES["aftermath"] * aftermath(model, field, week, whole=True)
        infected = (field.people[disease.E] + field.people[disease.I]).sum(axis=1)
        dying = (field.people[disease.H] * np.tile(FATALITY, field.beds.shape[1])).sum(axis=1)
        value: Array = PENDING_VALUE * infected + VALUES["deaths"] * dying
        return value

    # ---- ordering

    def _spare(self, left: int, step: int) -> int:
        """Orders that a decision may spend on single regions, with what later decisions need kept back."""
        decisions = max(1, -(-left // step))
        return int(self._orders / decisions) - 2

    def _order(self, tool: str, **arguments: Any) -> Iterator[Order]:
        if self._orders > 0:
            self._orders -= 1
            yield tool, arguments

    def _beds(
        self,
        belief: Belief,
        peak: Array,
        reports: Sequence[Mapping[str, Any]],
        reserve: int,
        bulletin: Mapping[str, Any],
    ) -> Iterator[Order]:
        """Order surge beds where a plan expects more patients than beds."""
        if bulletin["weeks_left"] <= 2:
            return
        reserve = min(reserve, bulletin["credits_left"] // (2 * BED_PRICE))
        for place, report in enumerate(reports):
            short = int(1.1 * peak[place] - report["beds"] - report["beds_coming"])
            amount = min(short, reserve)
            if amount > 4 and self._orders > 2:
                reserve -= amount
                belief.field.beds[0, place] += amount
                yield from self._order("allocate", region=self.brief.regions[place].name, beds=amount)

    def _announce(self, packages: list[int]) -> Iterator[Order]:
        """Yield the changes of policy: one for all regions if they then agree, else one for each that differs."""
        changed = [place for place, package in enumerate(packages) if package != self._packages[place]]
        common = max(set(packages), key=lambda package: (packages.count(package), -package))
        others = [place for place, package in enumerate(packages) if package != common]
        if changed and 1 + len(others) < len(changed):
            yield from self._enact("all", common, range(len(packages)))
            changed = others
        for place in changed:
            yield from self._enact(self.brief.regions[place].name, packages[place], [place])

    def _enact(self, region: str, package: int, places: Sequence[int]) -> Iterator[Order]:
        made = list(self._order("set_policy", region=region, **asdict(self.ladder[package])))
        if made:
            for place in places:
                self._packages[place] = package
            assert self._belief is not None
            self._belief.field.ordered[0, list(places)] = self.ladder[package].row()
        yield from made


def _spans(step: int, sight: int) -> Iterator[tuple[int, int]]:
    """Yield (start, weeks) of the stretches of a plan: until the next decision, then up to `SPAN` weeks each."""
    for begin, end in ((0, min(step, sight)), (step, sight)):
        for start in range(begin, end, SPAN):
            yield start, min(SPAN, end - start)
