"""Lines: strict JSON whatever a record holds, and the same record back."""

from __future__ import annotations

import json
import math
import subprocess
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.trace import NonFinite, RecordError, TraceWriter, read
from harness.trace._lines import decode, encode

SURROGATES = ["\ud835", "a\udc00b", "\ud835\udc00", "\x1a", "\x1ad835", "\x1ai5", "\\ud835", "𝔸\ud800"]

TEXT = st.text(st.characters(codec=None, exclude_categories=()), max_size=8)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**70), 2**70) | st.floats(allow_nan=False, allow_infinity=False) | TEXT,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXT, inner, max_size=4),
    max_leaves=12,
)


@given(st.dictionaries(TEXT.filter(lambda key: key != "escape"), VALUES, max_size=5))
def test_any_record_comes_back_and_any_reader_can_parse_the_line(record: dict[str, Any]) -> None:
    line = encode(record)
    assert line.endswith(b"\n")
    assert b"\n" not in line[:-1]
    assert decode(line) == record
    orjson.loads(line)
    json.loads(line.decode("utf-8"))


@pytest.mark.parametrize("text", SURROGATES)
def test_lone_surrogates_anywhere(tmp_path: Path, text: str) -> None:
    path = tmp_path / "t.jsonl.zst"
    record = {"type": "episode", "messages": [{"content": text}], text: {"arguments": [text]}, "big": 2**80}
    other = {"type": "episode", "messages": "unharmed"}
    with TraceWriter(path, {"note": text}) as writer:
        writer.write(record)
        writer.write(other)
    header, *back = read(path)
    assert header["note"] == text
    assert back == [record, other]


def test_strict_readers_parse_a_file_with_surrogates(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl.zst"
    with TraceWriter(path, {}) as writer:
        for text in SURROGATES:
            writer.write({"type": "episode", "text": text})
    raw = subprocess.run(["zstd", "-dc", path], check=True, capture_output=True).stdout
    types = subprocess.run(["jq", "-r", ".type"], input=raw, check=True, capture_output=True).stdout
    assert types.decode().split() == ["header"] + ["episode"] * len(SURROGATES)
    marked = [json.loads(line).get("escape") for line in raw.decode("utf-8", errors="strict").splitlines()[1:]]
    assert marked == ["sub" if any("\ud800" <= c <= "\udfff" for c in text) else None for text in SURROGATES]


@pytest.mark.parametrize("number", [math.nan, math.inf, -math.inf, np.float64("nan")])
@pytest.mark.parametrize(
    ("wrap", "path"),
    [
        (lambda x: {"reward": x}, "reward"),
        (lambda x: {"a": [{"b": 1}, {"b": [0.0, x]}]}, "a[1].b[1]"),
        (lambda x: {"a": (1, x)}, "a[1]"),
        (lambda x: {"text": "null", "terms": {"profit": {"value": x}}}, "terms.profit.value"),
        (lambda x: {"s": "\ud835", "a": {"b": x}}, "a.b"),
    ],
)
def test_a_number_that_json_lacks_is_refused_by_the_name_of_its_field(wrap: Any, path: str, number: float) -> None:
    with pytest.raises(NonFinite, match=r"is not a finite number, and JSON has no such number") as caught:
        encode(wrap(number))
    assert caught.value.path == path


def test_a_refused_record_leaves_no_trace_in_the_file(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl.zst"
    with TraceWriter(path, {}) as writer:
        writer.write({"type": "episode", "n": 1})
        with pytest.raises(NonFinite):
            writer.write({"type": "episode", "n": math.nan})
        writer.write({"type": "episode", "n": 2})
    assert [record["n"] for record in read(path) if record["type"] == "episode"] == [1, 2]


@pytest.mark.parametrize(
    ("record", "message"),
    [
        ({"a": {"b": object()}}, r"a\.b: a builtins\.object has no JSON form"),
        ({"a": np.int64(3)}, r"a: a numpy\.int64 has no JSON form; convert it first"),
        ({"a": {3: 1}}, r"a: the key 3 is a int, JSON keys are strings"),
        ({"escape": "sub"}, r"escape: the key is reserved"),
    ],
)
def test_what_has_no_json_form_is_refused_by_name(record: dict[str, Any], message: str) -> None:
    with pytest.raises(RecordError, match=message):
        encode(record)


def test_a_record_nested_without_end_is_refused() -> None:
    loop: dict[str, Any] = {}
    loop["a"] = loop
    with pytest.raises(RecordError, match="nested deeper than 200 levels"):
        encode(loop)


def test_other_mappings_and_numpy_floats_are_written_plainly() -> None:
    assert decode(encode({"a": MappingProxyType({"b": (1, np.float64(0.5))})})) == {"a": {"b": [1, 0.5]}}
    assert b"escape" not in encode({"a": np.float64(0.5)})


@pytest.mark.parametrize("line", [b"[1]", b"3", b"{", b'{"escape":"other"}', b'{"a":NaN}', b'{"a":"\\ud835"}'])
def test_lines_that_are_no_records_are_refused(line: bytes) -> None:
    with pytest.raises(ValueError, match=r".+"):
        decode(line)
