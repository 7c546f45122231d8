"""Every hook is on the page of hooks and has a test of its own."""

from __future__ import annotations

import subprocess
import sys

import pluggy
import pytest
from repository import ROOT, tree

from harness import hookspecs

TESTS = ROOT / "core" / "tests" / "test_plugins.py"


def declared() -> list[str]:
    made = pluggy.PluginManager("harness")
    made.add_hookspecs(hookspecs)
    return sorted(name for name in vars(hookspecs) if made.parse_hookspec_opts(hookspecs, name))


def test_the_page_of_hooks_is_current() -> None:
    done = subprocess.run([sys.executable, str(ROOT / "docs" / "_hooks.py"), "--check"], check=False)
    assert done.returncode == 0, "run `python docs/_hooks.py` and commit docs/hooks.md"


@pytest.mark.parametrize("name", declared())
def test_every_hook_is_described_and_tested(name: str) -> None:
    assert f"\n## {name}\n" in (ROOT / "docs" / "hooks.md").read_text(encoding="utf-8")
    tests = [getattr(node, "name", "") for node in tree(TESTS).body]
    assert any(test.startswith(f"test_{name}") for test in tests), f"{TESTS.name} has no test_{name}…"


def test_there_are_about_ten() -> None:
    assert 8 <= len(declared()) <= 12
