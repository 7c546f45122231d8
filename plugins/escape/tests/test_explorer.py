"""The fair explorer: the same in both languages, only from what it was shown, and the policy that was promised."""

from __future__ import annotations

import inspect

import pytest

from harness import load_task
from harness.testing import play_inline, scripts_of
from harness_escape import explorer, memory
from harness_escape.explorer import Explorer
from harness_escape.house import House
from harness_escape.memory import Step
from harness_escape.play import explore

LEVELS = ("easy", "medium", "hard")


@pytest.mark.parametrize("level", LEVELS)
def test_both_languages_lead_to_the_same_walk(houses: dict[str, list[House]], level: str) -> None:
    for house in houses[level]:
        english, chinese = explore(house, "en"), explore(house, "zh")
        assert [step.tool for step in english.steps] == [step.tool for step in chinese.steps]
        assert english.rooms == chinese.rooms


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("level", LEVELS)
def test_the_reference_policy_takes_the_steps_that_the_budget_was_made_from(level: str, language: str) -> None:
    task = load_task("escape", level)
    for index in range(8):
        sample = task.sample(index, seed=31, language=language)
        house: House = task.decode_identity(sample.identity)
        episode = play_inline(task, sample, scripts_of(task)["reference"], "t")
        assert episode.outcome.success
        assert episode.log.spent("steps") == house.need
        taken = [(action.name, action.arguments) for action in episode.log.actions]
        assert taken == [(step.tool, step.arguments) for step in explore(house, language).steps]
        assert all(action.status == "ok" for action in episode.log.actions)


def test_every_name_and_code_it_uses_was_shown_or_follows_from_what_was_shown(houses: dict[str, list[House]]) -> None:
    task = load_task("escape", "hard")
    for index in range(8):
        sample = task.sample(index, seed=32)
        episode = play_inline(task, sample, scripts_of(task)["reference"], "t")
        shown = sample.messages[0].text
        for message in episode.messages[1:]:
            for call in message.tool_calls:
                arguments = episode.task.specs[call.name].hints and __import__("orjson").loads(call.arguments)
                for argument, value in arguments.items():
                    if argument not in ("code", "direction"):
                        assert f'"{value}"' in shown, f"{value} was used before it was shown"
            if message.role != "assistant":
                shown += message.text


def test_it_cannot_reach_an_identity() -> None:
    source = inspect.getsource(explorer) + inspect.getsource(memory)
    for word in ("House", "World", "graph", "view", "sample"):
        assert f"import {word}" not in source
        assert f"harness_escape.{word.lower()} import {word}" not in source


def test_it_starts_by_looking_and_stops_when_nothing_is_left() -> None:
    player = Explorer("oak door", "en")
    assert player.next_step() == Step("look")
    empty = {"room": "attic", "doors": {"north": {"name": "oak door", "state": "locked"}}, "furniture": [], "items": []}
    player.memory.learn(Step("look"), empty)
    assert player.next_step() == Step("inspect", {"target": "oak door"})
    player.memory.learn(Step("inspect", {"target": "oak door"}), {"text": "It is locked. The keyhole bears a rose."})
    assert player.next_step() is None
