"""`harness reward`: score a run again."""

from __future__ import annotations

from pathlib import Path

import click

from harness.cli._again import report_again
from harness.cli._shared import json_option, with_option


@click.command("reward", epilog="Example: harness reward run --recompute")
@click.argument("run", type=click.Path(path_type=Path))
@click.option(
    "--recorded/--recompute",
    default=True,
    help="From the recorded log alone (exact), or by executing the calls again (within the task's tolerance).",
)
@with_option
@json_option
def command(run: Path, recorded: bool, plugins: tuple[str, ...], as_json: bool) -> int:
    """Score the episodes of RUN again and compare with what was recorded. Exits with 1 if a reward changed."""
    from harness.rescore import replay_record, score_record

    return report_again(run, score_record if recorded else replay_record, plugins, as_json, observations=False)
