"""Scripted policies of the flat.

The explorer reads each room's text: the way on is the last door, a note names a press. The lazy ones walk without
pressing, press without reading, or guess.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from typing import Final

from harness.scripted import Move, Observation, Play, Scripted, View, call
from harness_escape.house import SIDES
from harness_escape.tiny import BUTTONS, LAST, Flat, button

Turns = Generator[Move, Observation, None]
Presses = Callable[[View, Mapping[int, str]], Sequence[str]]

_NOTE: Final = re.compile(r"(?:press (\d) is (\w+)\.)|(?:第(\d)次按(\w+)。)")
_SIDE: Final = re.compile("|".join(SIDES))


def _walker(presses: Presses) -> Play:
    """Return a policy that walks on, presses what it is told to in the last room, and walks on."""

    def play(view: View) -> Turns:
        text, notes = view.facts["start"], dict[int, str]()
        for _ in range(LAST):
            seen = yield call("move", direction=way_on(text))
            text = seen.text
            notes.update(read_notes(text))
        for name in presses(view, notes):
            yield call("use", button=name)
        yield call("move", direction=way_on(text))

    return play


def way_on(text: str) -> str:
    """Return the last side that a room's text names before its note."""
    return str(_SIDE.findall(re.split("Note|纸条", text)[0])[-1])


def read_notes(text: str) -> Iterator[tuple[int, str]]:
    """Yield (press, button) for each note."""
    for en_press, en_button, zh_press, zh_button in _NOTE.findall(text):
        yield int(en_press or zh_press), en_button or zh_button


def _as_told(view: View, notes: Mapping[int, str]) -> Sequence[str]:
    return [notes[1], notes[2]]


def _guess(view: View, notes: Mapping[int, str]) -> Sequence[str]:
    return [button(int(i), "en") for i in view.rng.integers(0, BUTTONS, 2)]


def _in_turn(view: View, notes: Mapping[int, str]) -> Sequence[str]:
    return [button(i, "en") for i in range(2)]


def random_legal(view: View) -> Turns:
    """Call random tools with random arguments."""
    while True:
        if view.rng.integers(2):
            yield call("move", direction=SIDES[int(view.rng.integers(4))])
        else:
            yield call("use", button=button(int(view.rng.integers(BUTTONS)), "en"))


def _half_read(view: View, notes: Mapping[int, str]) -> Sequence[str]:
    """Press as the first note told, guess the other."""
    guess = button(int(view.rng.integers(BUTTONS)), "en")
    known = min(notes)
    return [notes[1], guess] if known == 1 else [guess, notes[2]]


def fit_constant(flats: Sequence[Flat], options: object) -> Play:
    """Return the sequence of calls that solves most training flats."""
    (sides, presses), _ = Counter((flat.sides, flat.presses) for flat in flats).most_common(1)[0]

    def play(view: View) -> Turns:
        for side in sides[:LAST]:
            yield call("move", direction=SIDES[side])
        for index in presses:
            yield call("use", button=button(index, "en"))
        yield call("move", direction=SIDES[sides[LAST]])

    return play


FLAT_POLICIES: Final[Mapping[str, Scripted]] = {
    "reference": Scripted(_walker(_as_told), "reference", summary="the fair explorer: reads rooms and notes"),
    "random": Scripted(random_legal, "lazy", summary="random calls"),
    "wander": Scripted(_walker(lambda view, notes: ()), "lazy", summary="walks on, presses nothing"),
    "use_everything": Scripted(_walker(_in_turn), "lazy", summary="presses the buttons in turn"),
    "guess_codes": Scripted(_walker(_guess), "lazy", summary="walks on, presses two random buttons"),
    "half_reader": Scripted(_walker(_half_read), "adversary", summary="reads one note, guesses the other press"),
    "constant": Scripted(
        None, "adversary", ceiling=0.10, fit=fit_constant, summary="commonest solution of 500 training flats"
    ),
    "search": Scripted(random_legal, "adversary", ceiling=0.25, summary="random search with the full budget"),
}
