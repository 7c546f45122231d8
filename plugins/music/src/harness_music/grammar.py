"""Chord progressions: which chord may follow which, by level, and random walks that end in a cadence.

The tables are the usual functional ones (tonic, pre-dominant, dominant), written for symbols with their inversions so
that basses lead well. A walk is drawn backwards-feasible: only chords from which the cadence can still be reached in
the chords that are left.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

import numpy as np

_MAJOR_EASY = {
    "I": "IV V vi ii6 I6 IV6 V6 viio6 V7",
    "I6": "IV V ii6 I viio6",
    "ii": "V V7",
    "ii6": "V V7 V6",
    "IV": "V V7 I ii6 ii viio6",
    "IV6": "V I6 V6",
    "V": "I vi V6",
    "V6": "I",
    "V7": "I vi",
    "viio6": "I I6",
    "vi": "IV ii ii6 V I6",
}
_MAJOR_MEDIUM = {
    "I": "ii65 V65 V43 iii V42",
    "I6": "V43 ii65 ii",
    "ii": "V65 V43 I64",
    "ii6": "I64 V42",
    "ii65": "V V7 I64",
    "iii": "vi IV",
    "IV": "I64 V42 V65",
    "I64": "V V7",
    "V": "V42 IV6",
    "V65": "I",
    "V43": "I I6",
    "V42": "I6",
    "vi": "ii65 V65 iii",
}
_MAJOR_HARD = {
    "I": "V7/V V65/V V42/IV V65/IV V7/vi V65/ii",
    "I6": "V65/V V65/IV V7/vi",
    "vi": "V7/V V65/V V43/V",
    "IV": "V65/V viiø7/V",
    "ii": "V65/V",
    "V": "V65/vi",
    "V7/V": "V",
    "V65/V": "V I64",
    "V43/V": "V",
    "viiø7/V": "V I64",
    "V42/IV": "IV6",
    "V65/IV": "IV",
    "V7/vi": "vi IV6",
    "V65/vi": "vi",
    "V65/ii": "ii",
}
_MINOR_EASY = {
    "i": "iv V VI iio6 i6 iv6 V6 viio6 V7",
    "i6": "iv V iio6 i viio6",
    "iio6": "V V7",
    "iv": "V V7 i iio6",
    "iv6": "V i6",
    "V": "i VI V6",
    "V6": "i",
    "V7": "i VI",
    "viio6": "i i6",
    "VI": "iv iio6 V",
}
_MINOR_MEDIUM = {
    "i": "iiø65 V65 V43 V42 III",
    "i6": "V43 iiø65",
    "iio6": "i64 V42",
    "iiø65": "V V7 i64",
    "III": "VI iv",
    "iv": "i64 V42 V65",
    "i64": "V V7",
    "V": "V42 iv6",
    "V65": "i",
    "V43": "i i6",
    "V42": "i6",
    "VI": "iiø65",
}
_MINOR_HARD = {
    "i": "viio7 viio65 V7/iv V65/iv V65/V iiø43",
    "iiø43": "V V7 i64",
    "viio7": "i",
    "viio65": "i6",
    "V7/iv": "iv",
    "V65/iv": "iv",
    "V65/V": "V i64",
    "VI": "V65/V",
    "iv": "viio7",
}
_CADENCES = {
    "major": (("V7", "I"), ("V", "I"), ("V7", "vi"), ("IV", "V"), ("ii6", "V")),
    "minor": (("V7", "i"), ("V", "i"), ("V7", "VI"), ("iv6", "V"), ("iv", "V")),
}
_TABLES = {"major": (_MAJOR_EASY, _MAJOR_MEDIUM, _MAJOR_HARD), "minor": (_MINOR_EASY, _MINOR_MEDIUM, _MINOR_HARD)}
LEVELS = ("easy", "medium", "hard")
NEWER = 4
"""How much likelier a chord is that only this level adds."""


@cache
def successors(mode: str, level: str) -> Mapping[str, tuple[str, ...]]:
    """Return the chords that may follow each chord; harder levels add to the easier ones."""
    merged: dict[str, list[str]] = {}
    for table in _TABLES[mode][: LEVELS.index(level) + 1]:
        for chord, following in table.items():
            merged.setdefault(chord, []).extend(following.split())
    return {chord: tuple(following) for chord, following in merged.items()}


@cache
def _reachable(mode: str, level: str, goal: str, steps: int) -> frozenset[str]:
    """Chords from which `goal` can be reached in exactly so many steps."""
    if steps == 0:
        return frozenset({goal})
    nearer = _reachable(mode, level, goal, steps - 1)
    return frozenset(chord for chord, following in successors(mode, level).items() if nearer.intersection(following))


def progression(rng: np.random.Generator, mode: str, level: str, length: int) -> tuple[str, ...]:
    """Draw a progression that opens on the tonic and ends in a cadence.

    Args:
        rng: Source of randomness.
        mode: `major` or `minor`.
        level: Which chords are in use.
        length: Number of chords, 4 at least.
    """
    ends = [pair for pair in _CADENCES[mode] if _opening(mode) in _reachable(mode, level, pair[0], length - 2)]
    goal, last = ends[int(rng.integers(len(ends)))]
    walk = [_opening(mode)]
    for left in range(length - 3, -1, -1):
        open_ways = [c for c in successors(mode, level)[walk[-1]] if c in _reachable(mode, level, goal, left)]
        fresh = [c for c in open_ways if c not in walk] or open_ways
        likely = [c for c in fresh for _ in range(1 if c in _easier(mode, level, walk[-1]) else NEWER)]
        walk.append(likely[int(rng.integers(len(likely)))])
    return (*walk, last)


def _easier(mode: str, level: str, chord: str) -> tuple[str, ...]:
    """What may follow a chord at the level below."""
    at = LEVELS.index(level)
    return successors(mode, LEVELS[at - 1]).get(chord, ()) if at else ()


def _opening(mode: str) -> str:
    return "I" if mode == "major" else "i"
