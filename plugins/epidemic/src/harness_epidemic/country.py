"""The identity of an instance: a country, its disease, its surveillance, its means, and what is asked of the officer.

Only `Region`, `Supply`, the horizon and `Targets` are told. The rest is hidden; the prompt gives the ranges from
which it is drawn.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Final

import numpy as np
from attrs import frozen

from harness import seeds
from harness_epidemic.disease import Array, Pace, pace

HISTORY: Final = 4
"""Weeks before week 0 of which bulletins exist."""

AFTERMATH: Final = 4
"""Weeks after the end, without any measure, whose infections are the carry-over."""

TAKEOVER: Final = 9.0
"""Days in which a variant's odds grow e-fold."""


@frozen
class Region:
    """A region as it is told."""

    name: str
    population: int
    beds: int


@frozen
class Disease:
    """The hidden disease; durations in days.

    Attributes:
        severity: Factor on the share of infections that need a hospital.
        season: Amplitude of the seasonal factor on transmission.
        peak: Week of highest transmission.
        variant: Week in which a variant has a share of 1 %; none if beyond the horizon.
        gain: Transmission of the variant, relative.
        escape: Share of the immune whom the variant infects again.
        fatigue: Compliance lost per week of the strictest measures.
    """

    r0: float
    latent: float
    infectious: float
    stay: float
    immune: float
    severity: float
    season: float
    peak: float
    variant: int
    gain: float
    escape: float
    fatigue: float

    def pace(self, days: float = 1.0) -> Pace:
        """Step probabilities for steps of some days."""
        return pace(days, self.latent, self.infectious, self.stay, self.immune, self.severity)

    def strength(self, day: float) -> float:
        """Infections per day that an infectious person causes among susceptible people without measures."""
        seasonal = 1.0 + self.season * math.cos(2.0 * math.pi * (day / 7.0 - self.peak) / 52.0)
        return self.r0 / self.infectious * seasonal * (1.0 + (self.gain - 1.0) * self.share(day))

    def share(self, day: float) -> float:
        """Share of the variant among infections."""
        return 1.0 / (1.0 + 99.0 * math.exp(min(500.0, (7.0 * self.variant - day) / TAKEOVER)))

    def escaping(self, day: float, days: float = 1.0) -> float:
        """Share of the immune who lose their immunity to the variant in some days around a day."""
        return self.escape * (self.share(day + days / 2) - self.share(day - days / 2))


@frozen
class Surveillance:
    """The hidden quality of the bulletins.

    Attributes:
        rate: Share of infections reported as cases when nobody is tested broadly.
        delay: Mean delay of case reports in days.
        noise: Standard deviation of the logarithm of reported numbers.
    """

    rate: float
    delay: float
    noise: float


@frozen
class Supply:
    """The means of the country, as told.

    Attributes:
        first: Week of the first delivery of vaccine.
        doses: Doses per delivery, weekly.
        tests: Tests in store at the start, and delivered every week.
        beds: Surge beds in reserve.
        treasury: Credits that can be spent at all.
    """

    first: int
    doses: int
    tests: int
    beds: int
    treasury: int


@frozen
class Targets:
    """What must not be exceeded: deaths, bed-overflow days, credits, infections in the aftermath."""

    deaths: int
    overflow: int
    cost: int
    aftermath: int


@frozen
class Bar:
    """The burdens between which partial credit is measured: that of a simple rule, and the planner's."""

    naive: float
    planner: float


@frozen(cache_hash=True)  # it is the key of the caches below the tools
class Identity:
    """One instance.

    Attributes:
        mobility: Share of a region's contacts that take place in each other region.
        seeded: Infections per 100,000 people when the outbreak starts, by region.
        seed: Of weekly shocks and bulletin noise.
        shock: Standard deviation of the logarithm of the weekly shock of transmission.
    """

    weeks: int
    regions: tuple[Region, ...]
    mobility: tuple[tuple[float, ...], ...]
    disease: Disease
    surveillance: Surveillance
    seeded: tuple[float, ...]
    supply: Supply
    seed: int
    shock: float
    targets: Targets
    bar: Bar

    @property
    def populations(self) -> Array:
        """People by region."""
        return np.array([region.population for region in self.regions], dtype=np.float64)


@frozen
class Chance:
    """The seeded draws of an instance, by week (from the first week of the history) and region.

    Attributes:
        shocks: Factor on transmission, shape (weeks, regions).
        noise: Standard normal draws of each reported number: (4, weeks, regions).
    """

    shocks: Array
    noise: Array


def chance(identity: Identity) -> Chance:
    """Return the draws of an instance; they do not depend on what is done."""
    return _chance(identity.seed, identity.weeks + HISTORY + AFTERMATH, len(identity.regions), identity.shock)


@lru_cache(maxsize=256)
def _chance(seed: int, weeks: int, regions: int, shock: float) -> Chance:
    rng = seeds.generator("epidemic", seed)
    return Chance(np.exp(shock * rng.standard_normal((weeks, regions))), rng.standard_normal((4, weeks, regions)))
