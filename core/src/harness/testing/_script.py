"""What a fake model answers: a script, read from Python values or from a JSON file.

A script is a list of replies that every conversation goes through, one per assistant turn; a mapping from a piece of
the first user text to such a list; or a callable that is given the request. The turn is counted in the request
itself, so a repeated request gets the same reply and concurrent conversations never mix.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

from attrs import field, frozen

from harness.errors import UserError
from harness.jsonio import loads
from harness.policies._mischief import Choice, choice
from harness.records import Completion, Json, ToolCall


@frozen
class Request:
    """A request as the fake server understood it.

    Attributes:
        number: Order of arrival, from 1.
        turn: Assistant turn that is asked for, from 1.
        attempt: How often the very same body has come before.
        conversation: Hash of the messages before the first assistant message.
        headers: Header values by lower-case name.
    """

    number: int
    turn: int
    attempt: int
    conversation: str
    body: Mapping[str, Json] = field(repr=False)
    headers: Mapping[str, str] = field(repr=False)

    @property
    def first_text(self) -> str:
        """Text of the first user message."""
        content = next((m.get("content") for m in self.body.get("messages", ()) if m.get("role") == "user"), "")
        return content if isinstance(content, str) else json.dumps(content)


Reply: TypeAlias = Completion | str | Mapping[str, Json]
"""A completion, the text of one, or plain data: a choice (with `message`) or a whole payload (with `choices`)."""

Script: TypeAlias = Sequence[Reply] | Mapping[str, Sequence[Reply]] | Callable[[Request], Reply]


def answer(script: Script, request: Request) -> Choice | dict[str, Json]:
    """Return the reply to a request as a choice or a payload; a script that has ended says so in its text."""
    if callable(script):
        return as_choice(script(request))
    if isinstance(script, Mapping):
        script = next((replies for key, replies in script.items() if key in request.first_text), ())
    return as_choice(script[request.turn - 1] if request.turn <= len(script) else "The script has ended.")


def as_choice(reply: Reply) -> dict[str, Json]:
    """Bring one reply into wire form."""
    if isinstance(reply, str):
        return choice(content=reply)
    if isinstance(reply, Mapping):
        return dict(reply)
    calls = [
        {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": call.arguments}}
        for call in reply.tool_calls
    ]
    made = choice(*calls, content=reply.content, finish=reply.finish_reason)
    if reply.reasoning is not None:
        made["message"]["reasoning_content"] = reply.reasoning
    return made


def load_script(path: str | Path) -> Sequence[Reply] | Mapping[str, Sequence[Reply]]:
    """Read a script from a JSON file.

    A reply is a text, or an object with any of `content`, `reasoning`, `finish_reason` and `tool_calls`, each call with
    `name`, `arguments` (an object, or text to be sent as it is) and perhaps `id`.

    Raises:
        UserError: The file cannot be read, or is no script.
    """
    try:
        content = loads(Path(path).read_bytes())
    except OSError as error:
        raise UserError(f"script {path}: {error.strerror or error}") from None
    except ValueError as error:
        raise UserError(f"script {path} is not JSON: {error}") from None
    if isinstance(content, list):
        return [_read(reply, f"script {path}: reply {n}") for n, reply in enumerate(content, 1)]
    if isinstance(content, dict) and all(isinstance(value, list) for value in content.values()):
        return {key: [_read(r, f"script {path}: {key!r}") for r in value] for key, value in content.items()}
    raise UserError(f"script {path}: expected a list of replies, or an object of such lists by first user text")


def _read(value: Json, where: str) -> Reply:
    if isinstance(value, str):
        return value
    if not isinstance(value, dict) or not value.keys() <= {"content", "reasoning", "finish_reason", "tool_calls"}:
        raise UserError(f"{where}: expected a text, or content, reasoning, finish_reason, tool_calls; got {value!r}")
    calls = tuple(_read_call(call, n, where) for n, call in enumerate(value.get("tool_calls", ()), 1))
    reason = value.get("finish_reason", "tool_calls" if calls else "stop")
    return Completion(value.get("content"), value.get("reasoning"), calls, reason)


def _read_call(call: Any, position: int, where: str) -> ToolCall:
    if not isinstance(call, dict) or not isinstance(call.get("name"), str):
        raise UserError(f"{where}: expected a tool call with name and arguments, got {call!r}")
    arguments = call.get("arguments", {})
    text = arguments if isinstance(arguments, str) else json.dumps(arguments)
    return ToolCall(str(call.get("id", f"call_{position}")), call["name"], text)
