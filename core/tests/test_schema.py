from __future__ import annotations

from typing import Annotated, Any, Literal

import attrs
import orjson
import pytest

from harness import Doc, Length, Range, TaskError, Unit
from harness.schema import Misfit, attribute_docs, conform, describe


@attrs.frozen
class Point:
    """A place.

    Attributes:
        x: Across, over
            two lines.
        y: Up.
    """

    x: float
    y: Annotated[float, Range(0, 1)] = 0.0


@pytest.mark.parametrize(
    ("kind", "schema"),
    [
        (int, {"type": "integer"}),
        (bool, {"type": "boolean"}),
        (
            Annotated[float, Range(0, 1), Unit("µm")],
            {"type": "number", "minimum": 0, "maximum": 1, "description": "[µm]"},
        ),
        (Literal["a", "b"], {"type": "string", "enum": ["a", "b"]}),
        (int | None, {"type": ["integer", "null"]}),
        (Literal["a"] | None, {"type": ["string", "null"], "enum": ["a", None]}),
        (list[int], {"type": "array", "items": {"type": "integer"}}),
        (tuple[float, float], {"type": "array", "items": {"type": "number"}, "minItems": 2, "maxItems": 2}),
        (dict[str, int], {"type": "object", "additionalProperties": {"type": "integer"}}),
        (
            Annotated[list[str], Length(1, 3)],
            {"type": "array", "items": {"type": "string"}, "minItems": 1, "maxItems": 3},
        ),
        (Annotated[str, Doc("words")], {"type": "string", "description": "words"}),
    ],
)
def test_describes_types(kind: Any, schema: dict[str, Any]) -> None:
    assert describe(kind) == schema


def test_describes_records_with_their_docs() -> None:
    schema = describe(Point)
    assert schema["properties"]["x"] == {"type": "number", "description": "Across, over two lines."}
    assert schema["required"] == ["x"]
    assert schema["additionalProperties"] is False


@pytest.mark.parametrize("kind", [object, int | str, tuple[int, str], set[int]])
def test_a_type_without_schema_is_the_authors_error(kind: Any) -> None:
    with pytest.raises(TaskError, match="no JSON Schema"):
        describe(kind)


@pytest.mark.parametrize(
    ("value", "kind", "typed"),
    [
        (3, float, 3.0),
        (3.0, int, 3),
        (None, int | None, None),
        ([1, 2], tuple[int, int], (1, 2)),
        ({"x": 1}, Point, Point(1.0)),
        ("a", Literal["a", "b"], "a"),
        ({"k": 1}, dict[str, int], {"k": 1}),
    ],
)
def test_conforms(value: Any, kind: Any, typed: Any) -> None:
    found = conform(value, kind)
    assert found == typed
    assert type(found) is type(typed)


@pytest.mark.parametrize(
    ("value", "kind", "words"),
    [
        ("3", int, "got '3', expected an integer"),
        (True, int, "expected an integer"),
        (True, float, "expected a number"),
        (1, bool, "expected a boolean"),
        (3.5, int, "expected an integer"),
        (float("nan"), float, "finite"),
        (float("inf"), float, "finite"),
        (10**400, float, "finite"),
        (None, int, "got None"),
        ("ab", Literal["abc", "xyz"], "did you mean 'abc'"),
        (1, Literal[True], "allowed True"),
        (2, Annotated[float, Range(0, 1)], "got 2.0, allowed 0 to 1"),
        (-1, Annotated[int, Range(0)], "allowed at least 0"),
        ([], Annotated[list[int], Length(1)], "got length 0"),
        ([1], tuple[int, int], "got 1 items, expected 2"),
        ({"x": 1, "z": 2}, Point, "z: unknown name"),
        ({}, Point, "x: is missing"),
        ({"x": 1, "y": 7}, Point, r"y: got 7.0, allowed 0 to 1"),
        ([{"x": "a"}], list[Point], r"\[0\].x: got 'a'"),
        (3, dict[str, int], "expected an object"),
    ],
)
def test_refuses_and_says_where(value: Any, kind: Any, words: str) -> None:
    with pytest.raises(Misfit, match=words):
        conform(value, kind)


def test_schemas_survive_json_text() -> None:
    """Parquet aligns columns and would invent nulls; schemas are stored as JSON text and come back byte-equal."""
    for kind in (Point, int | None, Literal["a"]):
        text = orjson.dumps(describe(kind))
        assert orjson.dumps(orjson.loads(text)) == text


def test_reads_argument_docs() -> None:
    doc = "Do it.\n\nArgs:\n    a: First,\n        longer.\n    b (int): Second.\n\nReturns:\n    c: no.\n"
    assert attribute_docs(doc) == {"a": "First, longer.", "b": "Second."}
