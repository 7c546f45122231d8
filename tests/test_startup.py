"""What `harness --help` and `harness list-tasks` import: a budget by names, since times depend on the machine."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

HEAVY = {
    "aiohttp",
    "anyio",
    "attr",
    "attrs",
    "cattrs",
    "difflib",
    "numpy",
    "openai",
    "orjson",
    "pluggy",
    "rich",
    "yaml",
    "zstandard",
}
COUNT = 50
CODE = """
import sys
from harness.cli import run
code = run({words!r})
print(sorted(m.partition(".")[0] for m in sys.modules if "." not in m), file=sys.stderr)
raise SystemExit(code)
"""


@pytest.fixture(scope="module")
def plugins(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Fifty distributions with a task each, whose import ends the process."""
    folder = tmp_path_factory.mktemp("plugins")
    for number in range(COUNT):
        name = f"dummy{number:02}"
        info = folder / f"harness_task_{name}-0.1.0.dist-info"
        info.mkdir()
        head = (
            f"Metadata-Version: 2.1\nName: harness-task-{name}\nVersion: 0.1.0\nSummary: Number {number}\n\nReadme.\n"
        )
        (info / "METADATA").write_text(head)
        (info / "entry_points.txt").write_text(f"[harness.tasks]\n{name} = harness_{name}.task\n")
        (folder / f"harness_{name}").mkdir()
        for module in ("__init__", "task"):
            (folder / f"harness_{name}" / f"{module}.py").write_text("raise SystemExit(99)\n")
    return folder


def run(words: list[str], plugins: Path) -> tuple[str, set[str]]:
    done = subprocess.run(
        [sys.executable, "-c", CODE.format(words=words)],
        env={**os.environ, "PYTHONPATH": str(plugins)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout, set(eval(done.stderr.splitlines()[-1], {}))


@pytest.mark.parametrize("words", [["--help"], ["list-tasks"], ["list-tasks", "--json"]], ids=" ".join)
def test_nothing_heavy_and_no_plugin_is_imported(words: list[str], plugins: Path) -> None:
    allowed = {"orjson"} if "--json" in words else set()
    _, modules = run(words, plugins)
    assert modules & HEAVY <= allowed
    assert not [name for name in modules if name.startswith("harness_")]
    assert len(modules) > 50, "the list of modules was looked at"


def test_every_plugin_is_listed(plugins: Path) -> None:
    shown, _ = run(["list-tasks"], plugins)
    assert sum(line.startswith("dummy") for line in shown.splitlines()) == COUNT
