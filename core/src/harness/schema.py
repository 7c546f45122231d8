"""From Python types to JSON Schema, and from JSON values to typed Python values, strictly.

One table of types serves tool arguments, task options and stored identities: `describe` gives the JSON Schema a model
sees, `conform` turns a JSON value into the typed value or says what is wrong and where. Nothing is coerced that the
schema does not allow: `"3"` is no integer, `true` is no number, NaN is nothing.
"""

from __future__ import annotations

import math
import types
import typing
from collections.abc import Mapping
from functools import cache
from typing import Annotated, Any, Literal, Union, get_args, get_origin

import attrs

from harness.errors import TaskError, nearest
from harness.records import Json


@attrs.frozen
class Range:
    """Closed interval of a number, told in the schema and enforced: `Annotated[float, Range(0, 1)]`."""

    minimum: float | None = None
    maximum: float | None = None


@attrs.frozen
class Length:
    """Bounds on the length of a string or list."""

    minimum: int = 0
    maximum: int | None = None


@attrs.frozen
class Unit:
    """Physical unit, appended to the description."""

    name: str


@attrs.frozen
class Doc:
    """Description of a value where no docstring can carry it."""

    text: str


class Misfit(ValueError):
    """A JSON value does not fit a type. `path` names the place, such as `design.porosity`."""

    def __init__(self, path: str, message: str) -> None:
        super().__init__(f"{path}: {message}" if path else message)
        self.path = path


_SIMPLE: dict[type, str] = {bool: "boolean", int: "integer", float: "number", str: "string"}
_AS_THEY_ARE = frozenset((bool, int, str))


def describe(kind: Any, description: str = "") -> dict[str, Json]:
    """Return the JSON Schema of a type.

    Supported: bool, int, float, str, Literal, list[T], tuple[T, ...], tuple[A, B], dict[str, T], T | None, attrs
    classes, and `Annotated` with `Range`, `Length`, `Unit`, `Doc`.

    Raises:
        TaskError: The type has no schema; the task author must choose another.
    """
    kind, extras = _split(kind)
    schema = _describe_bare(kind)
    for extra in extras:
        description = _annotate(schema, extra, description)
    if description:
        schema["description"] = description
    return schema


def _annotate(schema: dict[str, Json], extra: object, description: str) -> str:
    if isinstance(extra, Range):
        schema |= {k: v for k, v in (("minimum", extra.minimum), ("maximum", extra.maximum)) if v is not None}
    elif isinstance(extra, Length):
        noun = "Length" if schema["type"] == "string" else "Items"
        schema[f"min{noun}"] = extra.minimum
        if extra.maximum is not None:
            schema[f"max{noun}"] = extra.maximum
    elif isinstance(extra, Unit):
        return f"{description.rstrip('.')} [{extra.name}]".strip()
    elif isinstance(extra, Doc):
        return extra.text
    return description


def _describe_bare(kind: Any) -> dict[str, Json]:
    if kind in _SIMPLE:
        return {"type": _SIMPLE[kind]}
    origin, args = get_origin(kind), get_args(kind)
    if origin is Literal:
        return {"type": _SIMPLE[type(args[0])], "enum": list(args)}
    if origin in (Union, types.UnionType):
        return _describe_union(args)
    if origin in (list, tuple):
        return _describe_array(origin, args)
    if origin in (dict, Mapping) or origin is typing.get_origin(Mapping[str, int]):
        return {"type": "object", "additionalProperties": describe(args[1])}
    if attrs.has(kind):
        return _describe_record(kind)
    raise TaskError(
        f"no JSON Schema for the type {kind!r}; use bool, int, float, str, Literal, list, tuple, dict or an attrs class"
    )


def _describe_union(args: tuple[Any, ...]) -> dict[str, Json]:
    inner = [a for a in args if a is not type(None)]
    if len(inner) != 1 or len(args) != 2:
        raise TaskError(f"no JSON Schema for the union {args!r}; only `T | None` is supported")
    schema = describe(inner[0])
    schema["type"] = [schema["type"], "null"]
    if "enum" in schema:
        schema["enum"] = [*schema["enum"], None]
    return schema


def _describe_array(origin: type, args: tuple[Any, ...]) -> dict[str, Json]:
    if origin is list or (len(args) == 2 and args[1] is Ellipsis):
        return {"type": "array", "items": describe(args[0])}
    if len(set(map(repr, args))) != 1:
        raise TaskError(
            f"no JSON Schema for tuple{list(args)!r}; a fixed tuple must hold one type, else use an attrs class"
        )
    return {"type": "array", "items": describe(args[0]), "minItems": len(args), "maxItems": len(args)}


def _describe_record(kind: type) -> dict[str, Json]:
    hints = record_hints(kind)
    docs = attribute_docs(kind.__doc__ or "")
    properties, required = {}, []
    for attribute in attrs.fields(kind):
        text = str(attribute.metadata.get("help", "") or docs.get(attribute.name, ""))
        properties[attribute.name] = describe(hints[attribute.name], text)
        if attribute.default is attrs.NOTHING:
            required.append(attribute.name)
    return {"type": "object", "properties": properties, "required": required, "additionalProperties": False}


@cache
def record_hints(kind: type) -> dict[str, Any]:
    """Resolved annotations of an attrs class."""
    return typing.get_type_hints(kind, include_extras=True)


def conform(value: Json, kind: Any, path: str = "") -> Any:
    """Turn a JSON value into a value of the type, or raise `Misfit`.

    Integers are accepted where a float is asked for, and whole floats (`3.0`) where an integer is, as JSON Schema has
    it.
    """
    if type(value) is kind and (kind in _AS_THEY_ARE or (kind is float and math.isfinite(value))):
        return value
    kind, extras = _split(kind)
    typed = _conform_bare(value, kind, path)
    for extra in extras:
        _bound(typed, extra, path)
    return typed


def _bound(value: Any, extra: object, path: str) -> None:
    if value is None:
        return
    if isinstance(extra, Range):
        low, high = extra.minimum, extra.maximum
        if (low is not None and value < low) or (high is not None and value > high):
            raise Misfit(path, f"got {value!r}, allowed {_interval(low, high)}")
    elif isinstance(extra, Length) and (len(value) < extra.minimum or len(value) > (extra.maximum or math.inf)):
        raise Misfit(path, f"got length {len(value)}, allowed {_interval(extra.minimum, extra.maximum)}")


def _interval(low: float | None, high: float | None) -> str:
    if low is None:
        return f"at most {high}"
    return f"at least {low}" if high is None else f"{low} to {high}"


def _conform_bare(value: Json, kind: Any, path: str) -> Any:
    if kind in _SIMPLE:
        return _conform_simple(value, kind, path)
    if kind is Any:
        return value
    origin, args = get_origin(kind), get_args(kind)
    if origin is Literal:
        return _conform_choice(value, args, path)
    if origin in (Union, types.UnionType):
        inner = next(a for a in args if a is not type(None))
        return None if value is None and type(None) in args else conform(value, inner, path)
    if origin in (list, tuple):
        return _conform_array(value, origin, args, path)
    if origin is not None and issubclass(origin, Mapping):
        if not isinstance(value, Mapping):
            raise Misfit(path, f"got {_show(value)}, expected an object")
        return {k: conform(v, args[1], _join(path, k)) for k, v in value.items()}
    if attrs.has(kind):
        return _conform_record(value, kind, path)
    raise TaskError(f"no way to read a JSON value as {kind!r}")


def _conform_simple(value: Json, kind: type, path: str) -> Any:
    ok = isinstance(value, kind) and (kind is bool or not isinstance(value, bool))
    if not ok and kind is float and isinstance(value, int) and not isinstance(value, bool):
        value, ok = float(value) if abs(value) < 2**1000 else math.inf, True
    elif not ok and kind is int and isinstance(value, float) and value.is_integer():
        value, ok = int(value), True
    if not ok:
        raise Misfit(path, f"got {_show(value)}, expected {_article(_SIMPLE[kind])}")
    if kind is float and not math.isfinite(value):
        raise Misfit(path, f"got {value}, expected a finite number")
    return value


def _conform_choice(value: Json, choices: tuple[Any, ...], path: str) -> Any:
    for choice in choices:
        if type(choice) is type(value) and choice == value:
            return value
    close = nearest(value, choices) if isinstance(value, str) and all(isinstance(c, str) for c in choices) else ""
    shown = ", ".join(map(repr, choices))
    raise Misfit(path, f"got {_show(value)}, allowed {shown}{close if 'mean' in close else ''}")


def _conform_array(value: Json, origin: type, args: tuple[Any, ...], path: str) -> Any:
    if not isinstance(value, list | tuple):
        raise Misfit(path, f"got {_show(value)}, expected an array")
    if origin is tuple and args[-1] is not Ellipsis:
        if len(value) != len(args):
            raise Misfit(path, f"got {len(value)} items, expected {len(args)}")
        return tuple(conform(v, a, f"{path}[{i}]") for i, (v, a) in enumerate(zip(value, args, strict=True)))
    return origin(conform(v, args[0], f"{path}[{i}]") for i, v in enumerate(value))


def _conform_record(value: Json, kind: type, path: str) -> Any:
    if isinstance(value, kind):
        return value
    if not isinstance(value, Mapping):
        raise Misfit(path, f"got {_show(value)}, expected an object")
    hints = record_hints(kind)
    arguments = conform_fields(value, {a.name: hints[a.name] for a in attrs.fields(kind)}, _required(kind), path)
    try:
        return kind(**{k.lstrip("_"): v for k, v in arguments.items()})
    except (ValueError, TypeError) as error:
        raise Misfit(path, str(error)) from error


def _required(kind: type) -> frozenset[str]:
    return frozenset(a.name for a in attrs.fields(kind) if a.default is attrs.NOTHING)


def conform_fields(
    value: Mapping[str, Json], hints: Mapping[str, Any], required: frozenset[str], path: str = ""
) -> dict[str, Any]:
    """Check a JSON object field by field; unknown names name the nearest known one."""
    for name in value:
        if name not in hints:
            raise Misfit(_join(path, str(name)), f"unknown name{nearest(str(name), hints)}")
    if not required <= value.keys():
        missing = sorted(required - value.keys())
        raise Misfit(_join(path, missing[0]), f"is missing, expected {_kind_name(hints[missing[0]])}")
    return {name: conform(v, hints[name], _join(path, name)) for name, v in value.items()}


def _kind_name(kind: Any) -> str:
    try:
        schema = describe(kind)
    except TaskError:
        return "a value"
    kinds = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
    return _article(kinds[0])


def _split(kind: Any) -> tuple[Any, tuple[Any, ...]]:
    if get_origin(kind) is Annotated:
        return get_args(kind)[0], get_args(kind)[1:]
    return kind, ()


def _join(path: str, name: str) -> str:
    return f"{path}.{name}" if path else name


def _article(noun: str) -> str:
    return f"{'an' if noun[0] in 'aeiou' else 'a'} {noun}"


def _show(value: Json) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "…"


def attribute_docs(doc: str) -> dict[str, str]:
    """Read the `Args:` or `Attributes:` section of a Google-style docstring: name → text on one line."""
    docs: dict[str, str] = {}
    name, indent = "", None
    for line in doc.expandtabs().splitlines():
        text, depth = line.strip(), len(line) - len(line.lstrip())
        if text in ("Args:", "Attributes:"):
            indent = depth
        elif indent is None or not text:
            continue
        elif depth <= indent:
            indent = None
        elif depth <= indent + 4 and ":" in text:
            head, _, rest = text.partition(":")
            name = head.split("(")[0].strip()
            docs[name] = rest.strip()
        elif name:
            docs[name] += " " + text
    return docs
