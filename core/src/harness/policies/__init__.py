"""Policies: whatever answers an episode. A model endpoint, a script, a recorded trace, a person.

A `Policy` is made once per run and shared by its episodes; for each episode it starts a `Player`, which is asked for
one completion a turn. A driver owns the loop between player and episode, so neither knows the other. The endpoint
policies speak the chat-completions protocol over HTTP; they are imported only when one is asked for, because an HTTP
client costs more start-up time than everything else here together.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from attrs import field, frozen

from harness.policies._agent import Agent, Dialect, Sampling, Transport
from harness.records import Completion, Message, Sample, ToolSchema

if TYPE_CHECKING:
    from harness.policies._chaos import ChaosPolicy
    from harness.policies._chat import ChatPolicy
    from harness.policies._openai import openai_policy
    from harness.policies._sdk import sdk_policy

__all__ = [
    "Agent",
    "ChaosPolicy",
    "ChatPolicy",
    "Context",
    "Dialect",
    "Player",
    "Policy",
    "Sampling",
    "Setup",
    "Transport",
    "openai_policy",
    "sdk_policy",
]

_LAZY: Mapping[str, str] = {
    "ChaosPolicy": "harness.policies._chaos",
    "ChatPolicy": "harness.policies._chat",
    "openai_policy": "harness.policies._openai",
    "sdk_policy": "harness.policies._sdk",
}


def _no_images(sha256: str) -> bytes:
    raise KeyError(sha256)


@frozen
class Context:
    """What a player is told of its episode before the first turn.

    Attributes:
        sample: The instance. Its identity is for policies of view `oracle`; an endpoint never receives it.
        repetition: Which of the k plays of this sample this is.
        seed: The run's seed; sampling seeds and every other draw of the player derive from it.
        image: Image bytes by content hash; raises KeyError for an unknown hash.
        task: The task bound to its options, for policies that need more than the conversation.
    """

    sample: Sample
    repetition: int = 0
    seed: int = 0
    image: Callable[[str], bytes] = field(default=_no_images, repr=False)
    task: Any = field(default=None, repr=False)


@runtime_checkable
class Player(Protocol):
    """One policy in one episode."""

    async def reply(self, messages: Sequence[Message], tools: Sequence[ToolSchema]) -> Completion:
        """Answer the conversation so far.

        Raises:
            PolicyFault: No reply could be had; the episode is invalid, not failed.
            ContextOverflow: The conversation no longer fits; the episode is scored as it stands.
        """

    async def close(self) -> None:
        """Release what the player holds; called once, also after an error or a cancellation."""


@runtime_checkable
class Policy(Protocol):
    """Something that can play episodes, many at a time.

    Attributes:
        name: As it was asked for, such as `openai:qwen3-8b`; recorded in traces.
        view: `observation`, `perception` or `oracle`: what it sees beyond the conversation.
    """

    name: str
    view: str

    async def start(self, context: Context) -> Player:
        """Make the player of one episode."""

    async def close(self) -> None:
        """Release what all players share, such as a connection pool; called once at the end of a run."""


@frozen
class Setup:
    """What a policy is made from, beside the text after its colon: the argument of every policy factory.

    A factory is an entry point of the group `harness.policies`: `factory(argument, setup) -> Policy`.

    Attributes:
        agent: Prompt, sampling and transport settings.
        base_url: The endpoint named on the command line; wins over the agent's and the environment's.
        concurrency: Episodes in flight; sizes connection pools.
        task: The task in play bound to its options, if there is exactly one.
    """

    agent: Agent = field(factory=Agent)
    base_url: str | None = None
    concurrency: int = 32
    task: Any = field(default=None, repr=False)


def __getattr__(name: str) -> Any:
    module = _LAZY.get(name)
    if module is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(module), name)
