"""Scripted policies: each plays to the end without a slip, on the process backend as in this process."""

from __future__ import annotations

import pytest

from harness import Task, load_task
from harness.testing import play_alone_and_together, play_inline, scripts_of


def test_every_script_plays_to_a_score_without_refused_calls(task: Task) -> None:
    sample = task.sample(0, seed=4)
    for name, script in scripts_of(task).items():
        if script.play is None:
            continue
        episode = play_inline(task, sample, script, "test")
        assert episode.outcome.status == "scored", name
        assert {action.status for action in episode.log.actions} == {"ok"}, name
        if script.kind != "adversary":
            assert episode.outcome.success is (script.kind == "reference"), (name, episode.outcome.detail)


@pytest.mark.slow
def test_64_episodes_at_once_on_worker_processes_are_the_same_as_one_at_a_time() -> None:
    tasks = [load_task("bot", group=group) for group in ("easy", "hard")]
    names = ("reference", "random", "straight")
    plan = [(tasks[i % 2], tasks[i % 2].sample(i // 8, seed=6), names[i % 3]) for i in range(64)]
    alone, together = play_alone_and_together(plan)
    assert together == alone


def test_the_constant_answer_is_fitted_on_training_instances() -> None:
    from attrs import evolve

    task = load_task("bot", "easy")
    script = task.policies["constant"]
    assert script.fit is not None
    training = [task.decode_identity(task.sample(i, seed=1, split="train").identity) for i in range(4)]
    play = script.fit(training, task.options)
    outcome = play_inline(task, task.sample(0, seed=9), evolve(script, play=play), "test").outcome
    assert outcome.status == "scored"
    assert 0 < (outcome.reward or 0) <= 1


def test_declared_policies_cover_the_rules() -> None:
    declared = load_task("bot", "hard").policies
    kinds = {name: script.kind for name, script in declared.items()}
    lazy = {"random", "stay", "straight", "lift-over", "fixed-via", "random-via"}
    assert {name for name, kind in kinds.items() if kind == "lazy"} == lazy
    assert {name for name, kind in kinds.items() if kind == "reference"} == {"reference"}
    assert all(script.view == "observation" for script in declared.values())
