"""What a planner believes: a middling model of the country, corrected by every bulletin.

Durations, severity, mobility and fatigue are taken in the middle of what the prompt tells. Three things are learnt by
region: how many are infected (from cases, and from patients against expectation), how fast it spreads (from the drift
of cases), and, for the country, which share of infections is reported; where that share is told, how severe the disease
is instead. Patients, beds and stocks are as told.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, TypeAlias

import numpy as np
from attrs import define, frozen

from harness_epidemic import disease
from harness_epidemic.bulletin import reported_cases
from harness_epidemic.country import HISTORY, Region, Supply
from harness_epidemic.disease import AGES, SHARES, Array, pace
from harness_epidemic.score import VALUES
from harness_epidemic.weeks import Field, Model, patients, run_week, start_field

Report: TypeAlias = Mapping[str, Any]

LATENT, INFECTIOUS, STAY, IMMUNE = 3.5, 5.5, 9.0, 250.0
"""Middling durations in days."""

FATIGUE, MOBILITY, DELAY = 0.04, 0.03, 6.0
"""Middling loss of compliance a week, share of contacts in each other region, and days until a case is reported."""

ADMITTED_EARLY: Final = 0.8
"""Admissions per infection in a growing outbreak, relative to their share in the long run."""

STEPS: Final = 2
"""Steps of the model in a week, where nothing else is said."""

LEVEL_GAIN, PATIENT_GAIN = 0.6, 0.2
"""How far the level of infection follows the logarithmic miss of cases, and of patients."""

TREND_GAIN, LAG_GAIN, LARGEST_DRIFT = 0.25, 0.15, 0.25
"""How far transmission follows the growth of that miss, and the miss itself, and by how much at most."""

RATE_GAIN: Final = 0.25
"""How far the reporting rate follows the miss of patients."""


SEVERITY_GAIN: Final = 0.5
"""How far severity follows the miss of patients, where the reporting rate is told."""

SEVERITIES: Final = (0.2, 4.0)
"""Bounds of severity where it is learnt."""


@frozen
class Brief:
    """What a planner reads in the prompt.

    Attributes:
        rate: Share of infections reported as cases, where that is told; severity is then learnt instead.
        delay: Days until a case is reported.
    """

    weeks: int
    regions: tuple[Region, ...]
    supply: Supply
    bulletins: int
    orders: int
    rate: float | None = None
    delay: float = DELAY

    @property
    def populations(self) -> Array:
        """People by region."""
        return np.array([float(region.population) for region in self.regions])

    @property
    def step(self) -> int:
        """Weeks between decisions that the bulletins suffice for."""
        return -(-self.weeks // max(1, self.bulletins))

    def reports(self, bulletin: Mapping[str, Any]) -> list[Report]:
        """Return the reports of a bulletin in the order of the regions."""
        return [bulletin["regions"][region.name] for region in self.regions]


@define
class Belief:
    """What a planner thinks of the country now.

    Attributes:
        strength: Force of infection of each region at no measures.
        rate: Share of infections reported as cases.
        severity: Factor on the share of infections that need a hospital.
        onsets: Infections by week from the start of the history, by region.
        testing: Levels of testing that were in effect, alike.
        steps: Steps of the model in a week.
    """

    brief: Brief
    field: Field
    strength: Array
    rate: float
    severity: float
    onsets: list[Array]
    testing: list[Array]
    steps: int
    week: int = 0

    def model(self) -> Model:
        """Return the country in motion, as it is believed to be."""
        strengths = [np.repeat(self.strength, AGES, axis=-1)] * self.steps
        mobility = MOBILITY * (1.0 - np.eye(len(self.brief.regions)))
        middling = pace(7.0 / self.steps, LATENT, INFECTIOUS, STAY, IMMUNE, self.severity)
        return Model(self.brief.populations, mobility, middling, FATIGUE, lambda week: strengths)

    def catch_up(self, bulletin: Mapping[str, Any]) -> None:
        """Let the weeks since the last bulletin pass in the model, and correct it by what was reported."""
        model = self.model()
        while self.week < bulletin["week"]:
            week = run_week(model, self.field, self.week)
            self.onsets.append(week.tally.onsets[0])
            self.testing.append(week.traced[0])
            self.week += 1
            vaccine = self.week >= self.brief.supply.first
            self.distribute(self.field, float(self.brief.supply.doses * vaccine), float(self.brief.supply.tests))
        reports = self.brief.reports(bulletin)
        self._correct(_numbers(reports, "cases").T + 0.5, _numbers(reports, "patients"))
        self.observe(reports)

    def _correct(self, cases: Array, taken: Array) -> None:
        """Move level, transmission and reporting rate towards what was reported."""
        expected = reported_cases(np.array(self.onsets), np.array(self.testing), self.rate, self.brief.delay) + 0.5
        miss, before = (np.clip(np.log(cases[-ago] / expected[-ago]), -1.5, 1.5) for ago in (1, 2))
        ill = np.clip(np.log((taken + 1.0) / (patients(self.field)[0] + 1.0)), -1.0, 1.0)
        told = self.brief.rate is not None
        level = np.exp(LEVEL_GAIN * miss + (0.0 if told else PATIENT_GAIN) * ill)
        self.field.people[[disease.E, disease.I]] *= np.repeat(level, AGES)
        self.onsets[-2:] = [week * level for week in self.onsets[-2:]]
        if told:
            self.severity = float(np.clip(self.severity * np.exp(SEVERITY_GAIN * np.mean(ill)), *SEVERITIES))
        else:
            self.rate = float(np.clip(self.rate * np.exp(-RATE_GAIN * np.mean(ill)), 0.02, 0.95))
        drift = np.clip(TREND_GAIN * (miss - before) + LAG_GAIN * miss, -LARGEST_DRIFT, LARGEST_DRIFT)
        self.strength = np.clip(self.strength * np.exp(drift), 0.12, 1.2)

    def observe(self, reports: Sequence[Report]) -> None:
        """Take over what is told: patients, beds, stocks."""
        taken = _numbers(reports, "patients")
        self.field.people[disease.H] *= np.repeat((taken + 0.5) / (patients(self.field)[0] + 0.5), AGES)
        self.field.beds = (_numbers(reports, "beds") + _numbers(reports, "beds_coming"))[None]
        self.field.doses, self.field.tests = _numbers(reports, "doses")[None], _numbers(reports, "tests")[None]

    def distribute(self, field: Field, doses: float, tests: float) -> None:
        """Send doses and tests to the regions of a field by population."""
        share = self.brief.populations / self.brief.populations.sum()
        field.doses, field.tests = field.doses + doses * share, field.tests + tests * share

    def pass_weeks(self, model: Model, field: Field, week: int, weeks: int) -> Array:
        """Let deliveries arrive and weeks pass in a field; return its deaths and overflow in credits."""
        vaccine = sum(week + ahead >= self.brief.supply.first for ahead in range(1, weeks + 1))
        self.distribute(field, float(self.brief.supply.doses * vaccine), float(self.brief.supply.tests * weeks))
        tally = run_week(model, field, week, span=weeks).tally
        loss: Array = VALUES["deaths"] * tally.deaths.sum(axis=1) + VALUES["overflow"] * tally.overflow.sum(axis=1)
        return loss


def first_belief(brief: Brief, bulletin: Mapping[str, Any], steps: int = STEPS) -> Belief:
    """Start from the trend of the history: growth gives transmission, admissions (or cases) the level."""
    reports = brief.reports(bulletin)
    cases, admissions = _numbers(reports, "cases").T + 0.5, _numbers(reports, "admissions").T + 0.5
    growth = np.clip(np.log(cases[-1] / cases[-3]) / 2.0, -0.3, 1.2)
    reproduction = (1.0 + growth / 7.0 * LATENT) * (1.0 + growth / 7.0 * INFECTIOUS)
    share = float((disease.ADMISSION * SHARES).sum())
    admitted, severity = share * ADMITTED_EARLY, 1.0
    level = admissions[-1] * np.exp(growth) / admitted / 7.0
    if brief.rate is not None:
        admitted = float(np.mean(admissions[-1] * brief.rate / cases[-2]))
        severity = float(np.clip(np.mean(admitted / share * np.exp(growth * INFECTIOUS / 7.0)), *SEVERITIES))
        level = cases[-1] / brief.rate / 7.0 * np.exp(growth / 2.0)
    infected = np.repeat(level, AGES) * np.tile(SHARES, len(level)) * (LATENT + INFECTIOUS)
    onsets = [admissions[-1] * np.exp(growth * (1 - ago)) / admitted for ago in reversed(range(HISTORY))]
    rate = brief.rate or min(0.9, float(np.exp(np.mean(np.log(cases[-1] / onsets[-2])))))
    calm = [np.zeros(len(level)) for _ in onsets]
    belief = Belief(
        brief, start_field(brief.regions, infected), reproduction / INFECTIOUS, rate, severity, onsets, calm, steps
    )
    belief.observe(reports)
    if brief.rate is not None:
        immune = np.repeat(cases[:-1].sum(axis=0) / brief.rate, AGES) * np.tile(SHARES, len(level))
        belief.field.people[disease.S] -= immune
        belief.field.people[disease.R] += immune
    return belief


def _numbers(reports: Sequence[Report], name: str) -> Array:
    return np.array([report[name] for report in reports], dtype=float)
