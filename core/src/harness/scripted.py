"""Scripted policies: plain generators that play through tools and observations, like a model would.

    def reference(view):
        result = yield call("simulate", porosity=0.3)
        yield call("submit", porosity=result.data["best"])

A script sees what a policy of its view may see. `observation`: the prompt (also as `facts`, each of which is proven
to stand in every wording), the tool schemas, the told limits, and results. `perception`: also what is printed in
images. `oracle`: also the identity; oracles are for testing a task, never for certifying it.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import orjson
from attrs import field, frozen

from harness.records import Completion, ImagePart, Json, Limits, Message, ToolCall, ToolSchema

if TYPE_CHECKING:
    import numpy as np

Viewpoint: TypeAlias = Literal["observation", "perception", "oracle"]
Kind: TypeAlias = Literal["reference", "lazy", "adversary"]


@frozen
class Move:
    """One turn of a script: tool calls, or a plain message."""

    calls: tuple[tuple[str, Mapping[str, Json]], ...] = ()
    text: str = ""


def call(tool: str, /, **arguments: Json) -> Move:
    """Call one tool in this turn."""
    return Move(((tool, arguments),))


def calls(*moves: Move) -> Move:
    """Make several calls in one turn."""
    return Move(tuple(c for move in moves for c in move.calls))


def say(text: str) -> Move:
    """Answer with a plain message."""
    return Move((), text)


@frozen
class Observation:
    """What came back after a move."""

    messages: tuple[Message, ...]

    @property
    def text(self) -> str:
        """Text of the new messages, joined by newlines."""
        return "\n".join(m.text for m in self.messages)

    @property
    def data(self) -> Any:
        """JSON of the first text of the first new message; None if it is no JSON."""
        return self.item(0)

    def item(self, index: int) -> Any:
        """JSON of the first text of one of the new messages; None if it is no JSON."""
        if index >= len(self.messages):
            return None
        try:
            return orjson.loads(self.messages[index].text.split("\n", 1)[0])
        except (orjson.JSONDecodeError, UnicodeEncodeError):
            return None

    @property
    def error(self) -> str | None:
        """Reason code when the first call was refused or failed."""
        data = self.data
        return str(data["error"]) if isinstance(data, dict) and "error" in data and "message" in data else None

    @property
    def image_facts(self) -> dict[str, str]:
        """What is printed in the new images (view `perception` only, else empty)."""
        return facts_of(self.messages)


def facts_of(messages: Sequence[Message]) -> dict[str, str]:
    """Collect what is printed in the images of messages."""
    return {k: v for m in messages for p in m.content if isinstance(p, ImagePart) for k, v in p.facts.items()}


@frozen
class View:
    """What a script is given at the start.

    Attributes:
        prompt: Text of the prompt messages.
        facts: Name → string that stands in the prompt, as the task declares.
        image_facts: What is printed in the prompt's images; empty unless the view is `perception` or `oracle`.
        rng: Generator of this episode and repetition.
        identity: The hidden identity, for view `oracle` only.
    """

    prompt: str
    facts: Mapping[str, str]
    tools: tuple[ToolSchema, ...]
    limits: Limits
    language: str
    rng: np.random.Generator
    options: Any = None
    image_facts: Mapping[str, str] = field(factory=dict)
    identity: Any = None


Play: TypeAlias = Callable[[View], Generator[Move, Observation, None]]


@frozen
class Scripted:
    """A scripted policy as a task declares it.

    Attributes:
        kind: `reference` must succeed on certified instances, `lazy` must fail, `adversary` is measured and published.
        ceiling: Largest success rate that the suite's rules allow: one number, or group → number.
        fit: Makes `play` from training instances: `fit(identities, options) -> play` (for the best constant answer).
    """

    play: Play | None = None
    kind: Kind = "lazy"
    view: Viewpoint = "observation"
    summary: str = ""
    ceiling: float | Mapping[str, float] | None = None
    fit: Callable[[Sequence[Any], Any], Play] | None = None


class Script:
    """Drives one generator through one episode: observation in, completion out."""

    def __init__(self, play: Play, view: View) -> None:
        self._generator = play(view)
        self._started = False
        self._count = 0

    def reply(self, new: tuple[Message, ...]) -> Completion:
        """Advance the generator; a script that has ended gives up with an empty message."""
        try:
            move = self._generator.send(Observation(new)) if self._started else next(self._generator)
        except StopIteration:
            return Completion(content="")
        self._started = True
        return self._completion(move)

    def close(self) -> None:
        """End the generator."""
        self._generator.close()

    def _completion(self, move: Move) -> Completion:
        made = []
        for name, arguments in move.calls:
            self._count += 1
            made.append(
                ToolCall(
                    f"call_{self._count}",
                    name,
                    orjson.dumps(dict(arguments), option=orjson.OPT_SERIALIZE_NUMPY).decode(),
                )
            )
        return Completion(
            content=move.text or None, tool_calls=tuple(made), finish_reason="tool_calls" if made else "stop"
        )
