"""The puzzle graph of a house, and the fewest steps that leave it.

`required` walks backwards from the way out and names every act that cannot be left out: the milestones of partial
credit. `optimum` searches over states (where the player is, which acts are done) for the shortest plan of a player
who knows codes and hiding places from the start; events are left out, so it bounds every real plan from below.
"""

from __future__ import annotations

import heapq
from collections import deque
from collections.abc import Iterator
from functools import cached_property
from typing import Literal

from attrs import define, frozen

from harness_escape.house import House, Lock, Thing, far_side, target_lock
from harness_escape.world import is_passable

Verb = Literal["open", "hold", "pull", "find", "read"]


@frozen
class Act:
    """One act that the way out depends on: open a lock, hold a thing, pull a lever, find what hides, read a clue."""

    verb: Verb
    target: int


class Insoluble(ValueError):
    """The house cannot be left."""


@define(slots=False)
class Closure:
    """Backward chaining from the way out.

    Attributes:
        reading: Whether codes have to be read from their clues (a fair player) or are known.
    """

    house: House
    reading: bool

    @cached_property
    def acts(self) -> dict[Act, tuple[Act, ...]]:
        """Every necessary act with the acts that must come before it."""
        acts: dict[Act, tuple[Act, ...]] = {}
        stack = [Act("open", len(self.house.things) + self.house.exit)]
        while stack:
            act = stack.pop()
            if act not in acts:
                acts[act] = tuple(self._before(act))
                stack.extend(acts[act])
        return acts

    def _before(self, act: Act) -> Iterator[Act]:
        count = len(self.house.things)
        if act.target >= count:
            yield from self._way(self.house.doors[act.target - count].a)
        elif self.house.things[act.target].role != "tool":
            yield from self._way(self.house.things[act.target].room)
            yield from self._uncover(self.house.things[act.target])
        if act.verb == "open":
            lock = target_lock(self.house, act.target)
            yield from self._keys(lock) if lock else ()
        elif self.house.things[act.target].role == "tool":
            yield from (Act("hold", i) for i in self._bearing(self.house.things[act.target].emblem, "part", 2))

    def _keys(self, lock: Lock) -> Iterator[Act]:
        if lock.kind == "code":
            yield from (Act("read", i) for i in self._clues(lock)) if self.reading else ()
        elif lock.kind == "gate":
            yield from (Act("pull", i) for i in self._bearing(lock.emblem, "lever"))
        else:
            role = "key" if lock.kind == "key" else "tool"
            yield from (Act("hold", i) for i in self._bearing(lock.emblem, role))

    def _clues(self, lock: Lock) -> list[int]:
        facts = [fact for thing in self.house.things for fact in thing.facts]
        marks = {lock.emblem} | {f.value for f in facts if f.kind == "colour" and f.mark == lock.emblem}
        return [i for i, thing in enumerate(self.house.things) if any(f.mark in marks for f in thing.facts)]

    def _bearing(self, emblem: str, role: str, count: int = 1) -> list[int]:
        found = [i for i, thing in enumerate(self.house.things) if thing.emblem == emblem and thing.role == role]
        if len(found) < count:
            raise Insoluble(f"the house has no {role} that bears {emblem}")
        return found

    def _uncover(self, thing: Thing) -> Iterator[Act]:
        if thing.inside >= 0:
            yield Act("open" if self.house.things[thing.inside].lock else "find", thing.inside)

    def _way(self, room: int) -> Iterator[Act]:
        yield from (Act("open", len(self.house.things) + door) for door in locked_way(self.house, room))


def locked_way(house: House, room: int) -> list[int]:
    """Return the locked doors on the way with the fewest locks from the start to a room."""
    best: dict[int, list[int]] = {house.start: []}
    queue = deque([house.start])
    while queue:
        here = queue.popleft()
        for index, door in enumerate(house.doors):
            there = far_side(door, here) if here in (door.a, door.b) else -1
            if there < 0 or not is_passable(door, here):
                continue
            way = [*best[here], index] if door.lock else best[here]
            if there not in best or len(way) < len(best[there]):
                best[there] = way
                queue.append(there)
    return best[room]


def required(house: House) -> dict[Act, int]:
    """Return the acts that no fair way out can leave out, in a stable order, with their depth.

    The depth of an act is the length of the longest chain of acts that ends with it.
    """
    before, depths = Closure(house, reading=True).acts, dict[Act, int]()

    def depth(act: Act) -> int:
        if act not in depths:
            depths[act] = 1 + max((depth(earlier) for earlier in before[act]), default=0)
        return depths[act]

    return {act: depth(act) for act in sorted(before, key=lambda act: (act.verb, act.target))}


def optimum(house: House) -> int:
    """Return the fewest steps that leave the house when everything is known.

    Raises:
        Insoluble: There is no way out.
    """
    return _Search(house).run()


class _Search:
    """Dijkstra over (room, set of acts done); walking between two acts is one edge."""

    def __init__(self, house: House) -> None:
        self.house = house
        acts = Closure(house, reading=False).acts
        self.acts = list(acts)
        index = {act: i for i, act in enumerate(self.acts)}
        self.before = [sum(1 << index[a] for a in acts[act]) for act in self.acts]
        self.rooms = [self._room(act) for act in self.acts]
        self.costs = [0 if self._is_gate(act) else 1 for act in self.acts]
        self.doors = {a.target - len(house.things): 1 << i for a, i in index.items() if a.target >= len(house.things)}
        self.goal = index[Act("open", len(house.things) + house.exit)]
        self._walks: dict[int, list[list[int]]] = {}

    def run(self) -> int:
        """Search; the last step is the one through the door."""
        queue = [(0, self.house.start, 0)]
        settled = set[tuple[int, int]]()
        while queue:
            cost, room, done = heapq.heappop(queue)
            if done >> self.goal & 1:
                return cost + 1
            if (room, done) in settled:
                continue
            settled.add((room, done))
            for edge in self._edges(cost, room, done):
                heapq.heappush(queue, edge)
        raise Insoluble("no order of acts leads out of the house")

    def _edges(self, cost: int, room: int, done: int) -> Iterator[tuple[int, int, int]]:
        walks = self._walk(done)[room]
        for i, before in enumerate(self.before):
            if done >> i & 1 or before & ~done:
                continue
            there = room if self.rooms[i] < 0 else self.rooms[i]
            if walks[there] >= 0:
                yield cost + walks[there] + self.costs[i], there, done | 1 << i

    def _is_gate(self, act: Act) -> bool:
        """Whether the act is done from afar by its lever, without a step of its own."""
        lock = target_lock(self.house, act.target)
        return act.verb == "open" and lock is not None and lock.kind == "gate"

    def _room(self, act: Act) -> int:
        count = len(self.house.things)
        if self._is_gate(act):
            return -1
        return self.house.doors[act.target - count].a if act.target >= count else self.house.things[act.target].room

    def _walk(self, done: int) -> list[list[int]]:
        mask = sum(bit for bit in self.doors.values() if done & bit)
        if mask not in self._walks:
            closed = {i for i, door in enumerate(self.house.doors) if door.lock and not mask & self.doors.get(i, 0)}
            self._walks[mask] = [distances(self.house, room, closed) for room in range(len(self.house.rooms))]
        return self._walks[mask]


def distances(house: House, start: int, closed: set[int]) -> list[int]:
    """Return the steps from a room to every room through doors that are not closed; -1 where there is no way."""
    reach = [-1] * len(house.rooms)
    reach[start] = 0
    queue = deque([start])
    while queue:
        here = queue.popleft()
        for index, door in enumerate(house.doors):
            if index in closed or here not in (door.a, door.b) or not is_passable(door, here):
                continue
            there = far_side(door, here)
            if there >= 0 and reach[there] < 0:
                reach[there] = reach[here] + 1
                queue.append(there)
    return reach
