"""Real episodes of the toy task, played and closed, for the trace tests."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import anyio
import pytest

from harness import Completion, Episode, Evidence, Task, ToolCall, Usage, load_task
from harness.backends import InlineBackend


@pytest.fixture(scope="session")
def toy() -> Iterator[Task]:
    folder = str(Path(__file__).parents[1] / "tasks")
    sys.path.insert(0, folder)
    yield load_task("toy", group="easy")
    sys.path.remove(folder)


@pytest.fixture
def play(toy: Task) -> Callable[..., Episode]:
    """Play an easy toy instance: see `conversation`."""

    def run(
        index: int = 0, *, right: bool = True, remark: str = "Let me think.", evidence: Evidence | None = None
    ) -> Episode:
        return anyio.run(partial(conversation, toy, index, right, remark, evidence))

    return run


async def conversation(toy: Task, index: int, right: bool, remark: str, evidence: Evidence | None) -> Episode:
    """A question, a call of a wrong type, an unknown tool, a remark that is nudged, an answer."""
    sample = toy.sample(index, split="test")
    episode = Episode(toy, sample, InlineBackend())
    await episode.open()
    await episode.step(turn(None, ("ask", '{"value": 8}'), ("ask", '{"value": "8"}'), evidence=evidence))
    await episode.step(turn("I give", ("serch", "{}")))
    await episode.step(turn(remark))
    target = int(sample.identity["target"])
    await episode.step(turn("done", ("submit", f'{{"value": {target if right else target + 1}}}')))
    await episode.close()
    return episode


def turn(text: str | None, *calls: tuple[str, str], evidence: Evidence | None = None) -> Completion:
    made = tuple(ToolCall(f"c{number}", name, arguments) for number, (name, arguments) in enumerate(calls))
    return Completion(text, "thinking…", made, usage=Usage(100, 10, 4), evidence=evidence)
