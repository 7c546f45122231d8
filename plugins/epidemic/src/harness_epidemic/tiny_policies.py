"""Scripted policies of level `tiny`: the planner behind short reports, constant levels, a threshold, guesses."""

from __future__ import annotations

import re
from collections.abc import Callable, Generator, Sequence
from itertools import product
from typing import Final

import numpy as np
from attrs import asdict

from harness.scripted import Move, Observation, Play, Scripted, View, call
from harness_epidemic.country import Identity
from harness_epidemic.disease import Array
from harness_epidemic.naive import sweep_sequences
from harness_epidemic.score import QUANTITIES
from harness_epidemic.tiny import LADDER, STEP, TinyPlanner

Turns = Generator[Move, Observation, None]
Choice = Callable[[View, float, int], int]

THRESHOLDS: Final = ((200.0, 0), (1600.0, 1))
"""Weekly cases per 100,000 up to which a level is held; tuned like the rules of the other levels."""


def _numbers(text: str) -> list[int]:
    return [int(number) for number in re.findall(r"\d+", text)]


def reference(view: View) -> Turns:
    """Plan."""
    yield from _planned(view, None)


def ending(level: int) -> Play:
    """Return a policy that plans like the reference, but leaves it at a level for the last two steps."""
    return lambda view: _planned(view, level)


def _planned(view: View, last: int | None) -> Turns:
    (people, beds), cases = _numbers(view.facts["people"]), _numbers(view.facts["cases"])
    admitted, patients = _numbers(view.facts["patients"])
    (steps,) = _numbers(view.facts["steps"])
    planner = TinyPlanner(people, beds, steps * STEP, cases, admitted, patients)
    for step in range(view.limits.budgets["steps"]):
        late = last is not None and step >= steps - 2
        seen = yield call("advance", level=last if late else planner.level())
        planner.learn(seen.data)
    yield call("close_out")


def close_out(view: View) -> Turns:
    """Do nothing at all."""
    yield call("close_out")


def choosing(choice: Choice) -> Play:
    """Return a policy that chooses by weekly cases per 100,000 people and step."""

    def play(view: View) -> Turns:
        people, cases = _numbers(view.facts["people"])[0], _numbers(view.facts["cases"])
        for step in range(view.limits.budgets["steps"]):
            seen = yield call("advance", level=choice(view, cases[-1] / people * 1e5, step))
            cases = seen.data["cases"] if isinstance(seen.data, dict) and "cases" in seen.data else cases

    return play


def by_thresholds(bounds: tuple[tuple[float, int], ...]) -> Choice:
    """Return the choice that holds each level up to its bound, and the next level above the last."""
    return lambda view, cases, step: next((level for bound, level in bounds if cases <= bound), bounds[-1][1] + 1)


def perturbed(view: View, cases: float, step: int) -> int:
    """Follow the thresholds, one level off in a third of the steps."""
    off = int(view.rng.integers(-1, 2)) if view.rng.random() < 1 / 3 else 0
    return int(np.clip(by_thresholds(THRESHOLDS)(view, cases, step) + off, 0, len(LADDER) - 1))


def held(level: int) -> Play:
    """Return a policy that holds one level."""
    return choosing(lambda view, cases, step: level)


def guess(view: View, cases: float, step: int) -> int:
    """Return a random level."""
    return int(view.rng.integers(len(LADDER)))


def fit_constant(identities: Sequence[Identity], options: object) -> Play:
    """Return the sequence of levels that succeeds most often on training instances."""
    sequences = np.array(list(product(range(len(LADDER)), repeat=identities[0].weeks // STEP)))
    first = np.argsort(-_wins(sequences, identities[:SCREENED]), kind="stable")[:FINALISTS]
    best = sequences[first[np.argmax(_wins(sequences[first], identities))]].tolist()
    return choosing(lambda view, cases, step: best[step])


def _wins(sequences: Array, identities: Sequence[Identity]) -> Array:
    """Return on how many instances each sequence meets the targets."""
    wins = np.zeros(len(sequences))
    for identity in identities:
        found, targets = sweep_sequences(identity, LADDER, sequences, STEP), asdict(identity.targets)
        wins += np.all([found[name] <= targets[name] for name in QUANTITIES], axis=0)
    return wins


SCREENED, FINALISTS = 150, 300
"""Training instances on which all 4,096 sequences are tried, and how many of these are then tried on all instances."""

TINY_POLICIES: Final = {
    "reference": Scripted(reference, "reference", summary="the planner, from the short reports"),
    "random": Scripted(choosing(guess), "lazy", summary="random levels"),
    "close-out": Scripted(close_out, "lazy", summary="closes out at once"),
    **{f"level-{n}": Scripted(held(n), "lazy", summary=f"level {n} throughout") for n in range(len(LADDER))},
    "threshold": Scripted(
        choosing(by_thresholds(THRESHOLDS)), "lazy", summary="case thresholds, tuned on training draws"
    ),
    "perturbed-threshold": Scripted(choosing(perturbed), "adversary", summary="threshold, one level off at times"),
    "lift-late": Scripted(ending(0), "adversary", summary="the reference, but at level 0 for the last two steps"),
    "lock-late": Scripted(
        ending(len(LADDER) - 1), "adversary", summary="the reference, but at the strictest level for the last two steps"
    ),
    "constant": Scripted(
        None, "adversary", ceiling=0.10, fit=fit_constant, summary="best of all level sequences on training instances"
    ),
    "search": Scripted(choosing(guess), "adversary", ceiling=0.25, summary="random search with all steps"),
}
