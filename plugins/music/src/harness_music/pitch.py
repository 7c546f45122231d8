"""Spelled pitches: F#4 is not Gb4.

Voice-leading rules are about written intervals, so a note keeps its letter. Two whole numbers say all that a rule
asks: the *staff position* (letters counted from C0, seven an octave) and the *semitone* number (MIDI, middle C is
60). Passages become integer arrays of shape (chords, 4 voices, 2), on which the rules work elementwise.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import cache

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

LETTERS = "CDEFGAB"
NATURAL = (0, 2, 4, 5, 7, 9, 11)
VOICES = ("soprano", "alto", "tenor", "bass")

_NOTE = re.compile(r"([A-G])(#{0,2}|b{0,2})([0-8])")

Ints = NDArray[np.int64]


class BadNote(ValueError):
    """A text that is not the name of a note."""


@frozen
class PitchClass:
    """A note name without its octave, such as F#."""

    letter: int
    alter: int = 0

    @property
    def name(self) -> str:
        """Such as `C`, `F#`, `Bb`."""
        return LETTERS[self.letter] + ("#" * self.alter if self.alter >= 0 else "b" * -self.alter)

    @property
    def semitone(self) -> int:
        """Semitones above C, 0–11."""
        return (NATURAL[self.letter] + self.alter) % 12

    def up(self, letters: int, semitones: int) -> PitchClass:
        """Return the name an interval above: `letters` staff positions and `semitones` half-steps."""
        letter = (self.letter + letters) % 7
        distance = (NATURAL[self.letter] + self.alter + semitones - NATURAL[letter]) % 12
        return PitchClass(letter, distance - 12 if distance > 6 else distance)


@frozen
class Pitch:
    """A note with its octave (scientific: C4 is middle C).

    Attributes:
        letter: 0–6 for C–B.
        alter: Semitones raised (positive) or lowered, −2 to 2.
        octave: Octave of the letter, so that Cb4 lies below C4.
    """

    letter: int
    alter: int
    octave: int

    @property
    def name(self) -> str:
        """Such as `F#4`."""
        return f"{self.pitch_class.name}{self.octave}"

    @property
    def pitch_class(self) -> PitchClass:
        """The name without octave."""
        return PitchClass(self.letter, self.alter)

    @property
    def position(self) -> int:
        """Staff position: letters above C0."""
        return self.octave * 7 + self.letter

    @property
    def semitone(self) -> int:
        """MIDI number."""
        return 12 * (self.octave + 1) + NATURAL[self.letter] + self.alter


@cache
def parse_pitch(text: str) -> Pitch:
    """Read a note such as `C4`, `F#3`, `Bb5`; the signs ♯ and ♭ are read too.

    Raises:
        BadNote: The text is no note name, with what was expected.
    """
    match = _NOTE.fullmatch(text.strip().replace("♯", "#").replace("♭", "b"))
    if match is None:
        raise BadNote(
            f"{text[:20]!r} is no note: write a letter A–G, # or b signs if any, and an octave 0–8, such as F#4"
        )
    letter, signs, octave = match.groups()
    return Pitch(LETTERS.index(letter), signs.count("#") - signs.count("b"), int(octave))


@cache
def parse_class(text: str) -> PitchClass:
    """Read a note name without octave, such as `Bb`."""
    return parse_pitch(text + "4").pitch_class


@cache
def pitches_between(name: PitchClass, low: Pitch, high: Pitch) -> tuple[Pitch, ...]:
    """Return the notes of one name from `low` to `high`, both included, upwards."""
    notes = (Pitch(name.letter, name.alter, octave) for octave in range(low.octave - 1, high.octave + 2))
    return tuple(note for note in notes if low.semitone <= note.semitone <= high.semitone)


Passage = tuple[tuple[Pitch, ...], ...]
"""Four voices, soprano first, one note a chord."""


def passage_array(passage: Passage) -> Ints:
    """Return a passage as an array of shape (chords, 4, 2): staff position and semitone."""
    return np.array(
        [[(note.position, note.semitone) for note in chord] for chord in zip(*passage, strict=True)], dtype=np.int64
    )


def passage_of(array: Iterable[Iterable[Sequence[int]]]) -> Passage:
    """Return the passage that `passage_array` would turn into the array."""
    chords = [[_pitch(int(note[0]), int(note[1])) for note in chord] for chord in array]
    return tuple(zip(*chords, strict=True))


def read_passage(voices: Iterable[Iterable[str]]) -> Passage:
    """Read four lists of note names."""
    return tuple(tuple(parse_pitch(note) for note in voice) for voice in voices)


def write_passage(passage: Passage) -> tuple[tuple[str, ...], ...]:
    """Return the note names of a passage, voice by voice."""
    return tuple(tuple(note.name for note in voice) for voice in passage)


@cache
def _pitch(position: int, semitone: int) -> Pitch:
    octave, letter = divmod(position, 7)
    return Pitch(letter, semitone - 12 * (octave + 1) - NATURAL[letter], octave)
