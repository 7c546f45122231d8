"""Runs that are killed, cut, interrupted or refused, and what is kept of them."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import kill9
import orjson
import pytest

from harness.trace import read


def harness(*words: str, **given: Any) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "harness", *words], capture_output=True, text=True, timeout=120, check=False, **given
    )


def start(*words: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "harness", *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


def wait_for(condition: Any, seconds: float = 60.0) -> None:
    assert kill9.wait_for(condition, seconds), "the condition never held"


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run that nobody interrupts."""
    folder = tmp_path_factory.mktemp("runs") / "whole"
    kill9.play(*kill9.ASKED, *kill9.PLACE, "--out", str(folder))
    return folder


@pytest.mark.parametrize("after", [1, 17, 60])
def test_kill_9_and_a_cut_tail_lose_no_finished_episode(tmp_path: Path, whole: Path, after: int) -> None:
    cut = tmp_path / "cut"
    assert kill9.kill(cut, after=after, pause=0.0, cut=7), "it was killed, and had not ended"
    resumed = harness("rollout", "--resume", str(cut))
    assert resumed.returncode == 0, resumed.stderr
    kill9.require_equal(cut, whole)


def test_ctrl_c_names_what_hangs_and_keeps_what_is_done(tmp_path: Path) -> None:
    script = tmp_path / "policy.py"
    script.write_text(
        "from harness import call\n"
        "begun = []\n"
        "def play(view):\n"
        "    begun.append(view)\n"
        "    if len(begun) > 1:\n"
        "        yield call('act', kind='hang')\n"
        "    yield call('submit', value=1)\n"
    )
    run = tmp_path / "run"
    running = start(
        *("rollout", "faulty", "-n", "8", "-c", "2", "--backend", "process", "--workers", "3", "--out", str(run)),
        *("--policy", f"script:{script}:play", "--set", "call_seconds=600"),
    )
    wait_for(lambda: kill9.finished(run) >= 1 or running.poll() is not None)
    time.sleep(1.0)  # the others reach their hanging call
    running.send_signal(signal.SIGINT)
    _, stderr = running.communicate(timeout=30)
    assert running.returncode == 130
    assert "in flight: faulty plain #" in stderr
    assert "running act for" in stderr
    assert f"--resume {run}" in stderr
    assert f"interrupted; {kill9.finished(run)} of 8 episodes are kept" in stderr


def test_ctrl_c_counts_the_episodes_that_end_while_it_stops(tmp_path: Path) -> None:
    for number in range(3):
        run = tmp_path / f"run{number}"
        words = ("rollout", "toy", "-n", "4000", "-c", "64", "--backend", "process", "--workers", "2", "--no-certify")
        running = start(*words, "--out", str(run))
        wait_for(lambda run=run: kill9.finished(run) >= 20)  # type: ignore[misc]
        running.send_signal(signal.SIGINT)
        _, stderr = running.communicate(timeout=30)
        assert running.returncode == 130
        assert f"interrupted; {kill9.finished(run)} of 4000 episodes are kept" in stderr


def test_an_unreachable_endpoint_ends_the_run_with_one_line_and_a_resumable_folder(tmp_path: Path) -> None:
    agent = tmp_path / "agent.yaml"
    agent.write_text("transport: {retries: 1, first_wait: 0.01, connect_timeout: 2}\n")
    run = tmp_path / "run"
    words = ("rollout", "toy", "-n", "6", "--policy", "openai:any", "--base-url", "http://127.0.0.1:9/v1")
    done = harness(*words, "--agent", str(agent), "--out", str(run), "--no-certify")
    assert done.returncode == 1
    lines = [line for line in done.stderr.splitlines() if line.startswith("harness: ")]
    assert len(lines) == 1
    assert "127.0.0.1:9" in lines[0]
    assert "--resume" in lines[0]
    assert "Traceback" not in done.stderr
    resumed = harness("rollout", "--resume", str(run), "--base-url", "http://127.0.0.1:9/v1", "--agent", str(agent))
    assert resumed.returncode == 1
    assert kill9.finished(run) == sum(1 for r in read(run / "traces.jsonl.zst") if r["type"] == "episode")


def test_strict_and_json(tmp_path: Path) -> None:
    done = harness("rollout", "toy", "-n", "4", "--json", "--strict", "--out", str(tmp_path / "run"), "--no-certify")
    assert done.returncode == 0
    report = orjson.loads(done.stdout)
    assert report["tasks"]["toy"]["success"] == 1.0
    assert set(report["tasks"]["toy"]) >= {
        "episodes",
        "scored",
        "success",
        "mean_reward",
        "ci95",
        "truncated",
        "reasons",
    }
    assert orjson.loads((tmp_path / "run" / "report.json").read_bytes()) == report


def test_a_run_folder_is_not_overwritten(tmp_path: Path) -> None:
    words = ("rollout", "toy", "-n", "2", "--no-certify", "--out", str(tmp_path / "run"))
    assert harness(*words).returncode == 0
    again = harness(*words)
    assert again.returncode == 2
    assert "--resume" in again.stderr


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("rollout", "tyo"), "did you mean 'toy'"),
        (("rollout", "toy", "--group", "hrad"), "did you mean 'hard'"),
        (("rollout", "toy", "--set", "sise=16"), "did you mean 'size'"),
        (("rollout", "toy", "--set", "size"), "expected OPTION=VALUE"),
        (("rollout", "toy", "--policy", "refrence"), "did you mean 'reference'"),
        (("rollout", "toy", "--policy", "lazy:midle"), "did you mean 'lazy:middle'"),
        (("rollout", "toy", "--split", "tset"), "did you mean 'test'"),
        (("rollout", "toy", "--backend", "proces"), "did you mean 'process'"),
        (("rollout", "toy", "--set", "language=fr"), "unknown language"),
        (("rollout",), "name a TASK"),
        (("rollot",), "did you mean 'rollout'"),
        (("rollout", "nothing.jsonl"), "does not exist"),
        (("rollout", "nothing.yaml"), "No such file"),
        (("rollout", "--resume", "nowhere"), "no run folder"),
        (("sample", "toy", "--out", "rows.txt"), "must end in"),
        (("new", "Bad-Name"), "is no task name"),
        (("show", "toi"), "did you mean 'toy'"),
    ],
)
def test_a_slip_is_one_line_and_exit_code_2(words: tuple[str, ...], told: str, tmp_path: Path) -> None:
    done = harness(*words, cwd=tmp_path)
    assert done.returncode == 2, done.stderr
    assert told in done.stderr
    assert "Traceback" not in done.stderr
