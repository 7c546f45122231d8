"""`harness new`: write a task package that works from the first minute."""

from __future__ import annotations

import keyword
import re
import string
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path

import click

from harness.errors import UserError


@click.command("new", epilog="Example: harness new mytask && pip install ./mytask && harness check mytask")
@click.argument("name")
@click.option("--title", help="Title of the task [default: from the name].")
@click.option("--into", type=click.Path(path_type=Path), default=Path(), help="Folder to make it in [default: here].")
def command(name: str, title: str | None, into: Path) -> None:
    """Write a new task package NAME: a small complete task, its packaging and its contract test."""
    if not re.fullmatch(r"[a-z][a-z0-9_]{0,40}", name) or keyword.iskeyword(name) or re.search(r"-v\d+$", name):
        raise UserError(f"{name!r} is no task name: use lower-case letters, digits and underscores, a letter first")
    folder = into / name
    if folder.exists():
        raise UserError(f"{folder} exists already; choose another name or --into")
    values = {"name": name, "title": title or name.replace("_", " ").capitalize()}
    for path in write_scaffold(resources.files("harness").joinpath("scaffold"), folder, values):
        click.echo(f"  {path}")
    click.echo(f"next: pip install {_shown(folder)} && harness check {name}", err=True)


def _shown(folder: Path) -> str:
    return str(folder) if folder.is_absolute() else f"./{folder}"


def write_scaffold(source: Traversable, target: Path, values: dict[str, str]) -> list[Path]:
    """Copy the template tree; `.txt` endings fall away, `package` becomes the package's name."""
    written: list[Path] = []
    for entry in sorted(source.iterdir(), key=lambda e: e.name):
        if entry.is_dir():
            name = f"harness_{values['name']}" if entry.name == "package" else entry.name
            written += write_scaffold(entry, target / name, values)
        elif entry.name.endswith(".txt"):
            path = target / entry.name.removesuffix(".txt")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(string.Template(entry.read_text(encoding="utf-8")).substitute(values), encoding="utf-8")
            written.append(path)
    return written
