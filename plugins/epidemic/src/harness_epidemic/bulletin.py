"""Bulletins: what an officer gets to see of the world, late, incomplete and noisy.

Cases are a share of new infections by the week in which they are reported; admissions and deaths lag a week behind;
patients and beds are of the day. Noise is drawn once per instance and week, so reading twice gives the same numbers.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import numpy as np
from attrs import asdict

from harness_epidemic.country import Identity, chance
from harness_epidemic.disease import AGES, Array
from harness_epidemic.world import World

SHOWN: Final = 6
"""Weeks that a bulletin reaches back."""

TESTING_BOOST: Final = 0.5
"""By how much each level of testing raises the share of infections that is reported, relative."""

CASES, ADMISSIONS, DEATHS, PATIENTS = range(4)


def delays(mean: float) -> Array:
    """Return the shares of infections reported in the same week, one and two weeks later, for a delay in days."""
    weeks = min(2.0, max(0.0, mean / 7.0))
    shares: Array = np.maximum(0.0, 1.0 - np.abs(np.arange(3) - weeks))
    return shares


def reported_cases(onsets: Array, testing: Array, rate: float, delay: float) -> Array:
    """Return expected case reports by week; `onsets` and `testing` have shape (weeks, regions)."""
    found = onsets * rate * (1.0 + TESTING_BOOST * testing)
    total = np.zeros_like(found)
    for lag, share in enumerate(delays(delay)):
        total[lag:] += share * found[: len(found) - lag]
    return total


def bulletin(identity: Identity, world: World) -> dict[str, Any]:
    """Return the bulletin of the world's week."""
    reports = series(identity, world)
    return {
        "week": world.week,
        "weeks_left": identity.weeks - world.week,
        "regions": {
            region.name: _region(identity, world, place, reports) for place, region in enumerate(identity.regions)
        },
        "store": dict(world.store),
        "credits_spent": round(world.spent),
        "credits_left": round(identity.supply.treasury - world.spent),
    }


def series(identity: Identity, world: World) -> dict[str, list[list[int]]]:
    """Return reported numbers by week and region, oldest first; admissions and deaths end a week earlier."""
    history = np.array(world.history)
    noise, size = chance(identity).noise[:, : len(history)], identity.surveillance.noise
    cases = reported_cases(history[:, 0], history[:, 4], identity.surveillance.rate, identity.surveillance.delay)
    return {
        "cases": _noisy(cases, size * noise[CASES]),
        "admissions": _noisy(history[:-1, 1], 0.5 * size * noise[ADMISSIONS][:-1]),
        "deaths": _noisy(history[:-1, 2], 0.3 * size * noise[DEATHS][:-1]),
        "patients": _noisy(history[:, 3], 0.2 * size * noise[PATIENTS]),
    }


def _noisy(expected: Array, logs: Array) -> list[list[int]]:
    numbers: list[list[int]] = np.rint(expected * np.exp(logs)).astype(int).tolist()
    return numbers


def _region(identity: Identity, world: World, place: int, reports: Mapping[str, list[list[int]]]) -> dict[str, Any]:
    last = {name: [week[place] for week in reports[name][-SHOWN:]] for name in ("cases", "admissions", "deaths")}
    jabbed = sum(world.jabbed[AGES * place : AGES * (place + 1)])
    return {
        **last,
        "patients": reports["patients"][-1][place],
        "beds": world.beds[place],
        "beds_coming": sum(beds for _, region, beds in world.coming if region == place),
        "vaccinated_percent": round(100.0 * jabbed / identity.regions[place].population, 1),
        "doses": world.doses[place],
        "tests": world.tests[place],
        "policy": asdict(world.policies[place]),
    }
