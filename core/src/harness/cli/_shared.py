"""Options that several verbs take, and the printing of JSON."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

import click

from harness.errors import UserError

if TYPE_CHECKING:
    from harness.records import Json

F = TypeVar("F", bound=Callable[..., Any])

json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON instead of a table.")
seed_option = click.option("--seed", type=int, default=0, show_default=True, help="Seed of the data set.")
group_option = click.option(
    "--group", "groups", multiple=True, metavar="NAME[=RATIO]", help="Group to play; may be repeated."
)
set_option = click.option(
    "--set", "settings", multiple=True, metavar="OPTION=VALUE", help="Set a task option (or language)."
)
with_option = click.option(
    "--with", "plugins", multiple=True, metavar="PLUGIN", help="Plugin that changes a layer; in order."
)


def split_option(default: str) -> Callable[[F], F]:
    """The option --split with a default."""
    return click.option("--split", default=default, show_default=True, help="train, validation or test.")


def parse_settings(settings: Sequence[str]) -> tuple[dict[str, Json], str]:
    """Read `--set` values as YAML scalars; `language` is the framework's own.

    Returns:
        Options and language.
    """
    import yaml

    options: dict[str, Json] = {}
    for setting in settings:
        name, equals, value = setting.partition("=")
        if not equals:
            raise UserError(f"--set {setting}: expected OPTION=VALUE")
        try:
            options[name.strip()] = yaml.safe_load(value)
        except yaml.YAMLError:
            options[name.strip()] = value
    language = str(options.pop("language", "en"))
    return options, language


def print_json(value: Json) -> None:
    """Print a value as indented JSON."""
    import orjson

    click.echo(orjson.dumps(value, option=orjson.OPT_INDENT_2 | orjson.OPT_NON_STR_KEYS).decode())


def warn(faults: Iterable[object]) -> None:
    """Say on stderr what is wrong with a file that is read all the same."""
    for fault in faults:
        click.echo(f"warning: {fault}", err=True)


def console(*, stderr: bool = False) -> Any:
    """A rich console; wide when the output is not a terminal, so that tables are not cut."""
    import shutil
    import sys

    from rich.console import Console

    stream = sys.stderr if stderr else sys.stdout
    width = None if stream.isatty() else max(160, shutil.get_terminal_size().columns)
    made: Any = Console(stderr=stderr, width=width, highlight=False)
    made.on_broken_pipe = _reader_gone  # rich would leave with exit code 1
    return made


def _reader_gone() -> None:
    raise BrokenPipeError
