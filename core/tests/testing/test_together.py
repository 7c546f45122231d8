"""Episodes at once and one at a time: equal for a sound task, and not for one that shares state."""

from __future__ import annotations

import pytest

from harness import load_task
from harness.testing import play_alone_and_together


@pytest.mark.parametrize(("group", "equal"), [("sound", True), ("shared", False)])
def test_shared_state_shows(group: str, equal: bool) -> None:
    task = load_task("broken", group=group)
    plan = [(task, task.sample(index), name) for index in range(6) for name in ("reference", "random")]
    alone, together = play_alone_and_together(plan)
    assert len(alone) == len(together) == len(plan)
    assert (alone == together) is equal
