"""Chords from Roman numerals: tones spelled in the key, the bass, and the notes that must move.

A symbol is a degree with figures (`V65`, `viio6`, `I64`), and `/V` names the degree that a borrowed dominant belongs
to. In minor the dominant and the leading-tone chord take the raised seventh degree.
"""

from __future__ import annotations

import re
from functools import cache

from attrs import frozen

from harness_music.pitch import PitchClass, parse_class

MAJOR = (0, 2, 4, 5, 7, 9, 11)
MINOR = (0, 2, 3, 5, 7, 8, 10)
_NUMERALS = ("I", "II", "III", "IV", "V", "VI", "VII")
_SYMBOL = re.compile(r"([iIvV]+)([oø]?)(7|65|64|6|43|42)?(?:/([iIvV]+))?")
_INVERSION = {"": 0, "7": 0, "6": 1, "65": 1, "64": 2, "43": 2, "42": 3}


@frozen
class Key:
    """A key: tonic and mode."""

    tonic: PitchClass
    mode: str

    @property
    def name(self) -> str:
        """Such as `F# minor`."""
        return f"{self.tonic.name} {self.mode}"

    def degree(self, number: int, raised: bool = False) -> PitchClass:
        """Return a scale degree, 0 for the tonic; `raised` lifts the seventh degree of minor to the leading tone."""
        scale = MAJOR if self.mode == "major" else MINOR
        lift = 1 if raised and self.mode == "minor" and number % 7 == 6 else 0
        return self.tonic.up(number % 7, scale[number % 7] + lift)


@frozen
class Chord:
    """One told chord.

    Attributes:
        tones: Root, third, fifth and, in a seventh chord, the seventh.
        inversion: Which tone is in the bass, 0 for the root.
        leading: The leading tone of a dominant chord, which wants to rise, or None.
        goal: The tonic that it rises to, or None.
    """

    symbol: str
    tones: tuple[PitchClass, ...]
    inversion: int
    leading: PitchClass | None = None
    goal: PitchClass | None = None

    @property
    def root(self) -> PitchClass:
        """The root."""
        return self.tones[0]

    @property
    def bass(self) -> PitchClass:
        """The tone that the bass must sing."""
        return self.tones[self.inversion]

    @property
    def seventh(self) -> PitchClass | None:
        """The chordal seventh, if there is one."""
        return self.tones[3] if len(self.tones) == 4 else None

    @property
    def six_four(self) -> bool:
        """Whether this is a triad in second inversion."""
        return len(self.tones) == 3 and self.inversion == 2

    @property
    def needed(self) -> tuple[PitchClass, ...]:
        """The tones that may not be left out: all, but in root position not the fifth."""
        return self.tones if self.inversion else self.tones[:2] + self.tones[3:]


@cache
def key_of(tonic: str, mode: str) -> Key:
    """Return the key of a tonic's name and `major` or `minor`."""
    return Key(parse_class(tonic), mode)


@cache
def chord_of(symbol: str, key: Key) -> Chord:
    """Return the chord that a symbol names in a key.

    Raises:
        ValueError: The symbol is not of the form degree, figures, `/` degree.
    """
    match = _SYMBOL.fullmatch(symbol)
    if match is None:
        raise ValueError(
            f"{symbol!r} is no chord symbol: expected a degree, figures and a borrowed degree, such as V65/V"
        )
    numeral, _, figures, target = match.groups()
    home = key if target is None else Key(key.degree(_NUMERALS.index(target.upper())), "major")
    degree = _NUMERALS.index(numeral.upper())
    dominant = degree in (4, 6)
    size = 4 if figures in ("7", "65", "43", "42") else 3
    tones = tuple(home.degree(degree + 2 * i, raised=dominant) for i in range(size))
    leading, goal = (home.degree(6, raised=True), home.tonic) if dominant else (None, None)
    return Chord(symbol, tones, _INVERSION[figures or ""], leading, goal)
