r"""JSON between processes and into files: orjson, with a lossless fallback for what it cannot write.

Models and tools can produce lone surrogates, which UTF-8 cannot carry, and integers beyond 64 bits. Such values are
written by the standard library (surrogates as `\ud835` escapes) and read back by it; everything else takes the fast
path.
"""

from __future__ import annotations

import json
from typing import Any, cast

import orjson

from harness.records import Json


def dumps(value: Json) -> bytes:
    """Write a JSON value; lone surrogates become escapes. Mappings of other kinds than dict are written as objects.

    Raises:
        TypeError: A value has no JSON form.
    """
    try:
        return bytes(memoryview(orjson.dumps(value, default=_plain)))  # a copy: orjson's own keep 4 kB, however short
    except TypeError:
        pass
    try:
        return orjson.dumps(value, default=_plain, option=orjson.OPT_NON_STR_KEYS)  # slower, so only when it is needed
    except TypeError:
        return json.dumps(value, default=_plain, allow_nan=False, separators=(",", ":")).encode("ascii")


def loads(data: bytes | str) -> Json:
    """Read a JSON value, lone surrogate escapes included."""
    try:
        return orjson.loads(data)
    except orjson.JSONDecodeError:
        return cast(Json, json.loads(data, parse_constant=_refuse))


def _plain(value: Any) -> Json:
    import collections.abc

    if isinstance(value, collections.abc.Mapping):
        return dict(value)
    if isinstance(value, tuple | set | frozenset):
        return list(value)
    if hasattr(value, "item") and getattr(value, "shape", None) == ():
        return value.item()
    raise TypeError(f"not JSON serialisable: {type(value).__name__}")


def _refuse(constant: str) -> Json:
    raise ValueError(f"{constant} is not JSON")
