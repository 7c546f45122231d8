"""The physics of a house: what one action does to the state of an episode.

Pure rules on indices, without words: an action either changes the world or raises `Blocked` with the key of the
sentence that says why. `World` holds only what changes; everything else is rebuilt from the house. Sets of targets
are bit masks.
"""

from __future__ import annotations

from attrs import define, field

from harness_escape.house import OUTSIDE, PORTABLE, Door, House, Lock, door_on, far_side, target_lock

WARNED, ACTIVE, OVER = 1, 2, 3


class Blocked(Exception):
    """The action does nothing. `key` names the sentence, `targets` fill its gaps."""

    def __init__(self, key: str, **targets: int) -> None:
        super().__init__(key)
        self.key, self.targets = key, targets


class Danger(Blocked):
    """The action would put the player at risk and is not carried out."""


@define
class World:
    """What changes in an episode.

    Attributes:
        held: Things carried.
        used: Parts and tools that are gone, levers that were worked.
        inspected: Things that were inspected.
        opened: Targets whose lock has been opened.
        seen: Targets whose name the policy has been shown.
        wrong: Wrong codes entered.
        caught: How often the guard caught the player.
        phase: Phase of each event: 0 unknown, then warned, active, over.
    """

    room: int = 0
    held: int = 0
    used: int = 0
    inspected: int = 0
    opened: int = 0
    seen: int = 0
    wrong: int = 0
    caught: int = 0
    phase: list[int] = field(factory=list)

    @property
    def out(self) -> bool:
        """Whether the player has left the house."""
        return self.room == OUTSIDE


def start_world(house: House) -> World:
    """Return the state at the start of an episode."""
    return World(room=house.start, phase=[0] * len(house.events))


def is_visible(house: House, world: World, thing: int) -> bool:
    """Whether a thing lies open to view in the room of the player (not carried)."""
    record, bit = house.things[thing], 1 << thing
    if record.room != world.room or ((world.held | world.used) & bit and record.role in PORTABLE):
        return False
    if record.inside < 0:
        return True
    holder = house.things[record.inside]
    return bool((world.opened if holder.lock else world.inspected) >> record.inside & 1)


def in_reach(house: House, world: World, target: int) -> bool:
    """Whether a target is carried, in view, or a door of this room."""
    if target >= len(house.things):
        door = house.doors[target - len(house.things)]
        return world.room in (door.a, door.b)
    return bool(world.held >> target & 1) or is_visible(house, world, target)


def is_active(house: House, world: World, kind: str, place: int) -> bool:
    """Whether an event of a kind is in force at a place."""
    return any(
        phase == ACTIVE and event.kind == kind and event.place == place
        for event, phase in zip(house.events, world.phase, strict=True)
    )


def door_state(house: House, world: World, index: int) -> str:
    """Return the state of a door as seen from the room of the player: the key of its word."""
    door = house.doors[index]
    if is_active(house, world, "door", index):
        return "barred"
    if door.lock and not world.opened >> (len(house.things) + index) & 1:
        return "shut"
    if door.one_way:
        return "one_way" if door.a == world.room else "no_handle"
    return "open"


def move(house: House, world: World, side: int) -> int:
    """Go through the door on a side; return its index."""
    index = door_on(house, world.room, side)
    if index is None:
        raise Blocked("no_door")
    state = door_state(house, world, index)
    if state in ("barred", "shut", "no_handle"):
        key = {"barred": "door_barred", "shut": "door_shut", "no_handle": "door_handle"}[state]
        raise Blocked(key, door=len(house.things) + index)
    room = far_side(house.doors[index], world.room)
    if is_active(house, world, "guard", room):
        raise Danger("guard_there", place=room)
    world.room = room
    return index


def take(house: House, world: World, thing: int) -> None:
    """Pick up a thing in view."""
    if world.held >> thing & 1:
        raise Blocked("held_already", thing=thing)
    _need_light(house, world)
    if thing >= len(house.things) or house.things[thing].role not in PORTABLE:
        raise Blocked("too_heavy", thing=thing)
    world.held |= 1 << thing


def inspect(house: House, world: World, target: int) -> list[int]:
    """Examine a target; return the things that come to light."""
    if target >= len(house.things):
        _need_light(house, world)
        return []
    if not world.held >> target & 1:
        _need_light(house, world)
    world.inspected |= 1 << target
    return [i for i, thing in enumerate(house.things) if thing.inside == target and is_visible(house, world, i)]


def pull(house: House, world: World, thing: int) -> bool:
    """Work a lever; return whether a gate opened somewhere."""
    if thing >= len(house.things) or house.things[thing].role != "lever":
        raise Blocked("no_use", thing=thing)
    if world.used >> thing & 1:
        raise Blocked("spent", thing=thing)
    world.used |= 1 << thing
    gates = [t for t in range(house.targets) if _answers(target_lock(house, t), "gate", house.things[thing].emblem)]
    for gate in gates:
        world.opened |= 1 << gate
    return bool(gates)


def apply(house: House, world: World, thing: int, target: int) -> None:
    """Use a carried key or tool on a lock."""
    if not world.held >> thing & 1:
        raise Blocked("not_held", thing=thing)
    lock = _shut_lock(house, world, target)
    record = house.things[thing]
    kind = {"key": "key", "tool": "slot"}.get(record.role, "")
    if not _answers(lock, kind, record.emblem):
        raise Blocked("no_fit", thing=thing, target=target)
    world.opened |= 1 << target
    if record.role == "tool":
        world.held &= ~(1 << thing)
        world.used |= 1 << thing


def combine(house: House, world: World, first: int, second: int) -> int:
    """Put two carried parts together; return the tool they make."""
    for thing in (first, second):
        if not world.held >> thing & 1:
            raise Blocked("not_held", thing=thing)
    one, two = house.things[first], house.things[second]
    if first == second or not one.role == two.role == "part" or one.emblem != two.emblem:
        raise Blocked("no_join", thing=first, target=second)
    made = next(i for i, t in enumerate(house.things) if t.role == "tool" and t.emblem == one.emblem)
    world.held = world.held & ~(1 << first | 1 << second) | 1 << made
    world.used |= 1 << first | 1 << second
    return made


def enter_code(house: House, world: World, target: int, code: str) -> bool:
    """Enter a code; return whether it was right. Case does not count."""
    lock = target_lock(house, target)
    if lock is None or lock.kind != "code":
        raise Blocked("no_keypad", target=target)
    _shut_lock(house, world, target)
    if code.strip().upper() != lock.code:
        world.wrong += 1
        return False
    world.opened |= 1 << target
    return True


def is_passable(door: Door, room: int) -> bool:
    """Whether a door without regard to its lock lets from a room."""
    return door.a == room or (door.b == room and not door.one_way)


def _shut_lock(house: House, world: World, target: int) -> Lock:
    lock = target_lock(house, target)
    if lock is None:
        raise Blocked("no_lock", target=target)
    if world.opened >> target & 1:
        raise Blocked("already_open", target=target)
    return lock


def _need_light(house: House, world: World) -> None:
    if is_active(house, world, "light", world.room):
        raise Blocked("dark", place=world.room)


def _answers(lock: Lock | None, kind: str, emblem: str) -> bool:
    return lock is not None and bool(emblem) and lock.kind == kind and lock.emblem == emblem
