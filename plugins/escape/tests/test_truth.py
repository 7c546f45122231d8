"""The optimal solver against an independent brute-force search, and what both say of houses that cannot be left."""

from __future__ import annotations

import numpy as np
import pytest
from attrs import evolve
from escape_brute import fewest_steps, successors

from harness_escape.graph import Insoluble, optimum
from harness_escape.house import House, Thing
from harness_escape.sample import propose

LIMIT = 40_000


@pytest.mark.parametrize(("level", "count"), [("easy", 60), ("medium", 40), ("hard", 12)])
def test_both_solvers_agree(level: str, count: int) -> None:
    compared = 0
    for seed in range(count):
        house = propose(level, np.random.default_rng([7, seed]))
        try:
            steps = fewest_steps(house, LIMIT)
        except RuntimeError:
            continue
        assert optimum(house) == steps, f"{level} house {seed}"
        compared += 1
    assert compared >= 0.7 * count


def test_both_solvers_see_a_missing_opener() -> None:
    for seed in range(8):
        house = propose("medium", np.random.default_rng([8, seed]))
        optimum(house)
        broken = without_openers(house)
        with pytest.raises(Insoluble):
            optimum(broken)
        assert fewest_steps(broken, 200_000) is None


def test_both_solvers_see_a_key_locked_behind_its_own_door() -> None:
    for seed in range(200):
        house = propose("easy", np.random.default_rng([9, seed]))
        door = next(d for d in house.doors if d.lock and d.b >= 0)
        if door.lock is None or door.lock.kind != "key":
            continue
        moved = tuple(
            evolve(t, room=door.b, inside=-1) if t.role == "key" and t.emblem == door.lock.emblem else t
            for t in house.things
        )
        broken = evolve(house, things=moved)
        with pytest.raises(Insoluble):
            optimum(broken)
        assert fewest_steps(broken) is None
        return
    raise AssertionError("no easy house had a key lock before its zone")


@pytest.mark.parametrize("level", ["easy", "medium"])
def test_no_step_makes_a_house_insoluble(level: str) -> None:
    checked = 0
    for seed in range(30):
        house = propose(level, np.random.default_rng([10, seed]))
        before, leaving = reach(house, 12_000)
        if not before:
            continue
        saved, stack = set(leaving), list(leaving)
        while stack:
            for state in before[stack.pop()]:
                if state not in saved:
                    saved.add(state)
                    stack.append(state)
        assert saved == set(before), f"{level} house {seed} has a state without a way out"
        checked += 1
    assert checked >= 8


def without_openers(house: House) -> House:
    """Return the house without what opens the locked doors between rooms."""
    emblems = {door.lock.emblem for door in house.doors if door.lock and door.b >= 0}
    things = tuple(hidden(t) if t.emblem in emblems else t for t in house.things)
    return evolve(house, things=things)


def hidden(thing: Thing) -> Thing:
    """Return a thing as useless junk."""
    return Thing(thing.word, "junk", thing.room, thing.inside)


def reach(house: House, limit: int) -> tuple[dict, list]:
    """Return every reachable state with the states before it, and those outside; empty when there are too many."""
    start = (house.start, frozenset(), frozenset(), frozenset())
    before, leaving, stack = {start: []}, [], [start]
    while stack:
        state = stack.pop()
        if state[0] == -1:
            leaving.append(state)
            continue
        for after in successors(house, state):
            if after not in before:
                before[after] = []
                stack.append(after)
            before[after].append(state)
        if len(before) > limit:
            return {}, []
    return before, leaving
