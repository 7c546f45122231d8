"""Fixtures: the three groups, and a driver that plays a script or raw calls through real episodes."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

from harness import Completion, InlineEpisode, Message, Outcome, Sample, Task, ToolCall, View, load_task
from harness.scripted import Script
from harness_finance.sample import Identity

GROUPS = ("easy", "medium", "hard")


@pytest.fixture(scope="session", params=GROUPS)
def task(request: pytest.FixtureRequest) -> Task:
    return load_task("finance", group=request.param)


@pytest.fixture(scope="session")
def easy() -> Task:
    return load_task("finance", group="easy")


@pytest.fixture
def identity(easy: Task) -> Identity:
    found: Identity = easy.prompt.sample(np.random.default_rng(7))
    return found


class Driver:
    """Plays scripts to the end of an episode."""

    def play(self, task: Task, sample: Sample, script: Any, limits: Any = None) -> tuple[Outcome, InlineEpisode]:
        episode = InlineEpisode(task, sample)
        episode.open()
        view = View(
            prompt=episode.messages[0].text,
            facts=task.prompt.facts(task.decode_identity(sample.identity), sample.language),
            tools=episode.tools,
            limits=limits or sample.limits,
            language=sample.language,
            rng=np.random.default_rng(0),
            options=task.options,
        )
        runner = Script(script, view)
        new: tuple[Message, ...] = ()
        while not episode.done:
            new = episode.step(runner.reply(new)).messages
        return episode.close(), episode


@pytest.fixture
def driver() -> Driver:
    return Driver()


@pytest.fixture
def ask(easy: Task) -> Iterator[Callable[..., dict[str, Any]]]:
    """Return a function that makes one call in an episode of its own kind and reads the answer."""
    episode = InlineEpisode(easy, easy.sample(0))
    episode.open()

    def once(tool: str, arguments: Any) -> dict[str, Any]:
        raw = arguments if isinstance(arguments, str) else json.dumps(arguments)
        turn = episode.step(Completion(tool_calls=(ToolCall("c", tool, raw),), finish_reason="tool_calls"))
        answer: dict[str, Any] = json.loads(turn.messages[0].text.split("\n", 1)[0])
        return answer

    once.episode = episode  # type: ignore[attr-defined]
    yield once
    episode.close()
