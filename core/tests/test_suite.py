"""The measured suite: rules, the committed file, and what makes it stale."""

from __future__ import annotations

from pathlib import Path

import anyio
import orjson
import pytest
from attrs import evolve

from harness import TaskError, load_task
from harness.suite import QUARTER, Measured, measure, rules, stale, write_result


@pytest.fixture(scope="module")
def measured() -> Measured:
    async def run() -> Measured:
        return await measure("toy", 6, groups=("hard",), workers=1, say=lambda line: None)

    return anyio.run(run)


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    found = tmp_path / "results" / "suite.json"
    monkeypatch.setattr("harness.suite.result_path", lambda task: found)
    return found


def test_everybody_is_measured_on_the_same_instances(measured: Measured) -> None:
    rates = measured.certification["hard"]
    assert set(rates) == {"reference", "reference-quarter-budget", "random", "middle"}
    assert (rates["reference"]["success"], rates["middle"]["success"]) == (1.0, 0.0)
    assert {r["n"] for r in rates.values()} == {6}
    assert 0.5 <= measured.acceptance["hard"] <= 1.0


def test_a_reference_that_fails_and_a_lazy_that_wins_break_rules(measured: Measured) -> None:
    worse = {p: dict(r) for p, r in measured.certification["hard"].items()}
    worse["reference"]["success"] = 0.99
    worse["middle"]["upper95"] = 0.09
    broken = {
        c.name for c in rules(evolve(measured, certification={"hard": worse}, acceptance={"hard": 0.4}), {}) if not c.ok
    }
    assert broken >= {"hard: reference", "hard: lazy middle", "hard: acceptance"}


def group_result(measured: Measured, group: str, quarter: float) -> Measured:
    """A result of one group that keeps every rule of a single group."""
    rates = {"reference": ("reference", 1.0), QUARTER: ("adversary", quarter)}
    policies = {
        name: {"kind": kind, "n": 200, "success": rate, "upper95": rate} for name, (kind, rate) in rates.items()
    }
    timing = measured.timing["hard"]
    return evolve(measured, certification={group: policies}, acceptance={group: 0.9}, timing={group: timing}, checks=())


def test_a_result_is_of_its_sources_and_of_all_groups(measured: Measured, path: Path) -> None:
    task = load_task("toy")
    assert "has no measured suite" in stale(task)
    write_result(group_result(measured, "hard", 0.2), task)
    assert "lacks the groups easy, medium" in stale(task)
    for group, quarter in (("medium", 0.5), ("easy", 0.9)):
        write_result(group_result(measured, group, quarter), task)
    assert stale(task) == ""
    assert list(orjson.loads(path.read_bytes())["certification"]) == ["easy", "medium", "hard"]
    path.write_bytes(path.read_bytes().replace(orjson.loads(path.read_bytes())["sources"].encode(), b"0" * 16))
    assert "is of other sources" in stale(task)


def test_groups_measured_one_by_one_are_judged_together(measured: Measured, path: Path) -> None:
    task = load_task("toy")
    for group, quarter in (("easy", 0.5), ("medium", 0.9), ("hard", 0.2)):
        write_result(group_result(measured, group, quarter), task)
    assert "broke a rule" in stale(task)
    checks = {check["name"]: check for check in orjson.loads(path.read_bytes())["checks"]}
    assert not checks["all: difficulty is monotone"]["ok"]
    assert "easy 50.0%, medium 90.0%" in checks["all: difficulty is monotone"]["detail"]


def test_sources_that_change_meanwhile_are_refused(measured: Measured, path: Path) -> None:
    with pytest.raises(TaskError, match="changed while its suite was measured"):
        write_result(evolve(measured, sources="0" * 16), load_task("toy"))
    assert not path.exists()
