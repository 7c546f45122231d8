"""Who may import whom: task packages the public names of harness and nothing of each other, the core no plugin."""

from __future__ import annotations

from pathlib import Path

import pytest
from repository import PACKAGES, ROOT, TASKS, imports, shown, sources

PLUGINS = {package.name: {path.name for path in package.glob("src/*") if path.is_dir()} for package in PACKAGES[1:]}
IMPORTABLE = {name for names in PLUGINS.values() for name in names}


def private(module: str, name: str) -> bool:
    return any(part.startswith("_") for part in (*module.split("."), name)) and name != "__version__"


@pytest.mark.parametrize("package", TASKS, ids=lambda path: path.name)
def test_tasks_import_only_public_names_of_harness(package: Path) -> None:
    for path in sources(package / "src"):
        for line, module, name in imports(path):
            if module.split(".")[0] == "harness":
                assert not private(module, name), f"{shown(path, line)} imports the private {module} {name}"


@pytest.mark.parametrize("package", PACKAGES[1:], ids=lambda path: path.name)
def test_plugins_never_import_each_other(package: Path) -> None:
    strangers = IMPORTABLE - PLUGINS[package.name]
    for path in sources(package / "src"):
        found = [(line, module) for line, module, _ in imports(path) if module.split(".")[0] in strangers]
        assert not found, f"{shown(path)} imports other plugins: {found}"


def test_the_core_imports_no_plugin() -> None:
    for path in sources(ROOT / "core" / "src"):
        found = [(line, module) for line, module, _ in imports(path) if module.startswith("harness_")]
        assert not found, f"{shown(path)} imports a plugin: {found}"


def test_the_rule_would_notice() -> None:
    """The three tests above look at something, and at the right things."""
    assert len(TASKS) >= 4
    assert all(sources(package / "src") for package in TASKS)
    assert private("harness._machine", "Machine")
    assert private("harness.world", "_toolset")
    assert not private("harness", "tool")
    assert {f"harness_{package.name}" for package in TASKS} <= IMPORTABLE
