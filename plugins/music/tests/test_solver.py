"""The solver against the checker: on small exercises every candidate is judged one by one."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from harness_music.chords import chord_of, key_of
from harness_music.pitch import parse_pitch, passage_array, passage_of
from harness_music.rules import MOTION_RULES, Plan, find_faults
from harness_music.sample import plan_of
from harness_music.solver import Lattice, all_voicings, choices, legal_voicings

RANGES = tuple((parse_pitch(a), parse_pitch(b)) for a, b in (("C4", "G5"), ("A3", "C5"), ("D3", "F4"), ("F2", "C4")))


def plan(tonic: str, mode: str, symbols: str, bass: str) -> Plan:
    chords = tuple(chord_of(symbol, key_of(tonic, mode)) for symbol in symbols.split())
    free = (None,) * len(chords)
    return Plan(chords, 4, RANGES, (free, free, free, tuple(parse_pitch(note) for note in bass.split())))


@pytest.mark.parametrize(
    ("tonic", "mode", "symbols", "bass"),
    [
        ("C", "major", "V7 I", "G2 C3"),
        ("C", "major", "I64 V", "G3 G2"),
        ("D", "minor", "V42 i6", "G3 F3"),
        ("G", "major", "V65/V V", "C#3 D3"),
        ("A", "minor", "viio7 i", "G#2 A2"),
        ("C", "major", "IV V", "F3 G3"),
    ],
)
def test_count_equals_brute_force_over_all_spellings(tonic: str, mode: str, symbols: str, bass: str) -> None:
    small = plan(tonic, mode, symbols, bass)
    options = [all_voicings(small, i) for i in range(2)]
    alone = [[v for v in chord if _clean_alone(small, i, v)] for i, chord in enumerate(options)]
    assert [len(a) for a in alone] == [len(legal_voicings(small, i)) for i in range(2)]
    pairs = list(product(*alone))[::3]
    lattice = Lattice(small)
    legal = {
        (a.tobytes(), b.tobytes())
        for (i, j) in np.argwhere(lattice.moves[0])
        for a, b in [(lattice.voicings[0][i], lattice.voicings[1][j])]
    }
    for pair in pairs:
        faults = find_faults(passage_of([v.tolist() for v in pair]), small)
        assert (not faults) == ((pair[0].tobytes(), pair[1].tobytes()) in legal)
    assert lattice.count == len(legal) > 0


def _clean_alone(small: Plan, i: int, voicing: np.ndarray) -> bool:
    one = Plan((small.chords[i],), 4, small.ranges, tuple((voice[i],) for voice in small.given))
    return not find_faults(passage_of([voicing.tolist()]), one)


def test_counts_multiply_along_the_chain() -> None:
    small = plan("C", "major", "I V6 I", "C3 B2 C3")
    lattice = Lattice(small)
    paths = sum(
        int(lattice.moves[0][i, j] and lattice.moves[1][j, k])
        for i, j, k in product(*(range(len(v)) for v in lattice.voicings))
    )
    assert lattice.count == paths


def test_smoothest_is_clean_and_no_completion_moves_less() -> None:
    small = plan("F", "major", "I ii6 V7 I", "F3 Bb3 C4 F3")
    lattice = Lattice(small)
    best = lattice.smoothest()
    assert best is not None
    assert find_faults(best, small) == ()
    rng = np.random.default_rng(0)
    drawn = [lattice.sample(rng, calm=4) for _ in range(100)]
    assert all(d is not None and find_faults(d, small) == () for d in drawn)
    assert min(_motion(d) for d in drawn if d is not None) >= _motion(best)
    assert len(set(drawn)) > 20


def _motion(passage: object) -> int:
    notes = passage_array(passage)  # type: ignore[arg-type]
    return int(np.abs(np.diff(notes[:, :, 1], axis=0)).sum())


def test_rules_left_out_are_the_only_ones_broken(exercise_of) -> None:  # type: ignore[no-untyped-def]
    for number in range(6):
        task = plan_of(exercise_of("harmonise", "hard", number))
        for kept in (set(), {"parallel-fifths", "leap"}, set(MOTION_RULES) - {"overlap"}):
            passage = Lattice(task, kept).smoothest()
            assert passage is not None
            assert {f.rule for f in find_faults(passage, task)} <= set(MOTION_RULES) - kept


def test_an_impossible_exercise_has_no_completion() -> None:
    stuck = plan("C", "major", "V7 I6", "G2 C4")
    assert Lattice(stuck).count == 0
    assert Lattice(stuck).smoothest() is None
    assert Lattice(stuck).sample(np.random.default_rng(0), calm=3) is None


def test_choices_keep_given_notes_and_the_told_bass() -> None:
    free = plan("C", "major", "I6", "E3")
    assert [n.name for n in choices(free, 0, 3)] == ["E3"]
    open_bass = Plan(free.chords, 4, RANGES, ((None,),) * 4)
    assert {n.pitch_class.name for n in choices(open_bass, 0, 3)} == {"E"}
    assert {n.pitch_class.name for n in choices(open_bass, 0, 0)} == {"C", "E", "G"}
