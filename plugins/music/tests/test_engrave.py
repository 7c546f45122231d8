from __future__ import annotations

import hashlib
import io
from pathlib import Path
from xml.etree import ElementTree

import mido
import pytest
from click.testing import CliRunner

from harness_music.chords import key_of
from harness_music.command import command
from harness_music.engrave import key_fifths, to_midi, to_musicxml
from harness_music.notation import to_abc
from harness_music.pitch import read_passage

PASSAGE = read_passage((("E5", "D5", "C#5"), ("C5", "Bb4", "A4"), ("G4", "F##4", "E4"), ("C3", "Bb2", "A2")))


@pytest.mark.parametrize(
    ("tonic", "mode", "fifths"),
    [
        ("C", "major", 0),
        ("A", "minor", 0),
        ("Eb", "major", -3),
        ("F#", "minor", 3),
        ("C#", "minor", 4),
        ("F", "minor", -4),
        ("E", "major", 4),
    ],
)
def test_key_signatures(tonic: str, mode: str, fifths: int) -> None:
    assert key_fifths(key_of(tonic, mode)) == fifths


def test_musicxml_holds_every_note_and_symbol() -> None:
    text = to_musicxml(PASSAGE, key_of("D", "minor"), 2, ("i", "V65", "i"))
    root = ElementTree.fromstring(text.partition('partwise.dtd">')[2])
    for part, voice in zip(root.iter("part"), PASSAGE, strict=True):
        names = [
            (p.findtext("step"), int(p.findtext("alter") or 0), int(p.findtext("octave") or -1))
            for p in part.iter("pitch")
        ]
        assert names == [(n.pitch_class.name[0], n.alter, n.octave) for n in voice]
        assert [m.get("number") for m in part.iter("measure")] == ["1", "2"]
    assert [w.text for w in root.iter("words")] == ["i", "V65", "i"]


def test_midi_plays_every_note_and_closes_it() -> None:
    file = mido.MidiFile(file=io.BytesIO(to_midi(PASSAGE, key_of("D", "minor"), 3)))
    assert len(file.tracks) == 5
    for track, voice in zip(file.tracks[1:], PASSAGE, strict=True):
        assert [m.note for m in track if m.type == "note_on"] == [n.semitone for n in voice]
        assert [m.note for m in track if m.type == "note_off"] == [n.semitone for n in voice]


def test_files_are_the_same_bytes_everywhere() -> None:
    key = key_of("D", "minor")
    made = (
        to_musicxml(PASSAGE, key, 3, ("i",) * 3).encode() + to_midi(PASSAGE, key, 3) + to_abc(PASSAGE, key, 3).encode()
    )
    assert hashlib.sha256(made).hexdigest()[:16] == "d5c439f46e3b2e8e"


def test_music21_reads_musicxml_and_abc_alike() -> None:
    converter = pytest.importorskip("music21.converter", reason="the second opinion needs the test extra")
    key = key_of("D", "minor")
    for text, form in ((to_musicxml(PASSAGE, key, 3), "musicxml"), (to_abc(PASSAGE, key, 3), "abc")):
        score = converter.parse(text, format=form)
        heard = [[note.pitch.midi for note in part.flatten().notes] for part in score.parts]
        assert heard == [[note.semitone for note in voice] for voice in PASSAGE], form


def test_the_command_writes_three_files_an_answer(tmp_path: Path) -> None:
    from harness.cli import run as harness

    assert (
        harness(
            [
                "rollout",
                "music",
                "--policy",
                "reference",
                "-n",
                "1",
                "--group",
                "repair-easy",
                "--out",
                str(tmp_path / "run"),
            ]
        )
        == 0
    )
    result = CliRunner().invoke(command, [str(tmp_path / "run"), "--out", str(tmp_path / "scores")])
    assert result.exit_code == 0, result.output
    assert sorted(p.suffix for p in (tmp_path / "scores").iterdir()) == [".abc", ".mid", ".musicxml"]
