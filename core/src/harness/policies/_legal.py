"""Arguments drawn at random from a tool's JSON Schema: legal in form, meaningless in content."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Final

from harness.records import Json

if TYPE_CHECKING:
    import numpy as np

_WORDS: Final = ("north", "red", "key", "alpha", "seven", "water", "open", "note")
_WIDE: Final = 100.0


def draw_arguments(parameters: Mapping[str, Json], rng: np.random.Generator) -> dict[str, Json]:
    """Draw a value for every required property, and for each optional one half of the time."""
    required = parameters.get("required", ())
    return {
        name: draw_value(schema, rng)
        for name, schema in parameters.get("properties", {}).items()
        if name in required or rng.random() < 0.5
    }


def draw_value(schema: Mapping[str, Json], rng: np.random.Generator) -> Json:
    """Draw a value that fits a schema: enumerations, bounds on numbers and lengths, nested objects, unions."""
    for key in ("anyOf", "oneOf"):
        if key in schema:
            return draw_value(schema[key][int(rng.integers(len(schema[key])))], rng)
    if "const" in schema:
        return schema["const"]
    if "enum" in schema:
        return schema["enum"][int(rng.integers(len(schema["enum"])))]
    kind = kind_of(schema)
    if kind == "object":
        return draw_arguments(schema, rng)
    if kind == "array":
        return [draw_value(schema.get("items", {}), rng) for _ in range(_length(schema, "Items", rng))]
    if kind == "boolean":
        return bool(rng.integers(2))
    if kind in ("integer", "number"):
        return _number(schema, kind, rng)
    return None if kind == "null" else _text(schema, rng)


def kind_of(schema: Mapping[str, Json]) -> str:
    """Return the schema's type, the first that is not null when there are several; `string` when it says nothing."""
    kind = schema.get("type", "string")
    if isinstance(kind, Sequence) and not isinstance(kind, str):
        return next((str(name) for name in kind if name != "null"), "null")
    return str(kind)


def _number(schema: Mapping[str, Json], kind: str, rng: np.random.Generator) -> Json:
    low = schema.get("minimum", schema.get("exclusiveMinimum"))
    high = schema.get("maximum", schema.get("exclusiveMaximum"))
    if low is None:
        low = min(0.0, high - _WIDE) if high is not None else 0.0
    high = low + _WIDE if high is None else high
    if kind == "integer":
        return int(rng.integers(int(low), int(high) + 1))
    return float(rng.uniform(low, high))


def _length(schema: Mapping[str, Json], noun: str, rng: np.random.Generator) -> int:
    low = int(schema.get(f"min{noun}", 1))
    return int(rng.integers(low, max(low, int(schema.get(f"max{noun}", low + 2))) + 1))


def _text(schema: Mapping[str, Json], rng: np.random.Generator) -> str:
    word = _WORDS[int(rng.integers(len(_WORDS)))]
    low, high = int(schema.get("minLength", 0)), int(schema.get("maxLength", 1000))
    return (word * (low // len(word) + 1))[: max(low, min(high, max(low, len(word))))]
