"""What tests of tasks and of drivers need: the contract test of a task, and a fake model that misbehaves on demand.

`TaskContract` is a task package's own contract test in three lines; `play_alone_and_together` shows whether its
episodes keep apart. `ChaosServer` is a real HTTP server that speaks the chat-completions protocol, plays a script and
injects faults; `FastServer` does the first two at next to no cost, for benchmarks. Names are loaded on first use.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from harness.testing._contract import TaskContract
    from harness.testing._fast import FastServer
    from harness.testing._script import Request
    from harness.testing._server import TRANSPORT, ChaosServer, Rules, Seen
    from harness.testing._together import play_alone_and_together

__all__ = [
    "TRANSPORT",
    "ChaosServer",
    "FastServer",
    "Request",
    "Rules",
    "Seen",
    "TaskContract",
    "play_alone_and_together",
]

_HOMES = {
    "ChaosServer": "_server",
    "FastServer": "_fast",
    "Request": "_script",
    "Rules": "_server",
    "Seen": "_server",
    "TaskContract": "_contract",
    "TRANSPORT": "_server",
    "play_alone_and_together": "_together",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f"{__name__}.{_HOMES[name]}"), name)
