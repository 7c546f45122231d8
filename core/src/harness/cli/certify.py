"""`harness certify`: the held-out rows that ship inside a task's package."""

from __future__ import annotations

from pathlib import Path

import click

from harness.cli._shared import group_option


@click.command("certify", epilog="Example: harness certify battery --group hard")
@click.argument("task")
@click.option("-n", "count", type=click.IntRange(1), default=100, show_default=True, help="Rows per group.")
@group_option
@click.option("--workers", type=click.IntRange(1), help="Worker processes [default: one a core].")
def command(task: str, count: int, groups: tuple[str, ...], workers: int | None) -> None:
    """Certify the held-out instances of TASK (split test, default seed) and write them into its source package."""
    import anyio

    from harness import certify, seeds
    from harness.backends import Job
    from harness.rollout import make_backend
    from harness.suite import result_path
    from harness.task import Task, TaskRef, load_task, task_of

    card = load_task(task).card

    async def certified(made: Task) -> list[dict[str, object]]:
        rows: list[dict[str, object]] = [{}] * count

        async def one(index: int) -> None:
            request = certify.request_for(made, index, seeds.DEFAULT_SEED, certify.HELDOUT_SPLIT)
            job = Job(certify.TARGET, request, certify.SECONDS, label=f"certify {made.name} #{index}")
            rows[index] = certify.read_row(await backend.call(job))

        async with make_backend("process", [], workers) as backend, anyio.create_task_group() as group:
            for index in range(count):
                group.start_soon(one, index)
        return rows

    for name in groups or tuple(card.groups):
        made = task_of(TaskRef(card.name, name))
        rows = anyio.run(certified, made)
        folder: Path = result_path(made).parent.parent / "heldout"
        keys = {row["key"] for row in rows}
        accepted = count / sum(int(str(row["attempts"])) for row in rows)
        click.echo(
            f"{card.task_id} {name}: {count} rows ({len(keys)} distinct), {accepted:.0%} of proposals accepted → "
            f"{certify.write_heldout(made, rows, folder)}"
        )
