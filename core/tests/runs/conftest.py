from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import anyio
import pytest

from harness.plan import Place
from harness.policies import Policy, Setup
from harness.report import make_report
from harness.rollout import Rollout
from harness.runs import RunFolder, RunSpec, tasks_of
from harness.task import TaskRef


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


def faulty(index: int, **options: Any) -> Place:
    return Place(TaskRef("faulty", "plain", options), index)
