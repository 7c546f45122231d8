"""The policy behind `openai:` and `sdk:`: one conversation over a chat-completions endpoint.

What the two differ in is an `Endpoint`, which makes one attempt. Everything else is here: the request body, the
sampling seed of each turn, and the bounded, jittered repetition of attempts that failed for a reason that can pass. A
turn gives exactly one completion however many attempts it took; those are recorded in it.
"""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, Final, Protocol

import anyio
from attrs import frozen

from harness.errors import ContextOverflow, EndpointRefused, PolicyFault, nearest
from harness.policies import Context
from harness.policies._agent import Agent, Sampling, Transport
from harness.policies._faults import Fault, Reply, Secrets, judge, standing
from harness.policies._wire import Transcript, parse
from harness.records import Completion, Json, Message, ToolSchema
from harness.seeds import fraction, integer

_EVIDENCE: Final[Mapping[str, Mapping[str, Json]]] = {
    "none": {},
    "logprobs": {"logprobs": True},
    "vllm": {"logprobs": True, "return_token_ids": True},
    "sglang": {"logprobs": True, "return_prompt_token_ids": True, "return_meta_info": True},
}


class Endpoint(Protocol):
    """One way to reach a model.

    Attributes:
        shown: The URL without credentials, for messages.
        secrets: What must not come back in a text.
    """

    shown: str
    secrets: Secrets

    def fragment(self, value: dict[str, Json]) -> Any:
        """Prepare a part of the body that is sent again in every turn."""

    async def send(self, body: Mapping[str, Any]) -> Reply:
        """Make one attempt.

        Raises:
            Fault: No answer was received.
        """

    async def models(self) -> Sequence[str]:
        """List the models that are served; empty when the endpoint does not say."""

    async def close(self) -> None:
        """Close the connections."""


@frozen
class Clock:
    """Time as the client uses it, replaced in tests."""

    sleep: Callable[[float], Awaitable[None]] = anyio.sleep
    now: Callable[[], float] = time.time


class ChatPolicy:
    """A model behind an endpoint; shared by all episodes of a run.

    Args:
        name: As it was asked for, such as `openai:qwen3-8b`.
        model: Model name to request.
        endpoint: The client.
        agent: Prompt, sampling and transport settings.
        clock: Time source and sleep.
    """

    view = "observation"

    def __init__(self, name: str, model: str, endpoint: Endpoint, agent: Agent, clock: Clock | None = None) -> None:
        self.name, self.model, self.endpoint, self.agent = name, model, endpoint, agent
        self.clock = clock or Clock()
        self.answered = False
        self.settings = {"model": model, **request_fields(agent)}
        self._rendered: dict[tuple[int, ...], tuple[Sequence[ToolSchema], list[Any]]] = {}

    async def start(self, context: Context) -> ChatPlayer:
        """Make the player of one episode."""
        return ChatPlayer(self, context)

    async def close(self) -> None:
        """Close the connections."""
        await self.endpoint.close()

    def tools_of(self, tools: Sequence[ToolSchema]) -> list[Any]:
        """Render tools once for all episodes that share the schemas."""
        name = tuple(map(id, tools))
        if name not in self._rendered:
            self._rendered[name] = tuple(tools), [self.endpoint.fragment(tool.openai()) for tool in tools]
        return self._rendered[name][1]

    @property
    def where(self) -> str:
        """The policy and its endpoint, for messages."""
        return f"{self.name} at {self.endpoint.shown}"


class ChatPlayer:
    """One conversation with the model."""

    def __init__(self, policy: ChatPolicy, context: Context) -> None:
        self._policy = policy
        sample = context.sample
        instance = (sample.task, sample.split, sample.group, sample.key, sample.index)
        self._words = (context.seed, *instance, context.repetition)
        agent, endpoint = policy.agent, policy.endpoint
        self._transcript = Transcript[Any](agent.system, context.image, agent.dialect, endpoint.fragment)
        self._turn = 0

    async def reply(self, messages: Sequence[Message], tools: Sequence[ToolSchema]) -> Completion:
        """Ask for one completion of the conversation; repeat attempts that failed for a reason that can pass."""
        self._turn += 1
        body = self._body(messages, tools)
        tried: list[Mapping[str, Json]] = []
        while True:
            try:
                return self._read(await self._policy.endpoint.send(body), tried)
            except Fault as fault:
                wait = self._next_wait(fault, len(tried))
                tried.append({"status": fault.status, "wait": round(wait or 0.0, 3)})
                if wait is None:
                    raise await self._standing(fault, tried) from None
            await self._policy.clock.sleep(wait)

    async def close(self) -> None:
        """Hold nothing: connections belong to the policy."""

    def _read(self, reply: Reply, tried: Sequence[Mapping[str, Json]]) -> Completion:
        payload = judge(reply, self._policy.clock.now())
        completion = parse(payload, [*tried, {"status": 200, "wait": 0.0}] if tried else ())
        self._transcript.noticed(payload)
        self._policy.answered = True
        return completion

    def _body(self, messages: Sequence[Message], tools: Sequence[ToolSchema]) -> dict[str, Any]:
        body: dict[str, Any] = {"messages": self._transcript.render(messages)}
        if tools:
            body["tools"] = self._policy.tools_of(tools)
        if self._policy.agent.sampling.seed == "rollout":
            body["seed"] = integer("sampling", *self._words, self._turn)
        return body | self._policy.settings

    def _next_wait(self, fault: Fault, failed: int) -> float | None:
        """Seconds to wait before the next attempt, or None when there is none."""
        transport = self._policy.agent.transport
        allowed = transport.retries
        if fault.status == "unreachable" and not self._policy.answered:
            allowed = min(allowed, 1)  # an address that never answered is more likely wrong than busy
        elif fault.status == "timeout":
            allowed = min(allowed, 2)  # each one has already cost the whole time limit
        if not fault.retry or failed >= allowed:
            return None
        return backoff(transport, failed, fault.wait, fraction("backoff", *self._words, self._turn, failed))

    async def _standing(self, fault: Fault, tried: Sequence[Mapping[str, Json]]) -> Exception:
        policy = self._policy
        if fault.status == 404:
            served = nearest(policy.model, await policy.endpoint.models())
            fault.message += served if len(served) <= 300 else ""
        if fault.error is ContextOverflow and "max_tokens" in fault.message and self._turn == 1 and not policy.answered:
            fault.error, fault.message = EndpointRefused, f"{fault.message}; lower max_tokens in the agent file"
        if fault.error is PolicyFault and not policy.answered:
            fault.error = EndpointRefused  # no request has ever been accepted: it is the settings, not the conversation
        return standing(fault, policy.where, tried, policy.endpoint.secrets)


def request_fields(agent: Agent) -> dict[str, Json]:
    """Return the request fields that are the same in every turn."""
    sampling: Sampling = agent.sampling
    fields: dict[str, Json] = {
        "temperature": sampling.temperature,
        "top_p": sampling.top_p,
        "max_tokens": sampling.max_tokens,
        "stop": list(sampling.stop) or None,
        "seed": sampling.seed if isinstance(sampling.seed, int) else None,
        "reasoning_effort": sampling.reasoning_effort,
        "parallel_tool_calls": sampling.parallel_tool_calls,
    }
    sent = {name: value for name, value in fields.items() if value is not None}
    return {**sent, **_EVIDENCE[agent.dialect.evidence], **sampling.extra_body}


def backoff(transport: Transport, failed: int, asked: float | None, draw: float) -> float:
    """Seconds to wait after a failed attempt.

    Args:
        transport: Bounds.
        failed: Attempts that failed before this one.
        asked: What the server asked for, if it did: waited in full, up to the cap, plus a spread of one first wait so
            that clients which were refused together do not return together.
        draw: Uniform number in [0, 1) that decides the jitter.
    """
    if asked is not None:
        return min(asked, transport.longest_wait) + draw * transport.first_wait
    return min(transport.first_wait * 2.0**failed, transport.longest_wait) * (0.5 + draw / 2)
