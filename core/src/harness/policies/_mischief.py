"""What language models do wrong, on demand and by name.

Each fault makes one choice of a chat-completions reply (`message` and `finish_reason`) that a real model has been
seen to send. The in-process chaos policy and the tests' HTTP server draw from the same table, so that what breaks one
driver can be shown to every other.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Final

from attrs import field, frozen

from harness.policies._legal import draw_arguments, kind_of
from harness.records import Json

if TYPE_CHECKING:
    import numpy as np

Choice = dict[str, Json]


@frozen
class Draw:
    """What a fault is made from.

    Attributes:
        turn: Number of the assistant turn, from 1; part of call ids.
        tools: Tools of the request, in OpenAI's form.
        rng: Decides everything else.
    """

    turn: int
    tools: Sequence[Mapping[str, Json]]
    rng: np.random.Generator = field(repr=False)

    def tool(self) -> Mapping[str, Json]:
        """Pick one of the tools."""
        if not self.tools:
            return {"name": "tool", "parameters": {}}
        function: Mapping[str, Json] = self.tools[int(self.rng.integers(len(self.tools)))]["function"]
        return function


def call(draw: Draw, position: int = 1, **changes: Json) -> dict[str, Json]:
    """Make one legal call; `arguments`, `name` or `id` replace what was drawn (None leaves the id out)."""
    tool = draw.tool()
    arguments = changes.get("arguments", json.dumps(draw_arguments(tool.get("parameters", {}), draw.rng)))
    function = {"name": changes.get("name", tool["name"]), "arguments": arguments}
    made: dict[str, Json] = {"type": "function", "function": function}
    name = changes.get("id", f"call_{draw.turn}_{position}")
    return made if name is None else {"id": name, **made}


def choice(*calls: dict[str, Json], content: Json = None, finish: str | None = None) -> Choice:
    """Make a choice from calls and content."""
    message: dict[str, Json] = {"role": "assistant", "content": content}
    if calls:
        message["tool_calls"] = list(calls)
    return {"index": 0, "message": message, "finish_reason": finish or ("tool_calls" if calls else "stop")}


def legal(draw: Draw) -> Choice:
    """One legal call with random arguments, or a short text when there are no tools."""
    return choice(call(draw)) if draw.tools else choice(content="Done.")


def _with_arguments(arguments: str) -> Callable[[Draw], Choice]:
    return lambda draw: choice(call(draw, arguments=arguments))


def _cut_json(draw: Draw) -> Choice:
    whole = call(draw)["function"]["arguments"]
    return choice(call(draw, arguments=whole[:-1] if whole != "{}" else '{"cmd": "ls'))


def _double_encoded(draw: Draw) -> Choice:
    made = call(draw)
    made["function"]["arguments"] = json.dumps(made["function"]["arguments"])
    return choice(made)


def _change(draw: Draw, wanted: Sequence[str], change: Callable[[Json], Json], fallback: str) -> Choice:
    """Make a legal call and change the first argument whose schema is of a wanted kind; else add one."""
    tools = sorted(draw.tools, key=lambda tool: not _properties(tool, wanted))[:1]
    single = Draw(draw.turn, tools, draw.rng)
    made = call(single)
    arguments = json.loads(made["function"]["arguments"])
    name = next(iter(_properties(tools[0], wanted) if tools else ()), fallback)
    arguments[name] = change(arguments.get(name, 3))
    made["function"]["arguments"] = json.dumps(arguments, ensure_ascii=False)
    return choice(made)


def _properties(tool: Mapping[str, Json], wanted: Sequence[str]) -> list[str]:
    properties = tool["function"].get("parameters", {}).get("properties", {})
    return [name for name, schema in properties.items() if kind_of(schema) in wanted]


def _string_for_int(draw: Draw) -> Choice:
    return _change(draw, ("integer", "number"), str, "count")


def _surrogate_in_arguments(draw: Draw) -> Choice:
    return _change(draw, ("string",), lambda value: f"{value}\ud835", "note")


def _unknown_tool(draw: Draw) -> Choice:
    name = str(draw.tool()["name"])
    return choice(call(draw, name=name[:-2] + name[-1:] if len(name) > 2 else f"{name}x"))


def _null_argument(draw: Draw) -> Choice:
    return _change(draw, ("integer", "number", "string", "boolean"), lambda _: None, "note")


def _three_calls(draw: Draw) -> Choice:
    return choice(*(call(draw, position) for position in (1, 2, 3)))


def _same_call_twice(draw: Draw) -> Choice:
    made = call(draw)
    return choice(made, {**made, "id": f"call_{draw.turn}_2"})


def _duplicate_ids(draw: Draw) -> Choice:
    return choice(*(call(draw, position, id="call_0") for position in (1, 2)))


def _content_parts(draw: Draw) -> Choice:
    parts = [{"type": "text", "text": "I will "}, {"type": "text", "text": "try this."}]
    return choice(call(draw), content=parts)


def _arguments_object(draw: Draw) -> Choice:
    made = call(draw)
    made["function"]["arguments"] = json.loads(made["function"]["arguments"])
    return choice(made)


def _reasoning(draw: Draw) -> Choice:
    made = legal(draw)
    made["message"]["reasoning_content"] = "The tool will tell."
    return made


MISCHIEF: Final[Mapping[str, Callable[[Draw], Choice]]] = {
    "cut_json": _cut_json,
    "double_encoded": _double_encoded,
    "arguments_list": _with_arguments("[1]"),
    "arguments_number": _with_arguments("3"),
    "arguments_null": _with_arguments("null"),
    "arguments_empty": _with_arguments(""),
    "arguments_blank": _with_arguments("   "),
    "arguments_object": _arguments_object,
    "length_with_complete_call": lambda draw: choice(call(draw), finish="length"),
    "length_without_call": lambda draw: choice(content="Let me think about", finish="length"),
    "three_calls": _three_calls,
    "same_call_twice": _same_call_twice,
    "null_argument": _null_argument,
    "lone_surrogate": lambda draw: choice(call(draw), content="x = \ud835"),
    "lone_surrogate_arguments": _surrogate_in_arguments,
    "unknown_tool": _unknown_tool,
    "string_for_int": _string_for_int,
    "duplicate_ids": _duplicate_ids,
    "missing_id": lambda draw: choice(call(draw, id=None)),
    "null_content": lambda draw: choice(call(draw), content=None),
    "content_parts": _content_parts,
    "no_answer": lambda draw: choice(content=""),
    "prose": lambda draw: choice(content="I would look at the result first, and then decide."),
    "reasoning": _reasoning,
}
"""Fault name → maker. All but `reasoning`, `null_content`, `content_parts` and `arguments_object` are slips of a model;
those four are honest replies in forms that some servers use."""
