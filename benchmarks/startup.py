"""What `harness --help` and `harness list-tasks` cost with 50 plugins installed, and what they import.

The plugins are distribution metadata in a temporary folder: a task each, whose module exists and would complain loudly
if it were imported. Told is CPU time of the whole process, user and system, the median of several runs, beside that of
an interpreter that does nothing. Limit: 150 ms each.

    python benchmarks/startup.py [--json] [--rounds 7]
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

PLUGINS, LIMIT = 50, 150.0
HEAVY = ("aiohttp", "cattrs", "numpy", "openai", "rich", "yaml", "zstandard")
COMMANDS = {
    "nothing": ["-c", "pass"],
    "--help": ["-m", "harness", "--help"],
    "list-tasks": ["-m", "harness", "list-tasks"],
}


def install(folder: Path, count: int) -> None:
    """Write distributions that declare a task each."""
    for number in range(count):
        name = f"dummy{number:02}"
        info = folder / f"harness_task_{name}-0.1.0.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(
            f"Metadata-Version: 2.1\nName: harness-task-{name}\nVersion: 0.1.0\nSummary: Dummy number {number}\n"
        )
        (info / "entry_points.txt").write_text(f"[harness.tasks]\n{name} = harness_{name}.task\n")
        package = folder / f"harness_{name}"
        package.mkdir()
        for module in ("__init__", "task"):
            (package / f"{module}.py").write_text("raise SystemExit('a plugin was imported')\n")


def cpu_ms(words: list[str], environment: dict[str, str]) -> float:
    """Run an interpreter and return the CPU time that it took, in milliseconds."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, *words], env=environment, check=True, capture_output=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return 1000 * (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)


def imported(words: list[str], environment: dict[str, str]) -> list[str]:
    """Return which heavy libraries and which plugins a command imports."""
    done = subprocess.run(
        [sys.executable, "-X", "importtime", *words], env=environment, check=True, capture_output=True, text=True
    )
    names = {line.rpartition("|")[2].strip().split(".")[0] for line in done.stderr.splitlines()}
    return sorted(name for name in names if name in HEAVY or name.startswith("harness_"))


def measure(rounds: int) -> dict[str, Any]:
    """Measure every command, in turn."""
    with tempfile.TemporaryDirectory() as name:
        install(Path(name), PLUGINS)
        environment = {**os.environ, "PYTHONPATH": name}
        listed = subprocess.run(
            [sys.executable, *COMMANDS["list-tasks"]], env=environment, check=True, capture_output=True, text=True
        ).stdout
        if listed.count("harness-task-dummy") != PLUGINS:
            raise SystemExit(f"list-tasks shows {listed.count('harness-task-dummy')} of {PLUGINS} plugins")
        times: dict[str, list[float]] = {command: [] for command in COMMANDS}
        for _ in range(rounds):
            for command, words in COMMANDS.items():
                times[command].append(cpu_ms(words, environment))
        imports = {command: imported(words, environment) for command, words in COMMANDS.items()}
    medians = {command: statistics.median(values) for command, values in times.items()}
    return {"plugins": PLUGINS, "cpu_ms": medians, "heavy_imports": imports}


def main() -> int:
    """Measure, print, and say by the exit status whether the limit is kept."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument("--rounds", type=int, default=7)
    asked = parser.parse_args()
    found = measure(asked.rounds)
    broken = [f"{c}: {ms:.0f} ms" for c, ms in found["cpu_ms"].items() if ms > LIMIT]
    broken += [f"{c} imports {', '.join(names)}" for c, names in found["heavy_imports"].items() if names]
    if asked.json:
        print(json.dumps(found | {"broken": broken, "ok": not broken}))
    else:
        for command, ms in found["cpu_ms"].items():
            print(f"{command:>12}  {ms:6.1f} ms of CPU")
        print("limits:", "; ".join(broken) or "kept")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
