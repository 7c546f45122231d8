from __future__ import annotations

import pytest

from harness_music.chords import chord_of, key_of


@pytest.mark.parametrize(
    ("tonic", "mode", "symbol", "tones", "bass", "leading", "goal"),
    [
        ("C", "major", "I", "C E G", "C", None, None),
        ("C", "major", "V65", "G B D F", "B", "B", "C"),
        ("A", "minor", "V42", "E G# B D", "D", "G#", "A"),
        ("C", "minor", "viio7", "B D F Ab", "B", "B", "C"),
        ("F#", "minor", "V7", "C# E# G# B", "C#", "E#", "F#"),
        ("Bb", "major", "V43/V", "C E G Bb", "G", "E", "F"),
        ("D", "minor", "iiø65", "E G Bb D", "G", None, None),
        ("Eb", "major", "V42/IV", "Eb G Bb Db", "Db", "G", "Ab"),
        ("G", "major", "I64", "G B D", "D", None, None),
        ("E", "minor", "III", "G B D", "G", None, None),
    ],
)
def test_chords_are_spelled_in_their_key(
    tonic: str, mode: str, symbol: str, tones: str, bass: str, leading: str | None, goal: str | None
) -> None:
    chord = chord_of(symbol, key_of(tonic, mode))
    assert " ".join(tone.name for tone in chord.tones) == tones
    assert chord.bass.name == bass
    assert (chord.leading.name if chord.leading else None, chord.goal.name if chord.goal else None) == (leading, goal)


def test_only_root_position_may_leave_out_its_fifth() -> None:
    key = key_of("C", "major")
    needed = {symbol: " ".join(t.name for t in chord_of(symbol, key).needed) for symbol in ("I", "I6", "V7", "V65")}
    assert needed == {"I": "C E", "I6": "C E G", "V7": "G B F", "V65": "G B D F"}


def test_an_unknown_symbol_is_named() -> None:
    with pytest.raises(ValueError, match="'X7' is no chord symbol"):
        chord_of("X7", key_of("C", "major"))
