"""What tests of tasks and of drivers need: the contract test of a task, and a fake model that misbehaves on demand.

`TaskContract` is a task package's own contract test in three lines. `play_inline` plays one of a task's scripts
(`scripts_of`) to the end in this process, `quartered` leaves it a quarter of the budgets, `make_view` is what it sees,
and `play_alone_and_together` shows whether episodes keep apart. `ChaosServer` is a real HTTP server that speaks the
chat-completions protocol, plays a script and injects faults; `FastServer` does the first two at next to no cost, for
benchmarks. Names are loaded on first use.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from harness.policies._scripted import make_view, play_inline, quartered, scripts_of
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
    "make_view",
    "play_alone_and_together",
    "play_inline",
    "quartered",
    "scripts_of",
]

_HOMES = {
    "ChaosServer": "._server",
    "FastServer": "._fast",
    "Request": "._script",
    "Rules": "._server",
    "Seen": "._server",
    "TaskContract": "._contract",
    "TRANSPORT": "._server",
    "make_view": "harness.policies._scripted",
    "play_alone_and_together": "._together",
    "play_inline": "harness.policies._scripted",
    "quartered": "harness.policies._scripted",
    "scripts_of": "harness.policies._scripted",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(_HOMES[name], __name__), name)
