"""The command `harness`: one verb per file, loaded when it is asked for.

The lazy group carries the help lines itself, since click would otherwise import every verb to print `--help`. `main`
is the one place where errors become a line on stderr and an exit code: 0 done, 1 failures, 2 the user's slip, 130
interrupted.
"""

from __future__ import annotations

import errno
import importlib
import os
import sys
from collections.abc import Iterator, Sequence

import click

from harness.errors import HarnessError, UserError, nearest

VERBS: dict[str, str] = {
    "list-tasks": "List installed tasks; imports none of them.",
    "show": "Show a task: layers, groups, options, tools, limits, baselines.",
    "sample": "Draw instances as data rows.",
    "rollout": "Play episodes of a task, a data file or a configuration.",
    "eval": "Play the held-out suite and print the table.",
    "trace": "Look into trace files: show, stats, cat, fsck, recover.",
    "reward": "Score a run again, from its record or by recomputing.",
    "replay": "Execute a run's actions again and compare.",
    "check": "Check a task's contract, and with --suite its certification.",
    "certify": "Make the certified held-out rows of a task.",
    "new": "Write a new task package.",
    "play": "Play a task yourself, in the terminal.",
    "doctor": "Check this installation and every plugin in it.",
}


_DISK = (errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EIO)
"""Errors of the disk that name no file, since they come from writing to an open one."""


class ReaderGone(Exception):
    """The reader of our output has gone away; click would make an exit code of the plain error."""


class LazyGroup(click.Group):
    """Commands by name, imported on first use; further ones come from entry points of the group `harness.commands`."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Built-in verbs in the order of the flow, then those of plugins."""
        return [*VERBS, *(name for name in _plugin_verbs() if name not in VERBS)]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import a verb."""
        if cmd_name in VERBS:
            module = importlib.import_module(f"harness.cli.{cmd_name.replace('-', '_')}")
            command: click.Command = module.command
            return command
        if cmd_name in _plugin_verbs():
            from harness import plugins

            found = plugins.load(cmd_name, "harness.commands", "command")
            return found if isinstance(found, click.Command) else None
        return None

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command, naming the nearest one when there is none."""
        name = click.utils.make_str(args[0])
        if self.get_command(ctx, name) is None and not name.startswith("-"):
            raise UserError(f"there is no command {name!r}{nearest(name, self.list_commands(ctx))}")
        return super().resolve_command(ctx, args)

    def invoke(self, ctx: click.Context) -> object:
        """Run the command."""
        try:
            return super().invoke(ctx)
        except BrokenPipeError as error:
            raise ReaderGone from error

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Print the help lines without importing the verbs."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, VERBS.get(name) or _plugin_verbs()[name]) for name in self.list_commands(ctx)])


def _plugin_verbs() -> dict[str, str]:
    from harness import plugins

    return {
        item.name: f"{item.summary or 'Command'} (from {item.distribution})"
        for item in plugins.listings("harness.commands")
    }


def _version(ctx: click.Context, _: click.Parameter, value: bool) -> None:
    if value and not ctx.resilient_parsing:
        from harness import __version__

        click.echo(f"harness {__version__}")
        ctx.exit()


@click.group(
    cls=LazyGroup,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110},
    epilog="Example: harness rollout battery --policy reference -n 8 --out run",
)
@click.option("--version", is_flag=True, is_eager=True, expose_value=False, callback=_version, help="Show the version.")
def cli() -> None:
    """Executable environments for LLM agents: one verb for each arrow of the flow.

    A task package gives prompts, tools backed by real simulators and a verifiable reward; these verbs turn it into
    episodes, traces, reports and training data.
    """


def main(args: Sequence[str] | None = None) -> None:
    """Run the command line and exit."""
    sys.exit(run(args))


def run(args: Sequence[str] | None = None) -> int:
    """Run the command line; return the exit code."""
    try:
        result = cli.main(args=list(args) if args is not None else None, prog_name="harness", standalone_mode=False)
        sys.stdout.flush()
    except click.ClickException as error:
        error.show()
        return 2
    except (ReaderGone, BrokenPipeError):  # `… | head`: what is still buffered would complain at exit
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except (Exception, KeyboardInterrupt, BaseExceptionGroup) as error:  # noqa: BLE001 - the one boundary
        return _explain(error)
    return result if isinstance(result, int) else 0


def _explain(error: BaseException) -> int:
    """Say in one line what a person can do something about; raise anything else again."""
    told = [_one_line(cause) for cause in _causes(error)]
    if told[0] is None or None in told:
        raise error
    message, code = told[0]
    click.echo(f"harness: {message}", err=True)
    return code


def _causes(error: BaseException) -> Iterator[BaseException]:
    """The error itself, or what a task group has gathered."""
    if isinstance(error, BaseExceptionGroup):
        for member in error.exceptions:
            yield from _causes(member)
    else:
        yield error


def _one_line(error: BaseException) -> tuple[str, int] | None:
    """What to say, and the exit code; None for an error that is nobody's slip."""
    if isinstance(error, click.Abort | KeyboardInterrupt):
        return "interrupted", 130
    if isinstance(error, HarnessError):
        return str(error), 2 if isinstance(error, UserError) else 1
    if isinstance(error, OSError) and (error.filename is not None or error.errno in _DISK):
        return f"{error.filename or 'writing'}: {error.strerror}", 2
    return None
