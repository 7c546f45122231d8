"""The world of an episode: what the checks found so far. Passages are not kept; every call brings its own."""

from __future__ import annotations

from attrs import Factory, define, frozen

from harness_music.pitch import VOICES, BadNote, Passage, Pitch, parse_pitch


@define
class Desk:
    """The student's desk.

    Attributes:
        weighted: Weighted fault count of each checked passage, in order.
    """

    weighted: list[int] = Factory(list)


@frozen
class Voices:
    """A whole passage: for each voice the list of its notes, one a chord, such as ["E5", "D5", "C#5"].

    Attributes:
        soprano: Notes of the highest voice.
        alto: Notes of the second voice.
        tenor: Notes of the third voice.
        bass: Notes of the lowest voice.
    """

    soprano: list[str]
    alto: list[str]
    tenor: list[str]
    bass: list[str]


class Unreadable(ValueError):
    """A passage that is none: `argument` names the place, the message what was expected there."""

    def __init__(self, argument: str, message: str) -> None:
        super().__init__(f"argument {argument}: {message}")
        self.argument = argument


def passage_from(voices: Voices, chords: int) -> Passage:
    """Read a submitted passage.

    Raises:
        Unreadable: A voice has not one note a chord, or a text is no note.
    """
    lines = []
    for name in VOICES:
        notes: list[str] = getattr(voices, name)
        if len(notes) != chords:
            raise Unreadable(f"passage.{name}", f"got {len(notes)} notes, expected {chords}, one for each chord")
        lines.append(tuple(_note(text, f"passage.{name}[{i}]") for i, text in enumerate(notes)))
    return tuple(lines)


def _note(text: str, place: str) -> Pitch:
    try:
        return parse_pitch(text)
    except BadNote as error:
        raise Unreadable(place, str(error)) from None
