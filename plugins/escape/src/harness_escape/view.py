"""What the policy is shown: the answers of the tools, in its language.

`Eyes` joins a house, its state and a language; each method does one action by the rules of `world` and puts the
result into words. It also keeps account of which names have been shown, so that a slip is answered with names
already seen and no other.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable
from typing import TypeAlias, TypeVar

from harness import Infeasible, Unsafe
from harness.records import Json
from harness_escape import world as rules
from harness_escape.house import OUTSIDE, PORTABLE, SIDES, House, Thing, door_on, target_lock, target_word
from harness_escape.lexicon import name
from harness_escape.texts import say, say_fact
from harness_escape.world import Blocked, Danger, World

Answer: TypeAlias = dict[str, Json]
T = TypeVar("T")


class Eyes:
    """The house as one policy sees it."""

    def __init__(self, house: House, world: World, language: str) -> None:
        self.house, self.world, self.language = house, world, language

    def look(self) -> Answer:
        """Describe the room."""
        if rules.is_active(self.house, self.world, "light", self.world.room):
            raise self._refusal(Blocked("dark", place=self.world.room))
        visible = [i for i in range(len(self.house.things)) if rules.is_visible(self.house, self.world, i)]
        items = [i for i in visible if self.house.things[i].role in PORTABLE]
        return {
            "room": self._room(self.world.room),
            "doors": {side: door for n, side in enumerate(SIDES) if (door := self._door(n))},
            "furniture": self._show(i for i in visible if i not in items),
            "items": self._show(items),
        }

    def move(self, side: str) -> Answer:
        """Go through a door."""
        try:
            index = rules.move(self.house, self.world, SIDES.index(side))
        except Blocked as blocked:
            raise self._refusal(blocked, side=side) from None
        if self.world.room == OUTSIDE:
            return {"text": self._say("outside", door=self._name(len(self.house.things) + index))}
        room = self._room(self.world.room)
        return {"room": room, "text": self._say("arrived", room=room)}

    def take(self, thing: str) -> Answer:
        """Pick something up."""
        self._do(rules.take, self._find(thing))
        return {"text": self._say("taken", thing=thing)}

    def inspect(self, target: str) -> Answer:
        """Examine something."""
        index = self._find(target)
        shown = self._do(rules.inspect, index)
        text = self._describe(index, bool(shown))
        return {"text": text, "found": self._show(shown)} if shown else {"text": text}

    def use(self, thing: str, target: str | None) -> Answer:
        """Work a lever, or use a carried thing on a lock."""
        item = self._find(thing)
        if target is None:
            opened = self._do(rules.pull, item)
            return {"text": self._say("pulled" if opened else "pulled_dead", thing=thing)}
        lock = self._find(target)
        self._do(rules.apply, item, lock)
        return self._opened(lock)

    def combine(self, first: str, second: str) -> Answer:
        """Put two parts together."""
        made = self._do(rules.combine, self._find(first), self._find(second))
        name = self._show([made])[0]
        return {"text": self._say("combined", thing=name), "made": name}

    def enter_code(self, target: str, code: str, allowed: int) -> Answer:
        """Enter a code; a wrong one is counted."""
        lock = self._find(target)
        if self._do(rules.enter_code, lock, code):
            return self._opened(lock)
        if self.world.wrong >= allowed:
            return {"text": self._say("alarm"), "sealed": True}
        left = self._say("wrong_left", left=allowed - self.world.wrong, allowed=allowed)
        return {"text": self._say("wrong_code", target=target), "wrong_codes": left}

    def inventory(self) -> Answer:
        """List what is carried."""
        room, held = self.world.room, self.world.held
        return {
            "room": self._room(room),
            "carried": self._show(i for i in range(len(self.house.things)) if held >> i & 1),
        }

    def _opened(self, target: int) -> Answer:
        answer: Answer = {"text": self._say("opened", target=self._name(target))}
        things = enumerate(self.house.things)
        inside = [i for i, t in things if t.inside == target and rules.is_visible(self.house, self.world, i)]
        return {**answer, "found": self._show(inside)} if inside else answer

    def _do(self, rule: Callable[..., T], *arguments: int | str) -> T:
        try:
            return rule(self.house, self.world, *arguments)
        except Blocked as blocked:
            raise self._refusal(blocked) from None

    def _refusal(self, blocked: Blocked, **gaps: str) -> Infeasible | Unsafe:
        for gap, index in blocked.targets.items():
            gaps[gap] = self._room(index) if gap == "place" else self._name(index)
        text = self._say(blocked.key, **gaps)
        return Unsafe(text) if isinstance(blocked, Danger) else Infeasible(text)

    def _find(self, given: str) -> int:
        """Return the target in reach that has exactly this name."""
        targets = range(self.house.targets)
        index = next((i for i in targets if self._name(i) == given), None)
        if index is not None and rules.in_reach(self.house, self.world, index):
            return index
        if index is not None and self.world.seen >> index & 1:
            raise Infeasible(self._say("not_here", thing=given))
        raise Infeasible(self._say("no_name", given=given[:40], hint=self._hint(given)))

    def _hint(self, given: str) -> str:
        seen = [self._name(i) for i in range(self.house.targets) if self.world.seen >> i & 1]
        close = difflib.get_close_matches(given.lower(), seen, n=1, cutoff=0.5)
        return self._say("hint_near", near=close[0]) if close else ""

    def _describe(self, target: int, found: bool) -> str:
        lock = target_lock(self.house, target)
        sentences = [self._lock_text(target)] if lock or target >= len(self.house.things) else []
        if target < len(self.house.things):
            sentences += self._thing_text(self.house.things[target], found)
        elif target - len(self.house.things) == self.house.exit:
            sentences.append(self._say("exit"))
        elif self.house.doors[target - len(self.house.things)].one_way:
            sentences.append(self._say("one_way_inside"))
        return (" " if self.language == "en" else "").join(sentences)

    def _lock_text(self, target: int) -> str:
        lock = target_lock(self.house, target)
        if lock is None or self.world.opened >> target & 1:
            return self._say("is_open")
        key = f"lock_{lock.style or lock.kind}"
        return self._say(key, mark=name(lock.emblem, self.language))

    def _thing_text(self, thing: Thing, found: bool) -> list[str]:
        texts = [say_fact(fact, self.language) for fact in thing.facts]
        if thing.role in ("key", "part", "tool", "lever") and thing.emblem:
            texts.append(self._say(thing.role, mark=name(thing.emblem, self.language)))
        elif thing.role == "lever":
            texts.append(self._say("dead_lever"))
        if found:
            texts.append(self._say("found"))
        return texts or ([] if thing.lock else [self._say("plain")])

    def _door(self, side: int) -> Answer | None:
        index = door_on(self.house, self.world.room, side)
        if index is None:
            return None
        state = self._say(rules.door_state(self.house, self.world, index))
        return {"name": self._show([len(self.house.things) + index])[0], "state": state}

    def _show(self, targets: Iterable[int]) -> list[str]:
        names = []
        for target in targets:
            self.world.seen |= 1 << target
            names.append(self._name(target))
        return names

    def _say(self, key: str, **gaps: object) -> str:
        return say(key, self.language, **gaps)

    def _name(self, target: int) -> str:
        return name(target_word(self.house, target), self.language)

    def _room(self, room: int) -> str:
        return name(self.house.rooms[room], self.language)
