"""The rules of four-part writing, and the checker that lists every fault of a passage.

A rule is one short predicate on integer arrays, elementwise, so that the same line of code judges a finished passage
here and thousands of pairs of voicings in `solver`. Notes come as arrays whose last axis is (staff position,
semitone). The wording of each rule for people and models is in `wordings`; names and weights are in `WEIGHTS`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import reduce

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from harness_music.chords import Chord
from harness_music.pitch import VOICES, Ints, Passage, Pitch, PitchClass, passage_array

Bools = NDArray[np.bool_]

WEIGHTS = {
    "given-changed": 3,
    "chord-tone": 3,
    "bass-tone": 3,
    "range": 2,
    "crossing": 2,
    "spacing": 1,
    "incomplete": 2,
    "doubling": 2,
    "leap": 1,
    "leading-tone": 2,
    "seventh": 2,
    "parallel-fifths": 3,
    "parallel-octaves": 3,
    "direct-fifths": 1,
    "direct-octaves": 1,
    "overlap": 1,
}
"""Rule → weight in the fault count."""

MOTION_RULES = tuple(WEIGHTS)[8:]
"""The rules between two chords."""

FIFTH, OCTAVE = (4, 7), (0, 0)
PAIRS = ((0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3))
NEIGHBOURS = ((0, 1), (1, 2), (2, 3))
WIDEST_LEAP = (7, 4, 4, 7)
"""Widest leap a voice may make, in staff positions: an octave outside, a fifth inside."""

_LARGEST = np.array([0, 2, 4, 5, 7, 9, 11])


def perfect(upper: Ints, lower: Ints, kind: tuple[int, int]) -> Bools:
    """Whether two notes form a perfect interval of the kind, octaves added or not."""
    gap = np.abs(upper - lower)
    return _all(gap[..., 0] % 7 == kind[0], gap[..., 1] % 12 == kind[1])


def moves(before: Ints, after: Ints) -> Bools:
    """Whether a voice sings another note."""
    return np.asarray((before != after).any(axis=-1))


def parallel(upper: Ints, upper2: Ints, lower: Ints, lower2: Ints, kind: tuple[int, int]) -> Bools:
    """Both intervals perfect and of one kind, both voices moving, in either direction."""
    both = perfect(upper, lower, kind) & perfect(upper2, lower2, kind)
    return _all(both, moves(upper, upper2), moves(lower, lower2))


def direct(upper: Ints, upper2: Ints, lower: Ints, lower2: Ints, kind: tuple[int, int]) -> Bools:
    """Into a perfect interval from another one, both voices in one direction, the upper by leap."""
    rise, rise2 = upper2 - upper, lower2 - lower
    arrives = perfect(upper2, lower2, kind) & np.logical_not(perfect(upper, lower, kind))
    return _all(arrives, rise[..., 1] * rise2[..., 1] > 0, np.abs(rise[..., 0]) > 1)


def overlap(upper: Ints, upper2: Ints, lower: Ints, lower2: Ints) -> Bools:
    """One voice passes beyond the note its neighbour has just left."""
    return np.asarray((lower2[..., 1] > upper[..., 1]) | (upper2[..., 1] < lower[..., 1]))


def crossing(upper: Ints, lower: Ints) -> Bools:
    """The lower voice sounds above the upper one."""
    return np.asarray(lower[..., 1] > upper[..., 1])


def too_far(upper: Ints, lower: Ints) -> Bools:
    """More than an octave between two upper voices."""
    return np.asarray(upper[..., 1] - lower[..., 1] > 12)


def bad_leap(before: Ints, after: Ints, widest: int) -> Bools:
    """An augmented interval (a chromatic half-step on one letter is none), a seventh, or more than `widest`."""
    move = np.abs(after - before)
    letters, semitones = move[..., 0], move[..., 1]
    augmented = (letters > 0) & (semitones > _LARGEST[letters % 7] + 12 * (letters // 7))
    return np.asarray(augmented | (letters == 6) | (letters > widest))


def is_class(notes: Ints, name: PitchClass | None) -> Bools:
    """Whether notes have a name, spelling included."""
    if name is None:
        return np.zeros(notes.shape[:-1], dtype=bool)
    return _all(notes[..., 0] % 7 == name.letter, notes[..., 1] % 12 == name.semitone)


def leading_unresolved(before: Ints, after: Ints, chord: Chord, following: Chord) -> Bools:
    """The leading tone does not rise to the tonic although the next chord has it."""
    if chord.goal is None or chord.goal not in following.tones:
        return np.zeros(np.broadcast_shapes(before.shape, after.shape)[:-1], dtype=bool)
    rise = after - before
    rises = _all(rise[..., 0] == 1, rise[..., 1] == 1)
    return _all(is_class(before, chord.leading), np.logical_not(rises))


def seventh_unresolved(before: Ints, after: Ints, chord: Chord, following: Chord) -> Bools:
    """The chordal seventh neither falls a step nor stays although the harmony changes."""
    if chord.seventh is None or chord.root == following.root:
        return np.zeros(np.broadcast_shapes(before.shape, after.shape)[:-1], dtype=bool)
    fall = before - after
    falls = _all(fall[..., 0] == 1, fall[..., 1] >= 1, fall[..., 1] <= 2)
    return _all(is_class(before, chord.seventh), moves(before, after), np.logical_not(falls))


@frozen
class Plan:
    """What a passage is judged against.

    Attributes:
        chords: The told chords.
        metre: Chords a bar.
        ranges: Lowest and highest note of each voice, soprano first.
        given: The notes that may not change, voice by voice; None where the writer is free.
    """

    chords: tuple[Chord, ...]
    metre: int
    ranges: tuple[tuple[Pitch, Pitch], ...]
    given: tuple[tuple[Pitch | None, ...], ...]

    def place(self, chord: int) -> tuple[int, int]:
        """Return bar and beat, from 1, of a chord index."""
        return chord // self.metre + 1, chord % self.metre + 1

    @property
    def open(self) -> tuple[int, ...]:
        """Indices of the chords with notes to write."""
        return tuple(i for i in range(len(self.chords)) if any(voice[i] is None for voice in self.given))


@frozen
class Fault:
    """One broken rule.

    Attributes:
        chord: Index of the chord where the fault is heard; a fault of motion names the chord arrived at.
        voices: The voices that break it, from the top.
        notes: What they sing, a fault of motion with the notes before it.
        detail: Name of a phrase in the wordings that says by how much, or nothing.
        values: What is filled into the phrase.
    """

    rule: str
    chord: int
    voices: tuple[str, ...]
    notes: str
    detail: str = ""
    values: tuple[str, ...] = ()

    @property
    def of_motion(self) -> bool:
        """Whether the fault lies between a chord and the one before it."""
        return self.rule in MOTION_RULES

    @property
    def weight(self) -> int:
        """Its part of the weighted fault count."""
        return WEIGHTS[self.rule]


def find_faults(passage: Passage, plan: Plan) -> tuple[Fault, ...]:
    """List all faults of a passage, in the order of its chords.

    Raises:
        ValueError: The passage has not four voices of one note a chord.
    """
    if len(passage) != len(VOICES) or any(len(voice) != len(plan.chords) for voice in passage):
        raise ValueError(f"expected 4 voices of {len(plan.chords)} notes")
    notes = passage_array(passage)
    found = [*_note_faults(passage, plan), *_chord_faults(passage, notes, plan), *_motion_faults(passage, notes, plan)]
    return tuple(sorted(found, key=lambda fault: fault.chord))


def weigh(faults: Sequence[Fault]) -> int:
    """Return the weighted fault count."""
    return sum(fault.weight for fault in faults)


def _note_faults(passage: Passage, plan: Plan) -> Iterator[Fault]:
    for v, voice in enumerate(passage):
        low, high = plan.ranges[v]
        for i, note in enumerate(voice):
            given, tones, singer = plan.given[v][i], plan.chords[i].tones, (VOICES[v],)
            if given is not None and note != given:
                yield Fault("given-changed", i, singer, note.name, "given", (given.name,))
            if note.pitch_class not in tones:
                yield Fault("chord-tone", i, singer, note.name, "tones", (_names(tones),))
            if note.semitone < low.semitone:
                yield Fault("range", i, singer, note.name, "below", (str(low.semitone - note.semitone), low.name))
            if note.semitone > high.semitone:
                yield Fault("range", i, singer, note.name, "above", (str(note.semitone - high.semitone), high.name))


def _chord_faults(passage: Passage, notes: Ints, plan: Plan) -> Iterator[Fault]:
    for upper, lower in NEIGHBOURS:
        pair = (VOICES[upper], VOICES[lower])
        for i in _where(crossing(notes[:, upper], notes[:, lower])):
            yield Fault("crossing", i, pair, _sung(passage, i, (upper, lower)))
        if lower < 3:
            for i in _where(too_far(notes[:, upper], notes[:, lower])):
                excess = str(int(notes[i, upper, 1] - notes[i, lower, 1]) - 12)
                yield Fault("spacing", i, pair, _sung(passage, i, (upper, lower)), "wide", (excess,))
    for i, chord in enumerate(plan.chords):
        yield from _tone_faults(i, chord, passage)


def _tone_faults(i: int, chord: Chord, passage: Passage) -> Iterator[Fault]:
    names, sung = [voice[i].pitch_class for voice in passage], _sung(passage, i, (0, 1, 2, 3))
    if names[3] != chord.bass:
        yield Fault("bass-tone", i, (VOICES[3],), passage[3][i].name, "bass_is", (chord.bass.name,))
    missing = [name for name in chord.needed if name not in names]
    if missing:
        yield Fault("incomplete", i, VOICES, sung, "missing", (_names(missing),))
    for name, what in ((chord.leading, "leading_twice"), (chord.seventh, "seventh_twice")):
        singers = tuple(v for v in range(4) if names[v] == name)
        if len(singers) > 1:
            yield Fault("doubling", i, tuple(VOICES[v] for v in singers), _sung(passage, i, singers), what)
    if chord.six_four and names.count(chord.bass) < 2:
        yield Fault("doubling", i, VOICES, sung, "bass_once", (chord.bass.name,))


def _motion_faults(passage: Passage, notes: Ints, plan: Plan) -> Iterator[Fault]:
    before, after = notes[:-1], notes[1:]
    for v in range(4):
        for i in _where(bad_leap(before[:, v], after[:, v], WIDEST_LEAP[v])):
            yield _motion("leap", i, (v,), passage)
        for i, (chord, following) in enumerate(zip(plan.chords, plan.chords[1:], strict=False)):
            if leading_unresolved(before[i, v], after[i, v], chord, following):
                yield _motion("leading-tone", i, (v,), passage)
            if seventh_unresolved(before[i, v], after[i, v], chord, following):
                yield _motion("seventh", i, (v,), passage)
    for upper, lower in PAIRS:
        lines = before[:, upper], after[:, upper], before[:, lower], after[:, lower]
        for interval, kind in (("fifths", FIFTH), ("octaves", OCTAVE)):
            for i in _where(parallel(*lines, kind)):
                yield _motion(f"parallel-{interval}", i, (upper, lower), passage)
            if (upper, lower) == (0, 3):
                for i in _where(direct(*lines, kind)):
                    yield _motion(f"direct-{interval}", i, (upper, lower), passage)
        if (upper, lower) in NEIGHBOURS:
            for i in _where(overlap(*lines)):
                yield _motion("overlap", i, (upper, lower), passage)


def _sung(passage: Passage, i: int, voices: Sequence[int]) -> str:
    return ", ".join(passage[v][i].name for v in voices)


def _motion(rule: str, i: int, voices: tuple[int, ...], passage: Passage) -> Fault:
    notes = ", ".join(f"{passage[v][i].name}–{passage[v][i + 1].name}" for v in voices)
    return Fault(rule, i + 1, tuple(VOICES[v] for v in voices), notes)


def _all(*conditions: Bools) -> Bools:
    """Elementwise conjunction."""
    result: Bools = reduce(np.logical_and, conditions)
    return result


def _where(mask: Bools) -> list[int]:
    return [int(i) for i in np.nonzero(mask)[0]]


def _names(tones: Sequence[PitchClass]) -> str:
    return " ".join(tone.name for tone in tones)
