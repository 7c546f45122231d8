"""`harness show`: what a task is, from its card and layers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from harness.cli._shared import console, group_option, json_option, parse_settings, print_json, set_option

if TYPE_CHECKING:
    from harness.records import Json


@click.command("show", epilog="Example: harness show battery --group hard")
@click.argument("task")
@group_option
@set_option
@click.option("--prompt", is_flag=True, help="Also print the prompt of one training instance.")
@json_option
def command(task: str, groups: tuple[str, ...], settings: tuple[str, ...], prompt: bool, as_json: bool) -> None:
    """Show TASK: its groups, options, tools, limits, policies and measured baselines."""
    from harness.show import describe_task
    from harness.task import load_task

    options, language = parse_settings(settings)
    loaded = load_task(task)
    group = groups[0] if groups else next(iter(loaded.card.groups), "")
    about = describe_task(load_task(task, group, options), language, with_prompt=prompt)
    if as_json:
        print_json(about)
        return
    _print(about)


_TABLES = (
    ("Groups", "groups", ("name", "options", "ratio", "summary")),
    ("Options", "options", ("name", "value", "default", "choices", "help")),
    ("Tools", "tools", ("name", "arguments", "description")),
    ("Reward terms of an episode without any turn (an answer may bring others)", "terms", ("name", "kind", "weight")),
    ("Policies", "policies", ("name", "kind", "view", "summary")),
    ("Measured", "baselines", ("group", "policy", "n", "success", "mean_reward")),
)


def _print(about: dict[str, Json]) -> None:
    from rich.table import Table
    from rich.text import Text

    out = console()
    out.print(Text.assemble((about["id"], "bold"), f" · {about['title']} · {about['modality']}\n{about['summary']}\n"))
    for title, key, columns in _TABLES:
        rows = about.get(key) or []
        if not rows:
            continue
        table = Table(*columns, box=None, title=title, title_justify="left", title_style="bold", header_style="dim")
        for row in rows:
            table.add_row(*(Text(_cell(row.get(column), column)) for column in columns))
        out.print(table, "")
    for title, text in (
        (f"Limits of group {about['group']}" if about["group"] else "Limits", _cell(about["limits"])),
        ("Languages", _cell(about["languages"])),
        ("Reward", about["reward"]),
    ):
        out.print(Text.assemble((title, "bold"), f": {text}"))
    if about.get("prompt"):
        out.print("\n[bold]Prompt[/]")
        out.print(about["prompt"], markup=False)


def _cell(value: Json, column: str = "") -> str:
    if column == "success":
        return f"{value:.1%}"
    if isinstance(value, float):
        return f"{value:.3g}"
    if isinstance(value, dict):
        return ", ".join(f"{k}={v}" for k, v in value.items())
    if isinstance(value, list):
        return ", ".join(map(str, value))
    return "" if value is None else str(value)
