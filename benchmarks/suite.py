"""The held-out suite of all installed tasks, played by the reference: success, wall time and CPU time.

Each task plays a fixed mix of the certified rows that ship with it; the reference acts through tools and observations
alone, so every task must reach 0.99. With `--write` the result is kept as `suite.json` beside this file, with a digest
of the sources of each task; a test fails when one is no longer current.

    python benchmarks/suite.py [-n 100] [--write]
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

from harness import certify, load_task

RESULT = Path(__file__).with_name("suite.json")
LEAST = 0.99


def play(count: int, folder: Path) -> dict[str, Any]:
    """Run `harness eval` on everything; return its report with the times of the whole run, workers included."""
    command = ["harness", "eval", "--policy", "reference", "-n", str(count), "--out", str(folder / "run"), "--strict"]
    begun, before = time.perf_counter(), os.times()
    done = subprocess.run(command, check=False)
    wall, after = time.perf_counter() - begun, os.times()
    if done.returncode:
        raise SystemExit(done.returncode)
    tasks = json.loads((folder / "run" / "report.json").read_text())["tasks"]
    cpu = after.children_user - before.children_user + after.children_system - before.children_system
    return {
        "episodes": sum(found["episodes"] for found in tasks.values()),
        "wall_s": round(wall, 1),
        "cpu_s": round(cpu, 1),
        "cores": os.cpu_count(),
        "tasks": {name: about(name, found) for name, found in sorted(tasks.items())},
    }


def about(name: str, found: dict[str, Any]) -> dict[str, Any]:
    """What is kept of a task: how it went, and of which sources."""
    package = certify.package_of(load_task(name))
    return {
        "episodes": found["episodes"],
        "scored": found["scored"],
        "success": found["success"],
        "mean_reward": round(found["mean_reward"], 4),
        "sources": certify.source_digest(package),
    }


def main() -> int:
    """Play, print, keep if asked, and say by the exit status whether every task was solved."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("-n", type=int, default=100, help="instances of each task")
    parser.add_argument("--write", action="store_true", help="keep the result in suite.json")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        result = play(asked.n, Path(folder))
    short = [name for name, found in result["tasks"].items() if (found["success"] or 0) < LEAST]
    print(f"{result['episodes']} episodes in {result['wall_s']} s, {result['cpu_s']} s of CPU time")
    print("below 0.99: " + ", ".join(short) if short else "every task at 0.99 or more")
    if asked.write:
        RESULT.write_text(json.dumps(result, indent=2) + "\n")
    return 1 if short else 0


if __name__ == "__main__":
    sys.exit(main())
