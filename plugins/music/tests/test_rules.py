"""Textbook cases, one or more for each rule, and what must not count as a fault."""

from __future__ import annotations

import pytest

from harness_music.chords import chord_of, key_of
from harness_music.pitch import parse_pitch, read_passage
from harness_music.rules import WEIGHTS, Fault, Plan, find_faults, weigh

RANGES = tuple((parse_pitch(a), parse_pitch(b)) for a, b in (("C4", "A5"), ("G3", "D5"), ("C3", "G4"), ("E2", "D4")))


def judge(symbols: str, *voices: str, key: str = "C major", given: tuple[str, ...] = ()) -> tuple[Fault, ...]:
    tonic, mode = key.split()
    chords = tuple(chord_of(symbol, key_of(tonic, mode)) for symbol in symbols.split())
    kept = given or (("?",) * 4)
    told = tuple(
        tuple(
            None if note == "?" else parse_pitch(note)
            for note in (line.split() if line != "?" else ["?"] * len(chords))
        )
        for line in kept
    )
    return find_faults(read_passage(voice.split() for voice in voices), Plan(chords, 2, RANGES, told))


def named(faults: tuple[Fault, ...]) -> list[tuple[str, int, str]]:
    return [(f.rule, f.chord, "-".join(f.voices)) for f in faults]


def test_a_textbook_cadence_is_clean() -> None:
    assert judge("I V7 I", "E5 D5 C5", "C5 B4 C5", "G4 F4 E4", "C3 G3 C3") == ()


@pytest.mark.parametrize(
    ("symbols", "voices", "expected"),
    [
        (
            "I ii",
            ("E5 F5", "G4 A4", "C4 D4", "C3 D3"),
            ["parallel-fifths alto-tenor", "parallel-fifths alto-bass", "parallel-octaves tenor-bass"],
        ),
        ("IV V", ("C5 B4", "A4 G4", "F4 D4", "F3 G3"), []),
        ("I V6", ("G4 G4", "E4 D4", "C4 G3", "C3 B2"), []),
        (
            "vi V",
            ("C5 B4", "E4 D4", "A3 G3", "A2 G2"),
            ["parallel-fifths alto-tenor", "parallel-fifths alto-bass", "parallel-octaves tenor-bass"],
        ),
        ("I I", ("G4 C5", "E4 E4", "C4 G3", "C3 C3"), []),
    ],
)
def test_parallels(symbols: str, voices: tuple[str, ...], expected: list[str]) -> None:
    found = [f"{f.rule} {'-'.join(f.voices)}" for f in judge(symbols, *voices) if f.rule.startswith("parallel")]
    assert sorted(found) == sorted(expected)


def test_a_diminished_fifth_before_a_perfect_one_is_no_parallel() -> None:
    faults = judge("viio6 I", "F5 G5", "B4 C5", "D4 E4", "D3 C3")
    assert not [f for f in faults if f.rule == "parallel-fifths"]


def test_contrary_motion_does_not_hide_fifths_or_octaves() -> None:
    fifths = judge("I V", "G4 D5", "E4 G4", "C4 B3", "C4 G3")
    assert ("parallel-fifths", 1, "soprano-bass") in named(fifths)
    octaves = judge("I V", "C5 G5", "E4 D5", "G3 B3", "C4 G3")
    assert ("parallel-octaves", 1, "soprano-bass") in named(octaves)


def test_repeated_fifths_are_no_motion() -> None:
    assert judge("I I", "G4 G4", "E4 E4", "C4 C4", "C3 C3") == ()


def test_direct_intervals_need_a_leap_in_the_soprano_and_one_direction() -> None:
    leap = judge("I V", "C5 D5", "E4 B4", "G3 G4", "C3 G3")
    assert not [f for f in leap if f.rule.startswith("direct")], "a step in the soprano is allowed"
    up = judge("I V", "G4 D5", "E4 B4", "C4 G4", "C3 G3")
    assert ("parallel-fifths", 1, "soprano-bass") in named(up), "fifth to fifth is parallel, not direct"
    direct = judge("I IV", "E4 C5", "C4 A4", "G3 F4", "C3 F3")
    assert ("direct-fifths", 1, "soprano-bass") in named(direct)
    octave = judge("I IV", "E4 F5", "C4 C5", "G3 A3", "C3 F3")
    assert ("direct-octaves", 1, "soprano-bass") in named(octave)
    contrary = judge("I IV", "E5 C5", "C5 A4", "G4 F4", "C3 F3")
    assert not [f for f in contrary if f.rule.startswith("direct")]


def test_chord_rules() -> None:
    (fault,) = judge("I", "E5", "G4", "B3", "C3")
    assert fault == Fault("chord-tone", 0, ("tenor",), "B3", "tones", ("C E G",))
    assert named(judge("I", "G4", "E4", "C4", "E3")) == [("bass-tone", 0, "bass")]
    assert named(judge("I", "G4", "G4", "C4", "C3")) == [("incomplete", 0, "soprano-alto-tenor-bass")]
    assert judge("I", "E5", "C5", "C4", "C3") == (), "a fifth may be missing in root position"
    assert named(judge("I6", "E5", "C5", "E4", "E3")) == [("incomplete", 0, "soprano-alto-tenor-bass")]
    assert named(judge("V", "B4", "G4", "B3", "G3")) == [("doubling", 0, "soprano-tenor")]
    assert named(judge("V7", "F5", "B4", "F4", "G3")) == [("doubling", 0, "soprano-tenor")]
    assert named(judge("I64", "E5", "C5", "E4", "G3")) == [("doubling", 0, "soprano-alto-tenor-bass")]


def test_enharmonic_spelling_is_another_note() -> None:
    (fault,) = judge("i", "C5", "G4", "D#4", "C3", key="C minor")[:1]
    assert (fault.rule, fault.voices) == ("chord-tone", ("tenor",))


def test_range_spacing_and_crossing_say_by_how_much() -> None:
    (fault,) = judge("I", "C6", "C5", "E4", "C3")
    assert fault == Fault("range", 0, ("soprano",), "C6", "above", ("3", "A5"))
    (fault,) = judge("I", "E5", "C5", "G4", "C2")
    assert fault == Fault("range", 0, ("bass",), "C2", "below", ("4", "E2"))
    (fault,) = judge("I", "G5", "E4", "C4", "C3")
    assert fault == Fault("spacing", 0, ("soprano", "alto"), "G5, E4", "wide", ("3",))
    assert named(judge("I", "E4", "G4", "C4", "C3")) == [("crossing", 0, "soprano-alto")]
    assert judge("I", "E4", "E4", "G3", "C3") == (), "a unison is no crossing"
    assert not [f for f in judge("I", "E5", "C5", "G4", "C2") if f.rule == "spacing"], "tenor and bass are free"


@pytest.mark.parametrize(
    ("symbols", "line", "voice", "wrong"),
    [
        ("IV V", "F4 B4", 0, True),
        ("V I", "B4 C5", 0, False),
        ("I V7", "G4 F5", 0, True),
        ("I I", "C4 C5", 0, False),
        ("I V", "C4 D5", 0, True),
        ("I I", "C4 G4", 2, False),
        ("I I6", "C4 E3", 2, True),
        ("V V", "G3 D4", 3, False),
    ],
)
def test_leaps(symbols: str, line: str, voice: int, wrong: bool) -> None:
    quiet = ["E5 E5", "C5 C5", "G4 G4", "C3 C3"]
    quiet[voice] = line
    found = [
        f
        for f in judge(symbols, *quiet)
        if f.rule == "leap" and f.voices == (("soprano", "alto", "tenor", "bass")[voice],)
    ]
    assert bool(found) == wrong


def test_leading_tone_and_seventh() -> None:
    falls = judge("V I", "B4 G4", "G4 E4", "D4 C4", "G3 C3")
    assert ("leading-tone", 1, "soprano") in named(falls)
    rises = judge("V7 I", "F5 G5", "D5 E5", "B4 C5", "G3 C3")
    assert ("seventh", 1, "soprano") in named(rises)
    stays = judge("ii65 I64", "C5 C5", "A4 G4", "D4 E4", "F3 G3")
    assert not [f for f in stays if f.rule == "seventh"]
    free = judge("V V6", "B4 D5", "G4 G4", "D4 D4", "G3 B3")
    assert not [f for f in free if f.rule == "leading-tone"], "the next chord has no tonic"
    same = judge("V7 V7", "F5 B4", "B4 F4", "D4 D4", "G3 G3")
    assert not [f for f in same if f.rule == "seventh"], "the root stays"


def test_overlap() -> None:
    faults = judge("I I", "G4 C5", "E4 G4", "C4 E4", "C3 C3")
    assert named(faults) == [], "touching the note just left is no overlap"
    faults = judge("I I", "E4 C5", "C4 G4", "G3 E4", "C3 C3")
    assert ("overlap", 1, "soprano-alto") in named(faults)
    assert ("overlap", 1, "alto-tenor") in named(faults)


def test_a_given_note_is_kept_by_pitch_not_by_name() -> None:
    faults = judge("I I", "G4 G4", "E4 E4", "C4 C4", "C3 C4", given=("?", "?", "?", "C3 C3"))
    assert ("given-changed", 1, "bass") in named(faults)


def test_faults_come_in_order_with_bar_and_beat() -> None:
    faults = judge("I V I V", "B4 B4 B4 B4", "G4 G4 G4 G4", "C4 D4 C4 D4", "C3 G3 C3 G3")
    assert [f.chord for f in faults] == sorted(f.chord for f in faults)
    plan = Plan((), 3, RANGES, ())
    assert [plan.place(i) for i in (0, 2, 3, 7)] == [(1, 1), (1, 3), (2, 1), (3, 2)]


def test_weights_add_up() -> None:
    faults = judge("I ii", "E5 F5", "G4 A4", "C4 D4", "C3 D3")
    assert weigh(faults) == sum(WEIGHTS[f.rule] for f in faults) >= 9


def test_a_short_voice_is_an_error() -> None:
    with pytest.raises(ValueError, match="4 voices of 1 notes"):
        judge("I", "C5 C5", "G4", "E4", "C3")
