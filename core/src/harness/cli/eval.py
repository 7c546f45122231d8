"""`harness eval`: the held-out suite, then the table."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from harness.cli._shared import group_option, json_option, parse_settings, print_json, seed_option, set_option
from harness.cli.rollout import (
    agent_option,
    backend_option,
    concurrency_option,
    policy_option,
    strict_option,
    url_option,
    workers_option,
)
from harness.errors import UserError


@click.command("eval", epilog="Example: harness eval battery escape --policy openai:qwen3-8b -n 100 --out eval")
@click.argument("tasks", nargs=-1)
@policy_option
@click.option(
    "-n", "count", type=click.IntRange(1), default=100, show_default=True, help="Held-out instances of each task."
)
@click.option("--k", type=click.IntRange(1), default=1, show_default=True, help="Plays of each instance.")
@seed_option
@group_option
@set_option
@url_option
@agent_option
@concurrency_option
@backend_option
@workers_option
@click.option("--out", type=click.Path(path_type=Path), help="Run folder to make.")
@strict_option
@json_option
def command(tasks: tuple[str, ...], as_json: bool, strict: bool, out: Path | None, **given: Any) -> int:
    """Play the held-out instances of TASKS (default: all installed) and print success, mean and interval.

    The mix over groups is fixed. With the default seed the instances are the certified rows inside the task packages;
    another seed generates and certifies new ones and caches them.
    """
    from harness import plugins
    from harness.cli._run import Asked, carry_out
    from harness.runs import RunSpec

    names = tasks or tuple(item.name for item in plugins.listings("harness.tasks"))
    if not names:
        raise UserError("no tasks are installed; try: pip install harness-task-battery")
    options, language = parse_settings(given["settings"])
    spec = RunSpec(
        tasks=names,
        policy=given["policy"],
        n=given["count"],
        k=given["k"],
        seed=given["seed"],
        split="test",
        groups=given["groups"],
        options=options,
        language=language,
    )
    asked = Asked(
        spec,
        out=out,
        base_url=given["base_url"],
        agent=given["agent"],
        concurrency=given["concurrency"],
        backend=given["backend"],
        workers=given["workers"],
    )
    report, code = carry_out(asked, strict=strict, show=not as_json)
    if as_json:
        print_json(report)
    return code
