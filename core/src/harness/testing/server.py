"""Run the fake model by hand: `python -m harness.testing.server --script replies.json --faults 429,hang`."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import anyio
import click

from harness.errors import HarnessError, UserError
from harness.policies._mischief import MISCHIEF
from harness.testing._fast import FastServer
from harness.testing._script import Reply, Script, load_script
from harness.testing._server import TRANSPORT, ChaosServer, Rules

_EPILOG = f"Faults of models: {', '.join(MISCHIEF)}. Faults of transport: {', '.join(TRANSPORT)}."


@click.command(epilog=_EPILOG)
@click.option("--port", default=0, show_default="a free one", help="Port on the loopback interface.")
@click.option("--script", "path", type=click.Path(path_type=Path), help="Replies as JSON; default: random legal calls.")
@click.option("--faults", default="", help="Fault names, separated by commas; NAME=RATE gives one its own rate.")
@click.option("--rate", default=0.3, show_default=True, help="Share of requests that draw a fault without rate.")
@click.option("--seed", default=0, show_default=True, help="Decides the draws.")
@click.option("--fast", is_flag=True, help="Serve the script from prepared bytes, without checks and faults.")
def main(port: int, path: Path | None, faults: str, rate: float, seed: int, fast: bool) -> None:
    """Serve a fake model that speaks the chat-completions protocol, until interrupted."""
    try:
        script = load_script(path) if path is not None else None
        server = _fast(script, port) if fast else _chaos(script, port, faults, rate, seed)
    except (HarnessError, ValueError) as error:
        raise click.UsageError(str(error)) from None
    with suppress(KeyboardInterrupt):
        anyio.run(_serve, server)


def _fast(script: Script | None, port: int) -> FastServer:
    if isinstance(script, list):
        replies: list[Reply] = script
        return FastServer(replies, port)
    raise UserError("--fast needs a --script that is a list of replies")


def _chaos(script: Script | None, port: int, faults: str, rate: float, seed: int) -> ChaosServer:
    rates = {name: float(share) for name, _, share in (word.partition("=") for word in _words(faults)) if share}
    shared = [word for word in _words(faults) if "=" not in word]
    rates |= {name: rate / len(shared) for name in shared}
    return ChaosServer(script, faults=rates, seed=seed, rules=Rules(keep=False), port=port)


def _words(text: str) -> list[str]:
    return [word.strip() for word in text.split(",") if word.strip()]


async def _serve(server: ChaosServer | FastServer) -> None:
    async with server:
        click.echo(server.url)
        await anyio.sleep_forever()


if __name__ == "__main__":
    main()
