"""What the tests across packages look at: packages, sources and documents, as git would list them."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[1]
PACKAGES = [ROOT / "core", *sorted(path.parent for path in ROOT.glob("plugins/*/pyproject.toml"))]
TASKS = [path for path in PACKAGES if path.name != "core" and any(path.glob("src/*/task.py"))]

SKIPPED = {"__pycache__", "build", "dist", "node_modules"}
SUFFIXES = {".py", ".md", ".toml", ".json", ".yaml", ".yml", ".txt", ".sh"}


def files(folder: Path) -> Iterator[Path]:
    """Yield the files under a folder that belong to the repository."""
    for path in sorted(folder.iterdir()):
        if path.name in SKIPPED or (path.name.startswith(".") and path.name != ".ci"):
            continue
        if path.is_dir():
            yield from files(path)
        else:
            yield path


def texts() -> list[Path]:
    """All files of text."""
    return [path for path in files(ROOT) if path.suffix in SUFFIXES or path.parent.name == ".ci"]


def sources(*folders: Path) -> list[Path]:
    """Python files under some folders; all of the repository by default."""
    return [path for folder in folders or (ROOT,) for path in files(folder) if path.suffix == ".py"]


@cache
def tree(path: Path) -> ast.Module:
    """The syntax tree of a source."""
    return ast.parse(path.read_text(encoding="utf-8"), str(path))


def imports(path: Path) -> Iterator[tuple[int, str, str]]:
    """Yield every import of a source as (line, module, name); the name is empty for `import module`."""
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name, "") for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            yield from ((node.lineno, node.module or "", alias.name) for alias in node.names)


def shown(path: Path, line: int = 0) -> str:
    """Name a place for a message."""
    return f"{path.relative_to(ROOT)}{f':{line}' if line else ''}"
