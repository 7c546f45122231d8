"""Fixtures: tasks and instances of the levels, and where the tests find their own modules."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from harness import Task, load_task

sys.path.insert(0, str(Path(__file__).parent))

LEVELS = ("easy", "medium", "hard")


@pytest.fixture(scope="session", params=LEVELS)
def level(request: pytest.FixtureRequest) -> str:
    chosen: str = request.param
    return chosen


@pytest.fixture(scope="session")
def task(level: str) -> Task:
    return load_task("flangeplane", group=level)


@pytest.fixture(scope="session")
def medium() -> Task:
    return load_task("flangeplane", group="medium")
