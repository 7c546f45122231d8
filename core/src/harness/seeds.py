"""Every random draw of the system comes from here, derived by hashing words.

Neighbouring seeds and different splits share nothing, and a draw does not depend on the order in which instances are
made, on the process or on Python's hash seed. numpy is imported on first use, since most verbs need none.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Final

import orjson

from harness.records import Json

if TYPE_CHECKING:
    import numpy as np

SPLITS: Final[dict[str, float]] = {"train": 0.5, "validation": 0.25, "test": 0.25}
"""Share of the key space that each split owns."""

DEFAULT_SEED: Final = 0


def digest(*words: Json, size: int = 16) -> bytes:
    """Hash JSON words to `size` bytes; equal words give equal bytes everywhere."""
    return hashlib.blake2b(canonical(words), digest_size=size).digest()


def hexdigest(*words: Json, size: int = 8) -> str:
    """Hash JSON words to `2 * size` hexadecimal digits."""
    return digest(*words, size=size).hex()


def canonical(value: Json) -> bytes:
    """Write a JSON value with sorted keys, without spaces."""
    return orjson.dumps(value, option=orjson.OPT_SORT_KEYS)


def generator(*words: Json) -> np.random.Generator:
    """Return a numpy generator (PCG64) seeded by the hash of the words."""
    import numpy as np

    words32 = np.frombuffer(digest(*words), dtype="<u4")
    if not words32[-1]:  # numpy reads an integer without its leading zeros
        words32 = np.trim_zeros(words32, "b") if words32.any() else words32[:1]
    return np.random.Generator(np.random.PCG64(np.random.SeedSequence(words32)))  # half the cost of one large integer


def integer(*words: Json, bits: int = 31) -> int:
    """Return a non-negative integer below 2**bits derived from the words (sampling seeds of endpoints)."""
    return int.from_bytes(digest(*words, size=8), "little") >> (64 - bits)


def fraction(*words: Json) -> float:
    """Return a number in [0, 1) derived from the words."""
    return int.from_bytes(digest(*words, size=8), "little") / 2**64


def owner(key: str) -> str:
    """Return the split that owns an instance key."""
    point = fraction("split", key)
    for split, share in SPLITS.items():
        if point < share:
            return split
        point -= share
    return "train"


def quantise(value: Json, digits: int = 6) -> Json:
    """Round all floats of a JSON value to a number of significant digits."""
    if isinstance(value, float):
        return float(f"{value:.{digits}g}")
    if isinstance(value, dict):
        return {k: quantise(v, digits) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [quantise(v, digits) for v in value]
    return value
