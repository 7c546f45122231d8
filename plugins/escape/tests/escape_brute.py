"""A second opinion on houses: breadth-first search over every reachable state, by rules written from the records alone.

It shares no code with the package's physics or its solver: places, locks and emblems are read from the house, states
are plain tuples, every legal act is tried. Slow, so it serves small houses only.
"""

from __future__ import annotations

from collections.abc import Iterator

from harness_escape.house import House, Lock

CARRIED = {"key", "part", "tool", "note", "junk"}
MOVES = ((0, "north"), (1, "east"), (2, "south"), (3, "west"))

State = tuple[int, frozenset[int], frozenset[int], frozenset[str]]
"""Room, things in hand, things used up, and what is open: emblems of locks, `i3` for furniture 3 that was searched."""


def fewest_steps(house: House, limit: int = 400_000) -> int | None:
    """Return the fewest steps out of a house, or None when there is no way out."""
    start: State = (house.start, frozenset(), frozenset(), frozenset())
    layer, seen, steps = {start}, {start}, 0
    while layer:
        steps += 1
        layer = {after for state in layer for after in successors(house, state)} - seen
        if any(state[0] == -1 for state in layer):
            return steps
        seen |= layer
        if len(seen) > limit:
            raise RuntimeError("the house is too large for brute force")
    return None


def successors(house: House, state: State) -> Iterator[State]:
    """Yield every state one act away."""
    room, hand, gone, opened = state
    for door in house.doors:
        if door.lock is None or door.lock.emblem in opened:
            if door.a == room:
                yield door.b, hand, gone, opened
            elif door.b == room and not door.one_way:
                yield door.a, hand, gone, opened
    for i, thing in enumerate(house.things):
        if reachable(house, state, i):
            if thing.role in CARRIED:
                yield room, hand | {i}, gone, opened
            if thing.role == "lever":
                yield room, hand, gone, opened | {thing.emblem}
            if thing.role == "furniture":
                yield room, hand, gone, opened | {f"i{i}"}
    for lock in locks_at(house, state):
        if lock.emblem in opened:
            continue
        if lock.kind == "code":
            yield room, hand, gone, opened | {lock.emblem}
        for i in hand:
            fits = (house.things[i].role, lock.kind) in (("key", "key"), ("tool", "slot"))
            if fits and house.things[i].emblem == lock.emblem:
                spent = frozenset({i}) if lock.kind == "slot" else frozenset()
                yield room, hand - spent, gone | spent, opened | {lock.emblem}
    yield from joined(house, state)


def joined(house: House, state: State) -> Iterator[State]:
    """Yield the states after putting two parts together."""
    room, hand, gone, opened = state
    parts = [i for i in hand if house.things[i].role == "part"]
    for a in parts:
        for b in parts:
            if a < b and house.things[a].emblem == house.things[b].emblem:
                tool = [
                    i for i, t in enumerate(house.things) if t.role == "tool" and t.emblem == house.things[a].emblem
                ]
                yield room, (hand - {a, b}) | set(tool), gone | {a, b}, opened


def reachable(house: House, state: State, index: int) -> bool:
    """Whether a thing lies in the room, not in hand, not used up, with its holder open."""
    room, hand, gone, opened = state
    thing = house.things[index]
    if thing.room != room or index in hand or index in gone:
        return False
    if thing.inside == -1:
        return True
    lock = house.things[thing.inside].lock
    return (lock.emblem if lock else f"i{thing.inside}") in opened


def locks_at(house: House, state: State) -> Iterator[Lock]:
    """Yield the locks of doors and containers of the room."""
    yield from (door.lock for door in house.doors if door.lock and state[0] in (door.a, door.b))
    yield from (thing.lock for i, thing in enumerate(house.things) if thing.lock and reachable(house, state, i))
