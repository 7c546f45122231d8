"""Second opinion: every fault the checker reports is confirmed by music21's own objects, and the other way round.

The judge below shares no code with the package. It reads chords with `RomanNumeral`, motion with
`VoiceLeadingQuartet`, and single voices with `Interval`. Where the two definitions differ by intention, the
difference is stated in `DIFFERENCES` and counted, so that a test fails if it stops occurring or another one appears.
"""

from __future__ import annotations

import os
from collections import Counter
from itertools import combinations, pairwise
from typing import Any

import numpy as np
import pytest

from harness import Reject, generator
from harness_music import rules
from harness_music.chords import chord_of, key_of
from harness_music.grammar import LEVELS, successors
from harness_music.pitch import VOICES, Passage, Pitch, read_passage
from harness_music.rules import WEIGHTS, Plan, find_faults
from harness_music.sample import VARIANTS, Exercise, Options, plan_of, propose
from harness_music.solver import Lattice, choices

music21 = pytest.importorskip("music21", reason="the second opinion needs the test extra")

Found = set[tuple[str, int, tuple[str, ...]]]

DIFFERENCES = {
    "unison-octave": "Unison to octave (or back), both voices moving one way: music21 keeps octave and unison apart in "
    "parallel motion and calls it a hidden octave; the voices double each other twice, so here it is parallel.",
    "unequal": "Fifth to fifth or octave to octave in letters, only the second perfect (diminished to perfect): "
    "music21 calls motion between equal letters parallel, hence not hidden; it reaches a perfect interval from "
    "another one, so the outer voices' rule of direct motion applies here.",
}


class Judge:
    """The rules once more, in music21's terms."""

    def __init__(self, exercise: Exercise) -> None:
        from music21 import key, note, roman

        tonic = exercise.tonic if exercise.mode == "major" else exercise.tonic.lower()
        self.key = key.Key(tonic.replace("b", "-") if len(tonic) > 1 else tonic)
        self.romans = [roman.RomanNumeral(symbol, self.key) for symbol in exercise.symbols]
        self.ranges = [(note.Note(_spell(low)), note.Note(_spell(high))) for low, high in exercise.ranges]
        self.differences = Counter[str]()

    def faults(self, passage: Passage) -> Found:
        """All faults but `given-changed`."""
        from music21 import note

        voices = [[note.Note(_spell(p.name)) for p in voice] for voice in passage]
        found: Found = set()
        for i in range(len(self.romans)):
            found |= self._vertical([voice[i] for voice in voices], i)
            if i:
                found |= self._voices([(voice[i - 1], voice[i]) for voice in voices], i)
                found |= self._pairs([(voice[i - 1], voice[i]) for voice in voices], i)
        return found

    def _vertical(self, notes: list[Any], i: int) -> Found:
        from music21 import interval, voiceLeading

        told, found = self.romans[i], set()
        names = [n.pitch.name for n in notes]
        for v, n in enumerate(notes):
            if n.pitch.name not in {p.name for p in told.pitches}:
                found.add(("chord-tone", i, (VOICES[v],)))
            if n.pitch < self.ranges[v][0].pitch or n.pitch > self.ranges[v][1].pitch:
                found.add(("range", i, (VOICES[v],)))
        if names[3] != told.bass().name:
            found.add(("bass-tone", i, ("bass",)))
        for u, v in ((0, 1), (1, 2), (2, 3)):
            if voiceLeading.VoiceLeadingQuartet(notes[u], notes[u], notes[v], notes[v]).voiceCrossing():
                found.add(("crossing", i, (VOICES[u], VOICES[v])))
            if v < 3 and interval.Interval(notes[v], notes[u]).semitones > 12:
                found.add(("spacing", i, (VOICES[u], VOICES[v])))
        needed = {told.root().name, told.third.name}
        needed |= {told.seventh.name} if told.seventh else set()
        needed |= {told.fifth.name} if told.inversion() else set()
        if needed - set(names):
            found.add(("incomplete", i, VOICES))
        return found | self._doubling(names, i)

    def _doubling(self, names: list[str], i: int) -> Found:
        told, found = self.romans[i], set()
        for tone in (self._leading(i)[0], told.seventh.name if told.seventh else None):
            singers = tuple(VOICES[v] for v in range(4) if names[v] == tone)
            if len(singers) > 1:
                found.add(("doubling", i, singers))
        if told.inversion() == 2 and not told.seventh and names.count(told.bass().name) < 2:
            found.add(("doubling", i, VOICES))
        return found

    def _leading(self, i: int) -> tuple[str | None, str | None]:
        """Leading tone and its goal, for chords on the fifth or seventh degree of the key or of a borrowed one."""
        told = self.romans[i]
        if told.scaleDegree not in (5, 7):
            return None, None
        home = told.secondaryRomanNumeralKey or self.key
        return home.getLeadingTone().name, home.tonic.name

    def _voices(self, moves: list[tuple[Any, Any]], i: int) -> Found:
        from music21 import interval

        before, after, found = self.romans[i - 1], self.romans[i], set()
        leading, goal = self._leading(i - 1)
        for v, (one, two) in enumerate(moves):
            step = interval.Interval(one, two)
            size = step.generic.undirected
            wide = size > (8 if v in (0, 3) else 5)
            augmented = step.diatonic.specifier.name.startswith(("AUG", "DBLAUG", "TRPAUG")) and size != 1
            if augmented or size == 7 or wide:
                found.add(("leap", i, (VOICES[v],)))
            if one.pitch.name == leading and goal in {p.name for p in after.pitches} and step.directedName != "m2":
                found.add(("leading-tone", i, (VOICES[v],)))
            seventh = before.seventh.name if before.seventh else None
            changed = before.root().name != after.root().name
            if one.pitch.name == seventh and changed and step.directedName not in ("m-2", "M-2", "P1"):
                found.add(("seventh", i, (VOICES[v],)))
        return found

    def _pairs(self, moves: list[tuple[Any, Any]], i: int) -> Found:
        from music21 import voiceLeading

        found: Found = set()
        for u, v in combinations(range(4), 2):
            quartet = voiceLeading.VoiceLeadingQuartet(*moves[u], *moves[v])
            pair = (VOICES[u], VOICES[v])
            doubled, unequal = _unison_octave(quartet), _unequal(quartet)
            self.differences["unison-octave"] += doubled
            if quartet.parallelFifth():
                found.add(("parallel-fifths", i, pair))
            if quartet.parallelUnisonOrOctave() or doubled:
                found.add(("parallel-octaves", i, pair))
            if (u, v) == (0, 3) and abs(quartet.hIntervals[0].generic.undirected) > 2:
                self.differences["unequal"] += bool(unequal)
                if quartet.hiddenFifth() or unequal == "P5":
                    found.add(("direct-fifths", i, pair))
                if (quartet.hiddenOctave() and not doubled) or unequal == "P1":
                    found.add(("direct-octaves", i, pair))
            if v - u == 1 and quartet.voiceOverlap():
                found.add(("overlap", i, pair))
        return found


def _unison_octave(quartet: Any) -> bool:
    kinds = {step.semiSimpleName for step in quartet.vIntervals}
    return kinds == {"P1", "P8"} and quartet.similarMotion()


def _unequal(quartet: Any) -> str:
    """The perfect interval reached in similar motion from one of the same letters that is not perfect, or nothing."""
    first, second = (step.simpleName for step in quartet.vIntervals)
    alike = quartet.parallelMotion(allowOctaveDisplacement=True)
    return second if alike and first != second and second in ("P1", "P5") else ""


def _spell(name: str) -> str:
    return name[0] + name[1:].replace("b", "-")


def _exercise(number: int) -> Exercise:
    """An exercise of a varying kind; the sampler's own rejections are passed over."""
    options = Options(VARIANTS[number % 2], LEVELS[number % 3])
    for attempt in range(50):
        try:
            return propose(generator("truth", number, attempt), options)
        except Reject:
            continue
    raise AssertionError("fifty draws rejected")


def _random_passage(plan: Plan, rng: np.random.Generator) -> Passage:
    """Notes of the chords, near the note before or anywhere; now and then any note at all."""
    voices = []
    for v in range(4):
        line: list[Pitch] = []
        for i in range(len(plan.chords)):
            options = choices(Plan(plan.chords, plan.metre, plan.ranges, ((None,) * len(plan.chords),) * 4), i, v)
            near = sorted(options, key=lambda p: abs(p.semitone - line[-1].semitone))[:3] if line else options
            pool = near if rng.random() < 0.7 else options
            note = pool[int(rng.integers(len(pool)))]
            if rng.random() < 0.06:
                note = Pitch(int(rng.integers(7)), int(rng.integers(-1, 2)), int(rng.integers(2, 6)))
            line.append(note)
        voices.append(tuple(line))
    return tuple(voices)


@pytest.mark.slow
def test_five_hundred_random_passages_are_judged_alike() -> None:
    seen: dict[str, int] = dict.fromkeys(WEIGHTS, 0)
    differences = Counter[str]()
    for number in range(500):
        exercise = _exercise(number)
        plan, judge = plan_of(exercise), Judge(exercise)
        passage = _random_passage(plan, generator("truth-passage", number))
        ours = {(f.rule, f.chord, f.voices) for f in find_faults(passage, plan) if f.rule != "given-changed"}
        theirs = judge.faults(passage)
        assert ours == theirs, (exercise.symbols, passage, ours ^ theirs)
        differences += judge.differences
        for rule, _, _ in ours:
            seen[rule] += 1
    assert min(count for rule, count in seen.items() if rule != "given-changed") >= 20, seen
    assert all(differences[name] for name in DIFFERENCES), "a stated difference no longer occurs: remove it"


@pytest.mark.slow
def test_solver_completions_and_planted_faults_are_confirmed() -> None:
    for number in range(60):
        exercise = _exercise(1000 + number)
        judge = Judge(exercise)
        assert judge.faults(read_passage(exercise.model)) == set()
        smooth = Lattice(plan_of(exercise)).smoothest()
        assert smooth is not None
        assert judge.faults(smooth) == set()
        if exercise.variant == "repair":
            start = read_passage(exercise.start)
            assert (
                judge.faults(start)
                == {(f.rule, f.chord, f.voices) for f in find_faults(start, plan_of(exercise))}
                != set()
            )


def test_every_chord_of_every_key_is_spelled_alike() -> None:
    from music21 import key, roman

    for mode, tonics in (("major", "C G F D Bb A Eb E Ab"), ("minor", "A E D G C B F F# C#")):
        symbols = {s for chord, following in successors(mode, "hard").items() for s in (chord, *following)}
        for tonic in tonics.split():
            name = _spell(tonic) if mode == "major" else _spell(tonic).lower()
            for symbol in sorted(symbols):
                ours, theirs = chord_of(symbol, key_of(tonic, mode)), roman.RomanNumeral(symbol, key.Key(name))
                assert {_spell(t.name) for t in ours.tones} == {p.name for p in theirs.pitches}, (tonic, mode, symbol)
                assert (_spell(ours.root.name), _spell(ours.bass.name)) == (theirs.root().name, theirs.bass().name)


def test_perfect_intervals_and_leaps_agree_for_all_pairs_of_two_octaves() -> None:
    from music21 import interval, pitch

    notes = [Pitch(letter, alter, octave) for octave in (3, 4) for letter in range(7) for alter in (-1, 0, 1)]
    for low in notes:
        for high in notes:
            theirs = interval.Interval(pitch.Pitch(_spell(low.name)), pitch.Pitch(_spell(high.name)))
            one, two = (np.array([p.position, p.semitone]) for p in (low, high))
            if low.position == high.position or (low.semitone - high.semitone) * (low.position - high.position) < 0:
                continue  # one letter, or letters and sound in opposite order: not an interval that rules name
            assert bool(rules.perfect(one, two, rules.FIFTH)) == (theirs.simpleName == "P5"), (low, high)
            assert bool(rules.perfect(one, two, rules.OCTAVE)) == (theirs.semiSimpleName in ("P1", "P8")), (low, high)
            size = theirs.generic.undirected
            augmented = theirs.diatonic.specifier.name.startswith(("AUG", "DBLAUG", "TRPAUG")) and size != 1
            assert bool(rules.bad_leap(one, two, 7)) == (augmented or size == 7 or size > 8), (low, high)


@pytest.mark.slow
def test_chorales_break_the_rules_of_motion_rarely() -> None:
    """Chorales shipped by music21; with MUSIC_CHORALES=400 and -s this prints the rates that the README states."""
    counts, moves, used = chorale_faults(int(os.environ.get("MUSIC_CHORALES", "25")))
    print(
        {rule: round(1000 * count / moves, 2) for rule, count in counts.items()},
        f"per 1000 of {moves} moves in {used} chorales",
    )
    assert moves > 1500
    assert counts["parallel-fifths"] / moves < 0.006
    assert counts["parallel-octaves"] / moves < 0.006
    assert counts["crossing"] / moves < 0.1


def chorale_faults(number: int) -> tuple[dict[str, int], int, int]:
    """Count faults between successive sonorities of the first chorales; phrase ends (fermatas) are no motion."""
    from music21 import corpus

    counts = dict.fromkeys(
        ("parallel-fifths", "parallel-octaves", "direct-fifths", "direct-octaves", "overlap", "leap", "crossing"), 0
    )
    moves = used = 0
    for path in corpus.getComposer("bach"):
        if used == number:
            break
        score = corpus.parse(path)
        if len(score.parts) != 4:
            continue
        used += 1
        for one, two in chorale_moves(score):
            moves += 1
            for rule in counts:
                counts[rule] += broken(rule, one, two)
    return counts, moves, used


def chorale_moves(score: Any) -> list[tuple[np.ndarray, np.ndarray]]:
    """Successive four-note sonorities of a score as arrays of shape (4, 2)."""
    lines = [[n for n in part.flatten().notesAndRests if n.quarterLength > 0] for part in score.parts]
    onsets = sorted({float(n.offset) for line in lines for n in line})
    sonorities: list[tuple[np.ndarray | None, bool]] = []
    cursors = [0, 0, 0, 0]
    for onset in onsets:
        for v, line in enumerate(lines):
            while cursors[v] + 1 < len(line) and line[cursors[v] + 1].offset <= onset + 1e-9:
                cursors[v] += 1
        sounding = [line[c] for line, c in zip(lines, cursors, strict=True)]
        whole = all(n.isNote and n.offset <= onset + 1e-9 < n.offset + n.quarterLength for n in sounding)
        held = any("Fermata" in e.classes for n in sounding for e in n.expressions)
        notes = np.array([[n.pitch.diatonicNoteNum - 1, int(n.pitch.ps)] for n in sounding]) if whole else None
        sonorities.append((notes, held))
    pairs = pairwise(sonorities)
    return [(a, b) for (a, held), (b, _) in pairs if a is not None and b is not None and not held]


def broken(rule: str, one: np.ndarray, two: np.ndarray) -> int:
    """Count how often one rule is broken in one move."""
    lines = {pair: (one[pair[0]], two[pair[0]], one[pair[1]], two[pair[1]]) for pair in rules.PAIRS}
    kind = rules.FIFTH if rule.endswith("fifths") else rules.OCTAVE
    if rule.startswith("parallel"):
        return sum(bool(rules.parallel(*line, kind)) for line in lines.values())
    if rule.startswith("direct"):
        return int(rules.direct(*lines[0, 3], kind))
    if rule == "overlap":
        return sum(bool(rules.overlap(*lines[pair])) for pair in rules.NEIGHBOURS)
    if rule == "crossing":
        return sum(bool(rules.crossing(two[u], two[v])) for u, v in rules.NEIGHBOURS)
    return sum(bool(rules.bad_leap(one[v], two[v], rules.WIDEST_LEAP[v])) for v in range(4))
