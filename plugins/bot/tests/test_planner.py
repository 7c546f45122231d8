from __future__ import annotations

import numpy as np
import pytest

from harness import generator
from harness_bot.paths import LONGEST_SEGMENT, cut, length, spread, straight
from harness_bot.planner import Tree, plan
from harness_bot.sample import LEVELS, sweeper_of
from harness_bot.sweep import Sweeper


@pytest.mark.slow
@pytest.mark.parametrize("level", LEVELS)
def test_planned_paths_are_valid_and_straight_lines_are_not(instance_of, level: str) -> None:  # type: ignore[no-untyped-def]
    for number in range(8):
        instance = instance_of(level, number)
        sweeper = sweeper_of(instance)
        start, goal = np.radians(np.array(instance.start)), np.radians(np.array(instance.detour[-1]))
        assert not sweeper.sweep(straight(start, goal)).clear
        roomy = Sweeper(sweeper.cell, instance.clearance / 1000 + 0.003)
        path = plan(roomy, start, [goal], generator("plan", number), 1500, instance.waypoints)
        assert path is not None
        assert sweeper.sweep(path).clear
        assert len(path) <= instance.waypoints
        assert np.abs(path[0] - start).max() == 0
        assert np.abs(path[-1] - goal).max() < 1e-9
        assert np.degrees(np.abs(np.diff(path, axis=0))).max() <= LONGEST_SEGMENT


def test_the_same_generator_gives_the_same_path(instance_of) -> None:  # type: ignore[no-untyped-def]
    instance = instance_of("hard", 1)
    sweeper = sweeper_of(instance)
    ends = np.radians(np.array(instance.start)), np.radians(np.array(instance.detour[-1]))
    one, two = (plan(sweeper, ends[0], [ends[1]], generator("same"), 1500, 12) for _ in range(2))
    assert one is not None
    assert two is not None
    assert (one == two).all()


def test_an_end_in_a_body_has_no_path(instance_of) -> None:  # type: ignore[no-untyped-def]
    instance = instance_of("easy", 0)
    sweeper = sweeper_of(instance)
    path = cut(straight(np.radians(np.array(instance.start)), np.radians(np.array(instance.detour[-1]))))
    blocked = min(spread(path, 0.05), key=sweeper.slack)
    assert sweeper.slack(blocked) < 0
    assert plan(sweeper, path[0], [blocked], generator("x"), 50, 12) is None


def test_cutting_keeps_the_line_and_the_length() -> None:
    path = np.radians(np.array(((0.0, 0.0), (200.0, -50.0), (200.0, 40.0))))
    made = cut(path)
    assert np.degrees(np.abs(np.diff(made, axis=0))).max() <= LONGEST_SEGMENT
    assert length(made) == pytest.approx(length(path))
    assert len(made) == 1 + 3 + 2
    assert np.abs(np.diff(spread(path, 0.1), axis=0)).max() <= 0.1 + 1e-12


def test_trees_grow_and_find_the_nearest() -> None:
    tree = Tree((np.zeros(2),))
    for i in range(1, 20):
        tree.add(np.array((float(i), 0.0)), i - 1)
    assert tree.nearest(np.array((7.2, 1.0))) == 7
    assert [float(p[0]) for p in tree.branch(3)] == [0.0, 1.0, 2.0, 3.0]
