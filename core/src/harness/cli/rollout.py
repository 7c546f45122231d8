"""`harness rollout`: play episodes and keep them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from harness.cli._shared import (
    group_option,
    json_option,
    parse_settings,
    print_json,
    seed_option,
    set_option,
    split_option,
    with_option,
)
from harness.errors import UserError

if TYPE_CHECKING:
    from harness.runs import RunSpec

policy_option = click.option(
    "--policy",
    default="reference",
    show_default=True,
    help="Who plays: reference, random, lazy:NAME, openai:MODEL, sdk:MODEL, script:FILE.py:NAME, replay:RUN, human.",
)
url_option = click.option("--base-url", help="Endpoint of the model, up to /v1 [default: OPENAI_BASE_URL].")
agent_option = click.option(
    "--agent", type=click.Path(path_type=Path), help="YAML file: system prompt, sampling, headers."
)
concurrency_option = click.option(
    "--concurrency", "-c", type=click.IntRange(1), default=32, show_default=True, help="Episodes in flight."
)
backend_option = click.option(
    "--backend", default="auto", show_default=True, help="Where world code runs: auto, inline, process."
)
workers_option = click.option("--workers", type=click.IntRange(1), help="Worker processes [default: one a core].")
strict_option = click.option("--strict", is_flag=True, help="Exit with 1 if any episode is invalid.")


@click.command(
    "rollout",
    epilog="Example: harness rollout battery --policy openai:qwen3-8b --base-url http://localhost:8000/v1 -n 64 --k 4",
)
@click.argument("what", required=False, metavar="TASK|DATA|CONFIG")
@policy_option
@click.option(
    "-n", "count", type=click.IntRange(1), default=8, show_default=True, help="Instances (a data file plays all)."
)
@click.option("--k", type=click.IntRange(1), default=1, show_default=True, help="Plays of each instance.")
@seed_option
@split_option("train")
@group_option
@set_option
@with_option
@click.option("--certify/--no-certify", default=True, help="Play only certified instances of certified tasks.")
@url_option
@agent_option
@concurrency_option
@backend_option
@workers_option
@click.option("--out", type=click.Path(path_type=Path), help="Run folder to make [default: run-TASK-NUMBER].")
@click.option(
    "--resume", type=click.Path(path_type=Path), help="Run folder to continue; takes everything else from it."
)
@strict_option
@json_option
def command(what: str | None, resume: Path | None, as_json: bool, strict: bool, out: Path | None, **given: Any) -> int:
    """Play episodes of a TASK, of a DATA file of sample rows, or as a CONFIG file says.

    Finished episodes are on disk at once: after Ctrl-C, a crash or an endpoint that went away, --resume plays the rest.
    """
    from harness.cli._run import Asked, carry_out, config_spec

    if (what is None) == (resume is None):
        raise UserError("name a TASK, a DATA file or a CONFIG file, or give --resume RUN")
    spec = (
        None
        if what is None
        else (config_spec(Path(what)) if what.endswith((".yaml", ".yml")) else spec_of(what, given))
    )
    asked = Asked(
        spec,
        out=out,
        resume=resume,
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


def spec_of(what: str, given: dict[str, Any]) -> RunSpec:
    """Make the specification of a run from command line values."""
    from harness.rows import SUFFIXES
    from harness.runs import RunSpec

    options, language = parse_settings(given["settings"])
    is_file = what.endswith(SUFFIXES)
    return RunSpec(
        tasks=() if is_file else (what,),
        data=what if is_file else None,
        policy=given["policy"],
        n=given["count"],
        k=given["k"],
        seed=given["seed"],
        split=given["split"],
        groups=given["groups"],
        options=options,
        language=language,
        plugins=given["plugins"],
        certify=given["certify"],
    )
