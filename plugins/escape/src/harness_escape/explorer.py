"""The fair explorer: a player that knows only what it has been shown.

It looks into every room, examines everything once, takes what looks of use, and goes to the nearest place where it
can do something; the steps it needs set the budget of an instance, and it is the reference policy. Its input is the
answers of the tools and the announcements of the house, in either language: it never sees an identity.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Container, Iterator
from typing import Final

from harness_escape.codes import solve_riddle
from harness_escape.memory import Memory, Place, Step

TOOLS: Final = ("look", "move", "take", "inspect", "use", "combine", "enter_code", "inventory")
STYLES: Final = frozenset({"digits", "colours", "pad", "word"})


class Explorer:
    """Chooses the next step (`next_step`) by what its memory has learnt.

    Args:
        exit_name: Name of the door that leads outside, as the prompt tells it.
        tools: Tools it is willing to use; lazy policies are explorers that leave some out.
    """

    def __init__(self, exit_name: str, language: str, tools: Container[str] = TOOLS) -> None:
        self.exit, self._tools = exit_name, tools
        self.memory = Memory(language)

    def next_step(self) -> Step | None:
        """Return the next step, or None when there is nothing left to try."""
        if self.memory.room not in self.memory.places:
            return Step("look")
        if self.memory.expects("guard", self.memory.room, self.memory.steps + 1) and (step := self._flee()):
            return step
        step = next(self._choices(), None)
        if step is None:
            return Step("inventory") if self.memory.worth_waiting() else None
        return Step("inventory") if self._walks_into_guard(step) else step

    def _choices(self) -> Iterator[Step]:
        """Yield sensible steps, best first."""
        for choice in (self._leave, lambda: self._work_here(self.memory.room), self._join, self._nearest):
            if step := choice():
                yield step

    def _leave(self) -> Step | None:
        """Return the next step of a known way out, its lock included."""
        for room, place in self.memory.places.items():
            for side, door in place.doors.items():
                if door.name != self.exit:
                    continue
                last = Step("move", {"direction": side}) if self.memory.passable(door) else self._unlock(door.name)
                if last and (room == self.memory.room or (last := self.towards(room))):
                    return last
        return None

    # What can be done in a room: the same question is asked of the room one is in and of rooms far away.

    def _work_here(self, room: str) -> Step | None:
        place = self.memory.places[room]
        dark = self.memory.expects("light", room, self.memory.steps)
        if not dark:
            if not place.looked:
                return Step("look")
            for target in self._unknown(place):
                return Step("inspect", {"target": target})
            for thing in place.things:
                if thing in self.memory.portable and self.memory.kinds.get(thing) in ("key", "part", "tool"):
                    return Step("take", {"item": thing})
        targets = (*place.things, *(door.name for door in place.doors.values()))
        return next((step for target in targets if (step := self._unlock(target))), None)

    def _unknown(self, place: Place) -> Iterator[str]:
        yield from (thing for thing in place.things if thing not in self.memory.inspected)
        shut = (door.name for door in place.doors.values() if self.memory.is_shut(door))
        yield from (name for name in shut if name not in self.memory.inspected)

    def _unlock(self, target: str) -> Step | None:
        kind, mark = self.memory.kinds.get(target, ""), self.memory.marks.get(target, "")
        if target in self.memory.open:
            return None
        if "use" in self._tools and (step := self._force(target, kind, mark)):
            return step
        style = kind.removeprefix("lock_")
        code = solve_riddle(style, mark, self.memory.facts) if style in STYLES and "enter_code" in self._tools else None
        return Step("enter_code", {"target": target, "code": code}) if code else None

    def _force(self, target: str, kind: str, mark: str) -> Step | None:
        if kind == "lever":
            return Step("use", {"item": target})
        opener = {"lock_key": "key", "lock_slot": "tool"}.get(kind)
        for item in self.memory.held if opener else ():
            if self.memory.kinds.get(item) == opener and self.memory.marks.get(item) == mark:
                return Step("use", {"item": item, "target": target})
        return None

    def _join(self) -> Step | None:
        held = self.memory.held if "combine" in self._tools else []
        parts = [item for item in held if self.memory.kinds.get(item) == "part"]
        for i, first in enumerate(parts):
            for second in parts[i + 1 :]:
                if self.memory.marks.get(first) == self.memory.marks.get(second):
                    return Step("combine", {"first": first, "second": second})
        return next((Step("inspect", {"target": i}) for i in self.memory.held if i not in self.memory.inspected), None)

    # Getting about.

    def _nearest(self) -> Step | None:
        """Return the first move towards the nearest room with work, or door not yet passed."""
        first: dict[str, Step | None] = {self.memory.room: None}
        queue = deque([self.memory.room])
        while queue:
            here = queue.popleft()
            if here != self.memory.room and self._work_here(here):
                return first[here]
            for side, door in self.memory.places[here].doors.items():
                if not self.memory.passable(door):
                    continue
                step = first[here] or Step("move", {"direction": side})
                if door.leads is None and door.name != self.exit:
                    return step
                if door.leads is not None and door.leads not in first:
                    first[door.leads] = step
                    queue.append(door.leads)
        return None

    def towards(self, goal: str) -> Step | None:
        """Return the first move of a shortest known way to a room."""
        first: dict[str, Step | None] = {self.memory.room: None}
        queue = deque([self.memory.room])
        while queue:
            here = queue.popleft()
            if here == goal:
                return first[here]
            for side, door in self.memory.places[here].doors.items():
                if door.leads is not None and door.leads not in first and self.memory.passable(door):
                    first[door.leads] = first[here] or Step("move", {"direction": side})
                    queue.append(door.leads)
        return None

    # Events.

    def _flee(self) -> Step | None:
        for side, door in self.memory.places[self.memory.room].doors.items():
            safe = door.leads is not None and not self.memory.expects("guard", door.leads, self.memory.steps + 1)
            if safe and self.memory.passable(door):
                return Step("move", {"direction": side})
        return None

    def _walks_into_guard(self, step: Step) -> bool:
        """Whether a move leads, or may lead, to where the guard stands or is about to stand."""
        if step.tool != "move":
            return False
        leads = self.memory.places[self.memory.room].doors[step.arguments["direction"]].leads
        unknown = [w.place for w in self.memory.warnings if w.kind == "guard" and w.place not in self.memory.places]
        rooms, now = unknown if leads is None else [leads], self.memory.steps
        return any(self.memory.expects("guard", room, step) for room in rooms for step in (now, now + 1))
