"""One record, one line: strict JSON in UTF-8 whatever the record holds.

orjson does the work. Two things it cannot: it writes NaN and infinity as `null` (so they are looked for, and refused
with the path of the field), and it refuses lone surrogates and integers beyond 64 bits (so those are escaped). In a
line with the top-level key `escape`, U+001A and four hex digits stand for that UTF-16 code unit, and a string of
U+001A, `i` and digits for an integer. Lines without the key are taken as they are.
"""

from __future__ import annotations

import marshal
import math
import re
from collections.abc import Mapping
from typing import Any, Final

import orjson

from harness.trace.errors import NonFinite, RecordError

ESCAPE: Final = "sub"
"""Value of the `escape` key: which escape the line uses."""

_OPTIONS: Final = orjson.OPT_APPEND_NEWLINE | orjson.OPT_PASSTHROUGH_DATACLASS | orjson.OPT_PASSTHROUGH_DATETIME
_DEEPEST: Final = 200
_SPECIAL = re.compile("[\x1a\ud800-\udfff]")
_ESCAPED = re.compile("\x1a([0-9a-f]{4})")
_SMALLEST, _LARGEST = -(2**63), 2**64 - 1


def encode(record: dict[str, Any]) -> bytes:
    r"""Return the record as one line, with its `\n`.

    Raises:
        NonFinite: A number is NaN or infinite; the message names the field.
        RecordError: A value has no JSON form, a key is no string, or the record is nested too deeply.
    """
    if "escape" in record:
        raise RecordError("escape", "the key is reserved for the file format")
    try:
        line = orjson.dumps(record, option=_OPTIONS)
    except TypeError:
        return _encode_escaped(record)
    if b"null" in line and not _surely_finite(record):  # null is also what orjson makes of a non-finite number
        require_finite(record)
    return line


def decode(line: bytes) -> dict[str, Any]:
    """Return the record of a line.

    Raises:
        ValueError: The line is no JSON object, or uses an escape that this reader does not know.
    """
    record = orjson.loads(line)
    if type(record) is not dict:
        raise ValueError(f"expected a JSON object, found {type(record).__name__}")
    if "escape" in record:
        kind = record.pop("escape")
        if kind != ESCAPE:
            raise ValueError(f"unknown escape {kind!r}, expected {ESCAPE!r}")
        return {_unescape_text(key): _unescape(value) for key, value in record.items()}
    return record


def require_finite(value: Any, path: str = "") -> None:
    """Refuse a NaN or an infinity anywhere in a JSON value.

    Raises:
        NonFinite: With the path of the first such number.
    """
    if not (_surely_finite(value) or _finite(value)):
        where, number = _find_non_finite(value, path)
        raise NonFinite(where, f"{number!r} is not a finite number, and JSON has no such number")


def _surely_finite(value: Any) -> bool:
    """Tell, at a quarter of the cost of a walk, that a value holds no non-finite number; False means: perhaps.

    marshal writes a float as its eight bytes, and those of NaN and infinity end in 0xF. 0x7F or 0xF. 0xFF.
    """
    try:
        image = marshal.dumps(value)
    except ValueError:  # a subclass of a plain type
        return False
    for last in (b"\x7f", b"\xff"):
        at = image.find(last, 1)
        while at > 0:
            if image[at - 1] >= 0xF0:
                return False
            at = image.find(last, at + 1)
    return True


def _finite(value: Any) -> bool:
    # Hot: children are looked at here and not in the call, because most are strings.
    kind = type(value)
    if kind is dict or isinstance(value, dict):
        children = value.values()
    elif kind is list or isinstance(value, list | tuple):
        children = value
    else:
        return not isinstance(value, float) or math.isfinite(value)
    for child in children:
        kind = type(child)
        if kind is str or kind is int:
            continue
        if kind is float:
            if not math.isfinite(child):
                return False
        elif not _finite(child):
            return False
    return True


def _find_non_finite(value: Any, path: str) -> tuple[str, float]:
    """Walk to the first non-finite number, which is known to exist."""
    while True:
        if isinstance(value, float):
            return path, value
        pairs = value.items() if isinstance(value, dict) else enumerate(value)
        for key, child in pairs:
            if not _finite(child):
                path, value = _join(path, key), child
                break


def _join(path: str, key: object) -> str:
    return f"{path}[{key}]" if isinstance(key, int) else f"{path}.{key}" if path else str(key)


def _encode_escaped(record: dict[str, Any]) -> bytes:
    """Encode what orjson refused: escaped where an escape exists, else refused by the name of the field."""
    escaped = _escape(record, "", 0)
    line = orjson.dumps(escaped, option=_OPTIONS)
    if b"\\u001a" not in line:  # what orjson disliked was a type, such as another Mapping or numpy's float
        return line
    return orjson.dumps({"escape": ESCAPE, **escaped}, option=_OPTIONS)


def _escape(value: Any, path: str, depth: int) -> Any:
    if depth > _DEEPEST:
        raise RecordError(path, f"nested deeper than {_DEEPEST} levels")
    if isinstance(value, str):
        return _escape_text(value)
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, int):
        return int(value) if _SMALLEST <= value <= _LARGEST else f"\x1ai{value}"
    if isinstance(value, float):
        require_finite(value, path)
        return float(value)
    if isinstance(value, Mapping):
        return {_escape_key(key, path): _escape(child, _join(path, key), depth + 1) for key, child in value.items()}
    if isinstance(value, list | tuple):
        return [_escape(child, _join(path, index), depth + 1) for index, child in enumerate(value)]
    raise RecordError(path, f"a {type(value).__module__}.{type(value).__qualname__} has no JSON form; convert it first")


def _escape_key(key: Any, path: str) -> str:
    if not isinstance(key, str):
        raise RecordError(path, f"the key {key!r} is a {type(key).__name__}, JSON keys are strings")
    return _escape_text(key)


def _escape_text(text: str) -> str:
    return _SPECIAL.sub(lambda found: f"\x1a{ord(found[0]):04x}", text)


def _unescape(value: Any) -> Any:
    if isinstance(value, str):
        return int(value[2:]) if value.startswith("\x1ai") else _unescape_text(value)
    if isinstance(value, list):
        return [_unescape(child) for child in value]
    if isinstance(value, dict):
        return {_unescape_text(key): _unescape(child) for key, child in value.items()}
    return value


def _unescape_text(text: str) -> str:
    return _ESCAPED.sub(lambda found: chr(int(found[1], 16)), text)
