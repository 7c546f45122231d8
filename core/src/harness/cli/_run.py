"""Carrying out a run for the command line: policy, folder, progress, Ctrl-C, report."""

from __future__ import annotations

import signal
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import anyio
import click
from attrs import define, evolve

from harness import plugins
from harness.cli._shared import console
from harness.errors import HarnessError, UserError
from harness.policies import Agent, Policy, Setup
from harness.records import Json
from harness.report import make_report, report_table, write_report
from harness.rollout import Rollout, Stopped
from harness.runs import RunFolder, RunSpec, tasks_of
from harness.task import load_task

PLAIN_EVERY = 10.0
"""Seconds between progress lines when stderr is no terminal."""


@define
class Asked:
    """What the command line asks for beside the specification."""

    spec: RunSpec | None
    out: Path | None = None
    resume: Path | None = None
    base_url: str | None = None
    agent: Path | None = None
    concurrency: int = 32
    backend: str = "auto"
    workers: int | None = None


def config_spec(path: Path) -> RunSpec:
    """Read a run from a YAML file: the fields of `RunSpec`, checked by name."""
    import yaml

    try:
        content = yaml.safe_load(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise UserError(f"configuration {path}: {error.strerror or error}") from None
    except yaml.YAMLError as error:
        raise UserError(f"configuration {path} is not YAML: {' '.join(str(error).split())}") from None
    if not isinstance(content, dict):
        raise UserError(f"configuration {path}: expected a mapping of settings")
    if "task" in content:
        content["tasks"] = [content.pop("task")]
    return RunSpec.from_json(content, path)


def carry_out(asked: Asked, *, strict: bool = False, show: bool = True) -> tuple[dict[str, Json], int]:
    """Play a run and report it.

    Returns:
        The report, and the exit code.
    """
    spec, folder = _folder(asked)
    agent = _agent(asked, spec)
    task = load_task(spec.tasks[0], with_plugins=spec.plugins) if len(spec.tasks) == 1 else None
    setup = Setup(agent=agent, base_url=asked.base_url, concurrency=asked.concurrency, task=task)
    policy = make_policy(spec.policy, setup)
    places = spec.places()
    if folder is None:
        spec = evolve(spec, agent=agent.public())  # before its digest goes into run.json and the trace's header
    rollout = Rollout(
        spec, policy, backend=asked.backend, workers=asked.workers, concurrency=asked.concurrency, places=places
    )
    if folder is None:
        folder = RunFolder.create(asked.out or _free_name(spec), spec, tasks_of(places).values())
    else:
        folder.check_versions(tasks_of(places).values())
    rollout.folder = folder
    stopped = _play(rollout, folder)
    report = _report(rollout, folder)
    if rollout.cut:
        click.echo(
            f"warning: {folder.trace} was torn: {rollout.cut} bytes of an unfinished record were cut off; "
            "what they held was due again",
            err=True,
        )
    if show:
        console().print(report_table(report))
        for trouble, count in rollout.troubles.most_common(3):
            click.echo(f"invalid ×{count}: {trouble.strip()[:600]}", err=True)
        click.echo(f"run folder: {folder.path}", err=True)
    if stopped is not None:
        click.echo(f"harness: {stopped}", err=True)
        return report, 130 if isinstance(stopped, Interrupted) else 1
    return report, int(strict and rollout.tally.invalid > 0)


def _folder(asked: Asked) -> tuple[RunSpec, RunFolder | None]:
    if asked.resume is not None:
        folder = RunFolder(asked.resume)
        return folder.spec(), folder
    assert asked.spec is not None
    return asked.spec, None


def _agent(asked: Asked, spec: RunSpec) -> Agent:
    recorded = {k: v for k, v in spec.agent.items() if k != "headers"}
    agent = Agent.load(asked.agent) if asked.agent is not None else Agent.from_mapping(recorded, "agent")
    return evolve(agent, base_url=asked.base_url) if asked.base_url else agent


def make_policy(name: str, setup: Setup) -> Policy:
    """Make a policy from its name, such as `openai:qwen3-8b` or `lazy:middle`."""
    kind, _, argument = name.partition(":")
    factory: Any = plugins.load(kind, "harness.policies", "policy")
    made: Policy = factory(argument, setup)
    return made


def _free_name(spec: RunSpec) -> Path:
    stem = spec.tasks[0].rpartition(":")[2] if len(spec.tasks) == 1 else "data" if spec.data else "suite"
    number = 1
    while Path(f"run-{stem}-{number}").exists():
        number += 1
    return Path(f"run-{stem}-{number}")


class Interrupted(HarnessError):
    """Ctrl-C: what was finished is kept."""


def _play(rollout: Rollout, folder: RunFolder) -> HarnessError | None:
    """Run the event loop; return why it ended early, if it did."""
    try:
        with _progress(rollout) as tick:
            return anyio.run(_with_signals, rollout, folder, tick)
    except KeyboardInterrupt:
        return Interrupted(f"interrupted; continue with `harness rollout --resume {folder.path}`")


async def _with_signals(rollout: Rollout, folder: RunFolder, tick: Any) -> HarnessError | None:
    ended: HarnessError | None = None
    interrupted = anyio.Event()
    async with anyio.create_task_group() as group:
        group.start_soon(_watch_interrupt, rollout, interrupted, group.cancel_scope)
        group.start_soon(_tick, tick)
        try:
            await rollout.run()
        except Stopped as error:
            ended = error
        group.cancel_scope.cancel()
    if interrupted.is_set():  # counted only now: an episode in its last step is still written
        kept = f"{rollout.tally.done} of {rollout.tally.total} episodes are kept"
        ended = Interrupted(f"interrupted; {kept}; continue with `harness rollout --resume {folder.path}`")
    return ended


async def _watch_interrupt(rollout: Rollout, interrupted: anyio.Event, scope: anyio.CancelScope) -> None:
    """On the first Ctrl-C say what is in flight and stop; a second one ends the process at once."""
    with anyio.open_signal_receiver(signal.SIGINT, signal.SIGTERM) as signals:
        async for _ in signals:
            break
    for line in rollout.describe_in_flight()[:10]:
        click.echo(f"  in flight: {line}", err=True)
    interrupted.set()
    scope.cancel()


async def _tick(tick: Any) -> None:
    while True:
        tick()
        await anyio.sleep(0.25)


@contextmanager
def _progress(rollout: Rollout) -> Iterator[Any]:
    """Show progress on stderr: a bar on a terminal, else a line now and then."""
    if not sys.stderr.isatty():
        last = [time.monotonic()]

        def line() -> None:
            if time.monotonic() - last[0] >= PLAIN_EVERY:
                last[0] = time.monotonic()
                click.echo(_describe(rollout), err=True)

        yield line
        click.echo(_describe(rollout), err=True)
        return
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    columns = (
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.description}"),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=console(stderr=True), transient=False) as progress:
        bar = progress.add_task("", total=rollout.tally.total)

        def update() -> None:
            progress.update(bar, completed=rollout.tally.done, description=_describe(rollout, short=True))

        yield update
        update()


def _describe(rollout: Rollout, *, short: bool = False) -> str:
    tally = rollout.tally
    sampling = sum(flight.doing == "sampling" for flight in rollout.in_flight.values())
    rate = f"success {tally.success} of {tally.scored}" if tally.scored else "none scored now"
    mean = f", mean reward {tally.reward / tally.scored:.3f}" if tally.scored else ""
    invalid = f", invalid {tally.invalid}" if tally.invalid else ""
    invalid += f", making {sampling} instances" if sampling else ""
    invalid += f" ({tally.kept} kept from before)" if tally.kept else ""
    return f"{rate}{mean}{invalid}" if short else f"{tally.done} of {tally.total} episodes: {rate}{mean}{invalid}"


def _report(rollout: Rollout, folder: RunFolder) -> dict[str, Json]:
    from harness.trace import read

    modalities = {name: task.card.modality for name, task in rollout.tasks.items()}
    report = make_report(read(folder.trace, torn="recover"), modalities)
    write_report(report, folder.path)
    return report
