from __future__ import annotations

from typing import Any

from harness.plan import Place
from harness.task import TaskRef


def faulty(index: int, **options: Any) -> Place:
    return Place(TaskRef("faulty", "plain", options), index)
