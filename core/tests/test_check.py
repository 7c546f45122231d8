"""Every check of `harness check` passes a sound task and is able to fail: each meets the fault it is there for."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from harness.check import CHECKS, Subject, _sources, run_check

FINDS = [
    ("wordings carry every fact", "wording", "does not carry the fact size"),
    ("wordings carry every fact", "untold", "does not tell the budget questions"),
    ("secrets stay secret", "secret", "a secret .* shows in the tool message"),
    ("canaries stay hidden", "canary", "shows in the tool message"),
    ("canaries stay hidden", "echo", "the hidden number identity.mass shows in the tool message"),
    ("interleaved episodes are isolated", "shared", "an episode changes when another runs beside it"),
    ("episodes repeat", "shared", "was seen differently the second time"),
    ("score is the same everywhere", "impure", "keep (it pure|scoring a pure function)"),
    ("same in other processes and hash seeds", "hashing", "depend on PYTHONHASHSEED"),
    ("nothing is left behind", "child", "more child processes behind"),
    ("nothing is left behind", "file", "wrote into the working directory"),
    ("reward keeps the scale", "sign", r"margin -?1.0 with success="),
    ("empty play stays at the floor", "generous", "is a success"),
    ("budgets are enforced", "fragile", "random calls ended invalid: task_error"),
    ("bad calls are answered", "raising", "made the tool raise"),
    ("sampling repeats", "order", "depends on the order"),
    ("splits and seeds are disjoint", "constant", "instance space is too small"),
    ("schemas", "undocumented", "peek.where has no description"),
    ("reference reads every language", "english", "in 'zh': the reference ended wrong_answer"),
    ("reference solves certified instances", "unsolved", r"no certified instance in .*reference failed"),
]
"""Check, the group of the task `broken` that has the fault, what is said of it."""

ONCE = {"card", "import is light", "held-out rows"}
"""Checks that do not look at groups; their tests are below."""


@pytest.fixture(autouse=True)
def nothing_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """One fault writes into the working directory, another leaves a process."""
    monkeypatch.chdir(tmp_path)
    yield
    from harness.task import load_task

    module: Any = sys.modules.get(type(load_task("broken").prompt).__module__)
    for process in module.LEFT:
        process.kill()
        process.wait()
    module.LEFT.clear()


def result(title: str, group: str, task: str = "broken") -> Any:
    return run_check(title, CHECKS[title], Subject(task, 2, (group,)))


@pytest.mark.parametrize(("title", "group", "message"), FINDS, ids=[f"{title}-{group}" for title, group, _ in FINDS])
def test_each_check_finds_the_fault_it_is_there_for(title: str, group: str, message: str) -> None:
    found = result(title, group)
    assert not found.ok, f"nothing was found: {found.detail}"
    assert re.search(message, found.detail), found.detail


@pytest.mark.parametrize("title", [title for title in CHECKS if title != "held-out rows"])
def test_a_sound_task_passes(title: str) -> None:
    found = result(title, "sound")
    assert found.ok, found.detail


def test_every_check_is_shown_able_to_fail() -> None:
    assert {title for title, _, _ in FINDS} | ONCE == set(CHECKS)


def test_card_wants_a_reference_and_lazy_policies(monkeypatch: pytest.MonkeyPatch) -> None:
    subject = Subject("broken", 2, ("sound",))
    for missing in ("reference", "middle"):
        with monkeypatch.context() as patch:
            patch.delitem(subject.first.policies, missing)
            found = run_check("card", CHECKS["card"], subject)
            assert not found.ok
            assert ("a policy named 'reference'" if missing == "reference" else "lazy policies") in found.detail


def test_import_is_light_has_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_sources, "IMPORT_SECONDS", 0.0)
    found = result("import is light", "sound")
    assert not found.ok
    assert "import heavy libraries inside functions" in found.detail


def test_held_out_rows_must_ship() -> None:
    found = result("held-out rows", "sound")
    assert not found.ok
    assert "0 held-out rows, 100 asked; run `harness certify broken`" in found.detail


@pytest.mark.parametrize(("group", "ok"), [("sound", True), ("secret", False)])
def test_the_command_says_it_by_its_exit_code(group: str, ok: bool) -> None:
    words = ("check", "broken", "-n", "1", "--group", group, "--json")
    done = subprocess.run([sys.executable, "-m", "harness", *words], capture_output=True, text=True, check=False)
    told = {check["name"]: check["ok"] for check in json.loads(done.stdout)["checks"]}
    assert told["secrets stay secret"] is ok
    assert done.returncode == 1, "held-out rows are missing, which fails the whole in both groups"
