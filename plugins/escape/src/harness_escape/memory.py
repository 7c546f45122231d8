"""What a player learns from the answers of the tools and the announcements of the house.

`Memory` is fed with what a policy is shown, in either language, and with nothing else. The fair explorer decides by it,
and the lazy policies keep it too.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TypeAlias

from attrs import define, field, frozen

from harness.records import Json
from harness_escape.house import SIDES, Fact
from harness_escape.texts import Sentence, read, read_fact, say

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


@define(slots=False)
class Memory:
    """All that a player has learnt.

    Attributes:
        steps: Steps taken.
        places: Room → what is known of it.
        kinds: Target → kind of the last telling sentence about it (`lock_key`, `part`, `lever`, `dead_lever`).
        marks: Target → emblem it bears.
        open: Targets known to be open, levers that were worked.
    """

    language: str
    room: str = ""
    steps: int = 0
    places: dict[str, Place] = field(factory=dict)
    inspected: set[str] = field(factory=set)
    portable: set[str] = field(factory=set)
    held: list[str] = field(factory=list)
    kinds: dict[str, str] = field(factory=dict)
    marks: dict[str, str] = field(factory=dict)
    open: set[str] = field(factory=set)
    facts: list[Fact] = field(factory=list)
    warnings: list[Warned] = field(factory=list)

    def passable(self, door: Passage) -> bool:
        """Whether a door is known to let through just now."""
        if self.expects("door", door.name, self.steps):
            return False
        if door.state == say("shut", self.language):
            return door.name in self.open
        return door.state in (say("open", self.language), say("one_way", self.language))

    def is_shut(self, door: Passage) -> bool:
        """Whether a door is known to be locked still."""
        return door.state == say("shut", self.language) and door.name not in self.open

    def expects(self, kind: str, place: str, step: int) -> bool:
        """Whether an announced event is in force at a place once so many steps are done."""
        return any(w.kind == kind and w.place == place and w.holds(step) for w in self.warnings)

    def worth_waiting(self) -> bool:
        """Whether something announced will pass."""
        return any(warned.end > self.steps for warned in self.warnings)

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
        place = self.places.setdefault(self.room, Place())
        place.looked = True
        doors, items, furniture = answer["doors"], answer["items"], answer["furniture"]
        for side, door in doors.items():
            leads = place.doors[side].leads if side in place.doors else None
            place.doors[side] = Passage(door["name"], door["state"], leads)
        self.portable.update(items)
        place.things = [*items, *furniture]

    def _after_move(self, step: Step, answer: Answer) -> None:
        if "room" not in answer:
            return
        side, came = step.arguments["direction"], self.room
        before, self.room = self.places[came], str(answer["room"])
        before.doors[side].leads = self.room
        self.places.setdefault(self.room, Place())
        opposite = SIDES[(SIDES.index(side) + 2) % 4]
        back = self.places[self.room].doors
        if opposite in back:
            back[opposite].leads = came
        else:
            one_way = before.doors[side].state == say("one_way", self.language)
            state = say("no_handle" if one_way else "open", self.language)
            back[opposite] = Passage(before.doors[side].name, state, came)

    def _after_take(self, step: Step, answer: Answer) -> None:
        item = step.arguments["item"]
        self.held.append(item)
        self.places[self.room].things.remove(item)

    def _after_inspect(self, step: Step, answer: Answer) -> None:
        target = step.arguments["target"]
        self.inspected.add(target)
        for sentence in read(str(answer["text"]), self.language):
            if fact := read_fact(sentence):
                self.facts.append(fact)
            else:
                self.kinds[target] = sentence.kind
                self.marks[target] = sentence.gaps.get("mark", "")
        self._reveal(answer)

    def _after_use(self, step: Step, answer: Answer) -> None:
        item, target = step.arguments["item"], step.arguments.get("target")
        if target is None:
            self.open.add(item)
            mark = self.marks.get(item)
            gates = [t for t, kind in self.kinds.items() if kind == "lock_gate"]
            self.open.update(gate for gate in gates if self.marks[gate] == mark)
            return
        self.open.add(target)
        if self.kinds.get(item) == "tool":
            self.held.remove(item)
        self._reveal(answer)

    def _after_combine(self, step: Step, answer: Answer) -> None:
        first, second = step.arguments["first"], step.arguments["second"]
        self.held = [item for item in self.held if item not in (first, second)]
        made = str(answer["made"])
        self.held.append(made)

    def _after_enter_code(self, step: Step, answer: Answer) -> None:
        if "wrong_codes" not in answer:
            self.open.add(step.arguments["target"])
            self._reveal(answer)

    def _after_inventory(self, step: Step, answer: Answer) -> None:
        self.room = str(answer["room"])

    def _reveal(self, answer: Answer) -> None:
        found = answer.get("found", [])
        self.portable.update(found)
        self.places[self.room].things += [thing for thing in found if thing not in self.held]

    def _hear(self, sentence: Sentence) -> None:
        if sentence.kind == "caught":
            self.room = sentence.gaps["home"]
        elif sentence.kind.startswith("warn_"):
            kind, gaps = sentence.kind.removeprefix("warn_"), sentence.gaps
            warning = Warned(kind, gaps["place"], int(gaps["start"]), int(gaps.get("end") or 0))
            self.warnings.append(warning)
