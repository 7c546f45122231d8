"""Fixtures: tasks of every group, and a driver for single calls in real episodes."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from harness import Completion, InlineEpisode, Task, ToolCall, load_task

VARIANTS = ("flux", "identify", "transient")
GROUPS = tuple(f"{variant}-{level}" for variant in VARIANTS for level in ("easy", "medium", "hard"))

Ask = Callable[..., dict[str, Any]]


@pytest.fixture(scope="session", params=GROUPS)
def task(request: pytest.FixtureRequest) -> Task:
    return load_task("fenics", group=request.param)


@pytest.fixture(scope="session")
def flux() -> Task:
    return load_task("fenics", group="flux-easy")


@pytest.fixture(scope="session")
def transient() -> Task:
    return load_task("fenics", group="transient-medium")


@pytest.fixture(scope="session")
def identify() -> Task:
    return load_task("fenics", group="identify-easy")


def asking(task: Task) -> tuple[InlineEpisode, Ask]:
    """Open an episode; return it with a function that makes one call and reads the answer."""
    episode = InlineEpisode(task, task.sample(0))
    episode.open()

    def once(tool: str, arguments: Any) -> dict[str, Any]:
        raw = arguments if isinstance(arguments, str) else json.dumps(arguments)
        turn = episode.step(Completion(tool_calls=(ToolCall("c", tool, raw),), finish_reason="tool_calls"))
        text = turn.messages[0].text
        try:
            answer: dict[str, Any] = json.loads(text)
        except json.JSONDecodeError:
            return {"text": text}
        return answer

    return episode, once


@pytest.fixture
def ask_flux(flux: Task) -> Iterator[tuple[InlineEpisode, Ask]]:
    episode, once = asking(flux)
    yield episode, once
    episode.close()


@pytest.fixture
def ask_identify(identify: Task) -> Iterator[tuple[InlineEpisode, Ask]]:
    episode, once = asking(identify)
    yield episode, once
    episode.close()
