"""Kill runs with SIGKILL at random moments, cut their last bytes, resume: nothing is lost, doubled or left behind.

    python core/tests/soak/kill9.py --kills 50          # writes result.json beside this file, to be committed

A run of 100 episodes over worker processes is killed again and again, each time after a random number of further
episodes and a random pause; up to 64 bytes are cut off its trace and it is resumed. When it is complete, its episodes
and its report must be those of a run that nobody interrupted. After every kill no process of the run may live on.
`result.json` holds a digest of the sources that this is a statement about; a test fails when they have changed since.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import platform
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from harness.report import make_report
from harness.seeds import generator
from harness.trace import read

HERE = Path(__file__).parent
SOURCES = HERE.parents[1] / "src" / "harness"
MEASURED = ("_machine.py", "backends", "episode.py", "rollout.py", "runs.py", "trace")
RESULT = HERE / "result.json"

EPISODES, LEGS, MOST_CUT = 100, 5, 64
ASKED = ("rollout", "toy", "-n", str(EPISODES), "--policy", "chaos:5", "-c", "4", "--no-certify")
PLACE = ("--backend", "process", "--workers", "2")


def digest() -> str:
    """Digest of the sources that decide whether a killed run can go on."""
    total = hashlib.blake2b(digest_size=8)
    for name in MEASURED:
        top = SOURCES / name
        for path in sorted(top.rglob("*.py")) if top.is_dir() else [top]:
            total.update(f"{path.relative_to(SOURCES).as_posix()}\0".encode() + path.read_bytes() + b"\0")
    return total.hexdigest()


# ---- runs and their processes


def start(*words: str) -> subprocess.Popen[bytes]:
    """Start the command in a process of its own."""
    return subprocess.Popen(
        [sys.executable, "-m", "harness", *words], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )


def play(*words: str) -> None:
    """Run the command to its end."""
    subprocess.run([sys.executable, "-m", "harness", *words], check=True, capture_output=True, timeout=600)


def finished(folder: Path) -> int:
    """Count the whole episode records of a run, whatever stands at the end of its file."""
    trace = folder / "traces.jsonl.zst"
    return sum(r["type"] == "episode" for r in read(trace, torn="ignore")) if trace.exists() else 0


def wait_for(condition: Callable[[], bool], seconds: float) -> bool:
    """Wait until a condition holds; say whether it did."""
    until = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > until:
            return False
        time.sleep(0.01)
    return True


def descendants(pid: int) -> Iterator[tuple[int, str]]:
    """Yield every process below one, each with its start time, which tells it from a later one of the same number."""
    for tasks in Path(f"/proc/{pid}/task").glob("*/children"):
        try:
            children = [int(word) for word in tasks.read_text().split()]
        except OSError:
            continue
        for child in children:
            yield from descendants(child)
            if born := birth(child):
                yield child, born


def birth(pid: int) -> str:
    """Return the start time of a living process; empty when there is none, or only its remains."""
    try:
        state, *rest = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return ""
    return "" if state == "Z" else rest[18]


def next_words(folder: Path) -> tuple[str, ...]:
    """The command that begins a run, or goes on with it."""
    if (folder / "run.json").exists():
        return "rollout", "--resume", str(folder), *PLACE
    return *ASKED, *PLACE, "--out", str(folder)


# ---- one kill, and what must hold after all of them


def kill(folder: Path, *, after: int, pause: float, cut: int) -> bool:
    """Play a run, or go on with it, and kill it; say whether it lived long enough to be killed.

    Args:
        folder: The run; begun if it does not exist.
        after: Episodes that must be on disk before.
        pause: Seconds to wait then.
        cut: Bytes to take off the trace afterwards.
    """
    running = start(*next_words(folder))
    wait_for(lambda: running.poll() is not None or finished(folder) >= after, 120.0)
    time.sleep(pause)
    family = list(descendants(running.pid))
    killed = running.poll() is None
    running.send_signal(signal.SIGKILL)
    running.wait()
    if not wait_for(lambda: not any(birth(pid) == born for pid, born in family), 10.0):
        raise AssertionError(f"processes of a killed run live on: {[p for p, born in family if birth(p) == born]}")
    trace = folder / "traces.jsonl.zst"
    if killed and trace.exists():
        os.truncate(trace, max(0, trace.stat().st_size - cut))
    return killed


def episodes(folder: Path) -> list[Any]:
    """Name every episode of a run with its reward."""
    records = [r for r in read(folder / "traces.jsonl.zst") if r["type"] == "episode"]
    names = [(r["sample"]["group"], r["sample"]["index"], r["repetition"], r["outcome"]["reward"]) for r in records]
    return sorted(names)


def require_equal(resumed: Path, whole: Path) -> None:
    """Require that a resumed run says what an uninterrupted one says."""
    assert len(episodes(resumed)) == EPISODES, f"{len(episodes(resumed))} episodes instead of {EPISODES}"
    assert episodes(resumed) == episodes(whole), "the episodes differ"
    reports = [make_report(read(folder / "traces.jsonl.zst"))["tasks"] for folder in (resumed, whole)]
    assert reports[0] == reports[1], "the reports differ"


# ---- the soak


def soak(kills: int, seed: int) -> dict[str, Any]:
    """Kill `kills` times, over as many runs as it takes."""
    done, runs, cuts, begun, about = 0, 0, 0, time.monotonic(), digest()
    with tempfile.TemporaryDirectory() as name:
        whole = Path(name) / "whole"
        play(*ASKED, *PLACE, "--out", str(whole))
        while done < kills:
            folder, rng = Path(name) / f"run-{runs}", generator("kill9", seed, runs)
            for _ in range(min(LEGS, kills - done)):
                if finished(folder) == EPISODES:
                    break
                known = finished(folder)
                after = known + int(rng.integers(0, max(1, (EPISODES - known) // 2)))
                cut = int(rng.integers(0, MOST_CUT + 1))
                if kill(folder, after=after, pause=float(rng.uniform(0, 0.5)), cut=cut):
                    done, cuts = done + 1, cuts + cut
                if not (folder / "run.json").exists():  # killed before it was a run: there is nothing to go on with
                    shutil.rmtree(folder, ignore_errors=True)
            play(*next_words(folder))
            require_equal(folder, whole)
            runs += 1
            print(f"{done} of {kills} kills, {runs} runs complete and equal", file=sys.stderr, flush=True)
    counts = {"kills": done, "runs": runs, "episodes": EPISODES, "bytes_cut": cuts}
    seconds = round(time.monotonic() - begun)
    assert digest() == about, "the sources changed meanwhile: soak again"
    return counts | {"digest": about, "python": platform.python_version(), "seconds": seconds}


def main() -> int:
    """Soak and write the result."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument("--seed", type=int, default=0)
    asked = parser.parse_args()
    tasks = str(HERE.parent / "tasks")
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, (tasks, os.environ.get("PYTHONPATH"))))
    result = soak(asked.kills, asked.seed)
    RESULT.write_text(json.dumps(result, indent=2) + "\n")
    print(json.dumps(result))
    return 0


if __name__ == "__main__":
    sys.exit(main())
