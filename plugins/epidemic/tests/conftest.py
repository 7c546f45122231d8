"""Fixtures: tasks of the levels, and where the tests find their own modules."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from harness import Sample, Task, load_task

sys.path.insert(0, str(Path(__file__).parent))

LEVELS = ("easy", "medium", "hard", "tiny")


@pytest.fixture(scope="session", params=LEVELS)
def level(request: pytest.FixtureRequest) -> str:
    chosen: str = request.param
    return chosen


@pytest.fixture(scope="session")
def task(level: str) -> Task:
    return load_task("epidemic", group=level)


@pytest.fixture(scope="session")
def easy() -> Task:
    return load_task("epidemic", group="easy")


@pytest.fixture(scope="session")
def medium() -> Task:
    return load_task("epidemic", group="medium")


@pytest.fixture(scope="session")
def medium_sample(medium: Task) -> Sample:
    return medium.sample(0, seed=3)
