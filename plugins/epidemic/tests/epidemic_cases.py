"""Countries and episodes that several tests use."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import numpy as np

from harness import Completion, InlineEpisode, Sample, Task, ToolCall
from harness_epidemic.country import Identity
from harness_epidemic.options import PLANS
from harness_epidemic.sample import draw

Ask = Callable[..., dict[str, Any]]


def country(level: str, seed: int) -> Identity:
    """Draw a country without targets, which costs no planning."""
    return draw(PLANS[level], np.random.default_rng(seed))


def opened(task: Task, sample: Sample) -> tuple[InlineEpisode, Ask]:
    """Open an episode; return it with a function that makes one call and reads the answer."""
    episode = InlineEpisode(task, sample)
    episode.open()

    def ask(tool: str, arguments: Any = None) -> dict[str, Any]:
        raw = arguments if isinstance(arguments, str) else json.dumps(arguments or {})
        turn = episode.step(Completion(tool_calls=(ToolCall("c", tool, raw),), finish_reason="tool_calls"))
        answer: dict[str, Any] = json.loads(turn.messages[0].text.split("\n", 1)[0])
        return answer

    return episode, ask
