"""Slips at the keyboard are one line and exit code 2, whatever the verb: no traceback, nothing passed over."""

from __future__ import annotations

import fcntl
import io
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from harness.cli import VERBS, run
from harness.rows import read_rows

Capture = pytest.CaptureFixture[str]


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder to work in."""
    work = tmp_path / "work"
    work.mkdir()
    monkeypatch.chdir(work)
    return work


@pytest.fixture
def played(capsys: Capture) -> Path:
    """A finished run of the toy."""
    assert run(["rollout", "toy", "-n", "3", "--backend", "inline", "--no-certify", "--out", "run"]) == 0
    capsys.readouterr()
    return Path("run")


ROW = {"task": "toy", "group": "easy", "seed": 0, "split": "train", "key": "", "options": {}, "identity": {}}
FILES: dict[str, bytes] = {
    "list.jsonl": b"[1]\n",
    "other.jsonl": b'{"a": 1}\n',
    "typed.jsonl": json.dumps(ROW | {"index": "x"}).encode(),
    "empty.jsonl": b"",
    "noise.jsonl.zst": bytes(range(100)),
    "noise.parquet": b"x\n",
    "empty.yaml": b"",
    "count.yaml": b"task: toy\nn: two\n",
    "name.yaml": b"tasks: toy\n",
    "options.yaml": b"task: toy\noptions: 3\n",
    "typo.yaml": b"task: toy\nsede: 3\n",
}


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("rollout list.jsonl", "line 1: got list, expected an object"),
        ("rollout other.jsonl", "expected rows of `harness sample`"),
        ("rollout typed.jsonl", "row 1: index: got 'x', expected an integer"),
        ("rollout empty.jsonl", "holds no rows"),
        ("rollout noise.jsonl.zst", "is no zstd file"),
        ("rollout noise.parquet", "is no Parquet file"),
        ("rollout folder.jsonl", "is a directory"),
        ("rollout folder.yaml", "Is a directory"),
        ("rollout empty.yaml", "expected a mapping of settings"),
        ("rollout count.yaml", "n: got 'two', expected an integer"),
        ("rollout name.yaml", "tasks: got 'toy', expected an array"),
        ("rollout options.yaml", "options: got 3, expected an object"),
        ("rollout typo.yaml", "did you mean 'seed'"),
        ("rollout toy -n 1 --out empty.jsonl", "Not a directory"),
        ("rollout toy -n 1 --out /proc/nothing", "/proc/nothing: No such file or directory"),
        ("rollout toy -n 1 --policy human", "--concurrency 1"),
        ("rollout faulty -n 1 --policy adversary:fitted", "it plays in `harness check --suite`"),
        ("rollout toy -n 1 --with hnit", "did you mean 'hint'"),
        ("sample toy --out /proc/nothing/rows.jsonl", "/proc/nothing: No such file or directory"),
        ("sample toy --group easy=nan", "a number of 0 or more"),
        ("sample toy --group easy=-1", "a number of 0 or more"),
        ("sample toy --group easy=inf", "a number of 0 or more"),
        ("new fine --into empty.jsonl", "Not a directory"),
        ("check tyo", "did you mean 'toy'"),
        ("check toy --group hrad", "did you mean 'hard'"),
        ("check toy --suite --group hrad", "did you mean 'hard'"),
        ("certify toy --group hrad", "did you mean 'hard'"),
        ("play toy --group hrad", "did you mean 'hard'"),
        ("play toy --policy lazy:midle", "did you mean 'lazy:middle'"),
        ("eval tyo", "did you mean 'toy'"),
        ("reward folder.yaml", "expected a run folder"),
        ("reward empty.jsonl", "holds no whole episode"),
        ("replay noise.jsonl.zst", "holds no whole episode"),
    ],
)
def test_a_slip_is_one_line(words: str, told: str, place: Path, capsys: Capture) -> None:
    for name, content in FILES.items():
        (place / name).write_bytes(content)
    for name in ("folder.jsonl", "folder.yaml"):
        (place / name).mkdir()
    assert run(words.split()) == 2
    said = capsys.readouterr()
    assert told in said.err
    assert sum(line.startswith("harness: ") for line in said.err.splitlines()) == 1


def test_errors_that_are_nobody_s_slip_keep_their_traceback(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: Any) -> None:
        raise ExceptionGroup("both", [OSError(2, "gone", "file"), ZeroDivisionError()])

    monkeypatch.setattr("harness.plugins.listings", broken)
    with pytest.raises(ExceptionGroup):
        run(["list-tasks"])


def test_a_full_disk_is_one_line(played: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> None:
    def full(*_: Any) -> None:
        raise OSError(28, os.strerror(28))

    monkeypatch.setattr("harness.trace.TraceWriter.write", full)
    assert run(["rollout", "toy", "-n", "2", "--backend", "inline", "--no-certify", "--out", "other"]) == 2
    assert "harness: writing: No space left on device" in capsys.readouterr().err


def test_two_processes_do_not_write_one_run(played: Path, capsys: Capture) -> None:
    with (played / "traces.jsonl.zst").open("ab") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        assert run(["rollout", "--resume", "run"]) == 2
    assert "is being written by another process" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (lambda about: [], "does not describe a run"),
        (lambda about: {"spec": about["spec"]}, "does not describe a run"),
        (lambda about: about | {"spec": about["spec"] | {"n": "x"}}, "n: got 'x', expected an integer"),
        (lambda about: about | {"spec": about["spec"] | {"later": 1}}, "later: unknown name"),
        (lambda about: json.loads(json.dumps(about).replace("toy-1", "toy-0")), "was begun with reward 'toy-0' of toy"),
        (
            lambda about: json.loads(json.dumps(about).replace('"version": 1', '"version": 2')),
            "was begun with version 2 of toy; installed is 1",
        ),
    ],
)
def test_a_run_of_another_shape_or_version_is_not_continued(
    played: Path, capsys: Capture, change: Callable[[Any], Any], told: str
) -> None:
    path = played / "run.json"
    path.write_text(json.dumps(change(json.loads(path.read_text()))))
    assert run(["rollout", "--resume", "run"]) == 2
    assert told in capsys.readouterr().err


def test_a_torn_trace_is_never_passed_over_in_silence(played: Path, capsys: Capture) -> None:
    trace = played / "traces.jsonl.zst"
    os.truncate(trace, trace.stat().st_size - 60)
    for verb in ("reward", "replay"):
        assert run([verb, "run"]) == 0
        assert "warning: " in capsys.readouterr().err
    assert run(["rollout", "--resume", "run"]) == 0
    said = capsys.readouterr()
    assert "bytes of an unfinished record were cut off" in said.err
    assert "3 of 3" in said.out


def test_rows_keep_the_options_they_were_drawn_with(place: Path, capsys: Capture) -> None:
    assert run(["sample", "toy", "--group", "easy", "--set", "size=256", "-n", "2", "--out", "rows.jsonl"]) == 0
    assert run(["rollout", "rows.jsonl", "--out", "run"]) == 0
    assert run(["trace", "cat", "run"]) == 0
    drawn = [row["options"] for row in read_rows(Path("rows.jsonl"))]
    assert [options["size"] for options in drawn] == [256, 256]
    capsys.readouterr()
    assert run(["trace", "show", "run", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["sample"]["options"] == drawn[0]


def test_a_replay_of_other_instances_is_refused(played: Path, capsys: Capture) -> None:
    words = ["rollout", "toy", "-n", "3", "--backend", "inline", "--no-certify", "--policy", "replay:run"]
    assert run([*words, "--out", "again", "--strict"]) == 0
    assert run([*words, "--out", "elsewhere", "--seed", "5", "--strict"]) == 1
    assert "was another instance in the recorded run" in capsys.readouterr().err


@pytest.mark.parametrize("words", ["--help", "show toy", "show toy --json", "sample toy -n 300", "trace show run"])
def test_a_reader_that_goes_away_is_no_error(played: Path, words: str) -> None:
    command = f"{sys.executable} -m harness {words} | head -n 1"
    done = subprocess.run(["bash", "-o", "pipefail", "-c", command], capture_output=True, check=False)
    assert (done.stderr, done.returncode) == (b"", 0)
    assert done.stdout


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_has_an_example(verb: str, capsys: Capture) -> None:
    assert run([verb, "--help"]) == 0
    assert f"Example: harness {verb} " in capsys.readouterr().out


def test_data_is_printed_as_json(played: Path, capsys: Capture) -> None:
    for words in ("list-tasks", "show toy", "trace stats run", "trace fsck run", "reward run", "replay run"):
        assert run([*words.split(), "--json"]) == 0
        json.loads(capsys.readouterr().out)
    shown = run(["show", "toy", "--json"]) or json.loads(capsys.readouterr().out)
    assert {o["name"]: (o["value"], o["default"]) for o in shown["options"]}["size"] == (16, 64)
    assert [(t["name"], t["kind"]) for t in shown["terms"]] == [("distance", "progress"), ("questions", "efficiency")]


@pytest.mark.parametrize("words", ["[/a]", "say [/b]", "ask", "ask 3", "ask value=3", "ask 'x", "?", "ask a=[/c]"])
def test_whatever_is_typed_the_player_lives(words: str, monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO(f"{words}\nquit\n"))
    assert run(["play", "toy"]) == 0
    assert "you left" in capsys.readouterr().out


def test_a_person_plays_to_the_end(monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO('ask 3\nask {"value": 4}\nsubmit value=5\n'))
    assert run(["play", "toy"]) == 0
    out = capsys.readouterr().out
    assert "3 of 5 questions left" in out
    assert "scored · " in out


MAIN = "from harness.cli import main; main()"


def test_ctrl_c_leaves_the_player_at_once() -> None:
    playing = subprocess.Popen(
        [sys.executable, "-c", f"import signal; signal.signal(2, signal.default_int_handler); {MAIN}", "play", "toy"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )
    assert playing.stdout is not None
    while b"Type: " not in playing.stdout.readline():
        assert playing.poll() is None
    time.sleep(0.5)
    playing.send_signal(signal.SIGINT)
    assert playing.wait(20) == 130
    for stream in (playing.stdin, playing.stdout):
        assert stream is not None
        stream.close()


def test_new_leaves_what_is_there(place: Path, capsys: Capture) -> None:
    assert run(["new", "mine"]) == 0
    assert run(["new", "mine"]) == 2
    assert "exists already" in capsys.readouterr().err
    shutil.rmtree("mine")
