"""The command `harness`: one verb per file, loaded when it is asked for.

The lazy group carries the help lines itself, since click would otherwise import every verb to print `--help`. `main`
is the one place where errors become a line on stderr and an exit code: 0 done, 1 failures, 2 the user's slip, 130
interrupted.
"""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Sequence

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
    except click.ClickException as error:
        error.show()
        return 2
    except UserError as error:
        return _say(str(error), 2)
    except HarnessError as error:
        return _say(str(error), 1)
    except (click.Abort, KeyboardInterrupt):
        return _say("interrupted", 130)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    return result if isinstance(result, int) else 0


def _say(message: str, code: int) -> int:
    click.echo(f"harness: {message}", err=True)
    return code
