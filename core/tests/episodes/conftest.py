from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from harness import InlineEpisode, load_task


@pytest.fixture
def begin() -> Callable[..., InlineEpisode]:
    """Open an episode of the toy, or of the faulty task with options."""

    def opened(name: str = "toy", **options: Any) -> InlineEpisode:
        task = load_task(name, "easy" if name == "toy" else "plain", options)
        episode = InlineEpisode(task, task.sample(0))
        episode.open()
        return episode

    return opened
