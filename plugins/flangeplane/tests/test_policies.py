"""Scripted policies: the reference solves by looking, who does not look fails, on worker processes as in this one."""

from __future__ import annotations

import anyio
import pytest

from harness import Episode, Task, load_task
from harness.rollout import make_backend
from harness.testing import make_view, play_alone_and_together, play_inline, scripts_of


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_reference_solves_in_both_languages(task: Task, language: str) -> None:
    solved = 0
    for index in range(4):
        sample = task.sample(index, seed=4, language=language)
        solved += play_inline(task, sample, task.policies["reference"], "test").outcome.success
    assert solved >= 3  # uncertified instances


def test_every_script_plays_to_a_score_without_refused_calls(task: Task) -> None:
    sample = task.sample(0, seed=4)
    for name, script in scripts_of(task).items():
        if script.play is None or name == "blind-search":
            continue
        episode = play_inline(task, sample, script, "test")
        assert episode.outcome.status == "scored", name
        assert {a.status for a in episode.log.actions} <= {"ok", "infeasible_state", "budget_exhausted"}, name
        assert episode.outcome.success is (name == "reference"), (name, episode.outcome.detail)


@pytest.mark.parametrize("name", ["typical-bore", "blind-search"])
def test_who_does_not_look_reads_wrong(task: Task, name: str) -> None:
    assert task.policies[name].view == "observation"
    for index in range(5):
        outcome = play_inline(task, task.sample(index, seed=4), task.policies[name], "test").outcome
        assert not outcome.success
        assert "read wrong" in outcome.detail


def test_a_script_without_eyes_is_given_no_labels(medium: Task) -> None:
    sample = medium.sample(0, seed=4)
    for name, script in scripts_of(medium).items():
        view = make_view(medium, sample, sample.messages, (), script, ("test",))
        assert bool(view.image_facts) == (script.view == "perception"), name


@pytest.mark.slow
def test_64_episodes_at_once_on_worker_processes_are_the_same_as_one_at_a_time() -> None:
    tasks = [load_task("flangeplane", group=group) for group in ("easy", "hard")]
    names = ("reference", "random", "search", "pictured")
    plan = [(tasks[i % 2], tasks[i % 2].sample(i // 8, seed=6), names[i % 4]) for i in range(64)]
    alone, together = play_alone_and_together(plan)
    assert together == alone


@pytest.mark.slow
def test_bad_arguments_leave_the_worker_alive() -> None:
    """Every call of one episode runs in the same pool of one worker; after the bad ones a good one is answered."""
    anyio.run(_survive)


async def _survive() -> None:
    import json

    from flange_cases import known

    from harness import Completion, ToolCall

    task = load_task("flangeplane", group="medium")
    sample = task.sample(0, seed=3)
    _, design, _ = known(task, sample)
    bad = [{"design": design | {"bolts": 5}}, {"design": design | {"thickness": 1e300}}, {"design": 1}, {}]
    async with make_backend("process", [], 1) as backend:
        episode = Episode(task, sample, backend)
        await episode.open()
        for arguments in (*bad, {"design": design}):
            call = ToolCall("c", "analyse", json.dumps(arguments))
            turn = await episode.step(Completion(tool_calls=(call,), finish_reason="tool_calls"))
        assert json.loads(turn.messages[0].text.split("\n", 1)[0])["safety"]["met"] is True
        assert [action.status for action in episode.log.actions] == ["invalid_arguments"] * 4 + ["ok"]
        outcome = await episode.close()
    assert outcome.status == "scored"


def test_the_fitted_constant_is_repeatable_and_no_worse_than_the_others() -> None:
    from flange_cases import instance

    from harness_flangeplane.options import Options
    from harness_flangeplane.shortcuts import _score, fitted

    seen = [instance("easy", seed) for seed in range(20)]
    one, other = (fitted(seen, Options()).__closure__[0].cell_contents for _ in range(2))  # type: ignore[index, attr-defined]
    assert one == other
    for worse in (("S355", "M24", 0.2), ("Ti-6Al-4V", "M10", 0.05)):
        assert _score(one, seen) >= _score(worse, seen)
