"""Instances: a progression, a fault-free model answer, and what of it is told.

`repair` keeps the bass and the chords that are not marked, and plants faults in the marked ones; `harmonise` tells the
first chord and one line, bass or melody. The hidden model answer proves that a solution exists with every given note
kept. How rare solutions are is bounded from above, so that a lucky draw is no method.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache

import numpy as np
from attrs import evolve, frozen

from harness import Reject, option
from harness_music.chords import chord_of, key_of
from harness_music.grammar import LEVELS, progression
from harness_music.pitch import VOICES, Passage, parse_pitch, passage_array, passage_of, write_passage
from harness_music.rules import Plan, find_faults
from harness_music.solver import Lattice, all_voicings, draw, motion_between

VARIANTS = ("repair", "harmonise")


@frozen
class Options:
    """Parameters of the task."""

    variant: str = option(
        "repair", "mend a passage with planted faults, or fill in the voices to a given line", choices=VARIANTS
    )
    level: str = option("medium", "length, chord vocabulary, keys and share of notes to write", choices=LEVELS)
    line: str = option("any", "which line harmonise gives", choices=("any", "bass", "soprano"))


@frozen
class Level:
    """What a level of a variant means.

    Attributes:
        lengths: Fewest and most chords.
        marked: Fewest and most chords to rewrite (repair).
        keys: Tonics by mode.
        rarity: At least so many candidates (right in themselves, chord by chord) per solution.
        calm: Semitones of motion that halve a step's chance in the model answer: the more, the more its lines leap.
        checks: Budget of the tool `check`.
    """

    lengths: tuple[int, int]
    marked: tuple[int, int]
    keys: Mapping[str, str]
    rarity: int
    calm: int
    checks: int


_FEW = {"major": "C G F D Bb"}
_SOME = {"major": "C G F D Bb A Eb", "minor": "A E D G C"}
_MANY = {"major": "C G F D Bb A Eb E Ab", "minor": "A E D G C B F F# C#"}

LEVEL_TABLE: Mapping[tuple[str, str], Level] = {
    ("repair", "easy"): Level((4, 5), (2, 2), _FEW, 12, 2, 8),
    ("repair", "medium"): Level((6, 7), (3, 4), _SOME, 60, 3, 7),
    ("repair", "hard"): Level((7, 8), (5, 6), _MANY, 300, 6, 7),
    ("harmonise", "easy"): Level((4, 4), (3, 3), _FEW, 12, 2, 8),
    ("harmonise", "medium"): Level((6, 6), (5, 5), _SOME, 60, 3, 7),
    ("harmonise", "hard"): Level((8, 8), (7, 7), _MANY, 300, 6, 7),
}

_LOWEST = (("C4", "D4"), ("G3", "A3"), ("C3", "D3"), ("E2", "F2"))
_HIGHEST = (("G5", "A5"), ("C5", "D5"), ("F4", "G4"), ("C4", "D4"))


@frozen
class Exercise:
    """The identity of an instance.

    Attributes:
        metre: Chords a bar.
        ranges: Lowest and highest note of each voice, soprano first.
        line: The voice given throughout, `bass` or `soprano`.
        marked: Indices of the chords to write.
        start: Repair: the passage with its faults. Harmonise: the given notes, empty where a note is to be written.
        model: A fault-free answer; never shown.
        checks: Budget of `check`.
    """

    variant: str
    tonic: str
    mode: str
    metre: int
    symbols: tuple[str, ...]
    ranges: tuple[tuple[str, str], ...]
    line: str
    marked: tuple[int, ...]
    start: tuple[tuple[str, ...], ...]
    model: tuple[tuple[str, ...], ...]
    checks: int


@lru_cache(maxsize=256)
def plan_of(exercise: Exercise) -> Plan:
    """Return what answers to the exercise are judged against."""
    key = key_of(exercise.tonic, exercise.mode)
    chords = tuple(chord_of(symbol, key) for symbol in exercise.symbols)
    ranges = tuple((parse_pitch(low), parse_pitch(high)) for low, high in exercise.ranges)
    given = tuple(
        tuple(None if not note or _is_open(exercise, v, i) else parse_pitch(note) for i, note in enumerate(voice))
        for v, voice in enumerate(exercise.start)
    )
    return Plan(chords, exercise.metre, ranges, given)


def _is_open(exercise: Exercise, voice: int, chord: int) -> bool:
    return chord in exercise.marked and VOICES[voice] != exercise.line


def propose(rng: np.random.Generator, options: Options) -> Exercise:
    """Propose an instance.

    Raises:
        Reject: The draw has no completion, too common ones, or its faults could not be planted.
    """
    level = LEVEL_TABLE[options.variant, options.level]
    mode = _pick(rng, tuple(level.keys))
    tonic = _pick(rng, level.keys[mode].split())
    symbols = progression(rng, mode, options.level, int(rng.integers(level.lengths[0], level.lengths[1] + 1)))
    ranges = tuple((_pick(rng, low), _pick(rng, high)) for low, high in zip(_LOWEST, _HIGHEST, strict=True))
    bare = Exercise(
        variant=options.variant,
        tonic=tonic,
        mode=mode,
        metre=int(rng.integers(2, 5)),
        symbols=symbols,
        ranges=ranges,
        line=_line(rng, options),
        marked=tuple(range(len(symbols))),
        start=(("",) * len(symbols),) * 4,
        model=(),
        checks=level.checks,
    )
    model = _model_answer(rng, bare, level.calm)
    return _tell(rng, bare, model, level)


def _line(rng: np.random.Generator, options: Options) -> str:
    if options.variant == "repair":
        return "bass"
    return _pick(rng, ("bass", "soprano")) if options.line == "any" else options.line


def _model_answer(rng: np.random.Generator, bare: Exercise, calm: int) -> Passage:
    """Draw a whole fault-free passage, bass included."""
    model = Lattice(plan_of(bare)).sample(rng, calm)
    if model is None:
        raise Reject(f"no fault-free passage over {' '.join(bare.symbols)}")
    return model


def _tell(rng: np.random.Generator, bare: Exercise, model: Passage, level: Level) -> Exercise:
    """Choose what is given of the model answer, and plant the faults of a repair."""
    marked = _marked(rng, bare, level)
    names = write_passage(model)
    told = evolve(bare, marked=marked, model=names)
    start = tuple(
        tuple("" if _is_open(told, v, i) else note for i, note in enumerate(voice)) for v, voice in enumerate(names)
    )
    told = evolve(told, start=start)
    lattice = Lattice(plan_of(told))
    if lattice.candidates < level.rarity * lattice.count:
        raise Reject("too many solutions")
    return told if bare.variant == "harmonise" else evolve(told, start=write_passage(_plant(rng, told, model)))


def _marked(rng: np.random.Generator, bare: Exercise, level: Level) -> tuple[int, ...]:
    """Harmonise: all but the first chord. Repair: drawn among all."""
    length = len(bare.symbols)
    if bare.variant == "harmonise":
        return tuple(range(1, length))
    number = int(rng.integers(level.marked[0], level.marked[1] + 1))
    return tuple(sorted(int(i) for i in rng.choice(length, size=min(number, length - 1), replace=False)))


def _plant(rng: np.random.Generator, told: Exercise, model: Passage) -> Passage:
    """Replace the marked chords by plausible wrong ones: each takes part in a fault, three rules or more are broken.

    Raises:
        Reject: No such passage in twenty draws.
    """
    plan = plan_of(told)
    notes = passage_array(model)
    options = {i: all_voicings(plan, i) for i in told.marked}
    for _ in range(20):
        wrong = notes.copy()
        for i, voicings in options.items():
            motion = motion_between(wrong[max(i - 1, 0)][None], voicings)[0]
            wrong[i] = voicings[draw(rng, 1 << np.maximum(20 - motion // 3, 0))]
        passage = passage_of(wrong.tolist())
        faults = find_faults(passage, plan)
        touched = {fault.chord for fault in faults} | {fault.chord - 1 for fault in faults if fault.of_motion}
        if touched.issuperset(told.marked) and len({fault.rule for fault in faults}) >= 3:
            return passage
    raise Reject("no faults could be planted")


def _pick(rng: np.random.Generator, values: Sequence[str]) -> str:
    return values[int(rng.integers(len(values)))]
