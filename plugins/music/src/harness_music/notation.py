"""A passage as text: the grid that people and models read, and ABC for programs that engrave or play.

The grid has one column a chord and one row a voice, with the top voice first; an asterisk marks a note that may be
rewritten and `?` one that is still to be written.
"""

from __future__ import annotations

from collections.abc import Sequence

from harness_music.chords import Key
from harness_music.pitch import LETTERS, VOICES, Passage, Pitch, parse_pitch
from harness_music.rules import Plan

OPEN = "?"


def chord_rows(plan: Plan) -> tuple[str, ...]:
    """Return one line a chord: number | bar.beat | symbol | tones | bass | leading tone | seventh."""
    rows = []
    for i, chord in enumerate(plan.chords):
        bar, beat = plan.place(i)
        tones = " ".join(tone.name for tone in chord.tones)
        movers = (chord.leading.name if chord.leading else "-", chord.seventh.name if chord.seventh else "-")
        rows.append(" | ".join((str(i + 1), f"{bar}.{beat}", chord.symbol, tones, chord.bass.name, *movers)))
    return tuple(rows)


def grid(voices: Sequence[Sequence[str]], plan: Plan) -> str:
    """Return a passage as aligned text; empty notes are shown as `?`.

    Args:
        voices: Note names, soprano first.
        plan: Says which notes are given; the others are marked.
    """
    head = ["chord", *(str(i + 1) for i in range(len(plan.chords)))]
    rows = [head]
    for name, voice, given in zip(VOICES, voices, plan.given, strict=True):
        rows.append([name, *(_cell(note, kept) for note, kept in zip(voice, given, strict=True))])
    widths = [max(len(row[i]) for row in rows) for i in range(len(head))]
    return "\n".join("  ".join(cell.ljust(w) for cell, w in zip(row, widths, strict=True)).rstrip() for row in rows)


def read_grid(text: str) -> tuple[tuple[tuple[str, ...], ...], tuple[tuple[bool, ...], ...]]:
    """Read a grid: the note names (empty where open), and which notes are given."""
    rows = [line.split()[1:] for line in text.splitlines()[1:]]
    names = tuple(tuple("" if cell == OPEN else cell.rstrip("*") for cell in row) for row in rows)
    given = tuple(tuple(cell != OPEN and not cell.endswith("*") for cell in row) for row in rows)
    return names, given


def _cell(note: str, given: Pitch | None) -> str:
    return note if given is not None else f"{note}*" if note else OPEN


def to_abc(passage: Passage, key: Key, metre: int, title: str = "Part-writing") -> str:
    """Return a passage in ABC notation, four voices on two staves, every accidental written out."""
    tonic = key.tonic.name + ("m" if key.mode == "minor" else "")
    lines = ["X:1", f"T:{title}", f"M:{metre}/4", "L:1/4", "%%score (1 2) (3 4)", f"K:{tonic}"]
    for v, voice in enumerate(passage):
        lines.append(f"V:{v + 1} clef={'treble' if v < 2 else 'bass'} name={VOICES[v]}")
        bars = [voice[i : i + metre] for i in range(0, len(voice), metre)]
        lines.append(" | ".join(" ".join(_abc_note(note) for note in bar) for bar in bars) + " |]")
    return "\n".join(lines) + "\n"


def _abc_note(note: Pitch) -> str:
    sign = "^" * note.alter if note.alter > 0 else "_" * -note.alter if note.alter < 0 else "="
    letter = LETTERS[note.letter]
    if note.octave >= 5:
        return sign + letter.lower() + "'" * (note.octave - 5)
    return sign + letter + "," * (4 - note.octave)


def given_pitch(name: str, given: bool) -> Pitch | None:
    """Return the pitch of a given note, None for one that is open."""
    return parse_pitch(name) if given else None
