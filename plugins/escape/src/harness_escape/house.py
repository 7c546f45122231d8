"""The house: what one instance is, as frozen records.

Rooms lie on a grid, doors join neighbouring cells, things stand in rooms or inside other things. The puzzle graph
needs no pointers: whatever belongs together bears the same emblem (a key and its lock, a lever and its gate, two
parts and the socket for what they make, a code lock and its clues), and no emblem serves two locks. Words are
lexicon words, so a house has no language. Doors and things share one numbering, called targets: things first, then
doors.
"""

from __future__ import annotations

from typing import Final, Literal

from attrs import field, frozen

SIDES: Final = ("north", "east", "south", "west")
STEP: Final = ((0, 1), (1, 0), (0, -1), (-1, 0))
OUTSIDE: Final = -1
PORTABLE: Final = frozenset({"key", "part", "tool", "note", "junk"})
FIXED_CLUE: Final = "sign"

LockKind = Literal["key", "gate", "slot", "code"]
Style = Literal["", "digits", "colours", "pad", "word"]
Role = Literal["furniture", "container", "lever", "key", "part", "tool", "note", "sign", "junk"]
FactKind = Literal["digit", "colour", "plate", "engraved", "key"]
EventKind = Literal["door", "light", "guard"]


@frozen
class Fact:
    """One statement of a clue.

    Attributes:
        mark: The emblem it is about; for a plate the colour it is painted in.
        place: Position in the code, order or key, from 1; 0 where there is none.
        value: A digit, a letter, an engraved text or a colour word.
    """

    kind: FactKind
    mark: str
    place: int
    value: str


@frozen
class Lock:
    """What keeps a door or container shut.

    Attributes:
        style: How the code is hidden, for code locks.
        code: What opens a code lock.
        cipher: The cipher key of a code lock, where its style has one.
    """

    kind: LockKind
    emblem: str
    style: Style = ""
    code: str = field(default="", repr=False)
    cipher: str = field(default="", repr=False)


@frozen
class Door:
    """A door from room `a` to room `b`, on side `side` of `a`. One-way doors let only from `a` to `b`."""

    word: str
    a: int
    b: int
    side: int
    one_way: bool = False
    lock: Lock | None = None


@frozen
class Thing:
    """A thing with its place.

    Attributes:
        room: Where it is at the start; -1 for what is first made by combining.
        inside: The thing that hides or holds it, or -1.
        emblem: The mark it bears, or the empty string.
    """

    word: str
    role: Role
    room: int
    inside: int = -1
    emblem: str = ""
    lock: Lock | None = None
    facts: tuple[Fact, ...] = ()


@frozen
class Event:
    """What the house does by itself: told after step `warn`, in force from `start`, over at `end` (never, if 0).

    Attributes:
        place: The door that shuts for good, or the room that goes dark or is visited.
    """

    kind: EventKind
    place: int
    warn: int
    start: int
    end: int


@frozen
class House:
    """The identity of an instance.

    Attributes:
        cells: Grid cell of each room.
        optimum: Fewest steps of a player who knows everything, events left out.
        need: Steps that the fair explorer takes.
        budget: Steps that are granted.
    """

    rooms: tuple[str, ...]
    cells: tuple[tuple[int, int], ...]
    doors: tuple[Door, ...]
    things: tuple[Thing, ...]
    start: int = 0
    events: tuple[Event, ...] = ()
    optimum: int = 0
    need: int = 0
    budget: int = 0

    @property
    def exit(self) -> int:
        """Index of the door that leads outside."""
        return next(i for i, door in enumerate(self.doors) if door.b == OUTSIDE)

    @property
    def targets(self) -> int:
        """Number of targets: things and doors."""
        return len(self.things) + len(self.doors)


def target_word(house: House, target: int) -> str:
    """Return the lexicon word of a target."""
    count = len(house.things)
    return house.things[target].word if target < count else house.doors[target - count].word


def target_lock(house: House, target: int) -> Lock | None:
    """Return the lock of a target, if it has one."""
    count = len(house.things)
    return house.things[target].lock if target < count else house.doors[target - count].lock


def door_on(house: House, room: int, side: int) -> int | None:
    """Return the index of the door on a side of a room."""
    for index, door in enumerate(house.doors):
        if (door.a == room and door.side == side) or (door.b == room and (door.side + 2) % 4 == side):
            return index
    return None


def far_side(door: Door, room: int) -> int:
    """Return the room on the other side of a door."""
    return door.b if door.a == room else door.a
