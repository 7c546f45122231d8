"""Sample rows in files: what is written comes back the same, in every form, and can be played."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import orjson
import pytest

from harness import UserError, load_task
from harness.certify import heldout_rows, write_heldout
from harness.rows import read_rows, sample_row, write_rows


@pytest.fixture
def rows() -> list[dict[str, Any]]:
    tasks = [load_task("toy", "hard"), load_task("faulty", "plain")]
    return [sample_row(task, task.sample(i, split="test")) for task in tasks for i in range(2)]


@pytest.mark.parametrize("name", ["rows.jsonl", "rows.jsonl.zst", "rows.parquet"])
def test_rows_come_back_byte_for_byte(rows: list[dict[str, Any]], tmp_path: Path, name: str) -> None:
    """Two tools with disjoint parameters through Parquet and back: no property is invented, no null is lost."""
    assert write_rows(rows, tmp_path / name) == 4
    back = list(read_rows(tmp_path / name))
    assert [orjson.dumps(r["tools"]) for r in back] == [orjson.dumps(r["tools"]) for r in rows]
    assert back == orjson.loads(orjson.dumps(rows))


def test_rows_can_be_played(rows: list[dict[str, Any]], tmp_path: Path) -> None:
    write_rows(rows, tmp_path / "rows.jsonl")
    words = ("rollout", str(tmp_path / "rows.jsonl"), "--out", str(tmp_path / "run"), "--json")
    done = subprocess.run([sys.executable, "-m", "harness", *words], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    report = orjson.loads(done.stdout)["tasks"]
    assert {name: report[name]["success"] for name in report} == {"toy": 1.0, "faulty": 1.0}


def test_a_row_of_another_version_is_refused_by_name(rows: list[dict[str, Any]], tmp_path: Path) -> None:
    from harness.certify import sample_of

    row = rows[0] | {"identity": rows[0]["identity"] | {"target": 1, "size": 64}}
    with pytest.raises(UserError, match="was made by another version"):
        sample_of(load_task("toy", "hard"), row, seed=0, split="test")
    with pytest.raises(UserError, match="target: got 'x', expected an integer"):
        sample_of(load_task("toy", "hard"), row | {"identity": row["identity"] | {"target": "x"}}, seed=0, split="test")


def test_a_broken_line_is_named(tmp_path: Path) -> None:
    (tmp_path / "rows.jsonl").write_text('{"a": 1}\n{"b": \n')
    with pytest.raises(UserError, match=r"rows.jsonl, line 2"):
        list(read_rows(tmp_path / "rows.jsonl"))


def test_heldout_rows_are_written_and_read_with_the_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    task = load_task("toy", "easy")
    assert heldout_rows(task) == []
    row = {"group": "easy", "index": 0, "key": "k", "identity": {}, "attempts": 1}
    monkeypatch.setattr("harness.certify.resources.files", lambda package: tmp_path)
    write_heldout(task, [row], tmp_path / "heldout")
    assert heldout_rows(task) == [row]
