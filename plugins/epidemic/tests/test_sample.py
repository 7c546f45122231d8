"""Instances: targets come from the planner's own play, and can be had again from its action log."""

from __future__ import annotations

import numpy as np
import pytest
from attrs import asdict

from harness import Clock, Sample, Task
from harness.policies._scripted import play_inline
from harness.records import Action
from harness_epidemic import tiny
from harness_epidemic.country import Identity
from harness_epidemic.measures import Policy
from harness_epidemic.naive import CONSTANT, DAILY, burdens
from harness_epidemic.options import PLANS
from harness_epidemic.reward import read_result
from harness_epidemic.sample import LEAST_GAIN, draw
from harness_epidemic.score import burden, margin, targets_for
from harness_epidemic.world import World, measure, run_out, start_world


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
    rules = burdens(identity, tiny.LADDER, DAILY) if level == "tiny" else burdens(identity, CONSTANT)
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


@pytest.mark.parametrize("index", [2, 3, 4, 5])
@pytest.mark.parametrize(("distancing", "strict"), [(0, False), (4, True)])
def test_neither_letting_go_nor_locking_down_at_the_end_is_worth_while(
    medium: Task, index: int, distancing: int, strict: bool
) -> None:
    """The carry-over: lifting, or ordering, everything in the last six weeks gains next to nothing and costs margin."""
    sample = medium.sample(index, seed=9)
    identity = identity_of(medium, sample)
    log = play_inline(medium, sample, medium.policies["reference"], "replay").log
    kept, changed = start_world(identity), start_world(identity)
    for action in log.actions:
        act(medium, identity, kept, action)
        late = changed.week >= identity.weeks - 6
        if late:
            last = Policy(distancing, "closed" if strict else "open", strict, "open", 2 if strict else 0)
            changed.policies = [last for _ in changed.policies]
        if not (late and action.name == "set_policy"):
            act(medium, identity, changed, action)
    planned, spoilt = measure(identity, kept), measure(identity, changed)
    assert burden(spoilt) > 0.98 * burden(planned)
    assert margin(identity.targets, spoilt) < margin(identity.targets, planned)


def act(task: Task, identity: Identity, world: World, action: Action) -> None:
    """Carry out an action of a log on a world."""
    getattr(task.toolset(identity, task.options, world, Clock()), action.name)(**action.arguments)
