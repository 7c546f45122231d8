"""The reference succeeds and the shortcuts fail, through real episodes."""

from __future__ import annotations

from typing import Any

import pytest

from harness import Completion, InlineEpisode, Task, ToolCall, View, load_task
from harness_finance.shortcuts import fit_constant

COUNT = 20


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_reference_succeeds_on_every_instance(task: Task, driver: Any, language: str) -> None:
    for number in range(COUNT):
        outcome, episode = driver.play(task, task.sample(number, language=language), task.policies["reference"].play)
        assert outcome.success, (number, outcome.detail)
        assert outcome.score.margin >= task.card.margin
        assert all(action.status == "ok" for action in episode.log.actions)
        assert outcome.reward > 0.9


def _shortcuts() -> list[str]:
    names = ("copy", "last-year", "drift", "mean-growth", "percent-of-sales", "no-breach", "breach", "fabricate")
    return [*names, "outdated", "perturbed-last-year", "perturbed-drift", "search"]


@pytest.mark.parametrize("name", _shortcuts())
def test_shortcuts_fail(task: Task, driver: Any, name: str) -> None:
    outcomes = [driver.play(task, task.sample(n), task.policies[name].play)[0] for n in range(COUNT)]
    assert all(outcome.status == "scored" and outcome.reason == "wrong_answer" for outcome in outcomes)
    assert all(outcome.reward <= 0.6 for outcome in outcomes)


def test_the_best_constant_answer_fails(task: Task, driver: Any) -> None:
    seen = [task.decode_identity(task.sample(n).identity) for n in range(100, 150)]
    play = fit_constant(seen, task.options)
    assert not any(driver.play(task, task.sample(n), play)[0].success for n in range(COUNT))


def test_every_declared_policy_is_tested(task: Task) -> None:
    assert set(task.policies) == {"reference", "constant", *_shortcuts()}


def test_invented_numbers_tie_out_and_still_fail(task: Task, driver: Any) -> None:
    """The fault of letting any numbers that satisfy the ratios pass."""
    outcome, _ = driver.play(task, task.sample(0), task.policies["fabricate"].play)
    terms = {term.name: term.value for term in outcome.score.progress}
    assert terms["identities"] == 1.0
    assert outcome.reward < 0.45


def test_a_silent_policy_is_reminded_and_then_ends(easy: Task) -> None:
    episode = InlineEpisode(easy, easy.sample(0))
    episode.open()
    for _ in range(2):
        assert not episode.step(Completion(content="I am thinking about it.")).done
    assert episode.step(Completion(content="Still thinking.")).done
    assert episode.close().reward == 0.0


def test_a_typed_answer_in_a_message_counts_as_a_submission(easy: Task, driver: Any) -> None:
    import orjson

    sample = easy.sample(0)
    _, played = driver.play(easy, sample, easy.policies["reference"].play)
    episode = InlineEpisode(easy, sample)
    episode.open()
    text = "```json\n" + orjson.dumps(played.log.answer).decode() + "\n```"
    assert episode.step(Completion(content=text)).done
    assert episode.close().success


def test_calls_after_a_submission_are_not_executed(easy: Task, driver: Any) -> None:
    import orjson

    sample = easy.sample(1)
    _, played = driver.play(easy, sample, easy.policies["reference"].play)
    episode = InlineEpisode(easy, sample)
    episode.open()
    raw = orjson.dumps(played.log.answer).decode()
    calls = (ToolCall("a", "submit", raw), ToolCall("b", "notes", '{"topic": "sales"}'))
    turn = episode.step(Completion(tool_calls=calls))
    assert turn.done
    assert [m.tool_call_id for m in turn.messages] == ["a", "b"]
    assert episode.log.actions[1].status == "not_executed"


def test_the_reference_keeps_to_smaller_budgets(task: Task, driver: Any) -> None:
    from attrs import evolve

    sample = task.sample(0)
    quarter = {name: size // 4 for name, size in sample.limits.budgets.items()}
    limited = evolve(sample.limits, budgets=quarter)
    outcome, episode = driver.play(task, evolve(sample, limits=limited), task.policies["reference"].play)
    assert outcome.status == "scored"
    assert not any(action.status == "budget_exhausted" for action in episode.log.actions)


def test_scripts_see_no_identity(task: Task) -> None:
    assert all(script.view == "observation" for script in task.policies.values())
    assert View.__attrs_attrs__.identity.default is None


EXTREMES: list[dict[str, int]] = [
    {"years": 3, "segments": 1, "occurring": 0, "updates": 1, "astray": 0, "distractors": 0, "items": 6},
    {"years": 7, "segments": 3, "occurring": 5, "updates": 12, "astray": 100, "distractors": 8, "items": 12},
    {"years": 3, "segments": 1, "occurring": 0, "updates": 12, "astray": 100, "distractors": 8, "items": 12},
    {"lookups": 10, "checks": 0, "turns": 10},
]


@pytest.mark.parametrize("options", EXTREMES)
def test_the_reference_succeeds_at_the_ends_of_every_option(driver: Any, options: dict[str, int]) -> None:
    task = load_task("finance", options=options)
    for number in range(10):
        assert driver.play(task, task.sample(number), task.policies["reference"].play)[0].success
    search, _ = driver.play(task, task.sample(0), task.policies["search"].play)
    assert search.status == "scored"
    assert not search.success
