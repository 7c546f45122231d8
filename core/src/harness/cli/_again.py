"""What `reward` and `replay` print."""

from __future__ import annotations

from collections.abc import Callable, Collection
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from attrs import asdict, evolve

from harness.cli._shared import print_json, warn
from harness.errors import UserError

if TYPE_CHECKING:
    from harness.rescore import Rescored


def report_again(
    run: Path, again: Callable[..., Rescored], plugins: tuple[str, ...], as_json: bool, *, observations: bool
) -> int:
    """Apply a function to every scored episode of a run, print what changed; return the exit code."""
    results, passed_over = [], 0
    for record in _episodes(run):
        if record["outcome"]["status"] != "scored":
            passed_over += 1
            continue
        result = again(record, plugins)
        results.append(result if observations else evolve(result, differences=()))
    changed = [r for r in results if not r.same]
    if as_json:
        print_json({"episodes": [asdict(r) | {"same": r.same} for r in results], "invalid": passed_over})
        return int(bool(changed))
    for r in changed[:20]:
        click.echo(f"{r.name}: reward {r.recorded} recorded, {r.reward} now")
        for difference in r.differences[:3]:
            click.echo(f"    {difference}")
    same = len(results) - len(changed)
    click.echo(f"{same} of {len(results)} episodes are the same; {passed_over} invalid ones passed over")
    return int(bool(changed))


def _episodes(run: Path) -> Collection[Any]:
    """Read the last record of each episode; what is torn is said, and a check of nothing is refused."""
    from harness.report import episode_name
    from harness.trace import TraceReader, find_trace

    reader = TraceReader(find_trace(run), "recover")
    latest = {episode_name(record): record for record in reader if record["type"] == "episode"}
    warn(reader.faults)
    if not latest:
        raise UserError(f"{run} holds no whole episode: nothing to score again")
    return latest.values()
