"""Scripted policies of the house: the fair explorer, the lazy that must fail, adversaries to be published.

Lazy players are explorers that leave something out: using what they find, or reading. All see only what a model sees.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from typing import Final

import numpy as np

from harness.scripted import Move, Observation, Play, Scripted, View, call
from harness_escape.events import tick
from harness_escape.explorer import TOOLS, Explorer
from harness_escape.graph import required
from harness_escape.house import SIDES, House
from harness_escape.memory import Step
from harness_escape.play import act, explore
from harness_escape.reward import is_done
from harness_escape.view import Eyes
from harness_escape.world import start_world

Turns = Generator[Move, Observation, None]

WANDERING: Final = ("look", "move", "take", "inspect", "inventory")
GUESSING: Final = tuple(tool for tool in TOOLS if tool != "enter_code")
POPULAR: Final = ("1234", "0000", "1111", "4321", "2580", "ABCDE", "HOUSE", "LEAVE")
CANDIDATES: Final = 24


def reference(view: View) -> Turns:
    """Explore fairly."""
    yield from _play(view, Explorer(view.facts["exit"], view.language))


def wander(view: View) -> Turns:
    """Look at everything and take everything, use nothing."""
    yield from _play(view, Explorer(view.facts["exit"], view.language, WANDERING))


def use_everything(view: View) -> Turns:
    """Wander, and try everything carried on everything met; never read a code."""
    player = Explorer(view.facts["exit"], view.language, (*WANDERING, "combine"))
    yield from _play(view, player, _combinations(player))


def guess_codes(view: View) -> Turns:
    """Solve all that takes no code, then type popular codes and numbers that were seen."""
    player = Explorer(view.facts["exit"], view.language, GUESSING)
    yield from _play(view, player)
    yield from _play(view, player, _guesses(player))


def random_legal(view: View) -> Turns:
    """Do random things with names that were shown."""
    player = Explorer(view.facts["exit"], view.language)
    yield from _play(view, player, _random_steps(player, view.rng, 1.0))


def perturbed(tools: Sequence[str], share: float) -> Play:
    """Return an explorer with some tools that does something random in a share of its steps."""

    def play(view: View) -> Turns:
        player = Explorer(view.facts["exit"], view.language, tools)
        yield from _play(view, player, _random_steps(player, view.rng, share))

    return play


def search(view: View) -> Turns:
    """Spend the whole budget on acts not yet tried here, in random order; type codes made of signs that were read."""
    player = Explorer(view.facts["exit"], view.language)
    tried = set[tuple[str, ...]]()
    steps = _random_steps(player, view.rng, 1.0)

    def fresh() -> Iterator[Step | None]:
        while True:
            drawn = [step for _ in range(12) if (step := next(steps)) is not None]
            step = next((s for s in drawn if _trace(player, s) not in tried), drawn[0])
            tried.add(_trace(player, step))
            yield step

    yield from _play(view, player, fresh())


def fit_constant(houses: Sequence[House], options: object) -> Play:
    """Return the sequence of calls that does best on training houses, of those that solve one of them."""
    chosen = [explore(house).steps for house in houses[:: max(1, len(houses) // CANDIDATES)]]
    best = max(chosen, key=lambda steps: sum(_worth(house, steps) for house in houses))

    def play(view: View) -> Turns:
        for step in best:
            yield call(step.tool, **step.arguments)

    return play


def _worth(house: House, steps: Sequence[Step]) -> float:
    """Share of the milestones that a fixed sequence reaches, 1 more for leaving."""
    world = start_world(house)
    eyes = Eyes(house, world, "en")
    for n, step in enumerate(steps[: house.budget], start=1):
        act(eyes, step)
        tick(house, world, n, "en")
        if world.out:
            return 2.0
    acts = required(house)
    return sum(is_done(world, milestone) for milestone in acts) / len(acts)


def _play(view: View, player: Explorer, extra: Iterator[Step | None] | None = None) -> Turns:
    """Play steps of `extra`, where it has one, else the explorer's own, until nothing is left."""
    while player.memory.steps < view.limits.budgets["steps"]:
        step = next(extra, None) if extra is not None and player.memory.room else None
        step = step or player.next_step()
        if step is None:
            return
        seen = yield call(step.tool, **step.arguments)
        heard = [message.text for message in seen.messages if message.role == "user"]
        player.memory.learn(step, None if seen.error else seen.data, heard)


def _combinations(player: Explorer) -> Iterator[Step | None]:
    """Yield untried pairs of a carried thing and a thing at hand; None when there is none just now."""
    tried = set[tuple[str, ...]]()
    while True:
        step = next((s for s in _pairs(player) if _trace(player, s) not in tried), None)
        if step is not None:
            tried.add(_trace(player, step))
        yield step


def _pairs(player: Explorer) -> Iterator[Step]:
    place, held = player.memory.places[player.memory.room], player.memory.held
    if not place.looked:
        return
    fixed = [thing for thing in place.things if thing not in player.memory.portable]
    shut = [door.name for door in place.doors.values() if player.memory.is_shut(door)]
    yield from (Step("use", {"item": thing}) for thing in fixed)
    yield from (Step("use", {"item": item, "target": target}) for item in held for target in (*fixed, *shut))


def _guesses(player: Explorer) -> Iterator[Step | None]:
    """Yield guesses at the keypads that are known, walking to them first."""
    numbers = [fact.value for fact in player.memory.facts if len(fact.value) >= 4]
    for code in (*numbers, *POPULAR):
        for room, place in player.memory.places.items():
            for target in (*place.things, *(door.name for door in place.doors.values())):
                if player.memory.kinds.get(target, "") not in ("lock_digits", "lock_colours", "lock_pad", "lock_word"):
                    continue
                while player.memory.room != room and (step := player.towards(room)):
                    yield step
                if target not in player.memory.open:
                    yield Step("enter_code", {"target": target, "code": code})


def _random_steps(player: Explorer, rng: np.random.Generator, share: float) -> Iterator[Step | None]:
    """Yield a random step with names shown so far in a share of cases, else None."""
    while True:
        yield _random_step(player, rng) if rng.random() < share else None


def _random_step(player: Explorer, rng: np.random.Generator) -> Step:
    place, held = player.memory.places[player.memory.room], player.memory.held
    here = [*place.things, *(door.name for door in place.doors.values())]
    portable = [thing for thing in place.things if thing in player.memory.portable]
    choices: list[Callable[[], Step]] = [lambda: Step("look")]
    choices += [lambda: Step("move", {"direction": _one(list(place.doors) or SIDES, rng)})] * 3
    if here:
        choices += [
            lambda: Step("inspect", {"target": _one(here, rng)}),
            lambda: Step("use", {"item": _one(here, rng)}),
        ]
        choices.append(lambda: Step("enter_code", {"target": _one(here, rng), "code": _random_code(player, rng)}))
    if portable:
        choices.append(lambda: Step("take", {"item": _one(portable, rng)}))
    if held and here:
        choices.append(lambda: Step("use", {"item": _one(held, rng), "target": _one(here, rng)}))
    if len(held) > 1:
        choices.append(lambda: _random_pair(held, rng))
    return choices[int(rng.integers(len(choices)))]()


def _random_pair(held: Sequence[str], rng: np.random.Generator) -> Step:
    first, second = rng.permutation(len(held))[:2]
    return Step("combine", {"first": held[first], "second": held[second]})


def _random_code(player: Explorer, rng: np.random.Generator) -> str:
    """Make a code of signs that were read, else of any digits."""
    signs = [fact.value for fact in player.memory.facts if len(fact.value) == 1] or list("0123456789")
    return "".join(_one(signs, rng) for _ in range(4))


def _one(choices: Sequence[str], rng: np.random.Generator) -> str:
    return choices[int(rng.integers(len(choices)))]


def _trace(player: Explorer, step: Step) -> tuple[str, ...]:
    return (player.memory.room, step.tool, *step.arguments.values())


HOUSE_POLICIES: Final[Mapping[str, Scripted]] = {
    "reference": Scripted(reference, "reference", summary="the fair explorer: knows only what it was shown"),
    "random": Scripted(random_legal, "lazy", summary="random calls with names that were shown"),
    "wander": Scripted(wander, "lazy", summary="depth-first through the house, uses nothing"),
    "use_everything": Scripted(use_everything, "lazy", summary="everything on everything, reads no code"),
    "guess_codes": Scripted(guess_codes, "lazy", summary="solves what takes no code, then guesses codes"),
    "perturbed_wander": Scripted(perturbed(WANDERING, 0.3), "adversary", summary="wander with 30 % random acts"),
    "perturbed_guess": Scripted(perturbed(GUESSING, 0.2), "adversary", summary="guess_codes with 20 % random acts"),
    "constant": Scripted(
        None, "adversary", ceiling=0.10, fit=fit_constant, summary="best fixed sequence of 500 training houses"
    ),
    "search": Scripted(search, "adversary", ceiling=0.25, summary="full-budget random search over untried acts"),
}
