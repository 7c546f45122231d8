from __future__ import annotations

from itertools import pairwise

import pytest

from harness import generator, load_task
from harness_music.chords import chord_of, key_of
from harness_music.grammar import LEVELS, progression, successors
from harness_music.pitch import VOICES, read_passage
from harness_music.rules import Plan, find_faults
from harness_music.sample import LEVEL_TABLE, VARIANTS, plan_of
from harness_music.solver import Lattice

GOLDEN = {
    "repair-easy": "6acd7ab39ef301d7",
    "repair-hard": "b8c945b75be6226a",
    "harmonise-medium": "d5cb65a0a2ee5ff8",
}


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("level", LEVELS)
def test_exercises_have_a_fault_free_answer_that_keeps_what_is_given(exercise_of, variant: str, level: str) -> None:  # type: ignore[no-untyped-def]
    for number in range(12):
        exercise = exercise_of(variant, level, number)
        plan = plan_of(exercise)
        assert find_faults(read_passage(exercise.model), plan) == ()
        lattice = Lattice(plan)
        assert lattice.count >= 1
        assert lattice.candidates >= LEVEL_TABLE[variant, level].rarity * lattice.count
        fewest, most = LEVEL_TABLE[variant, level].lengths
        assert fewest <= len(exercise.symbols) <= most


def test_repair_keeps_the_bass_and_plants_real_faults_in_every_marked_chord(exercise_of) -> None:  # type: ignore[no-untyped-def]
    for number in range(20):
        exercise = exercise_of("repair", LEVELS[number % 3], number)
        plan = plan_of(exercise)
        assert exercise.start[3] == exercise.model[3]
        faults = find_faults(read_passage(exercise.start), plan)
        touched = {f.chord for f in faults} | {f.chord - 1 for f in faults if f.of_motion}
        assert touched >= set(exercise.marked)
        assert len({f.rule for f in faults}) >= 3
        assert "given-changed" not in {f.rule for f in faults}
        unmarked = set(range(len(exercise.symbols))) - set(exercise.marked)
        assert all(exercise.start[v][i] == exercise.model[v][i] for v in range(4) for i in unmarked)


@pytest.mark.parametrize("line", ["bass", "soprano"])
def test_harmonise_gives_one_line_and_the_first_chord(exercise_of, line: str) -> None:  # type: ignore[no-untyped-def]
    exercise = exercise_of("harmonise", "medium", 3, line)
    assert exercise.line == line
    for v, voice in enumerate(exercise.start):
        assert voice[0] == exercise.model[v][0]
        assert all(voice[1:]) if VOICES[v] == line else not any(voice[1:])


@pytest.mark.parametrize("mode", ["major", "minor"])
def test_every_step_of_the_grammar_can_be_sung(mode: str) -> None:
    from harness_music.pitch import parse_pitch

    ends = (("C4", "A5"), ("G3", "D5"), ("C3", "G4"), ("E2", "D4"))
    ranges = tuple((parse_pitch(low), parse_pitch(high)) for low, high in ends)
    key = key_of("D", mode)
    for symbol, following in successors(mode, "hard").items():
        for after in following:
            chords = (chord_of(symbol, key), chord_of(after, key))
            assert Lattice(Plan(chords, 2, ranges, ((None, None),) * 4)).count > 0, (symbol, after)


@pytest.mark.parametrize("level", LEVELS)
def test_progressions_open_on_the_tonic_and_follow_the_table(level: str) -> None:
    for mode in ("major", "minor"):
        for number in range(40):
            walk = progression(generator("walk", number), mode, level, 4 + number % 5)
            assert len(walk) == 4 + number % 5
            assert walk[0] in ("I", "i")
            table = successors(mode, level)
            assert all(b in table[a] for a, b in pairwise(walk[:-1]))
            assert walk[-1] in ("I", "i", "V", "vi", "VI")


def test_golden_identities() -> None:
    """A change of these values changes every shipped instance: raise the task's version with it."""
    seen = {group: load_task("music", group).sample(0, seed=0, split="test").key for group in GOLDEN}
    assert seen == GOLDEN
