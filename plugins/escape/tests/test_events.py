"""Events: announced before they bite, through the interaction layer, on the same world as the tools; never fatal."""

from __future__ import annotations

import pytest
from attrs import evolve

from harness import Infeasible, Unsafe
from harness_escape import world as rules
from harness_escape.events import tick
from harness_escape.house import PORTABLE, SIDES, Event, House, Thing, far_side
from harness_escape.lexicon import name
from harness_escape.play import explore
from harness_escape.trial import has_way_round
from harness_escape.view import Eyes
from harness_escape.world import World, start_world


def with_event(house: House, event: Event) -> tuple[House, World]:
    changed = evolve(house, events=(event,))
    return changed, start_world(changed)


def neighbour(house: House) -> tuple[int, int]:
    """A side of the first room with an open door, and the room behind it."""
    for side in range(4):
        index = rules.door_on(house, house.start, side)
        if index is not None and rules.door_state(house, start_world(house), index) == "open":
            return side, far_side(house.doors[index], house.start)
    raise AssertionError("the first room has no open door")


@pytest.mark.parametrize("language", ["en", "zh"])
def test_every_event_is_told_before_it_bites(houses: dict[str, list[House]], language: str) -> None:
    for house in houses["hard"]:
        assert {event.kind for event in house.events} <= {"door", "light", "guard"}
        assert house.events
        world, told = start_world(house), dict[int, int]()
        for step in range(1, 200):
            before = list(world.phase)
            heard = tick(house, world, step, language)
            for i, (old, new) in enumerate(zip(before, world.phase, strict=True)):
                if new == rules.WARNED and old == 0:
                    told[i] = step
                    assert heard
                if new == rules.ACTIVE and old != rules.ACTIVE:
                    assert step - told[i] >= 2, "an event came into force without a warning two steps before"
        assert len(told) == len(house.events)


def test_events_change_what_the_explorer_does(houses: dict[str, list[House]]) -> None:
    bitten = [house for house in houses["hard"] if explore(evolve(house, events=())).rooms != explore(house).rooms]
    assert len(bitten) >= 0.7 * len(houses["hard"])


def test_only_hard_houses_act(houses: dict[str, list[House]]) -> None:
    assert not any(house.events for level in ("easy", "medium") for house in houses[level])


def test_the_guard_takes_whoever_is_there_back(houses: dict[str, list[House]]) -> None:
    side, room = neighbour(houses["hard"][0])
    house, world = with_event(houses["hard"][0], Event("guard", room, 1, 3, 6))
    tick(house, world, 1, "en")
    Eyes(house, world, "en").move(SIDES[side])
    assert world.room == room
    heard = tick(house, world, 3, "en")
    assert world.room == house.start
    assert world.caught == 1
    assert "takes you back" in heard[-1]


def test_walking_into_the_guard_is_refused_as_unsafe(houses: dict[str, list[House]]) -> None:
    side, room = neighbour(houses["hard"][0])
    house, world = with_event(houses["hard"][0], Event("guard", room, 1, 3, 6))
    tick(house, world, 3, "en")
    with pytest.raises(Unsafe, match="guard stands in the " + name(house.rooms[room], "en")):
        Eyes(house, world, "en").move(SIDES[side])
    assert world.room == house.start
    tick(house, world, 6, "en")
    Eyes(house, world, "en").move(SIDES[side])
    assert world.room == room


def test_darkness_hides_a_room_and_passes(houses: dict[str, list[House]]) -> None:
    house, world = with_event(houses["hard"][0], Event("light", houses["hard"][0].start, 1, 2, 5))
    tick(house, world, 2, "en")
    with pytest.raises(Infeasible, match="too dark"):
        Eyes(house, world, "en").look()
    tick(house, world, 5, "en")
    assert Eyes(house, world, "en").look()["room"]


def test_nothing_is_found_or_taken_in_the_dark(houses: dict[str, list[House]]) -> None:
    original = next(h for h in houses["hard"] if any(lies_open(thing, h.start) for thing in h.things))
    house, world = with_event(original, Event("light", original.start, 1, 2, 5))
    thing = name(next(thing.word for thing in house.things if lies_open(thing, house.start)), "en")
    tick(house, world, 2, "en")
    for act in ("take", "inspect"):
        with pytest.raises(Infeasible, match="too dark"):
            getattr(Eyes(house, world, "en"), act)(thing)
    tick(house, world, 5, "en")
    Eyes(house, world, "en").take(thing)


def lies_open(thing: Thing, room: int) -> bool:
    return thing.room == room and thing.inside < 0 and thing.role in PORTABLE


def test_a_barred_door_stays_barred_and_leaves_a_way_round(houses: dict[str, list[House]]) -> None:
    for original in houses["hard"]:
        event = next(event for event in original.events if event.kind == "door")
        assert has_way_round(original, event.place)
        house, world = with_event(original, event)
        tick(house, world, event.start, "en")
        world.room = house.doors[event.place].a
        with pytest.raises(Infeasible, match="barred for good"):
            Eyes(house, world, "en").move(SIDES[house.doors[event.place].side])


def test_the_house_is_quiet_when_events_are_off() -> None:
    from harness import load_task

    task = load_task("escape", "hard", {"events": False})
    identity = task.decode_identity(task.sample(0).identity)
    assert identity.events == ()
    assert "acts by itself" not in task.sample(0).messages[0].text
