"""The held-out suite, played by the reference task by task: success, wall time and CPU time.

Each task plays a fixed mix of the certified rows that ship with it; the reference acts through tools and observations
alone, so every task must reach 0.99. With `--write` the result is kept as `suite.json` beside this file, with a digest
of the sources of each task; a test fails when one is no longer current. Tasks that are not named keep their result.

    python benchmarks/suite.py [TASK …] [-n 100] [--write]
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from harness import certify, load_task, plugins

RESULT = Path(__file__).with_name("suite.json")
LEAST = 0.99


def play(name: str, count: int, folder: Path) -> dict[str, Any]:
    """Run `harness eval` on a task; return what it reports, with the times of the whole run, workers included."""
    run = folder / name
    command = ["harness", "eval", name, "--policy", "reference", "-n", str(count), "--out", str(run), "--strict"]
    begun, before = time.perf_counter(), os.times()
    done = subprocess.run(command, check=False)
    wall, after = time.perf_counter() - begun, os.times()
    if done.returncode:
        raise SystemExit(done.returncode)
    found = json.loads((run / "report.json").read_text())["tasks"][name]
    cpu = after.children_user - before.children_user + after.children_system - before.children_system
    return {
        "episodes": found["episodes"],
        "scored": found["scored"],
        "success": found["success"],
        "mean_reward": round(found["mean_reward"], 4),
        "wall_s": round(wall, 1),
        "cpu_s": round(cpu, 1),
        "sources": certify.source_digest(certify.package_of(load_task(name))),
    }


def keep(played: dict[str, Any]) -> None:
    """Put results into the committed file, with the sums over all tasks in it."""
    earlier = json.loads(RESULT.read_text())["tasks"] if RESULT.is_file() else {}
    tasks = dict(sorted((earlier | played).items()))
    sums = {key: round(sum(found[key] for found in tasks.values()), 1) for key in ("episodes", "wall_s", "cpu_s")}
    RESULT.write_text(json.dumps({**sums, "cores": os.cpu_count(), "tasks": tasks}, indent=2) + "\n")


def main() -> int:
    """Play, print, keep if asked, and say by the exit status whether every task was solved."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("tasks", nargs="*", help="task names; all installed by default")
    parser.add_argument("-n", type=int, default=100, help="instances of each task")
    parser.add_argument("--write", action="store_true", help="keep the result in suite.json")
    asked = parser.parse_args()
    names = asked.tasks or sorted(item.name for item in plugins.listings("harness.tasks"))
    with tempfile.TemporaryDirectory() as folder:
        played = {name: play(name, asked.n, Path(folder)) for name in names}
    for name, found in played.items():
        print(f"{name:12} {found['success']:7.1%} of {found['scored']}, {found['wall_s']} s, {found['cpu_s']} s of CPU")
    if asked.write:
        keep(played)
    short = [name for name, found in played.items() if (found["success"] or 0) < LEAST]
    print("below 0.99: " + ", ".join(short) if short else "every task at 0.99 or more")
    return 1 if short else 0


if __name__ == "__main__":
    sys.exit(main())
