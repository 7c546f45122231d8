"""Sixty-four episodes at once on worker processes leave the traces that they leave one at a time."""

from __future__ import annotations

import pytest

from harness import load_task
from harness.testing import play_alone_and_together


@pytest.mark.slow
def test_concurrent_episodes_are_what_they_are_alone() -> None:
    tasks = [load_task("mole", group=group) for group in ("conformer-easy", "lead-hard")]
    names = ("minimised-start", "one-random")
    plan = [(tasks[i % 2], tasks[i % 2].sample(i // 2, seed=31), names[i % 2]) for i in range(64)]
    alone, together = play_alone_and_together(plan)
    assert together == alone
