"""Instances and episodes that several tests use."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import numpy as np
from attrs import asdict

from harness import Completion, InlineEpisode, Reject, Sample, Task, ToolCall, TurnResult
from harness_flangeplane.options import LEVELS, Options
from harness_flangeplane.sample import Identity, propose

Ask = Callable[..., dict[str, Any]]


def instance(level: str, seed: int) -> Identity:
    """Draw an instance; a rejected draw is drawn again."""
    rng = np.random.default_rng(seed)
    for _ in range(20):
        try:
            return propose(Options(**LEVELS[level]), rng)  # type: ignore[arg-type]
        except Reject:
            continue
    raise AssertionError("twenty draws were rejected")


def step(episode: InlineEpisode, tool: str, arguments: Any) -> TurnResult:
    """Make one call."""
    raw = arguments if isinstance(arguments, str) else json.dumps(arguments)
    return episode.step(Completion(tool_calls=(ToolCall("c", tool, raw),), finish_reason="tool_calls"))


def opened(task: Task, sample: Sample) -> tuple[InlineEpisode, Ask]:
    """Open an episode; return it with a function that makes one call and reads the answer."""
    episode = InlineEpisode(task, sample)
    episode.open()

    def ask(tool: str, **arguments: Any) -> dict[str, Any]:
        text = step(episode, tool, arguments).messages[0].text
        answer: dict[str, Any] = json.loads(text.split("\n", 1)[0])
        return answer

    return episode, ask


def known(task: Task, sample: Sample) -> tuple[Identity, dict[str, Any], dict[str, Any]]:
    """Return an instance with its known design and its right reading as arguments."""
    identity: Identity = task.decode_identity(sample.identity)
    return identity, asdict(identity.known), asdict(identity.reading)
