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
            assert episode.outcome.success is (name == "reference"), (name, episode.outcome.detail)


@pytest.mark.slow
def test_64_episodes_at_once_on_worker_processes_are_the_same_as_one_at_a_time() -> None:
    tasks = [load_task("epidemic", group=group) for group in ("easy", "tiny")]
    names = ("reference", "random", "threshold")
    plan = [(tasks[i % 2], tasks[i % 2].sample(i // 8, seed=6), names[i % 3]) for i in range(64)]
    alone, together = play_alone_and_together(plan)
    assert together == alone
