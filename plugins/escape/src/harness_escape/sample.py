"""Proposing houses: rooms in zones, a lock before each zone, what opens it somewhere before it.

A house is built forwards so that it can always be solved: zone 0 holds the start; each later zone lies behind one
locked door whose key, lever, parts or clues are laid out in earlier zones, on the floor, under furniture or in
locked containers that obey the same rule. The way out always takes a code, so that carrying everything everywhere
is never enough. Extra doors only join rooms of one zone or lead one way back to an earlier one: no step can make
the house insoluble.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Final

from attrs import define, evolve, field, frozen

from harness import Reject
from harness_escape.codes import free_colours, make_riddle, split_facts
from harness_escape.house import OUTSIDE, STEP, Door, Fact, House, Lock, Role, Style, Thing
from harness_escape.lexicon import words

if TYPE_CHECKING:
    import numpy as np


@frozen
class Plan:
    """How large and how tangled the houses of a level are.

    Attributes:
        zones: Rooms of each zone, in order.
        doors: Kinds of lock before a zone, drawn without putting back while they last.
        exits: Styles of the last code.
        pieces: Clues that a long code is dealt over.
        containers: Locked containers at most.
        idle: Things that lead nowhere: furniture, junk, dead levers, keys and clues of nothing.
    """

    zones: tuple[int, ...]
    doors: tuple[str, ...]
    exits: tuple[Style, ...]
    pieces: int
    containers: int
    idle: tuple[str, ...]
    ring: bool = False
    one_way: int = 0
    events: int = 0


PLANS: Final[Mapping[str, Plan]] = {
    "easy": Plan((2, 2), ("key", "gate"), ("digits",), 2, 1, ("furniture", "junk")),
    "medium": Plan((3, 2, 1), ("key", "gate", "slot"), ("digits", "colours", "pad"), 3, 2,
                   ("furniture", "junk", "clue"), one_way=1),
    "hard": Plan((4, 2, 2, 1), ("key", "gate", "slot", "code"), ("colours", "pad", "word"), 4, 2,
                 ("furniture", "junk", "clue", "lever", "key"), ring=True, one_way=1, events=3),
}  # fmt: skip


def propose(level: str, rng: np.random.Generator) -> House:
    """Build a house without events or figures.

    Raises:
        Reject: The draw found no place for a room or a door.
    """
    return _Builder(PLANS[level], rng).build()


@define(slots=False)
class _Builder:
    """A house in the making; every list grows in place."""

    plan: Plan
    rng: np.random.Generator
    cells: list[tuple[int, int]] = field(factory=list)
    zone_of: list[int] = field(factory=list)
    doors: list[Door] = field(factory=list)
    things: list[Thing] = field(factory=list)
    pools: dict[str, list[str]] = field(factory=dict)
    colours: list[str] = field(factory=list)
    boxes: int = 0

    def build(self) -> House:
        self.colours = free_colours(self.rng)
        self._lay_rooms()
        self._cut_exit()
        self._add_one_way()
        self._lock_zones()
        for role in self.plan.idle:
            self._add_idle(role)
        rooms = tuple(self._word("room") for _ in self.cells)
        return _shuffled(House(rooms, tuple(self.cells), tuple(self.doors), tuple(self.things)), self.rng)

    # The map.

    def _lay_rooms(self) -> None:
        for zone, count in enumerate(self.plan.zones):
            for n in range(count):
                self._add_room(zone, first=n == 0)
        if self.plan.ring:
            self._join(0, 3)

    def _add_room(self, zone: int, first: bool) -> None:
        if not self.cells:
            self.cells.append((0, 0))
            self.zone_of.append(0)
            return
        if self.plan.ring and zone == 0 and len(self.cells) < 4:
            base, side = len(self.cells) - 1, len(self.cells) - 1
        else:
            hosts = [r for r, z in enumerate(self.zone_of) if z == (zone - 1 if first else zone)]
            base, side = self._free_side(hosts)
        self.cells.append(_next(self.cells[base], side))
        self.zone_of.append(zone)
        self.doors.append(Door(self._word("door"), base, len(self.cells) - 1, side))

    def _free_side(self, hosts: Sequence[int]) -> tuple[int, int]:
        taken = set(self.cells)
        free = [(r, s) for r in hosts for s in range(4) if _next(self.cells[r], s) not in taken]
        if not free:
            raise Reject("no room for a room")
        return free[int(self.rng.integers(len(free)))]

    def _join(self, a: int, b: int, one_way: bool = False) -> None:
        side = next(s for s in range(4) if _next(self.cells[a], s) == self.cells[b])
        self.doors.append(Door(self._word("door"), a, b, side, one_way))

    def _cut_exit(self) -> None:
        last = [r for r, z in enumerate(self.zone_of) if z == len(self.plan.zones) - 1]
        room, side = self._free_side(last)
        self.doors.append(Door(self._word("door"), room, OUTSIDE, side))

    def _add_one_way(self) -> None:
        joined = {frozenset((door.a, door.b)) for door in self.doors}
        pairs = [
            (a, b)
            for a in range(len(self.cells))
            for b in range(len(self.cells))
            if a != b and _next_to(self.cells[a], self.cells[b]) and frozenset((a, b)) not in joined
            and self.zone_of[b] in self._passed(self.zone_of[a])
        ]  # fmt: skip
        for i in self.rng.permutation(len(pairs))[: self.plan.one_way]:
            a, b = pairs[i]
            self._join(a, b, one_way=True)

    def _passed(self, zone: int) -> set[int]:
        """Return a zone and those that everybody has come through who stands in it."""
        passed = {zone}
        while zone:
            zone = self.zone_of[next(d.a for d in self.doors if d.b >= 0 and self._leads_into(d, zone))]
            passed.add(zone)
        return passed

    # The puzzles.

    def _lock_zones(self) -> None:
        kinds = [self.plan.doors[i] for i in self.rng.permutation(len(self.plan.doors))]
        for zone in range(1, len(self.plan.zones)):
            index = next(i for i, d in enumerate(self.doors) if d.b >= 0 and self._leads_into(d, zone))
            lock = self._make_lock(kinds[(zone - 1) % len(kinds)], zone, "digits")
            self.doors[index] = evolve(self.doors[index], lock=lock)
        index = next(i for i, door in enumerate(self.doors) if door.b == OUTSIDE)
        style = self.plan.exits[int(self.rng.integers(len(self.plan.exits)))]
        self.doors[index] = evolve(self.doors[index], lock=self._make_lock("code", len(self.plan.zones), style))

    def _leads_into(self, door: Door, zone: int) -> bool:
        return self.zone_of[door.b] == zone and self.zone_of[door.a] < zone and not door.one_way

    def _make_lock(self, kind: str, zone: int, style: Style, depth: int = 0) -> Lock:
        """Make a lock and lay out in the zones before `zone` what opens it."""
        emblem = self._word("emblem")
        if kind == "key":
            self._place(self._word("key"), "key", zone, depth, emblem)
            return Lock("key", emblem)
        if kind == "gate":
            self.things.append(Thing(self._word("lever"), "lever", self._room(zone), emblem=emblem))
            return Lock("gate", emblem)
        if kind == "slot":
            self._place_parts(zone, depth, emblem)
            return Lock("slot", emblem)
        riddle = make_riddle(style, emblem, self.rng, self.colours)
        pieces = self.plan.pieces if zone == len(self.plan.zones) else 2
        for facts in split_facts(riddle.facts, pieces, self.rng):
            self._place_clue(facts, zone, depth)
        return Lock("code", emblem, style, riddle.code, riddle.cipher)

    def _place_parts(self, zone: int, depth: int, emblem: str) -> None:
        tool = self._word("tool")
        number = int(tool.split(".")[1])
        for part in (f"part.{2 * number}", f"part.{2 * number + 1}"):
            self._place(part, "part", zone, depth, emblem)
        self.things.append(Thing(tool, "tool", -1, emblem=emblem))

    def _place_clue(self, facts: tuple[Fact, ...], zone: int, depth: int) -> None:
        if self.rng.random() < 0.5:
            self.things.append(Thing(self._word("sign"), "sign", self._room(zone), facts=facts))
        else:
            self._place(self._word("note"), "note", zone, depth, facts=facts)

    def _place(
        self, word: str, role: Role, zone: int, depth: int, emblem: str = "", facts: tuple[Fact, ...] = ()
    ) -> None:
        """Lay a portable thing on the floor, under furniture or into a locked container."""
        draw = self.rng.random()
        if draw < 0.4 and depth == 0 and self.boxes < self.plan.containers:
            holder = self._container(zone)
        elif draw < 0.7:
            holder = self._furniture(zone)
        else:
            self.things.append(Thing(word, role, self._room(zone), emblem=emblem, facts=facts))
            return
        self.things.append(Thing(word, role, self.things[holder].room, holder, emblem, facts=facts))

    def _container(self, zone: int) -> int:
        self.boxes += 1
        word, room = self._word("container"), self._room(zone)
        lock = self._make_lock("key" if self.rng.random() < 0.6 else "code", zone, "digits", depth=1)
        self.things.append(Thing(word, "container", room, lock=lock))
        return len(self.things) - 1

    def _furniture(self, zone: int) -> int:
        self.things.append(Thing(self._word("furniture"), "furniture", self._room(zone)))
        return len(self.things) - 1

    def _add_idle(self, role: str) -> None:
        room = self._room(len(self.plan.zones))
        if role == "clue":
            fact = Fact("digit", self._word("emblem"), int(self.rng.integers(1, 5)), str(self.rng.integers(10)))
            self.things.append(Thing(self._word("sign"), "sign", room, facts=(fact,)))
        elif role == "key":
            self.things.append(Thing(self._word("key"), "key", room, emblem=self._word("emblem")))
        else:
            kind: Role = "lever" if role == "lever" else "junk" if role == "junk" else "furniture"
            self.things.append(Thing(self._word(kind), kind, room))

    def _room(self, zone: int) -> int:
        """Draw a room before a zone, those of the zone just before twice as likely."""
        rooms = [r for r, z in enumerate(self.zone_of) if z < zone]
        weights = [2.0 if self.zone_of[r] == zone - 1 else 1.0 for r in rooms]
        total = sum(weights)
        return int(self.rng.choice(rooms, p=[w / total for w in weights]))

    def _word(self, bank: str) -> str:
        if bank not in self.pools:
            entries = words(bank)
            self.pools[bank] = [entries[i] for i in self.rng.permutation(len(entries))]
        if not self.pools[bank]:
            raise Reject(f"no {bank} left to name")
        return self.pools[bank].pop()


def _shuffled(house: House, rng: np.random.Generator) -> House:
    """Put things and doors into a drawn order, so that position tells nothing."""
    order = [int(i) for i in rng.permutation(len(house.things))]
    place = {old: new for new, old in enumerate(order)}
    things = (house.things[old] for old in order)
    moved = tuple(evolve(t, inside=place[t.inside] if t.inside >= 0 else -1) for t in things)
    doors = tuple(house.doors[int(i)] for i in rng.permutation(len(house.doors)))
    return evolve(house, things=moved, doors=doors)


def _next(cell: tuple[int, int], side: int) -> tuple[int, int]:
    return cell[0] + STEP[side][0], cell[1] + STEP[side][1]


def _next_to(a: tuple[int, int], b: tuple[int, int]) -> bool:
    return abs(a[0] - b[0]) + abs(a[1] - b[1]) == 1
