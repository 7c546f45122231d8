"""`harness replay`: execute a run's actions again."""

from __future__ import annotations

from pathlib import Path

import click

from harness.cli._again import report_again
from harness.cli._shared import json_option, with_option


@click.command("replay", epilog="Example: harness replay run")
@click.argument("run", type=click.Path(path_type=Path))
@with_option
@json_option
def command(run: Path, plugins: tuple[str, ...], as_json: bool) -> int:
    """Execute the recorded actions of RUN on the seeded worlds again and compare observations and rewards.

    Exits with 1 if anything differs beyond the task's stated tolerance.
    """
    from harness.rescore import replay_record

    return report_again(run, replay_record, plugins, as_json, observations=True)
