from __future__ import annotations

import pytest

from harness_music.pitch import (
    BadNote,
    Pitch,
    parse_class,
    parse_pitch,
    passage_array,
    passage_of,
    pitches_between,
    read_passage,
    write_passage,
)


@pytest.mark.parametrize(
    ("text", "position", "semitone"),
    [
        ("C4", 28, 60),
        ("A4", 33, 69),
        ("B#3", 27, 60),
        ("Cb4", 28, 59),
        ("F##4", 31, 67),
        ("E2", 16, 40),
        ("Bbb5", 41, 81),
    ],
)
def test_positions_and_semitones(text: str, position: int, semitone: int) -> None:
    note = parse_pitch(text)
    assert (note.position, note.semitone, note.name) == (position, semitone, text)


def test_typographic_signs_are_read() -> None:
    assert parse_pitch("F♯4") == parse_pitch(" F#4 ")
    assert parse_pitch("B♭3") == parse_pitch("Bb3")


@pytest.mark.parametrize("text", ["", "H4", "c4", "C", "C-1", "C9", "F#b4", "rest", "C4 E4", "F###4", "\ud835"])
def test_what_is_no_note_is_refused_with_the_expected_form(text: str) -> None:
    with pytest.raises(BadNote, match="such as F#4"):
        parse_pitch(text)


def test_passages_survive_the_array() -> None:
    voices = (("C5", "B4"), ("G4", "F4"), ("E4", "D4"), ("C3", "G2"))
    passage = read_passage(voices)
    assert passage_array(passage).shape == (2, 4, 2)
    assert passage_of(passage_array(passage).tolist()) == passage
    assert write_passage(passage) == voices


def test_notes_of_a_name_within_a_range_include_both_ends() -> None:
    found = pitches_between(parse_class("G"), parse_pitch("G3"), parse_pitch("G5"))
    assert [note.name for note in found] == ["G3", "G4", "G5"]


def test_cb_belongs_to_the_octave_of_its_letter() -> None:
    found = pitches_between(parse_class("Cb"), parse_pitch("B3"), parse_pitch("C4"))
    assert found == (Pitch(0, -1, 4),)
