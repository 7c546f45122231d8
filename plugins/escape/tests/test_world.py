"""The physics: one-way doors, levers from afar, parts that are used up, locks that ask for their own opener."""

from __future__ import annotations

import pytest

from harness_escape import world as rules
from harness_escape.house import Door, House, Lock, Thing
from harness_escape.world import Blocked, World, start_world

HOUSE = House(
    rooms=("room.0", "room.1", "room.2"),
    cells=((0, 0), (0, 1), (1, 1)),
    doors=(
        Door("door.0", 0, 1, 0, one_way=True),
        Door("door.1", 1, 2, 1, lock=Lock("gate", "emblem.0")),
        Door("door.2", 0, -1, 2, lock=Lock("key", "emblem.1")),
        Door("door.3", 0, -1, 3, lock=Lock("slot", "emblem.2")),
    ),
    things=(
        Thing("lever.0", "lever", 0, emblem="emblem.0"),
        Thing("key.0", "key", 0, emblem="emblem.1"),
        Thing("key.1", "key", 0, emblem="emblem.9"),
        Thing("part.0", "part", 0, emblem="emblem.2"),
        Thing("part.1", "part", 0, emblem="emblem.2"),
        Thing("part.2", "part", 0, emblem="emblem.8"),
        Thing("tool.0", "tool", -1, emblem="emblem.2"),
        Thing("lever.1", "lever", 0),
    ),
)
LEVER, KEY, OTHER_KEY, PART_A, PART_B, STRAY, TOOL, DEAD = range(8)
GATE, KEYED, SOCKET = 9, 10, 11


@pytest.fixture
def world() -> World:
    return start_world(HOUSE)


def test_a_one_way_door_lets_through_once(world: World) -> None:
    assert rules.door_state(HOUSE, world, 0) == "one_way"
    rules.move(HOUSE, world, 0)
    assert world.room == 1
    assert rules.door_state(HOUSE, world, 0) == "no_handle"
    with pytest.raises(Blocked, match="door_handle"):
        rules.move(HOUSE, world, 2)
    assert world.room == 1


def test_a_lever_opens_its_gate_from_afar_once(world: World) -> None:
    assert rules.door_state(HOUSE, World(room=1), 1) == "shut"
    assert rules.pull(HOUSE, world, LEVER)
    assert world.opened == 1 << GATE
    with pytest.raises(Blocked, match="spent"):
        rules.pull(HOUSE, world, LEVER)


def test_a_dead_lever_and_a_key_move_nothing(world: World) -> None:
    assert not rules.pull(HOUSE, world, DEAD)
    with pytest.raises(Blocked, match="no_use"):
        rules.pull(HOUSE, world, KEY)
    assert world.opened == 0


def test_a_lock_asks_for_its_own_key_in_hand(world: World) -> None:
    with pytest.raises(Blocked, match="not_held"):
        rules.apply(HOUSE, world, KEY, KEYED)
    for key in (KEY, OTHER_KEY):
        rules.take(HOUSE, world, key)
    with pytest.raises(Blocked, match="no_fit"):
        rules.apply(HOUSE, world, OTHER_KEY, KEYED)
    rules.apply(HOUSE, world, KEY, KEYED)
    with pytest.raises(Blocked, match="already_open"):
        rules.apply(HOUSE, world, KEY, KEYED)
    assert world.held >> KEY & 1


def test_parts_are_used_up_by_the_tool_and_the_tool_by_the_socket(world: World) -> None:
    for part in (PART_A, PART_B, STRAY):
        rules.take(HOUSE, world, part)
    with pytest.raises(Blocked, match="no_join"):
        rules.combine(HOUSE, world, PART_A, STRAY)
    with pytest.raises(Blocked, match="no_join"):
        rules.combine(HOUSE, world, PART_A, PART_A)
    with pytest.raises(Blocked, match="no_fit"):
        rules.apply(HOUSE, world, PART_A, SOCKET)
    assert rules.combine(HOUSE, world, PART_B, PART_A) == TOOL
    assert world.held == 1 << TOOL | 1 << STRAY
    assert not rules.is_visible(HOUSE, world, PART_A)
    rules.apply(HOUSE, world, TOOL, SOCKET)
    assert world.held == 1 << STRAY
    assert rules.door_state(HOUSE, world, 3) == "open"


def test_what_is_fixed_or_held_cannot_be_taken(world: World) -> None:
    with pytest.raises(Blocked, match="too_heavy"):
        rules.take(HOUSE, world, LEVER)
    rules.take(HOUSE, world, KEY)
    with pytest.raises(Blocked, match="held_already"):
        rules.take(HOUSE, world, KEY)


def test_only_code_locks_take_codes(world: World) -> None:
    with pytest.raises(Blocked, match="no_keypad"):
        rules.enter_code(HOUSE, world, KEYED, "1234")
    assert world.wrong == 0
