"""`harness list-tasks`: installed tasks from distribution metadata."""

from __future__ import annotations

import click

from harness import plugins
from harness.cli._shared import json_option, print_json


@click.command("list-tasks", epilog="Example: harness list-tasks --json")
@json_option
def command(as_json: bool) -> None:
    """List installed tasks with their distributions; nothing is imported. Faults in the metadata are shown."""
    found = plugins.listings("harness.tasks")
    if as_json:
        print_json([item._asdict() for item in found])
        return
    if not found:
        click.echo("no tasks are installed; try: pip install harness-task-battery")
        return
    width = max(len(item.name) for item in found)
    for item in found:
        click.echo(f"{item.name:<{width}}  {item.distribution} {item.version}  {item.summary}")
        for fault in item.faults:
            click.echo(f"{'':<{width}}  ! {fault}")
