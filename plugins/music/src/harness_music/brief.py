"""The exercise as a policy can know it: read back from the facts of the prompt, never from the identity."""

from __future__ import annotations

import re
from collections.abc import Mapping

from attrs import evolve, frozen

from harness.records import Json
from harness_music.chords import Chord
from harness_music.notation import given_pitch, read_grid
from harness_music.pitch import VOICES, Passage, Pitch, parse_class, parse_pitch, write_passage
from harness_music.rules import Plan

Names = tuple[tuple[str, ...], ...]


@frozen
class Brief:
    """What the prompt tells.

    Attributes:
        plan: Chords, ranges and given notes.
        start: The passage as told, empty where a note is to be written.
    """

    plan: Plan
    start: Names

    @property
    def repair(self) -> bool:
        """Whether there is a passage to mend rather than one to write."""
        return all(note for voice in self.start for note in voice)

    def with_ranges(self, told: Mapping[str, Json]) -> Brief:
        """Return the brief with the ranges that the tool `ranges` gave."""
        spans = tuple((parse_pitch(told[v]["lowest"]), parse_pitch(told[v]["highest"])) for v in VOICES)
        return evolve(self, plan=evolve(self.plan, ranges=spans))


def read_brief(facts: Mapping[str, str]) -> Brief:
    """Read the facts of a prompt, in any language."""
    rows = [facts[f"chord {i + 1}"] for i in range(sum(name.startswith("chord ") for name in facts))]
    start, kept = read_grid(facts["passage"])
    given = tuple(
        tuple(given_pitch(n, k) for n, k in zip(notes, keeps, strict=True))
        for notes, keeps in zip(start, kept, strict=True)
    )
    metre = int(re.findall(r"\d+", facts["metre"])[0])
    return Brief(Plan(tuple(_chord(row) for row in rows), metre, _spans(facts["ranges"]), given), start)


def passage_json(passage: Passage) -> dict[str, Json]:
    """Return a passage as the tools take it."""
    return names_json(write_passage(passage))


def names_json(names: Names) -> dict[str, Json]:
    """Return note names as the tools take them."""
    return {voice: list(line) for voice, line in zip(VOICES, names, strict=True)}


def _chord(row: str) -> Chord:
    _, _, symbol, names, bass, leading, seventh = row.split(" | ")
    tones = tuple(parse_class(name) for name in names.split())
    if (seventh != "-") != (len(tones) == 4):
        raise ValueError(f"chord {row!r}: a seventh needs four tones")
    rising = None if leading == "-" else parse_class(leading)
    goal = None if rising is None else rising.up(1, 1)
    return Chord(symbol, tones, tones.index(parse_class(bass)), rising, goal)


def _spans(text: str) -> tuple[tuple[Pitch, Pitch], ...]:
    ends = re.findall(r"([A-G][#b]*\d)–([A-G][#b]*\d)", text)
    return tuple((parse_pitch(low), parse_pitch(high)) for low, high in ends)
