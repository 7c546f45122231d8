"""Make the tasks of these tests discoverable by entry points, as installed packages are, in this process and its
children."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import anyio
import pytest

from harness import plugins
from harness.policies import Policy, Setup
from harness.report import make_report
from harness.rollout import Rollout
from harness.runs import RunFolder, RunSpec, tasks_of

TASKS = str(Path(__file__).parent / "tasks")
sys.path[:0] = [TASKS, str(Path(__file__).parent / "soak")]


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(autouse=True, scope="session")
def task_packages() -> Iterator[None]:
    """Children that are started by hand see the same packages."""
    before = os.environ.get("PYTHONPATH")
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, (TASKS, before)))
    plugins.forget()
    yield
    if before is None:
        del os.environ["PYTHONPATH"]
    else:
        os.environ["PYTHONPATH"] = before


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HARNESS_CACHE", str(tmp_path / "cache"))


@pytest.fixture
def roll(tmp_path: Path) -> Callable[..., tuple[Rollout, dict[str, Any]]]:
    """Play a run and return it with its report."""

    def played(
        spec: RunSpec, policy: Policy | None = None, *, folder: str | None = None, **given: Any
    ) -> tuple[Rollout, dict[str, Any]]:
        from harness.cli._run import make_policy

        made = None
        if folder is not None:
            path = tmp_path / folder
            made = RunFolder(path) if path.exists() else RunFolder.create(path, spec, tasks_of(spec.places()).values())
        rollout = Rollout(spec, policy or make_policy(spec.policy, Setup()), folder=made, **given)
        anyio.run(rollout.run)
        records = rollout.records
        if made is not None:
            from harness.trace import read

            records = list(read(made.trace))
        return rollout, make_report(records)

    return played
