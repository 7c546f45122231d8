"""`harness sample`: instances as data rows."""

from __future__ import annotations

from pathlib import Path

import click

from harness.cli._shared import group_option, parse_settings, seed_option, set_option, split_option, with_option


@click.command("sample", epilog="Example: harness sample battery -n 5 --seed 0 --split test --out rows.jsonl")
@click.argument("task")
@click.option("-n", "count", type=click.IntRange(1), default=1, show_default=True, help="Number of instances.")
@seed_option
@split_option("train")
@group_option
@set_option
@with_option
@click.option("--certify/--no-certify", default=False, help="Keep only instances that pass certification.")
@click.option("--out", type=click.Path(path_type=Path), help="File to write: .jsonl, .jsonl.zst or .parquet.")
def command(
    task: str,
    count: int,
    seed: int,
    split: str,
    groups: tuple[str, ...],
    settings: tuple[str, ...],
    plugins: tuple[str, ...],
    certify: bool,
    out: Path | None,
) -> None:
    """Draw instances of TASK as data rows, in the mix of its groups. Rows go to --out, or to stdout as JSON lines.

    Rows hold the hidden identity: they are for data sets, not for the eyes of a policy.
    """
    from harness.certify import certified_sample
    from harness.jsonio import dumps
    from harness.plan import plan
    from harness.rows import sample_row, write_rows
    from harness.task import Task, task_of

    options, language = parse_settings(settings)
    draw = certified_sample if certify else Task.sample
    places = plan(
        task, count, groups=groups, options=options, plugins=plugins, seed=seed, split=split, language=language
    )
    rows = (
        sample_row(made, draw(made, p.index, seed=seed, split=split, language=language))
        for p in places
        for made in (task_of(p.ref),)
    )
    if out is None:
        for row in rows:
            click.echo(dumps(row).decode())
        return
    click.echo(f"{write_rows(rows, out)} rows written to {out}", err=True)
