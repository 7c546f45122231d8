"""Instances: targets come from the planner's own play, and can be had again from its action log."""

from __future__ import annotations

import copy

import numpy as np
import pytest
from attrs import asdict
from epidemic_cases import country

from harness import Clock, Sample, Task
from harness.records import Action, Log
from harness.testing import play_inline
from harness_epidemic import tiny
from harness_epidemic.country import Identity
from harness_epidemic.endings import LATE, endings, moment
from harness_epidemic.measures import Policy
from harness_epidemic.naive import CONSTANT, burdens
from harness_epidemic.options import PLANS
from harness_epidemic.reward import read_result
from harness_epidemic.sample import EXTREMES, LEAST_GAIN, WORTH, draw
from harness_epidemic.score import burden, targets_for
from harness_epidemic.world import World, measure, pass_week, run_out, start_world


def identity_of(task: Task, sample: Sample) -> Identity:
    found: Identity = task.decode_identity(sample.identity)
    return found


def test_targets_are_recomputed_from_the_planners_action_log(task: Task, level: str) -> None:
    """Replay what the reference did, as its log has it, on a bare world: the same four numbers, the same targets."""
    sample = task.sample(0, seed=9)
    identity = identity_of(task, sample)
    episode = play_inline(task, sample, task.policies["reference"], "replay")
    world = start_world(identity)
    for action in episode.log.actions:
        assert action.status == "ok"
        act(task, identity, world, action)
    run_out(identity, world)
    reached = measure(identity, world)
    assert reached == read_result(episode.log.metrics)
    assert targets_for(reached, PLANS[level].slack) == identity.targets
    assert round(burden(reached), 3) == identity.bar.planner


def test_the_planner_beats_the_simple_rules_by_what_is_asked(task: Task, level: str) -> None:
    identity = identity_of(task, task.sample(1, seed=9))
    rules = burdens(identity, tiny.LADDER, 1) if level == "tiny" else burdens(identity, CONSTANT)
    assert identity.bar.naive == round(rules[2 if level == "tiny" else 0], 3)
    assert identity.bar.planner * (1 + LEAST_GAIN) <= min(rules)


def test_slack_lies_between_10_and_25_percent_and_shrinks() -> None:
    slacks = [PLANS[level].slack for level in ("easy", "medium", "hard")]
    assert slacks == sorted(slacks, reverse=True)
    assert all(0.10 <= plan.slack <= 0.25 for plan in PLANS.values())


@pytest.mark.parametrize("chosen", ["easy", "medium", "hard"])
def test_countries_stay_within_what_is_promised(chosen: str) -> None:
    plan = PLANS[chosen]
    for seed in range(50):
        identity = draw(plan, np.random.default_rng(seed))
        assert 1 <= len(identity.regions) <= 5
        assert 16 <= identity.weeks <= 30
        assert len({region.name for region in identity.regions}) == len(identity.regions)
        assert all(sum(row) < 0.25 for row in identity.mobility)
        assert all(value > 0 for value in asdict(identity.supply).values())


@pytest.mark.parametrize("index", range(3))
def test_neither_letting_go_nor_locking_down_at_the_end_is_worth_while(task: Task, level: str, index: int) -> None:
    """Lift or order everything at a late decision and close out: no less burden, no more reward than the reference."""
    sample = task.sample(index, seed=9)
    identity = identity_of(task, sample)
    played = play_inline(task, sample, task.policies["reference"], "replay")
    kept = task.reward.score(identity, played.log)
    ends = [place for place, action in enumerate(played.log.actions) if action.name == "advance"]
    tried = 0
    for package in EXTREMES[level == "tiny"]:
        for place in [0, *(end + 1 for end in ends[:-1])]:
            world = start_world(identity)
            for action in played.log.actions[:place]:
                act(task, identity, world, action)
            if 0 < identity.weeks - world.week <= LATE:
                actions = (*played.log.actions[:place], Action(99, "set_policy", {}, "ok", "orders"))
                world.policies = [package for _ in world.policies]
                run_out(identity, world)
                reached = measure(identity, world)
                spoilt = task.reward.score(identity, Log(actions=actions, metrics=asdict(reached)))
                assert burden(reached) >= identity.bar.planner * (1.0 - WORTH) - 1e-3
                assert spoilt.total <= kept.total + WORTH
                tried += 1
    assert tried >= 4


def test_endings_side_by_side_are_those_of_episodes() -> None:
    identity, package = country("hard", 3), Policy(1, "hybrid", True, "open", 1)
    world, moments, expected = start_world(identity), [], []
    world.tests, world.beds = [4000] * len(world.tests), [beds // 4 for beds in world.beds]
    while world.week < identity.weeks:
        if world.week % 2 == 0:
            world.coming.append([world.week + 2, 0, 25])
        if identity.weeks - world.week in (6, 3):
            moments.append(moment(world, 7))
            alone = copy.deepcopy(world)
            alone.policies = [package for _ in alone.policies]
            run_out(identity, alone)
            expected.append(measure(identity, alone))
        world.policies = [Policy(2, "open", True, "open", 2) for _ in world.policies]
        pass_week(identity, world)
    found = list(endings(identity, moments, [package]))
    assert [orders for _, orders in found] == [8, 8]
    for (result, _), alone in zip(found, expected, strict=True):
        assert asdict(result) == pytest.approx(asdict(alone), rel=1e-5)


def act(task: Task, identity: Identity, world: World, action: Action) -> None:
    """Carry out an action of a log on a world."""
    getattr(task.toolset(identity, task.options, world, Clock()), action.name)(**action.arguments)
