"""What a task provides: its card and the four layers.

A task is a module that answers the hooks of `harness.hookspecs` with these objects. `Card` says what it is; the prompt
layer proposes instances and words them; a `Toolset` is the callable world of one episode; an interaction is the world's
side of the conversation; the reward layer scores a typed log. The hidden identity is sampled once and handed to all.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Protocol

from attrs import field, frozen, validators

from harness import seeds
from harness.images import Image
from harness.records import Json, Limits, Log, Message, Part, Role, Score, known_reason

if TYPE_CHECKING:
    import numpy as np


def option(default: Any, help: str, *, seeded: bool = True, choices: Sequence[Json] = ()) -> Any:  # noqa: A002
    """Declare a field of a task's options class.

    Args:
        default: Value when nothing is set; also gives the type shown to users.
        help: One line for `harness show`.
        seeded: Whether the option changes which identities are drawn. False for options that only change what is told.
        choices: Allowed values.
    """
    checks = validators.in_(tuple(choices)) if choices else None
    return field(
        default=default, validator=checks, metadata={"help": help, "seeded": seeded, "choices": tuple(choices)}
    )


@frozen
class Group:
    """A named slice of a task: a preset of options, with its share in the default mix."""

    options: Mapping[str, Json] = field(factory=dict)
    ratio: float = field(default=1.0, validator=validators.ge(0))
    summary: str = ""


@frozen
class Card:
    """What a task is.

    Attributes:
        options: Frozen attrs class of the task's parameters; every field has a default.
        groups: Name → preset; the order is the order of difficulty within a variant.
        heavy: Whether world code is slow enough to need worker processes by default.
        certified: Whether the task keeps the rules of a certified suite (reference succeeds, lazies fail).
        margin: Least distance from the decision boundary that certification accepts.
        tolerance: Largest difference of a recomputed reward or observation on another machine.
        simulators: Distributions whose versions belong in every trace.
    """

    name: str = field(validator=validators.matches_re(r"[a-z][a-z0-9_]*"))
    version: int
    title: str
    summary: str
    options: type
    groups: Mapping[str, Group]
    modality: Literal["text", "vision"] = "text"
    heavy: bool = False
    certified: bool = True
    margin: float = 0.0
    tolerance: float = 0.0
    languages: tuple[str, ...] = ("en", "zh")
    wordings: int = 3
    simulators: tuple[str, ...] = ()

    @property
    def task_id(self) -> str:
        """The versioned name, such as `battery-v1`."""
        return f"{self.name}-v{self.version}"


@frozen
class Draft:
    """A prompt message as a task writes it: texts and images in order."""

    role: Role
    parts: tuple[str | Part | Image, ...]


def user(*parts: str | Part | Image) -> Draft:
    """A user message of texts and images."""
    return Draft("user", parts)


def system(*parts: str | Part | Image) -> Draft:
    """A system message."""
    return Draft("system", parts)


class Prompt(Protocol):
    """The prompt layer: proposes instances and words them. Made once per options.

    Two more methods are optional: `key(identity)` returns the identity quantised to the precision at which two
    instances count as the same (default: floats to six significant digits), and `secrets(identity)` returns strings
    that would give the solution away.
    """

    identity: type

    def sample(self, rng: np.random.Generator) -> Any:
        """Propose the identity of an instance; may raise `Reject` to be drawn again."""

    def messages(self, identity: Any, wording: int, language: str) -> str | Sequence[Draft | Message]:
        """Word the instance; `wording` counts from 0."""

    def facts(self, identity: Any, language: str) -> Mapping[str, str]:
        """Return what every wording of the language must contain: name → exact string."""

    def limits(self, identity: Any) -> Limits:
        """Return what the episode may cost; the numbers must be in the prompt."""


@frozen
class Clock:
    """Where in the episode a call stands.

    Attributes:
        turn: Assistant turns so far, this one included.
        call: Calls executed before this one.
        spent: Budget → charged calls before this one.
    """

    turn: int = 0
    call: int = 0
    spent: Mapping[str, int] = field(factory=dict)
    limits: Limits = field(factory=Limits)
    language: str = "en"

    def left(self, budget: str) -> int:
        """Calls left of a budget, this one not yet counted."""
        return self.limits.budgets.get(budget, 0) - self.spent.get(budget, 0)


@frozen
class Result:
    """What a tool answers.

    Attributes:
        content: Text, or a mapping that is written as compact JSON.
        images: Pictures, after the text.
        done: The episode ends with this call (the door is passed, the match is over).
        metrics: Numbers for scoring, not shown to the policy.
        reward: Local reward, for training signals; not part of the total.
    """

    content: str | Mapping[str, Json] = ""
    images: tuple[Image, ...] = ()
    done: bool = False
    metrics: Mapping[str, Json] = field(factory=dict)
    reward: float | None = None


class Toolset:
    """The callable world of one episode.

    Subclasses set `World` to a small attrs record and write public methods marked with `harness.tool`. A fresh object
    is made for every call, possibly in another process: keep state in `self.world` only.
    """

    World: ClassVar[type]

    def __init__(self, identity: Any, options: Any, world: Any, clock: Clock, noise_key: str = "") -> None:
        self.identity, self.options, self.world, self.clock = identity, options, world, clock
        self._noise_key = noise_key

    @classmethod
    def create(cls, identity: Any, options: Any) -> Any:
        """Return the world at the start of an episode (default: `World()`)."""
        return cls.World()

    def calc_reward(self) -> Mapping[str, Json]:
        """Measure the final world, once, at close: evidence for scoring. Heavy work belongs here."""
        return {}

    def release(self) -> None:
        """Give back what the episode holds outside its world (nothing by default)."""

    def rng(self, *words: str | int) -> np.random.Generator:
        """Return a generator keyed by the instance and the words; pass `self.clock.call` for noise per call."""
        return seeds.generator("noise", self._noise_key, *words)


@frozen
class Turn:
    """What an interaction is told of the policy's turn.

    Attributes:
        number: Assistant turns so far, this one included.
        text: The assistant's text.
        called: Whether the turn had tool calls.
        nudges: Reminders given so far.
    """

    number: int
    text: str
    called: bool
    nudges: int


@frozen
class Response:
    """The world's side of the conversation after a turn.

    Attributes:
        content: Feedback to the policy; empty says nothing.
        answer: A typed final answer found in the turn, as arguments of the final tool.
        nudge: Whether this counts against the nudges of the limits.
        reason: Reason to record when done without success.
    """

    content: str | tuple[str | Image, ...] = ""
    done: bool = False
    answer: Mapping[str, Json] | None = None
    score: float | None = None
    extra: Mapping[str, Json] = field(factory=dict)
    nudge: bool = False
    reason: str = field(default="", validator=known_reason)


class Interaction(Protocol):
    """The interaction layer: called after a turn without tool calls, or after every turn if `every_turn`."""

    every_turn: bool

    def respond(self, toolset: Any, turn: Turn) -> Response | None:
        """Act on the world and answer the policy; None says nothing."""


class Reward(Protocol):
    """The reward layer: a pure, repeatable function of identity and typed log. `id` changes when scoring does."""

    id: str

    def score(self, identity: Any, log: Log) -> Score:
        """Score an episode."""


def tool_methods(toolset: type[Toolset]) -> Iterator[tuple[str, Any]]:
    """Yield the methods marked with `harness.tool`, in the order they are written, base classes first."""
    seen = set()
    for owner in reversed(toolset.__mro__):
        for name, method in vars(owner).items():
            if hasattr(method, "__harness_tool__") and name not in seen:
                seen.add(name)
                yield name, getattr(toolset, name)
