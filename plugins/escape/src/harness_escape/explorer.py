"""The fair explorer: a player that knows only what it has been shown.

It looks into every room, examines everything once, takes what looks of use, and goes to the nearest place where it
can do something; the steps it needs set the budget of an instance, and it is the reference policy. Its input is the
answers of the tools and the announcements of the house, in either language: it never sees an identity.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Container, Iterable, Iterator, Mapping
from typing import Final, TypeAlias

from attrs import define, field, frozen

from harness.records import Json
from harness_escape.codes import solve_riddle
from harness_escape.house import SIDES, Fact
from harness_escape.texts import Sentence, read, read_fact, say

TOOLS: Final = ("look", "move", "take", "inspect", "use", "combine", "enter_code", "inventory")
STYLES: Final = frozenset({"digits", "colours", "pad", "word"})


Answer: TypeAlias = Mapping[str, Json]


@frozen
class Step:
    """A tool call: name and arguments."""

    tool: str
    arguments: Mapping[str, str] = field(factory=dict)


@define
class Passage:
    """A door as seen from one room; `leads` is the room behind it once it was passed."""

    name: str
    state: str
    leads: str | None = None


@define
class Place:
    """What is known of a room."""

    doors: dict[str, Passage] = field(factory=dict)
    things: list[str] = field(factory=list)
    looked: bool = False


@frozen
class Warned:
    """An announced event: in force after `start`, over at `end` (0: never)."""

    kind: str
    place: str
    start: int
    end: int

    def holds(self, step: int) -> bool:
        """Whether it is in force once `step` steps are done."""
        return step >= self.start and (not self.end or step < self.end)


@define
class Memory:
    """All that the explorer has learnt.

    Attributes:
        kinds: Target → kind of the last telling sentence about it (`lock_key`, `part`, `lever`, `dead_lever`).
        marks: Target → emblem it bears.
        open: Targets known to be open, levers that were worked.
    """

    places: dict[str, Place] = field(factory=dict)
    inspected: set[str] = field(factory=set)
    portable: set[str] = field(factory=set)
    held: list[str] = field(factory=list)
    kinds: dict[str, str] = field(factory=dict)
    marks: dict[str, str] = field(factory=dict)
    open: set[str] = field(factory=set)
    facts: list[Fact] = field(factory=list)
    warnings: list[Warned] = field(factory=list)


class Explorer:
    """Chooses the next step (`next_step`) and learns from its answer (`learn`).

    Args:
        exit_name: Name of the door that leads outside, as the prompt tells it.
        tools: Tools it is willing to use; lazy policies are explorers that leave some out.
    """

    def __init__(self, exit_name: str, language: str, tools: Container[str] = TOOLS) -> None:
        self.exit, self.language, self._tools = exit_name, language, tools
        self.room, self.steps, self.memory = "", 0, Memory()
        self._walkable = {say("open", language), say("one_way", language)}
        self._shut = say("shut", language)

    def next_step(self) -> Step | None:
        """Return the next step, or None when there is nothing left to try."""
        if self.room not in self.memory.places:
            return Step("look")
        if self._held_by(("guard",), self.room, self.steps + 1) and (step := self._flee()):
            return step
        step = next(self._choices(), None)
        if step is None:
            return Step("inventory") if self._pending_warnings() else None
        return Step("inventory") if self._walks_into_guard(step) else step

    def _choices(self) -> Iterator[Step]:
        """Yield sensible steps, best first."""
        for choice in (self._leave, lambda: self._work_here(self.room), self._join, self._nearest):
            if step := choice():
                yield step

    def _leave(self) -> Step | None:
        """Return the next step of a known way out, its lock included."""
        for room, place in self.memory.places.items():
            for side, door in place.doors.items():
                if door.name != self.exit:
                    continue
                last = Step("move", {"direction": side}) if self._passable(door) else self._unlock(door.name)
                if last and (room == self.room or (last := self.towards(room))):
                    return last
        return None

    # What can be done in a room: the same question is asked of the room one is in and of rooms far away.

    def _work_here(self, room: str) -> Step | None:
        place = self.memory.places[room]
        dark = self._held_by(("light",), room, self.steps)
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
        shut = (door.name for door in place.doors.values() if door.state == self._shut)
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
        first: dict[str, Step | None] = {self.room: None}
        queue = deque([self.room])
        while queue:
            here = queue.popleft()
            if here != self.room and self._work_here(here):
                return first[here]
            for side, door in self.memory.places[here].doors.items():
                if not self._passable(door):
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
        first: dict[str, Step | None] = {self.room: None}
        queue = deque([self.room])
        while queue:
            here = queue.popleft()
            if here == goal:
                return first[here]
            for side, door in self.memory.places[here].doors.items():
                if door.leads is not None and door.leads not in first and self._passable(door):
                    first[door.leads] = first[here] or Step("move", {"direction": side})
                    queue.append(door.leads)
        return None

    def _passable(self, door: Passage) -> bool:
        if self._held_by(("door",), door.name, self.steps):
            return False
        return door.state in self._walkable or (door.state == self._shut and door.name in self.memory.open)

    def is_shut(self, door: Passage) -> bool:
        """Whether a door is known to be locked still."""
        return door.state == self._shut and door.name not in self.memory.open

    # Events.

    def _held_by(self, kinds: tuple[str, ...], place: str, step: int) -> bool:
        return any(w.kind in kinds and w.place == place and w.holds(step) for w in self.memory.warnings)

    def _pending_warnings(self) -> bool:
        return any(w.end > self.steps for w in self.memory.warnings)

    def _flee(self) -> Step | None:
        for side, door in self.memory.places[self.room].doors.items():
            safe = door.leads is not None and not self._held_by(("guard",), door.leads, self.steps + 1)
            if safe and self._passable(door):
                return Step("move", {"direction": side})
        return None

    def _walks_into_guard(self, step: Step) -> bool:
        if step.tool != "move":
            return False
        leads = self.memory.places[self.room].doors[step.arguments["direction"]].leads
        if leads is None:
            return False
        return any(self._held_by(("guard",), leads, n) for n in (self.steps, self.steps + 1))

    # Learning.

    def learn(self, step: Step, answer: Answer | None, heard: Iterable[str] = ()) -> None:
        """Take in the answer of a step (None when it was refused) and what the house announced after it."""
        self.steps += 1
        if answer is not None:
            getattr(self, f"_after_{step.tool}")(step, answer)
        for text in heard:
            for sentence in read(text, self.language):
                self._hear(sentence)

    def _after_look(self, step: Step, answer: Answer) -> None:
        self.room = str(answer["room"])
        place = self.memory.places.setdefault(self.room, Place())
        place.looked = True
        doors, items, furniture = answer["doors"], answer["items"], answer["furniture"]
        for side, door in doors.items():
            leads = place.doors[side].leads if side in place.doors else None
            place.doors[side] = Passage(door["name"], door["state"], leads)
        self.memory.portable.update(items)
        place.things = [*items, *furniture]

    def _after_move(self, step: Step, answer: Answer) -> None:
        if "room" not in answer:
            return
        side, came = step.arguments["direction"], self.room
        before, self.room = self.memory.places[came], str(answer["room"])
        before.doors[side].leads = self.room
        self.memory.places.setdefault(self.room, Place())
        opposite = SIDES[(SIDES.index(side) + 2) % 4]
        back = self.memory.places[self.room].doors
        if opposite in back:
            back[opposite].leads = came
        else:
            one_way = before.doors[side].state == say("one_way", self.language)
            state = say("no_handle" if one_way else "open", self.language)
            back[opposite] = Passage(before.doors[side].name, state, came)

    def _after_take(self, step: Step, answer: Answer) -> None:
        item = step.arguments["item"]
        self.memory.held.append(item)
        self.memory.places[self.room].things.remove(item)

    def _after_inspect(self, step: Step, answer: Answer) -> None:
        target = step.arguments["target"]
        self.memory.inspected.add(target)
        for sentence in read(str(answer["text"]), self.language):
            if fact := read_fact(sentence):
                self.memory.facts.append(fact)
            else:
                self.memory.kinds[target] = sentence.kind
                self.memory.marks[target] = sentence.gaps.get("mark", "")
        self._reveal(answer)

    def _after_use(self, step: Step, answer: Answer) -> None:
        item, target = step.arguments["item"], step.arguments.get("target")
        if target is None:
            self.memory.open.add(item)
            mark = self.memory.marks.get(item)
            gates = [t for t, kind in self.memory.kinds.items() if kind == "lock_gate"]
            self.memory.open.update(gate for gate in gates if self.memory.marks[gate] == mark)
            return
        self.memory.open.add(target)
        if self.memory.kinds.get(item) == "tool":
            self.memory.held.remove(item)
        self._reveal(answer)

    def _after_combine(self, step: Step, answer: Answer) -> None:
        first, second = step.arguments["first"], step.arguments["second"]
        self.memory.held = [item for item in self.memory.held if item not in (first, second)]
        made = str(answer["made"])
        self.memory.held.append(made)

    def _after_enter_code(self, step: Step, answer: Answer) -> None:
        if "wrong_codes" not in answer:
            self.memory.open.add(step.arguments["target"])
            self._reveal(answer)

    def _after_inventory(self, step: Step, answer: Answer) -> None:
        self.room = str(answer["room"])

    def _reveal(self, answer: Answer) -> None:
        found = answer.get("found", [])
        self.memory.portable.update(found)
        self.memory.places[self.room].things += [thing for thing in found if thing not in self.memory.held]

    def _hear(self, sentence: Sentence) -> None:
        if sentence.kind == "caught":
            self.room = sentence.gaps["home"]
        elif sentence.kind.startswith("warn_"):
            kind, gaps = sentence.kind.removeprefix("warn_"), sentence.gaps
            warning = Warned(kind, gaps["place"], int(gaps["start"]), int(gaps.get("end") or 0))
            self.memory.warnings.append(warning)
