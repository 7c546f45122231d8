"""A passage for other programs: MusicXML to engrave, MIDI to hear. Both are the same bytes on every machine.

Each voice is a part of its own, each chord a quarter note, and the chord symbols stand under the bass. The MusicXML
holds no dates or random identifiers.
"""

from __future__ import annotations

import io
from collections.abc import Sequence
from typing import Any
from xml.etree import ElementTree as Xml

from harness_music.chords import Key
from harness_music.pitch import LETTERS, VOICES, Passage, Pitch

BEATS_A_MINUTE = 72
TICKS = 480

_DOCTYPE = (
    '<?xml version="1.0" encoding="UTF-8" standalone="no"?>\n'
    '<!DOCTYPE score-partwise PUBLIC "-//Recordare//DTD MusicXML 4.0 Partwise//EN" "http://www.musicxml.org/dtds/partwise.dtd">\n'
)
_CLEFS = {"soprano": ("G", 2, 0), "alto": ("G", 2, 0), "tenor": ("G", 2, -1), "bass": ("F", 4, 0)}
_FIFTHS = {"F": -1, "C": 0, "G": 1, "D": 2, "A": 3, "E": 4, "B": 5}


def key_fifths(key: Key) -> int:
    """Return the key signature as a number of sharps (flats are negative)."""
    sharps = _FIFTHS[LETTERS[key.tonic.letter]] + 7 * key.tonic.alter
    return sharps - 3 if key.mode == "minor" else sharps


def to_musicxml(
    passage: Passage, key: Key, metre: int, symbols: Sequence[str] = (), title: str = "Part-writing"
) -> str:
    """Return a passage as a MusicXML 4.0 score.

    Args:
        passage: The four voices.
        key: For the key signature.
        metre: Chords (quarter notes) a bar.
        symbols: Chord symbols, written under the bass.
        title: Work title.
    """
    score = Xml.Element("score-partwise", version="4.0")
    Xml.SubElement(Xml.SubElement(score, "work"), "work-title").text = title
    parts = Xml.SubElement(score, "part-list")
    for v, name in enumerate(VOICES):
        Xml.SubElement(Xml.SubElement(parts, "score-part", id=f"P{v + 1}"), "part-name").text = name.capitalize()
    for v, name in enumerate(VOICES):
        part = Xml.SubElement(score, "part", id=f"P{v + 1}")
        _measures(part, name, passage[v], key, metre, symbols if name == "bass" else ())
    Xml.indent(score)
    return _DOCTYPE + Xml.tostring(score, encoding="unicode") + "\n"


def _measures(
    part: Xml.Element, name: str, voice: Sequence[Pitch], key: Key, metre: int, symbols: Sequence[str]
) -> None:
    for start in range(0, len(voice), metre):
        measure = Xml.SubElement(part, "measure", number=str(start // metre + 1))
        if start == 0:
            _attributes(measure, name, key, metre)
        for i in range(start, min(start + metre, len(voice))):
            if symbols:
                _words(measure, symbols[i])
            _note(measure, voice[i])
    barline = Xml.SubElement(measure, "barline", location="right")
    Xml.SubElement(barline, "bar-style").text = "light-heavy"


def _attributes(measure: Xml.Element, name: str, key: Key, metre: int) -> None:
    attributes = Xml.SubElement(measure, "attributes")
    Xml.SubElement(attributes, "divisions").text = "1"
    signature = Xml.SubElement(attributes, "key")
    Xml.SubElement(signature, "fifths").text = str(key_fifths(key))
    Xml.SubElement(signature, "mode").text = key.mode
    time = Xml.SubElement(attributes, "time")
    Xml.SubElement(time, "beats").text = str(metre)
    Xml.SubElement(time, "beat-type").text = "4"
    sign, line, octave = _CLEFS[name]
    clef = Xml.SubElement(attributes, "clef")
    Xml.SubElement(clef, "sign").text = sign
    Xml.SubElement(clef, "line").text = str(line)
    if octave:
        Xml.SubElement(clef, "clef-octave-change").text = str(octave)


def _words(measure: Xml.Element, text: str) -> None:
    direction = Xml.SubElement(measure, "direction", placement="below")
    Xml.SubElement(Xml.SubElement(direction, "direction-type"), "words").text = text


def _note(measure: Xml.Element, pitch: Pitch) -> None:
    note = Xml.SubElement(measure, "note")
    written = Xml.SubElement(note, "pitch")
    Xml.SubElement(written, "step").text = LETTERS[pitch.letter]
    if pitch.alter:
        Xml.SubElement(written, "alter").text = str(pitch.alter)
    Xml.SubElement(written, "octave").text = str(pitch.octave)
    Xml.SubElement(note, "duration").text = "1"
    Xml.SubElement(note, "type").text = "quarter"


def to_midi(passage: Passage, key: Key, metre: int) -> bytes:
    """Return a passage as a standard MIDI file (format 1), a track for tempo and one for each voice."""
    import mido

    file = mido.MidiFile(type=1, ticks_per_beat=TICKS)
    file.tracks.append(_conductor(key, metre))
    for v, name in enumerate(VOICES):
        track = mido.MidiTrack([mido.MetaMessage("track_name", name=name)])
        track.append(mido.Message("program_change", channel=v, program=52))
        for note in passage[v]:
            track.append(mido.Message("note_on", channel=v, note=note.semitone, velocity=72, time=0))
            track.append(mido.Message("note_off", channel=v, note=note.semitone, velocity=0, time=TICKS))
        file.tracks.append(track)
    buffer = io.BytesIO()
    file.save(file=buffer)
    return buffer.getvalue()


def _conductor(key: Key, metre: int) -> Any:
    import mido

    signature = key.tonic.name + ("m" if key.mode == "minor" else "")
    return mido.MidiTrack(
        [
            mido.MetaMessage("set_tempo", tempo=mido.bpm2tempo(BEATS_A_MINUTE)),
            mido.MetaMessage("time_signature", numerator=metre, denominator=4),
            mido.MetaMessage("key_signature", key=signature),
        ]
    )
