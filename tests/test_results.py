"""What was measured over all tasks is committed, and of the sources as they are."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from repository import ROOT, TASKS

from harness.certify import folder_digest

SUITE = json.loads((ROOT / "benchmarks" / "suite.json").read_text())


def test_the_page_of_baselines_is_current() -> None:
    done = subprocess.run([sys.executable, str(ROOT / "docs" / "_baselines.py"), "--check"], check=False)
    assert done.returncode == 0, "run `python docs/_baselines.py` and commit docs/baselines.md"


def test_the_suite_was_played_over_every_task() -> None:
    assert sorted(SUITE["tasks"]) == [path.name for path in TASKS]


@pytest.mark.parametrize("name", [path.name for path in TASKS])
def test_the_reference_solves_the_held_out_suite(name: str) -> None:
    found = SUITE["tasks"][name]
    assert found["scored"] == found["episodes"] == 100
    assert found["success"] >= 0.99


@pytest.mark.parametrize("path", TASKS, ids=lambda path: path.name)
def test_the_suite_was_played_on_the_sources_as_they_are(path: Path) -> None:
    current = folder_digest(path / "src" / f"harness_{path.name}")
    assert SUITE["tasks"][path.name]["sources"] == current, "run `nox -s suite` and commit benchmarks/suite.json"
