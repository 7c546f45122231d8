"""The equations against independent truths: final size, conservation, R0, a chain-binomial twin."""

from __future__ import annotations

import math

import epidemic_twin
import numpy as np
import pytest
from epidemic_cases import country

from harness_epidemic import disease, measures
from harness_epidemic.disease import ADMISSION, AGES, FATALITY, SHARES, pace
from harness_epidemic.measures import HOME, OTHER, SCHOOL
from harness_epidemic.weeks import model_of, run_week
from harness_epidemic.world import outbreak, pass_week, start_world

FOREVER = 1e12
"""Days of a stage that nobody leaves."""


def final_size(r0: float) -> float:
    """Solve z = 1 - exp(-r0 z) by bisection."""
    low, high = 1e-6, 1.0
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (middle, high) if 1 - math.exp(-r0 * middle) > middle else (low, middle)
    return low


@pytest.mark.parametrize("r0", [1.3, 2.0, 3.5])
@pytest.mark.parametrize("days", [1.0, 0.25])
def test_final_size_of_an_unmixed_sir_outbreak(r0: float, days: float) -> None:
    """One band, no latency to speak of, no hospital, no waning: the textbook relation holds at any step."""
    steps = pace(days, 1e-9, 6.0, FOREVER, FOREVER, 0.0)
    heads = np.array([1e6, 0.0, 0.0])
    people = np.zeros((7, 1, AGES))
    people[disease.S, 0], people[disease.I, 0, 0] = heads, 0.01
    matrix = np.zeros((1, AGES, AGES))
    matrix[0, 0, 0] = r0 * steps.removal / days / heads[0]
    disease.advance(people, steps, matrix, [1.0] * int(4000 / days), np.array([[1e9]]))
    reached = 1.0 - people[disease.S, 0, 0] / heads[0]
    assert reached == pytest.approx(final_size(r0), rel=1e-5)


def test_contacts_are_scaled_to_r0() -> None:
    eigenvalues = np.linalg.eigvals(HOME + SCHOOL + OTHER)
    assert max(abs(eigenvalues)) == pytest.approx(1.0)
    for part in (HOME, SCHOOL, OTHER):
        assert (part / SHARES) == pytest.approx((part / SHARES).T)


@pytest.mark.parametrize("level", ["easy", "hard", "tiny"])
@pytest.mark.parametrize("seed", range(3))
def test_people_are_conserved_in_every_cell(level: str, seed: int) -> None:
    identity = country(level, seed)
    world = start_world(identity)
    heads = (identity.populations[:, None] * SHARES).ravel()
    for week in range(identity.weeks):
        world.policies = [measures.Policy(week % 5, "hybrid", True, "restricted", 2) for _ in world.policies]
        for name in ("doses", "tests"):
            getattr(world, name)[0] += world.store[name]
            world.store[name] = 0
        pass_week(identity, world)
        people = np.array(world.people)
        assert people.sum(axis=0) == pytest.approx(heads, rel=1e-9)
        assert people.min() >= -1e-6
    assert np.array(world.people)[disease.D].sum() >= world.deaths > 0


def test_the_mean_of_the_chain_binomial_twin_is_the_expected_flow() -> None:
    heads, infected = [22_000, 60_000, 18_000], [110, 300, 90]
    means, days, force = (3.0, 6.0, 9.0), 60, 2.2 / 6.0
    contacts = (HOME + SCHOOL + OTHER) * force
    runs = [
        epidemic_twin.run(heads, infected, contacts.tolist(), means, ADMISSION.tolist(), FATALITY.tolist(), days, rng)
        for rng in map(np.random.default_rng, range(12))
    ]
    people = np.zeros((7, 1, AGES))
    people[disease.S, 0], people[disease.E, 0] = np.array(heads) - infected, infected
    matrix = (contacts / np.array(heads))[None]
    steps = pace(1.0, *means, FOREVER, 1.0)
    tally = disease.advance(people, steps, matrix, [1.0] * days, np.array([[1e9]]))
    infections, deaths = np.mean(runs, axis=0)
    assert tally.infections[0, 0] == pytest.approx(infections, rel=0.02)
    assert tally.deaths[0, 0] == pytest.approx(deaths, rel=0.08)


def test_alternatives_side_by_side_are_the_same_as_alone() -> None:
    identity = country("hard", 4)
    model, alone = model_of(identity), outbreak(identity)
    together = outbreak(identity).repeat(3)
    together.ordered[1, :, 0] = 4.0
    for week in range(6):
        run_week(model, alone, week)
        run_week(model, together, week)
    assert together.people[:, [0]] == pytest.approx(alone.people, rel=1e-12)
    assert together.people[disease.S, 1].sum() > alone.people[disease.S, 0].sum()


@pytest.mark.parametrize(
    ("measure", "value"), [("distancing", 3), ("schools", "closed"), ("masks", True), ("testing", 2)]
)
def test_every_measure_prevents_infections_and_costs(measure: str, value: object) -> None:
    identity = country("easy", 5)
    base, with_it = start_world(identity), start_world(identity)
    for world in (base, with_it):
        world.tests = [10**6]
    with_it.policies = [measures.Policy(**{measure: value})]  # type: ignore[arg-type]
    for world in (base, with_it):
        for _ in range(4):
            pass_week(identity, world)
    assert sum(week[0][0] for week in with_it.history) < sum(week[0][0] for week in base.history)
    assert with_it.spent > base.spent == 0.0


def test_strict_measures_wear_compliance_off_and_mild_ones_let_it_come_back() -> None:
    strict, mild = measures.orders([measures.Policy(4)]), measures.orders([measures.Policy(1)])
    tired = np.ones((1, 1))
    for _ in range(12):
        tired = measures.tire(tired, strict, 0.05)
    assert 0.35 <= tired[0, 0] < 0.6
    rested = measures.tire(tired, mild, 0.05)
    assert tired[0, 0] < rested[0, 0] < 1.0
