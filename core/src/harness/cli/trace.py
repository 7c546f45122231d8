"""`harness trace`: look into a trace file, check it, save what is whole of a torn one.

PATH is a run folder or a trace file. A torn or damaged file is read as far as it goes; what is wrong with it goes to
standard error; only `fsck` and `recover` are about that.
"""

from __future__ import annotations

from typing import Any

import click

from harness.cli._shared import console, json_option, warn

_PATH = click.argument("path", type=click.Path(exists=True))


@click.group("trace", epilog="Example: harness trace show runs/first --index 0")
def command() -> None:
    """Look into trace files, check and recover them. PATH is a run folder or a file."""


@command.command(epilog="Example: harness trace show runs/first --index -1")
@_PATH
@click.option("--index", type=int, default=0, show_default=True, help="Position in the file; -1 is the last.")
@click.option("--key", help="Key of the instance, instead of a position.")
@click.option("--repetition", type=int, default=0, show_default=True, help="With --key: which repetition.")
@json_option
def show(path: str, index: int, key: str | None, repetition: int, as_json: bool) -> None:
    """Show one episode: messages, tool calls and results, outcome."""
    from harness.trace import TraceError, TraceFile, find_trace

    with TraceFile(find_trace(path), torn="recover") as trace:
        warn(f"{path}: {fault}" for fault in trace.index.faults)
        try:
            episode = trace[index] if key is None else trace.find(key, repetition)
        except IndexError as error:
            raise TraceError(str(error)) from None
    if as_json:
        _print_json(episode)
        return
    from harness.trace._render import render_episode

    console().print(render_episode(episode))


@command.command(epilog="Example: harness trace stats runs/first --json")
@_PATH
@json_option
def stats(path: str, as_json: bool) -> None:
    """Count episodes, outcomes, rewards, tokens and time by task and group."""
    from harness.trace import TraceReader, find_trace
    from harness.trace import stats as count

    reader = TraceReader(find_trace(path), "recover")
    result = count(reader)
    warn(reader.faults)
    if as_json:
        _print_json(result.as_json())
        return
    from harness.trace._render import render_stats

    console().print(render_stats(result))


@command.command(epilog="Example: harness trace cat runs/first --failed | jq .outcome.reason")
@_PATH
@click.option("--task", "tasks", multiple=True, help="Only this task; repeatable.")
@click.option("--group", "groups", multiple=True, help="Only this group; repeatable.")
@click.option("--reason", "reasons", multiple=True, help="Only outcomes with this reason; repeatable.")
@click.option("--success/--failed", "success", default=None, help="Only successes, or only what is none.")
@click.option("--index", "indices", type=int, multiple=True, help="Only the episode at this position; repeatable.")
@click.option("--all", "others", is_flag=True, help="Also header, toolsets and footer: the output is a trace again.")
def cat(
    path: str,
    tasks: tuple[str, ...],
    groups: tuple[str, ...],
    reasons: tuple[str, ...],
    success: bool | None,
    indices: tuple[int, ...],
    others: bool,
) -> None:
    """Print episodes as JSON lines."""
    from harness.trace import Choice, TraceReader, find_trace, select

    reader = TraceReader(find_trace(path), "recover")
    choice = Choice(frozenset(tasks), frozenset(groups), frozenset(reasons), success, frozenset(indices))
    for record in select(reader, choice, others=others):
        _print_json(record)
    warn(reader.faults)


@command.command(epilog="Example: harness trace fsck runs/first")
@_PATH
@json_option
def fsck(path: str, as_json: bool) -> None:
    """Check a file: what is torn, damaged, double, incomplete or unknown. Exit code 1 if anything is."""
    from harness.trace import find_trace
    from harness.trace import fsck as check

    report = check(find_trace(path))
    if as_json:
        _print_json(report.as_json())
    else:
        click.echo("\n".join(report.lines()))
    if not report.ok:
        click.get_current_context().exit(1)


@command.command(epilog="Example: harness trace recover runs/first saved.jsonl.zst")
@_PATH
@click.argument("target", type=click.Path())
@json_option
def recover(path: str, target: str, as_json: bool) -> None:
    """Write all that is whole in PATH to the new file TARGET."""
    from harness.trace import find_trace
    from harness.trace import recover as save

    saved = save(find_trace(path), target)
    if as_json:
        _print_json(saved.as_json())
    else:
        click.echo("\n".join(saved.lines()))


def _print_json(value: dict[str, Any]) -> None:
    """Print one line of JSON; bytes, since a terminal's encoding must not change it."""
    from harness.trace._lines import encode

    click.echo(encode(value), nl=False)
