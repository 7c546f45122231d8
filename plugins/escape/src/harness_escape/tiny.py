"""The flat: an escape so small that a model of a million parameters can learn it.

Three rooms in a row that bends, two notes, a panel of coloured buttons in the last room. Each note tells one of the
two presses; which note tells which is drawn. A wrong press jams the panel for good. Two tools, discrete arguments,
six turns; the layers are those of the house, the world is its own.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal

from attrs import define, frozen

from harness_escape.house import SIDES, STEP
from harness_escape.lexicon import name, words

if TYPE_CHECKING:
    import numpy as np

NEED: Final = 5
"""Steps of the fair explorer: two doors, two presses, the way out. No plan is shorter."""

BUDGET: Final = 6
LAST: Final = 2
OUT: Final = 3
BUTTONS: Final = 8

Direction = Literal["north", "east", "south", "west"]
Button = Literal["red", "blue", "green", "white", "black", "gold", "pink", "grey"]


@frozen
class Flat:
    """The identity of a tiny instance.

    Attributes:
        rooms: Words of the three rooms, in the order in which they are passed.
        sides: Side on which each room goes on; the last one's is the way out.
        presses: Indices of the two buttons, in order.
        swapped: Whether the note in the second room tells the second press.
    """

    rooms: tuple[str, ...]
    sides: tuple[int, ...]
    presses: tuple[int, int]
    swapped: bool


@define
class FlatWorld:
    """What changes: the room (3 is outside), the right presses so far, whether the panel is jammed."""

    room: int = 0
    pressed: int = 0
    jammed: bool = False

    @property
    def out(self) -> bool:
        """Whether the player has left."""
        return self.room == OUT


def propose_flat(rng: np.random.Generator) -> Flat:
    """Draw a flat whose rooms do not overlap and whose buttons are no neighbours in the list of buttons."""
    names = words("room")
    rooms = tuple(names[i] for i in rng.permutation(len(names))[:OUT])
    pairs = [(a, b) for a in range(BUTTONS) for b in range(BUTTONS) if b != a + 1]
    return Flat(rooms, _sides(rng), pairs[int(rng.integers(len(pairs)))], bool(rng.integers(2)))


def _sides(rng: np.random.Generator) -> tuple[int, ...]:
    cell, seen, sides = (0, 0), {(0, 0)}, list[int]()
    while len(sides) < OUT:
        free = [s for s in range(4) if (cell[0] + STEP[s][0], cell[1] + STEP[s][1]) not in seen]
        sides.append(free[int(rng.integers(len(free)))])
        cell = (cell[0] + STEP[sides[-1]][0], cell[1] + STEP[sides[-1]][1])
        seen.add(cell)
    return tuple(sides)


def button(index: int, language: str) -> str:
    """Name of a button: as an argument (English), or as a note has it."""
    return name(f"button.{index}", language)


def button_index(given: str) -> int:
    """Index of a button by its name as an argument."""
    return next(i for i in range(BUTTONS) if button(i, "en") == given)


def pass_door(flat: Flat, world: FlatWorld, side: int) -> str:
    """Go through a door; return the key of what happened: `in`, `out`, `wall` or `shut`."""
    if side == flat.sides[world.room]:
        if world.room == LAST and world.pressed < len(flat.presses):
            return "shut"
        world.room += 1
        return "out" if world.out else "in"
    if world.room and side == back_side(flat, world.room):
        world.room -= 1
        return "in"
    return "wall"


def press(flat: Flat, world: FlatWorld, index: int) -> str:
    """Press a button; return the key of what happened: `none`, `jam`, `click` or `open`."""
    if world.room != LAST or world.jammed:
        return "none"
    if world.pressed == len(flat.presses) or flat.presses[world.pressed] != index:
        world.jammed, world.pressed = True, 0
        return "jam"
    world.pressed += 1
    return "open" if world.pressed == len(flat.presses) else "click"


def back_side(flat: Flat, room: int) -> int:
    """Side of a room on which it was entered."""
    return (flat.sides[room - 1] + 2) % 4


def told(flat: Flat, room: int) -> int:
    """Which press (0 or 1) the note in a room tells."""
    return int((room == LAST) != flat.swapped)


def describe(flat: Flat, room: int, language: str) -> str:
    """Describe a room: its doors, the way on last, and its note."""
    sides = [SIDES[back_side(flat, room)]] if room else []
    doors = ", ".join([*sides, SIDES[flat.sides[room]]])
    text = ROOM[language].format(room=name(flat.rooms[room], language), doors=doors)
    if not room:
        return text
    which = told(flat, room)
    return text + NOTE[language].format(n=which + 1, button=button(flat.presses[which], "en"))


ROOM: Final = {"en": "{room}. Doors: {doors}.", "zh": "{room}。门：{doors}。"}
NOTE: Final = {"en": " Note: press {n} is {button}.", "zh": "纸条：第{n}次按{button}。"}
EVENTS: Final = {
    "en": {
        "out": "You are out.",
        "wall": "No door there.",
        "shut": "The way out is shut.",
        "none": "No button answers.",
        "jam": "Wrong. The panel is jammed.",
        "click": "Click.",
        "open": "The way out is open.",
    },
    "zh": {
        "out": "你出来了。",
        "wall": "那里没有门。",
        "shut": "出口锁着。",
        "none": "没有反应。",
        "jam": "错误，面板卡死了。",
        "click": "咔哒。",
        "open": "出口开了。",
    },
}
