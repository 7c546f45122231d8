"""Real episodes of the toy task, played and closed, for the trace tests."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from harness import Completion, Evidence, InlineEpisode, Task, ToolCall, Usage, load_task

Play = Callable[..., InlineEpisode]


@pytest.fixture(scope="session")
def toy() -> Iterator[Task]:
    folder = str(Path(__file__).parents[1] / "tasks")
    sys.path.insert(0, folder)
    yield load_task("toy", group="easy")
    sys.path.remove(folder)


def turn(text: str | None, *calls: tuple[str, str], evidence: Evidence | None = None) -> Completion:
    made = tuple(ToolCall(f"c{number}", name, arguments) for number, (name, arguments) in enumerate(calls))
    return Completion(text, "thinking…", made, usage=Usage(100, 10, 4), evidence=evidence)


@pytest.fixture
def play(toy: Task) -> Play:
    """Play an easy toy instance: some questions, a remark that is nudged, an answer (right or wrong)."""

    def run(
        index: int = 0, *, right: bool = True, remark: str = "Let me think.", evidence: Evidence | None = None
    ) -> InlineEpisode:
        sample = toy.sample(index, split="test")
        episode = InlineEpisode(toy, sample)
        episode.open()
        episode.step(turn(None, ("ask", '{"value": 8}'), ("ask", '{"value": "8"}'), evidence=evidence))
        episode.step(turn("I give", ("serch", "{}")))
        episode.step(turn(remark))
        target = int(sample.identity["target"])
        episode.step(turn("done", ("submit", f'{{"value": {target if right else target + 1}}}')))
        episode.close()
        return episode

    return run
