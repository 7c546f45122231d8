"""`harness check`: a task's contract, and with --suite its certification."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from harness.cli._shared import console, group_option, json_option, print_json

if TYPE_CHECKING:
    from harness.suite import Check, Measured


@click.command("check", epilog="Example: harness check battery --suite -n 200 --json")
@click.argument("task")
@click.option("-n", "count", type=click.IntRange(1), help="Instances per group [default: 20; 200 with --suite].")
@click.option("--suite", is_flag=True, help="Measure the rules of a certified suite and print the rates.")
@click.option("--write", is_flag=True, help="With --suite: keep the result in the task's source package.")
@group_option
@click.option("--workers", type=click.IntRange(1), help="Worker processes [default: one a core].")
@json_option
def command(
    task: str, count: int | None, suite: bool, write: bool, groups: tuple[str, ...], workers: int | None, as_json: bool
) -> int:
    """Check the contract of TASK by trying to break it.

    Looks at determinism, secrecy, isolation, budgets, scoring and certification. Exits with 1 if a check fails.
    """
    if suite:
        return _suite(task, count or 200, groups, workers, write, as_json)
    from harness.check import check_task

    checks: list[Check] = []
    for check in check_task(task, count or 20, groups):
        checks.append(check)
        if not as_json:
            click.echo(_line(check))
    ok = all(check.ok for check in checks)
    if as_json:
        print_json(
            {"task": task, "ok": ok, "checks": [{"name": c.name, "ok": c.ok, "detail": c.detail} for c in checks]}
        )
    else:
        click.echo(f"{task}: {sum(c.ok for c in checks)} of {len(checks)} checks hold")
    return 0 if ok else 1


def _suite(task: str, count: int, groups: tuple[str, ...], workers: int | None, write: bool, as_json: bool) -> int:
    import anyio

    from harness.suite import measure, write_result
    from harness.task import load_task

    def say(line: str) -> None:
        click.echo(line, err=True)

    async def run() -> Measured:
        return await measure(task, count, groups=groups, workers=workers, say=say)

    measured = anyio.run(run)
    if write:
        say(f"written to {write_result(measured, load_task(task))}")
    if as_json:
        print_json(measured.to_json())
    else:
        _print(measured)
    return 0 if measured.ok else 1


def _print(measured: Measured) -> None:
    from rich.table import Table

    table = Table("group", "policy", "kind", "n", "success", "upper 95 %", "mean reward", box=None)
    for group, policies in measured.certification.items():
        for policy, r in policies.items():
            table.add_row(
                group,
                policy,
                r["kind"],
                str(r["n"]),
                f"{r['success']:.1%}",
                f"{r['upper95']:.1%}",
                f"{r['mean_reward']:.3f}",
            )
    console().print(table)
    for group, rate in measured.acceptance.items():
        costs = ", ".join(f"{name} {value:g}" for name, value in measured.timing.get(group, {}).items())
        click.echo(f"{group}: acceptance {rate:.0%}; {costs}")
    for check in measured.checks:
        if not check.ok:
            click.echo(_line(check))
    click.echo(f"{measured.task}: {sum(c.ok for c in measured.checks)} of {len(measured.checks)} rules hold")


def _line(check: Check) -> str:
    return f"{'ok  ' if check.ok else 'FAIL'} {check.name}" + (f" — {check.detail}" if check.detail else "")
