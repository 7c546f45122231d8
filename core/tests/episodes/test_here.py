"""World calls in this process: the same answers as over bytes, and nothing shared with task code."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import pytest

from harness import load_task
from harness._machine import Machine
from harness.errors import HarnessError, Refused
from harness.layers import Result
from harness.world import pack, perform, perform_here, read_reply

KEPT: dict[str, Any] = {"seen": [1, 2.5, None], "by": {"deep": True}}

ODD: dict[Any, Any] = {"tuple": (1, 2), "big": 2**70, 3: "number as key"}

Ask = Callable[[Any, int], Any]


def answers(ask: Ask, monkeypatch: pytest.MonkeyPatch) -> tuple[Any, Any, dict[str, Any]]:
    """Return what a call of `ask` comes back with both ways, without its time, and the head as it is afterwards."""
    task = load_task("toy")
    monkeypatch.setattr(task.toolset, "ask", ask)
    machine = Machine(task, task.sample(0))
    begin = next(machine.open())
    machine.world = perform_here(begin.head, machine.frames).world
    request = machine._request("execute", {"tool": "ask", "arguments": {"value": 3}}, 1.0)
    over, here = read_reply(perform(pack(request.head, *machine.frames))), perform_here(request.head, machine.frames)
    for reply in (over, here):
        assert reply.head.pop("seconds") >= 0
    return over, here, request.head


def refuse(self: Any, value: int) -> str:
    raise Refused("value: no", argument="value")


@pytest.mark.parametrize(
    "ask",
    [
        lambda self, value: "plain",
        lambda self, value: {"value": value},
        lambda self, value: Result("told", metrics=KEPT, reward=0.5),
        lambda self, value: Result("told", metrics=ODD),
        refuse,
    ],
    ids=["text", "mapping", "metrics", "odd-values", "refused"],
)
def test_answers_are_those_that_come_over_bytes(ask: Ask, monkeypatch: pytest.MonkeyPatch) -> None:
    over, here, _ = answers(ask, monkeypatch)
    assert here == over


def test_a_metric_that_is_no_number_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(HarnessError, match="not a finite number"):
        answers(lambda self, value: Result("told", metrics={"x": math.nan}), monkeypatch)


def test_task_code_cannot_reach_what_the_episode_holds(monkeypatch: pytest.MonkeyPatch) -> None:
    def meddle(self: Any, value: int) -> Result:
        self.clock.spent["questions"] = 99
        return Result("told", metrics=KEPT)

    _, here, head = answers(meddle, monkeypatch)
    assert head["spent"] == {}
    assert here.head["metrics"] == KEPT
    assert here.head["metrics"]["seen"] is not KEPT["seen"]
