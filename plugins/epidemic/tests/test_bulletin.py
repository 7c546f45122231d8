"""Bulletins: late, incomplete, noisy, the same when read twice, and silent on what is hidden."""

from __future__ import annotations

import json

import numpy as np
import pytest
from attrs import evolve
from epidemic_cases import country

from harness_epidemic.bulletin import SHOWN, bulletin, delays, reported_cases, series
from harness_epidemic.country import HISTORY, Identity
from harness_epidemic.measures import Policy
from harness_epidemic.world import World, pass_week, start_world


def played(identity: Identity, weeks: int, policy: Policy | None = None) -> World:
    world = start_world(identity)
    if policy:
        world.policies = [policy for _ in world.policies]
    for _ in range(weeks):
        pass_week(identity, world)
    return world


@pytest.mark.parametrize(("mean", "expected"), [(0.0, (1, 0, 0)), (7.0, (0, 1, 0)), (3.5, (0.5, 0.5, 0))])
def test_a_delay_spreads_over_weeks(mean: float, expected: tuple[float, ...]) -> None:
    assert tuple(delays(mean)) == pytest.approx(expected)
    assert delays(11.0).sum() == pytest.approx(1.0)


def test_reports_are_a_share_and_testing_finds_more() -> None:
    onsets, testing = np.full((6, 1), 100.0), np.zeros((6, 1))
    assert reported_cases(onsets, testing, 0.3, 3.5)[-1, 0] == pytest.approx(30.0)
    assert reported_cases(onsets, testing + 2.0, 0.3, 3.5)[-1, 0] == pytest.approx(60.0)


def test_week_0_shows_the_history_and_later_weeks_a_window() -> None:
    identity = country("hard", 1)
    first = bulletin(identity, start_world(identity))["regions"][identity.regions[0].name]
    assert len(first["cases"]) == HISTORY
    assert len(first["admissions"]) == HISTORY - 1
    later = bulletin(identity, played(identity, 9))["regions"][identity.regions[0].name]
    assert len(later["cases"]) == len(later["admissions"]) == SHOWN


def test_reading_twice_gives_the_same_and_old_numbers_stay() -> None:
    identity = country("medium", 2)
    world = played(identity, 5)
    assert bulletin(identity, world) == bulletin(identity, world)
    before = series(identity, world)["cases"]
    pass_week(identity, world)
    assert series(identity, world)["cases"][:-1] == before


def test_noise_does_not_depend_on_what_is_done_but_on_the_seed() -> None:
    identity = country("medium", 3)
    calm, strict = played(identity, 1), played(identity, 1, Policy(4, "closed", True, "restricted", 0))
    assert series(identity, calm)["cases"][:HISTORY] == series(identity, strict)["cases"][:HISTORY]
    other = evolve(identity, seed=identity.seed + 1)
    assert series(other, played(other, 1)) != series(identity, calm)


def test_reports_are_noisy_around_the_expected_number() -> None:
    identity = country("hard", 6)
    world = played(identity, 20)
    history = np.array(world.history)
    watch = identity.surveillance
    expected = reported_cases(history[:, 0], history[:, 4], watch.rate, watch.delay)
    logs = np.log((np.array(series(identity, world)["cases"]) + 0.5) / (expected + 0.5))
    assert 0.5 * watch.noise < logs.std() < 1.5 * watch.noise
    assert abs(logs.mean()) < watch.noise


def test_no_hidden_number_stands_in_a_bulletin() -> None:
    identity = country("hard", 7)
    text = json.dumps(bulletin(identity, played(identity, 10)))
    for word in ("r0", "latent", "severity", "variant", "compliance", "fatigue", "exposed", "infectious", "seed"):
        assert word not in text
