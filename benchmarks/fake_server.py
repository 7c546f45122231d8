"""A zero-latency model endpoint in a process of its own, so that a benchmark measures the client and nothing else.

    python benchmarks/fake_server.py --turns 4 --tool ask --arguments '{"value": 3}' --final submit

prints its base URL and serves until it is stopped: every conversation gets `turns` identical tool calls and then a last
one (or, without `--final`, a text). `harness.testing.server --fast` serves scripts from a file in the same way.
"""

from __future__ import annotations

import argparse
from contextlib import suppress

import anyio

from harness.records import Completion, ToolCall
from harness.testing import FastServer


def script(turns: int, tool: str, arguments: str, final: str | None) -> list[Completion]:
    """Make the replies of a conversation: `turns` calls of a tool and an end."""
    names = [tool] * turns + ([final] if final else [])
    calls = [
        Completion(None, None, (ToolCall(f"call_{turn}", name, arguments),), "tool_calls")
        for turn, name in enumerate(names, 1)
    ]
    return calls if final else [*calls, Completion("The answer is 42.")]


async def serve(server: FastServer) -> None:
    """Serve until the process is stopped."""
    async with server:
        print(server.url, flush=True)
        await anyio.sleep_forever()


def main() -> None:
    """Read the arguments and serve."""
    parser = argparse.ArgumentParser(description="Serve a zero-latency model that makes the same calls for ever.")
    parser.add_argument("--port", type=int, default=0, help="0 takes a free one")
    parser.add_argument("--turns", type=int, default=4, help="tool calls before the end")
    parser.add_argument("--tool", default="ask", help="name of the tool that is called")
    parser.add_argument("--arguments", default='{"value": 3}', help="arguments of every call, as JSON text")
    parser.add_argument(
        "--final", default=None, help="name of the tool that ends the conversation; default: a text does"
    )
    asked = parser.parse_args()
    with suppress(KeyboardInterrupt):
        anyio.run(serve, FastServer(script(asked.turns, asked.tool, asked.arguments, asked.final), asked.port))


if __name__ == "__main__":
    main()
