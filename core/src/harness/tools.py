"""Tools: from typed, documented methods of a toolset to OpenAI functions, and from raw calls to checked arguments.

`tool` marks a method; `specs_of` reads a toolset class once; `parse_arguments` turns the raw string that a model sent
into typed arguments or into the error that it is answered with. World code runs only after that.
"""

from __future__ import annotations

import contextlib
import inspect
import typing
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, TypeVar, cast, overload

import orjson
from attrs import frozen

from harness.errors import TaskError
from harness.layers import Toolset, tool_methods
from harness.records import Json, ToolSchema
from harness.schema import Misfit, attribute_docs, conform_fields, describe

F = TypeVar("F", bound=Callable[..., Any])


@frozen
class _Mark:
    budget: str | None
    final: bool
    idempotent: bool


@overload
def tool(method: F) -> F: ...


@overload
def tool(*, budget: str | None = None, final: bool = False, idempotent: bool = True) -> Callable[[F], F]: ...


def tool(method: Any = None, *, budget: str | None = None, final: bool = False, idempotent: bool = True) -> Any:
    """Mark a toolset method as callable by the policy.

    Args:
        method: The method, when used without parentheses.
        budget: Name of the budget in `Limits.budgets` that each executed call is charged to.
        final: A call that returns normally is the answer and ends the episode.
        idempotent: False for a tool with effects outside its world: never repeated after a crash.
    """

    def mark(function: F) -> F:
        function.__harness_tool__ = _Mark(budget, final, idempotent)  # type: ignore[attr-defined]
        return function

    return mark(method) if method is not None else mark


@frozen
class ToolSpec:
    """A tool as the episode handles it."""

    schema: ToolSchema
    hints: Mapping[str, Any]
    required: frozenset[str]
    budget: str | None
    final: bool
    idempotent: bool

    @property
    def name(self) -> str:
        """Name of the tool."""
        return self.schema.name


def specs_of(toolset: type[Toolset]) -> dict[str, ToolSpec]:
    """Return the tools of a toolset class by name.

    Raises:
        TaskError: There is none, or one lacks a docstring or a type.
    """
    return _specs(cast(Any, toolset))


@cache
def _specs(toolset: Any) -> dict[str, ToolSpec]:
    specs = {name: _spec(toolset, name, method) for name, method in tool_methods(toolset)}
    if not specs:
        raise TaskError(f"{toolset.__name__} has no tools: mark methods with @tool")
    return specs


def _spec(toolset: type[Toolset], name: str, method: Any) -> ToolSpec:
    place, mark = f"{toolset.__name__}.{name}", method.__harness_tool__
    doc = inspect.getdoc(method)
    if not doc:
        raise TaskError(f"{place} needs a docstring: its first paragraph is what the model reads")
    hints = typing.get_type_hints(method, include_extras=True)
    parameters = [p for p in inspect.signature(method).parameters.values() if p.name != "self"]
    docs, properties = attribute_docs(doc), {}
    for parameter in parameters:
        if parameter.name not in hints or parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            raise TaskError(f"{place}: parameter {parameter.name!r} needs a type and may not be variadic")
        properties[parameter.name] = describe(hints[parameter.name], docs.get(parameter.name, ""))
    required = [p.name for p in parameters if p.default is p.empty]
    shape = {"type": "object", "properties": properties, "required": required, "additionalProperties": False}
    summary = " ".join(doc.split("\n\n")[0].split())
    kinds = {p.name: hints[p.name] for p in parameters}
    return ToolSpec(
        ToolSchema(name, summary, shape), kinds, frozenset(required), mark.budget, mark.final, mark.idempotent
    )


class BadCall(Exception):
    """The arguments of a call cannot be used. `reason` is the code, `message` what the policy is told."""

    def __init__(self, reason: str, message: str, argument: str | None = None) -> None:
        super().__init__(message)
        self.reason, self.message, self.argument = reason, message, argument


@frozen
class Arguments:
    """Checked arguments: as JSON for the log, and whether the string had been encoded twice."""

    json: dict[str, Json]
    twice: bool = False


def parse_arguments(raw: str, spec: ToolSpec) -> Arguments:
    """Read and check the raw argument string of a call.

    An empty string counts as no arguments; a string that holds an encoded JSON object is decoded once more and flagged.

    Raises:
        BadCall: Not JSON (`malformed_call`), or not of the tool's schema (`invalid_arguments`).
    """
    value, twice = _decode(raw), False
    if isinstance(value, str):
        with contextlib.suppress(BadCall):
            inner = _decode(value)
            value, twice = (inner, True) if isinstance(inner, dict) else (value, False)
    if not isinstance(value, dict):
        raise BadCall("invalid_arguments", f"arguments of {spec.name} must be a JSON object, got {str(value)[:60]!r}")
    check_arguments(value, spec)
    return Arguments(value, twice)


def check_arguments(value: Mapping[str, Json], spec: ToolSpec) -> dict[str, Any]:
    """Check a JSON object against a tool's parameters; return the typed arguments."""
    try:
        return conform_fields(value, spec.hints, spec.required)
    except Misfit as error:
        raise BadCall("invalid_arguments", f"{spec.name}: argument {error}", error.path) from error


def _decode(raw: str) -> Json:
    if not raw.strip():
        return {} if raw == "" else raw
    try:
        return orjson.loads(raw)
    except (orjson.JSONDecodeError, UnicodeEncodeError) as error:
        raise BadCall("malformed_call", f"the arguments are not valid JSON: {error}") from None
