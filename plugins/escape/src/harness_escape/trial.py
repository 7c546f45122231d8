"""From a proposed house to an instance: the fair explorer tries it, and its steps set the budget.

Events are laid where they matter: the explorer plays the quiet house first, and a guard, a failing light and a door
that shuts are placed in its way; then it plays again, and what it needs now is what counts. A house that gives a
secret away is refused.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from attrs import evolve

from harness import Reject
from harness_escape.graph import distances, optimum
from harness_escape.house import OUTSIDE, SIDES, Event, House, door_on, target_lock, target_word
from harness_escape.lexicon import LANGUAGES, name
from harness_escape.play import Walk, explore
from harness_escape.sample import PLANS
from harness_escape.texts import say_fact

if TYPE_CHECKING:
    import numpy as np

WARNING: Final = 4
"""Steps between the announcement of an event and its start."""

GUARD_STAYS, DARK_LASTS = 3, 6
MAX_TARGETS: Final = 62
"""Sets of targets are kept as bit masks that JSON can carry."""


def tried(house: House, level: str, slack: float, events: bool, rng: np.random.Generator) -> House:
    """Return the house with its events and figures.

    Raises:
        Reject: The explorer does not get out, meets the guard, or a secret can be read off.
    """
    if house.targets > MAX_TARGETS:
        raise Reject("too many things to keep in one mask")
    if leak(house):
        raise Reject("a secret stands in a text")
    walk = _walk_out(house)
    if events and PLANS[level].events:
        house = evolve(house, events=lay_events(house, walk, rng))
        walk = _walk_out(house)
    need = len(walk.steps)
    return evolve(house, optimum=optimum(house), need=need, budget=budget_for(need, slack))


def budget_for(need: int, slack: float) -> int:
    """Return `slack` times the need, rounded into [1.1, 1.3] times the need where whole numbers allow."""
    return min(max(round(slack * need), -(-11 * need // 10)), 13 * need // 10)


def _walk_out(house: House) -> Walk:
    walk = explore(house)
    if not walk.world.out or walk.world.caught:
        raise Reject("the explorer does not get out unharmed")
    return walk


def lay_events(house: House, walk: Walk, rng: np.random.Generator) -> tuple[Event, ...]:
    """Place a guard, a failing light and a shutting door in the way of a walk."""
    found = (_guard(house, walk, rng), _light(walk, rng), _door(house, walk, rng))
    return tuple(event for event in found if event is not None)


def _guard(house: House, walk: Walk, rng: np.random.Generator) -> Event | None:
    times = [t for t in _middle(walk) if walk.rooms[t] not in (house.start, OUTSIDE)]
    if not times:
        return None
    t = _draw(times, rng)
    return Event("guard", walk.rooms[t], t + 1 - WARNING, t + 1, t + 1 + GUARD_STAYS)


def _light(walk: Walk, rng: np.random.Generator) -> Event | None:
    times = [t for t in _middle(walk) if walk.steps[t].tool in ("look", "inspect")]
    if not times:
        return None
    t = _draw(times, rng)
    return Event("light", walk.rooms[t], t - WARNING, t, t + DARK_LASTS)


def _door(house: House, walk: Walk, rng: np.random.Generator) -> Event | None:
    """Shut a door that can be walked around, just before the walk uses it if it does."""
    spare = {i for i in range(len(house.doors)) if has_way_round(house, i)}
    times = []
    for t in _middle(walk):
        index = _door_taken(house, walk, t)
        if index in spare:
            times.append((t, index))
    if times:
        t, index = times[int(rng.integers(len(times)))]
        return Event("door", index, t - WARNING, t, 0)
    return Event("door", _draw(sorted(spare), rng), 2, 2 + WARNING, 0) if spare else None


def _door_taken(house: House, walk: Walk, t: int) -> int:
    if walk.steps[t].tool != "move" or t == 0:
        return -1
    index = door_on(house, walk.rooms[t - 1], SIDES.index(walk.steps[t].arguments["direction"]))
    return -1 if index is None else index


def has_way_round(house: House, index: int) -> bool:
    """Whether an open door's rooms stay joined by open two-way doors without it."""
    door = house.doors[index]
    if door.lock or door.one_way:
        return False
    closed = {i for i, other in enumerate(house.doors) if other.lock or other.one_way or i == index}
    return distances(house, door.a, closed)[door.b] >= 0


def _middle(walk: Walk) -> range:
    return range(max(WARNING + 1, len(walk.steps) // 5), 7 * len(walk.steps) // 10)


def _draw(choices: list[int], rng: np.random.Generator) -> int:
    return choices[int(rng.integers(len(choices)))]


def secrets(house: House) -> tuple[str, ...]:
    """Return codes and cipher keys of all code locks."""
    locks = [lock for t in range(house.targets) if (lock := target_lock(house, t)) and lock.kind == "code"]
    return tuple(value for lock in locks for value in (lock.code, lock.cipher) if value)


def leak(house: House) -> bool:
    """Whether a secret stands in a name or clue of the house, in any language and case."""
    texts = [say_fact(fact, language) for language in LANGUAGES for thing in house.things for fact in thing.facts]
    texts += [name(word, language) for language in LANGUAGES for word in (*house.rooms, *_target_words(house))]
    shown = "\n".join(texts).upper()
    values = secrets(house)
    return len(set(values)) < len(values) or any(value in shown for value in values)


def _target_words(house: House) -> list[str]:
    return [target_word(house, t) for t in range(house.targets)]
