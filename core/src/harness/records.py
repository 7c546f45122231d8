"""The records that flow between the stages: messages, completions, samples, actions, scores, outcomes.

All are small, frozen and slotted; none does I/O. What a policy sees is `Message` and `ToolSchema`; what scoring sees
is `Log`; what a driver gets back is `TurnResult` and `Outcome`. Nothing here knows of HTTP, tokens or trainers,
except that `Evidence` carries what a driver knew about tokens, so that nobody has to recompute it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, Literal, TypeAlias

from attrs import Attribute, field, frozen, validators

from harness.errors import nearest
from harness.reasons import SCORED

Json: TypeAlias = Any
"""A value that JSON can hold: null, bool, int, float, str, list, dict with string keys."""

Role: TypeAlias = Literal["system", "user", "assistant", "tool"]


@frozen
class TextPart:
    """Text of a message."""

    text: str


@frozen
class ImagePart:
    """An image of a message, by content hash; the bytes travel once, beside the messages.

    Attributes:
        facts: What is printed or drawn in the image, for policies of view `perception` only. Never rendered for a
            model, never written to a trace.
    """

    sha256: str
    media_type: str = "image/png"
    width: int = 0
    height: int = 0
    facts: Mapping[str, str] = field(factory=dict, repr=False, eq=False)


Part: TypeAlias = TextPart | ImagePart


@frozen
class ToolCall:
    """A call as the model sent it; `arguments` is the raw string."""

    id: str
    name: str
    arguments: str


@frozen
class Evidence:
    """Token evidence of one completion, stored as the server gave it.

    Attributes:
        prompt_ids: Ids of the rendered prompt of this turn.
        token_ids: Sampled ids, length n.
        logprobs: Log-probabilities (natural log) of the sampled ids, length n.
    """

    prompt_ids: tuple[int, ...] | None = None
    token_ids: tuple[int, ...] | None = None
    logprobs: tuple[float, ...] | None = None


@frozen
class Message:
    """One message of the conversation, in the roles of the chat-completions protocol."""

    role: Role
    content: tuple[Part, ...] = ()
    tool_calls: tuple[ToolCall, ...] = ()
    tool_call_id: str | None = None
    reasoning: str | None = None
    evidence: Evidence | None = None

    @property
    def text(self) -> str:
        """The text parts, joined by newlines."""
        if len(self.content) == 1 and type(self.content[0]) is TextPart:  # nearly always
            return self.content[0].text
        return "\n".join(part.text for part in self.content if isinstance(part, TextPart))


@frozen
class Usage:
    """Tokens of one completion as the endpoint counted them."""

    prompt_tokens: int = 0
    completion_tokens: int = 0
    reasoning_tokens: int = 0

    def __add__(self, other: Usage) -> Usage:
        return Usage(
            self.prompt_tokens + other.prompt_tokens,
            self.completion_tokens + other.completion_tokens,
            self.reasoning_tokens + other.reasoning_tokens,
        )


@frozen
class Completion:
    """What a policy answers in one turn.

    Attributes:
        finish_reason: As in the chat-completions protocol: `stop`, `tool_calls`, `length`, `content_filter`.
        attempts: Transport attempts that this turn took, each {"status", "wait"}; one clean attempt is an empty tuple.
    """

    content: str | None = None
    reasoning: str | None = None
    tool_calls: tuple[ToolCall, ...] = ()
    finish_reason: str = "stop"
    usage: Usage | None = None
    evidence: Evidence | None = None
    attempts: tuple[Mapping[str, Json], ...] = ()


@frozen
class ToolSchema:
    """A tool as a model sees it; `parameters` is a JSON Schema object."""

    name: str
    description: str
    parameters: Mapping[str, Json]

    def openai(self) -> dict[str, Json]:
        """Render as an OpenAI function tool."""
        function = {"name": self.name, "description": self.description, "parameters": self.parameters}
        return {"type": "function", "function": function}


@frozen
class Limits:
    """What an episode may cost; told in the prompt, counted and enforced by the environment.

    Attributes:
        turns: Assistant turns.
        budgets: Budget name → number of charged calls.
        nudges: How often a turn without call or answer is answered with a reminder before the episode ends.
        call_seconds: Time limit of one call of world code, counted from the start of execution.
        calls_per_turn: Tool calls executed in one turn; None is unlimited.
    """

    turns: int = field(default=30, validator=validators.ge(1))
    budgets: Mapping[str, int] = field(factory=dict)
    nudges: int = field(default=2, validator=validators.ge(0))
    call_seconds: float = field(default=10.0, validator=validators.gt(0))
    calls_per_turn: int | None = None


@frozen
class Sample:
    """One instance: everything an episode needs, as plain data."""

    task: str
    version: int
    options: Mapping[str, Json]
    options_digest: str
    split: str
    group: str
    index: int
    key: str
    identity: Mapping[str, Json] = field(repr=False)
    messages: tuple[Message, ...] = field(repr=False)
    wording: int = 0
    language: str = "en"
    limits: Limits = field(factory=Limits)
    seed: int = 0
    attempts: int = 1

    @property
    def task_id(self) -> str:
        """The versioned name, such as `battery-v1`."""
        return f"{self.task}-v{self.version}"


@frozen
class Action:
    """One tool call as the environment understood it: an entry of the typed action log.

    Attributes:
        arguments: Parsed and checked arguments; empty when they could not be parsed.
        status: `ok`, `not_executed`, or a reason from `harness.reasons.CALL_ERRORS`.
        budget: The budget that the call was charged to, if it was.
        metrics: Typed numbers that the tool reports to scoring (not shown to the policy).
        reward: Local reward, if the tool gives one.
        call_id: Id of the call that the model sent.
    """

    turn: int
    name: str
    arguments: Mapping[str, Json]
    status: str
    budget: str | None = None
    metrics: Mapping[str, Json] = field(factory=dict)
    reward: float | None = None
    call_id: str = ""
    detail: str = ""


@frozen
class Log:
    """All that scoring may look at, beside the identity.

    Attributes:
        answer: Arguments of the accepted final call, or the typed final answer; None when there is none.
        metrics: What the toolset's `calc_reward` measured of the final world.
        end: Why the conversation stopped: `answered`, `done`, or a reason.
    """

    actions: tuple[Action, ...] = ()
    answer: Mapping[str, Json] | None = None
    metrics: Mapping[str, Json] = field(factory=dict)
    turns: int = 0
    nudges: int = 0
    end: str = ""

    def spent(self, budget: str) -> int:
        """Number of calls charged to a budget."""
        return sum(1 for action in self.actions if action.budget == budget)

    def count(self, name: str, status: str | None = "ok") -> int:
        """Number of calls of a tool with a status (any status when None)."""
        return sum(1 for a in self.actions if a.name == name and (status is None or a.status == status))


def _unit(instance: object, attribute: Attribute[float], value: float) -> None:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise ValueError(f"{attribute.name}={value!r} is not a finite number")
    if not -1e-9 <= value <= 1 + 1e-9:
        raise ValueError(f"{attribute.name}={value!r} is outside [0, 1]")


@frozen
class Term:
    """A named part of a score."""

    name: str
    value: float = field(validator=_unit)
    weight: float = field(default=1.0, validator=validators.gt(0))


def known_reason(instance: object, attribute: Attribute[Any], value: str | None) -> None:
    """Validate a reason that a task names: one of the closed list, for which the policy answers."""
    if value and value not in SCORED:
        raise ValueError(f"{attribute.name}={value!r} is no reason of a scored episode{nearest(value, SCORED)}")


@frozen
class Score:
    """What a task's reward layer says; the framework computes the total.

    Attributes:
        progress: Partial credit, monotone in quality; decides the total of an episode that is no success.
        efficiency: What separates a good success from a costly one.
        margin: Signed, normalised distance of the decision from its boundary: ≥ 0 exactly for a success.
        reason: Reason to record for a failure, when the task knows better than the framework.
    """

    success: bool
    progress: tuple[Term, ...]
    efficiency: tuple[Term, ...] = ()
    margin: float | None = None
    reason: str | None = field(default=None, validator=known_reason)
    detail: str = ""

    @property
    def total(self) -> float:
        """The reward in [0, 1]: at most 0.6 for a failure, at least 0.8 for a success."""
        if self.success:
            return 0.8 + 0.2 * _weighted(self.efficiency, empty=1.0)
        return 0.6 * _weighted(self.progress, empty=0.0)


def _weighted(terms: Sequence[Term], empty: float) -> float:
    if not terms:
        return empty
    mean = sum(t.weight * t.value for t in terms) / sum(t.weight for t in terms)
    return min(1.0, max(0.0, mean))


@frozen
class Outcome:
    """How an episode ended: scored, or invalid with a cause. Never a silent zero.

    Attributes:
        reward: Total in [0, 1]; None for an invalid episode.
        evidence: For an invalid episode, what was seen (error kind, last lines); for the maintainer, not the policy.
    """

    status: Literal["scored", "invalid"]
    reason: str
    detail: str = ""
    reward: float | None = None
    success: bool = False
    score: Score | None = None
    reward_id: str = ""
    evidence: str = ""


@frozen
class TurnResult:
    """Answer of the environment to one completion.

    Attributes:
        messages: New messages for the policy (tool results, feedback), in order.
        done: Whether the episode takes no further turn.
        reason: Why it ended, when done.
    """

    messages: tuple[Message, ...]
    done: bool
    reason: str = ""


def text_message(role: Role, text: str) -> Message:
    """Make a message of one text part."""
    return Message(role, (TextPart(text),))
