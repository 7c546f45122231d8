"""Inputs that broke systems like this one, sent by a server over HTTP and played through whole episodes."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from typing import Any

import pytest
from attrs import evolve

from harness.backends import InlineBackend
from harness.episode import Episode
from harness.jsonio import dumps, loads
from harness.policies import ChatPolicy, Context
from harness.policies._mischief import MISCHIEF
from harness.records import Completion, Sample, ToolCall
from harness.rollout import play_episode
from harness.task import Task
from harness.testing import ChaosServer
from harness.trace import episode_record

pytestmark = pytest.mark.anyio

Connect = Callable[..., AbstractAsyncContextManager[ChatPolicy]]


def submit(value: int) -> Completion:
    return Completion(None, None, (ToolCall("end", "submit", f'{{"value": {value}}}'),), "tool_calls")


async def play(toy: Task, connect: Connect, fault: str, seed: int = 0) -> tuple[Episode, ChaosServer]:
    """Play one episode in which the model's first turn is a fault and its later ones submit."""
    instance = toy.sample(0)

    def first_turn(request: Any) -> str | None:
        return fault if request.turn == 1 else None

    server = ChaosServer(lambda _: submit(1), faults=first_turn, seed=seed)
    async with server, connect(server.url) as policy, InlineBackend() as backend:
        episode = await play_episode(toy, instance, policy, backend, Context(instance, task=toy))
    return episode, server


@pytest.mark.parametrize("fault", list(MISCHIEF))
async def test_every_fault_is_answered_and_scored(toy: Task, connect: Connect, fault: str) -> None:
    episode, server = await play(toy, connect, fault)
    assert episode.outcome is not None
    assert episode.outcome.status == "scored", episode.outcome
    assert set(server.outcomes) <= {fault, "ok"}
    for message in episode.messages:
        answered = [m.tool_call_id for m in episode.messages if m.role == "tool"]
        assert all(call.id and answered.count(call.id) == 1 for call in message.tool_calls)
    record = episode_record(episode, {"name": "test", "view": "observation"})
    assert loads(dumps(record))["outcome"]["status"] == "scored"


@pytest.mark.parametrize(
    ("fault", "status"),
    [
        ("cut_json", "malformed_call"),
        ("arguments_list", "invalid_arguments"),
        ("arguments_number", "invalid_arguments"),
        ("arguments_null", "invalid_arguments"),
        ("arguments_empty", "invalid_arguments"),
        ("unknown_tool", "unknown_tool"),
        ("string_for_int", "invalid_arguments"),
        ("null_argument", "invalid_arguments"),
    ],
)
async def test_what_the_episode_says(toy: Task, connect: Connect, fault: str, status: str) -> None:
    episode, server = await play(toy, connect, fault)
    first, last = episode.log.actions[0], episode.log.actions[-1]
    assert (first.status, first.turn, first.budget) == (status, 1, None)
    assert (last.name, last.status, last.turn) == ("submit", "ok", 2)
    assert server.requests == 2
    # what came back to the server is valid: a template can parse the arguments of the earlier call
    (sent,) = server.seen[1].request.body["messages"][1]["tool_calls"]
    assert isinstance(loads(sent["function"]["arguments"]), dict)


async def test_a_truncated_message_executes_nothing(toy: Task, connect: Connect) -> None:
    episode, server = await play(toy, connect, "length_with_complete_call")
    assert episode.outcome is not None
    assert episode.outcome.reason == "length_truncated"
    assert episode.log.count(episode.log.actions[0].name) == 0
    assert server.requests == 1


async def test_attempts_are_recorded_with_their_turn(toy: Task, connect: Connect) -> None:
    episode, _ = await play(toy, connect, "429")
    record = loads(dumps(episode_record(episode, {"name": "test", "view": "observation"})))
    assert [(attempt["turn"], attempt["status"]) for attempt in record["attempts"]] == [(1, 429), (1, 429), (1, 200)]
    assert record["outcome"]["status"] == "scored"


async def play_script(toy: Task, url_policy: ChatPolicy, instance: Sample) -> Episode:
    async with InlineBackend() as backend:
        return await play_episode(toy, instance, url_policy, backend, Context(instance, task=toy))


def ask(*values: int) -> Completion:
    calls = tuple(ToolCall(f"c{n}", "ask", f'{{"value": {value}}}') for n, value in enumerate(values))
    return Completion(None, None, calls, "tool_calls")


async def test_three_calls_where_one_is_allowed_give_three_results(toy: Task, connect: Connect) -> None:
    instance = toy.sample(0)
    instance = evolve(instance, limits=evolve(instance.limits, calls_per_turn=1))
    async with ChaosServer([ask(1, 2, 3), submit(1)]) as server, connect(server.url) as policy:
        episode = await play_script(toy, policy, instance)
    assert [action.status for action in episode.log.actions] == ["ok", "not_executed", "not_executed", "ok"]
    assert episode.log.spent("questions") == 1
    sent = [message.get("tool_call_id") for message in server.seen[1].request.body["messages"]]
    assert sent[2:] == ["c0", "c1", "c2"]


async def test_two_calls_of_one_turn_see_each_others_world(toy: Task, connect: Connect) -> None:
    async with ChaosServer([ask(1, 2), submit(1)]) as server, connect(server.url) as policy:
        episode = await play_script(toy, policy, toy.sample(0))
    assert episode.log.metrics["asked"] == 2


async def test_a_bad_connection_changes_nothing_but_the_attempts(toy: Task, connect: Connect) -> None:
    """Refusals, server errors and cut bodies: the same calls, results and scores as over a clean connection."""
    script = [ask(8), ask(4), ask(2), submit(1)]
    faults = {"429": 0.3, "500": 0.1, "cut_body": 0.1, "reset": 0.1, "error_in_200": 0.1}
    played: list[list[Any]] = []
    tried = 0
    for chosen in ({}, faults):
        async with ChaosServer(script, faults=chosen, seed=2) as server, connect(server.url) as policy:
            episodes = [await play_script(toy, policy, toy.sample(index)) for index in range(12)]
        assert server.outcomes["ok"] == 48
        played.append([(e.messages, e.log, e.outcome) for e in episodes])
        tried = server.requests
    assert played[0] == played[1]
    assert tried >= 60
