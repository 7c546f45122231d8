"""Proposed houses: the map, the names, the budget, the secrets."""

from __future__ import annotations

import time

import numpy as np
import pytest

from harness import Reject
from harness_escape.graph import required
from harness_escape.house import OUTSIDE, STEP, House, target_lock, target_word
from harness_escape.play import explore
from harness_escape.sample import propose
from harness_escape.trial import budget_for, leak, secrets, tried

LEVELS = ("easy", "medium", "hard")


@pytest.mark.parametrize("level", LEVELS)
def test_the_map_is_planar(houses: dict[str, list[House]], level: str) -> None:
    for house in houses[level]:
        assert len(set(house.cells)) == len(house.cells)
        for door in house.doors:
            x, y = house.cells[door.a]
            beyond = (x + STEP[door.side][0], y + STEP[door.side][1])
            assert beyond not in house.cells if door.b == OUTSIDE else house.cells[door.b] == beyond


@pytest.mark.parametrize("level", LEVELS)
def test_no_two_targets_share_a_name_and_no_two_locks_an_emblem(houses: dict[str, list[House]], level: str) -> None:
    for house in houses[level]:
        words = [target_word(house, t) for t in range(house.targets)]
        assert len(set(words)) == len(words)
        emblems = [lock.emblem for t in range(house.targets) if (lock := target_lock(house, t))]
        assert len(set(emblems)) == len(emblems)


@pytest.mark.parametrize("level", LEVELS)
def test_the_explorer_needs_what_the_budget_is_made_from(houses: dict[str, list[House]], level: str) -> None:
    for house in houses[level]:
        walk = explore(house)
        assert walk.world.out
        assert len(walk.steps) == house.need
        assert 11 * house.need <= 10 * house.budget <= 13 * house.need
        assert house.optimum < house.need


@pytest.mark.parametrize("level", LEVELS)
def test_knowing_is_worth_much(houses: dict[str, list[House]], level: str) -> None:
    assert np.mean([house.need / house.optimum for house in houses[level]]) > 2


@pytest.mark.parametrize("level", LEVELS)
def test_the_way_out_takes_a_code_from_several_clues(houses: dict[str, list[House]], level: str) -> None:
    for house in houses[level]:
        lock = house.doors[house.exit].lock
        assert lock is not None
        assert lock.kind == "code"
        assert sum(act.verb == "read" for act in required(house)) >= 2


def test_levels_grow() -> None:
    easy, medium, hard = (mean_need(level) for level in LEVELS)
    assert easy < medium < hard


def mean_need(level: str) -> float:
    return float(np.mean([len(explore(propose(level, np.random.default_rng([3, s]))).steps) for s in range(30)]))


@pytest.mark.parametrize("slack", [1.1, 1.2, 1.3])
def test_budget_lies_in_its_band(slack: float) -> None:
    for need in range(10, 300):
        assert 11 * need <= 10 * budget_for(need, slack) <= 13 * need


@pytest.mark.parametrize("level", LEVELS)
def test_no_secret_stands_in_a_text(houses: dict[str, list[House]], level: str) -> None:
    for house in houses[level]:
        assert secrets(house)
        assert not leak(house)


def test_a_code_that_stands_in_a_clue_is_found(houses: dict[str, list[House]]) -> None:
    from attrs import evolve

    from harness_escape.house import Fact

    house = houses["easy"][0]
    told = evolve(house.things[0], facts=(Fact("engraved", "emblem.0", 0, secrets(house)[0]),))
    leaky = evolve(house, things=(told, *house.things[1:]))
    assert leak(leaky)
    with pytest.raises(Reject, match="secret"):
        tried(leaky, "easy", 1.2, True, np.random.default_rng(0))


@pytest.mark.parametrize("level", LEVELS)
def test_proposals_are_accepted_and_fast(level: str) -> None:
    accepted, costs = 0, []
    for seed in range(60):
        rng = np.random.default_rng([4, seed])
        begun = time.process_time()
        try:
            tried(propose(level, rng), level, 1.2, True, rng)
            accepted += 1
        except Reject:
            pass
        costs.append(time.process_time() - begun)
    assert accepted >= 30
    assert sorted(costs)[30] < 0.05
