"""What the house does by itself: after every step the due events are told, come into force or pass.

Called by the interaction layer, between the turns of the policy. Each event is announced before it bites; a barred
door always leaves a longer way round, darkness passes, and who meets the guard is taken back to the start.
"""

from __future__ import annotations

from harness_escape.house import Event, House
from harness_escape.lexicon import name
from harness_escape.texts import say
from harness_escape.world import ACTIVE, OVER, WARNED, World


def tick(house: House, world: World, steps: int, language: str) -> list[str]:
    """Let the house act after so many steps; return what the policy hears."""
    if world.out:
        return []
    heard: list[str] = []
    for index, event in enumerate(house.events):
        phase = _phase(event, steps)
        if phase != world.phase[index]:
            world.phase[index] = phase
            heard += _notice(house, event, phase, language)
        if phase == ACTIVE and event.kind == "guard" and event.place == world.room:
            world.room = house.start
            world.caught += 1
            heard.append(say("caught", language, home=name(house.rooms[house.start], language)))
    return heard


def _phase(event: Event, steps: int) -> int:
    if event.end and steps >= event.end:
        return OVER
    if steps >= event.start:
        return ACTIVE
    return WARNED if steps >= event.warn else 0


def _notice(house: House, event: Event, phase: int, language: str) -> list[str]:
    key = {WARNED: "warn", ACTIVE: "start", OVER: "end"}[phase] + f"_{event.kind}"
    word = house.doors[event.place].word if event.kind == "door" else house.rooms[event.place]
    home = name(house.rooms[house.start], language)
    return [say(key, language, place=name(word, language), start=event.start, end=event.end, home=home)]
