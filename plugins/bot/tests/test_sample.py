from __future__ import annotations

import numpy as np
import pytest

from harness import generator, load_task
from harness_bot.arms import ARMS
from harness_bot.cell import cell_of
from harness_bot.paths import cut, fixed_via, lift_over, straight
from harness_bot.poses import pose_distance
from harness_bot.sample import LEVEL_TABLE, LEVELS, Options, goal_posture, propose, sweeper_of

COUNT = 6
GOLDEN = {"easy": "17a0cec48a633b4c", "medium": "f24f340ee68f3d68", "hard": "c29b8b0dcc95ea83"}


@pytest.mark.parametrize("level", LEVELS)
def test_the_hidden_detour_is_valid_and_every_lazy_path_is_not(instance_of, level: str) -> None:  # type: ignore[no-untyped-def]
    for number in range(COUNT):
        instance = instance_of(level, number)
        sweeper, bare = sweeper_of(instance), cell_of(instance.arm, ())
        start = np.radians(np.array(instance.start))
        detour = cut(np.radians(np.array((instance.start, *instance.detour))))
        assert len(detour) <= instance.waypoints
        assert sweeper.sweep(detour).clear
        assert pose_distance(*bare.tool(detour[-1]), instance.goal) < 1e-3
        goal = goal_posture(bare, instance.goal, start)
        ends = [detour[-1], *(() if goal is None else (goal,))]
        assert not any(sweeper.sweep(straight(start, end)).clear for end in ends)
        if goal is not None:
            assert not sweeper.sweep(fixed_via(bare.arm, start, goal)).clear
            assert not sweeper.sweep(lift_over(bare, start, goal)).clear


@pytest.mark.parametrize("level", LEVELS)
def test_levels_are_what_the_table_says(instance_of, level: str) -> None:  # type: ignore[no-untyped-def]
    table = LEVEL_TABLE[level]
    for number in range(COUNT):
        instance = instance_of(level, number)
        fewest, most = table.obstacles
        assert fewest <= len(instance.obstacles) <= most
        assert len(instance.hidden) == round(table.hidden * len(instance.obstacles))
        assert len(instance.start) == ARMS[table.arm].axes
        assert {o.name for o in instance.told} | set(instance.hidden) == {o.name for o in instance.obstacles}
        assert all(o.centre[2] > 0 for o in instance.obstacles)


@pytest.mark.parametrize("level", LEVELS)
def test_proposals_are_mostly_usable(level: str) -> None:
    """The sampler's own rejections; certification's are in the measured suite."""
    from harness import Reject

    rejected = 0
    for number in range(12):
        try:
            propose(generator("usable", level, number), Options(level))
        except Reject:
            rejected += 1
    assert rejected <= 3


def test_goals_are_poses_that_several_postures_reach(instance_of) -> None:  # type: ignore[no-untyped-def]
    """The joint angles at the goal are the policy's to find: the identity's own are no part of what is told."""
    instance = instance_of("easy", 0)
    told = load_task("bot", "easy").prompt.messages(instance, 0, "en")[0].parts[0]
    assert ", ".join(f"{v:g}" for v in instance.detour[-1]) not in told


def test_an_instance_is_small(instance_of) -> None:  # type: ignore[no-untyped-def]
    task = load_task("bot", "hard")
    assert len(task.encode_identity(instance_of("hard", 0))) < 6000


def test_golden_identities() -> None:
    """A change of these values changes every shipped instance: raise the task's version with it."""
    seen = {level: load_task("bot", level).sample(0, seed=0, split="test").key for level in GOLDEN}
    assert seen == GOLDEN
