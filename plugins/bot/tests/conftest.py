"""Instances and episodes that several tests play with."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import orjson
import pytest

from harness import Completion, InlineEpisode, Reject, Sample, Task, ToolCall, generator, load_task
from harness_bot.sample import LEVELS, Instance, Options, propose

Make = Callable[..., Instance]
Ask = Callable[[InlineEpisode, str, Any], dict[str, Any]]


@pytest.fixture(scope="session")
def instance_of() -> Make:
    """Make the first proposal of a level and number that the sampler does not reject."""
    made: dict[tuple[str, int], Instance] = {}

    def make(level: str = "medium", number: int = 0) -> Instance:
        for attempt in range(20):
            if (level, number) in made:
                break
            try:
                made[level, number] = propose(generator("test", level, number, attempt), Options(level))
            except Reject:
                continue
        return made[level, number]

    return make


@pytest.fixture
def opened() -> Callable[..., tuple[Task, Sample, InlineEpisode]]:
    """Open an episode in this process."""

    def run(level: str = "medium", language: str = "en", index: int = 0) -> tuple[Task, Sample, InlineEpisode]:
        task = load_task("bot", level)
        sample = task.sample(index, seed=5, language=language)
        episode = InlineEpisode(task, sample)
        episode.open()
        return task, sample, episode

    return run


@pytest.fixture
def ask() -> Ask:
    """Make one call and read its answer."""

    def run(episode: InlineEpisode, name: str, arguments: Any) -> dict[str, Any]:
        raw = arguments if isinstance(arguments, str) else orjson.dumps(arguments).decode()
        turn = episode.step(Completion(tool_calls=(ToolCall("c", name, raw),), finish_reason="tool_calls"))
        answer: dict[str, Any] = orjson.loads(turn.messages[0].text)
        return answer

    return run


@pytest.fixture(params=LEVELS)
def task(request: pytest.FixtureRequest) -> Task:
    """The task at each level."""
    return load_task("bot", request.param)
