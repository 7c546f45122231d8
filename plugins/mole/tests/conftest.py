"""Fixtures: the six groups, and a bench on which single calls are made through real episodes."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from harness import Completion, InlineEpisode, Task, ToolCall, load_task

VARIANTS = ("conformer", "lead")
LEVELS = ("easy", "medium", "hard")
GROUPS = tuple(f"{variant}-{level}" for variant in VARIANTS for level in LEVELS)


@pytest.fixture(scope="session", params=GROUPS)
def task(request: pytest.FixtureRequest) -> Task:
    return load_task("mole", group=request.param)


@pytest.fixture(scope="session")
def conformer() -> Task:
    return load_task("mole", group="conformer-easy")


@pytest.fixture(scope="session")
def lead() -> Task:
    return load_task("mole", group="lead-easy")


class Bench:
    """One episode in which calls are made by hand."""

    def __init__(self, task: Task, index: int = 0, language: str = "en") -> None:
        self.sample = task.sample(index, seed=3, language=language)
        self.identity = task.decode_identity(self.sample.identity)
        self.episode = InlineEpisode(task, self.sample)
        self.episode.open()

    def ask(self, tool: str, arguments: Any) -> dict[str, Any]:
        raw = arguments if isinstance(arguments, str) else json.dumps(arguments)
        turn = self.episode.step(Completion(tool_calls=(ToolCall("c", tool, raw),)))
        text = turn.messages[0].text
        return dict(json.loads(text)) if text.startswith("{") else {"text": text}


@pytest.fixture
def bench() -> Callable[..., Bench]:
    return Bench
