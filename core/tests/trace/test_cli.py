"""The trace verbs through the command itself."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from harness.cli import run
from harness.trace import TraceWriter, fsck, read

from .samples import episode


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A run folder with five episodes; the last but one is invalid."""
    with TraceWriter(tmp_path / "traces.jsonl.zst", {"seed": 3}) as writer:
        writer.write(episode(0, reward=0.9))
        writer.write(episode(1, reason="wrong_answer", reward=0.3))
        writer.write({**episode(2, group="hard"), "note": "\ud835"})
        writer.write(episode(3, invalid=True, reason="backend_lost"))
        writer.write(episode(4, reward=1.0))
        writer.close({"episodes": 5})
    return tmp_path


@pytest.fixture
def torn(folder: Path) -> Path:
    trace = folder / "traces.jsonl.zst"
    trace.write_bytes(trace.read_bytes()[:-4])
    return folder


def test_show(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["trace", "show", str(folder), "--index", "1"]) == 0
    out = capsys.readouterr().out
    assert "easy · test #1" in out
    assert "wrong_answer · reward 0.300" in out


def test_show_by_key_as_json(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["trace", "show", str(folder), "--key", "k2", "--json"]) == 0
    shown = json.loads(capsys.readouterr().out)
    assert shown["sample"]["index"] == 2
    assert (shown["note"], shown["escape"]) == ("\x1ad835", "sub")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--index", "5"], "has 5 episodes, there is no number 5"),
        (["--key", "k9"], "has no episode with key 'k9' and repetition 0"),
    ],
)
def test_show_of_what_is_not_there(
    folder: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], message: str
) -> None:
    assert run(["trace", "show", str(folder), *arguments]) == 2
    assert message in capsys.readouterr().err


def test_a_wrong_path_is_the_user_s_slip(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["trace", "stats", str(tmp_path)]) == 2
    assert "expected a run folder, or a .jsonl.zst or .jsonl file" in capsys.readouterr().err
    (tmp_path / "x.jsonl").write_text("{}\n")
    assert run(["trace", "stats", str(tmp_path / "x.jsonl")]) == 2
    assert "no trace: the first record has type None, expected 'header'" in capsys.readouterr().err


def test_stats(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["trace", "stats", str(folder)]) == 0
    assert "0.750 over 4 of 5" in capsys.readouterr().out
    assert run(["trace", "stats", str(folder), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["total"]["success"] == 0.75


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ([], [0, 1, 2, 3, 4]),
        (["--failed"], [1, 3]),
        (["--success"], [0, 2, 4]),
        (["--group", "hard"], [2]),
        (["--reason", "backend_lost", "--reason", "wrong_answer"], [1, 3]),
        (["--index", "4", "--index", "0"], [0, 4]),
        (["--task", "other"], []),
    ],
)
def test_cat(folder: Path, capfdbinary: pytest.CaptureFixture[bytes], options: list[str], expected: list[int]) -> None:
    assert run(["trace", "cat", str(folder), *options]) == 0
    lines = capfdbinary.readouterr().out.splitlines()
    assert [json.loads(line)["sample"]["index"] for line in lines] == expected


def test_cat_all_is_a_trace_again(folder: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    assert run(["trace", "cat", str(folder), "--all"]) == 0
    copy = folder / "copy.jsonl"
    copy.write_bytes(capfdbinary.readouterr().out)
    assert list(read(copy)) == list(read(folder / "traces.jsonl.zst"))


def test_a_torn_file_is_read_with_a_warning(torn: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for verb in (["cat"], ["stats"], ["show"], ["show"]):
        assert run(["trace", *verb, str(torn)]) == 0
        said = capsys.readouterr()
        assert "warning:" in said.err
        assert "torn" in said.err
        assert said.out


def test_fsck(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["trace", "fsck", str(folder)]) == 0
    assert "ok; " in capsys.readouterr().out


def test_fsck_and_recover_of_a_torn_file(torn: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["trace", "fsck", str(torn), "--json"]) == 1
    report = json.loads(capsys.readouterr().out)
    assert (report["ok"], report["counts"]["episode"]) == (False, 5)
    target = torn / "saved.jsonl.zst"
    assert run(["trace", "recover", str(torn), str(target)]) == 0
    assert "5 episodes saved, 0 duplicates left out" in capsys.readouterr().out
    assert fsck(target).ok
    assert run(["trace", "recover", str(torn), str(target)]) == 2
    assert "exists" in capsys.readouterr().err
    assert run(["trace", "recover", str(torn), str(torn / "again.jsonl.zst"), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["episodes"] == 5


def test_a_reader_that_goes_away_is_no_error(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl.zst"
    with TraceWriter(path, {}) as writer:
        for number in range(3000):
            writer.write(episode(number))
    command = f"{sys.executable} -c 'from harness.cli import main; main()' trace cat {path} | head -n 1"
    done = subprocess.run(["bash", "-o", "pipefail", "-c", command], capture_output=True, check=False, env=os.environ)
    assert done.stdout.count(b"\n") == 1
    assert (done.stderr, done.returncode) == (b"", 0)


@pytest.mark.parametrize("verb", ["show", "stats", "cat", "fsck", "recover"])
def test_every_verb_has_an_example(verb: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["trace", verb, "--help"]) == 0
    assert f"Example: harness trace {verb} " in capsys.readouterr().out
