"""Scripted policies: the reference, which learns and plans; lazy ones, which must fail; adversaries.

All read the table the same way: the fields in text, or what is printed in the picture (view `perception`). None sees
the identity.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from harness import Move, Observation, Scripted, View, call
from harness.scripted import Viewpoint
from harness_holdem.betting import Spot
from harness_holdem.chart import Chart, fitted
from harness_holdem.following import Following
from harness_holdem.options import Options
from harness_holdem.planner import Situation, action_values
from harness_holdem.sample import Identity
from harness_holdem.strength import category
from harness_holdem.styles import KINDS, SPANS, Style

Play = Callable[[View], Generator[Move, Observation, None]]
Choice = Callable[[Situation, np.random.Generator], str]


def policies(options: Options) -> Mapping[str, Scripted]:
    """Return the scripted policies by name."""
    view: Viewpoint = "perception" if options.variant == "image" else "observation"
    found = {
        "reference": Scripted(reference, "reference", view, "reads all records, learns the style, plays best responses")
    }
    for name, choice, summary in _LAZIES:
        found[name] = Scripted(partial(blind, choice), "lazy", view, summary)
    for name in ("call", "pot", "all-in"):
        choice = next(choice for other, choice, _ in _LAZIES if other == name)
        found[f"perturbed-{name}"] = Scripted(
            partial(blind, partial(perturbed, choice)), "adversary", view, f"{name}, a quarter of the actions random"
        )
    found["constant"] = Scripted(
        kind="adversary",
        view=view,
        summary="the best fixed chart of thresholds on the own cards",
        ceiling=0.1,
        fit=fit_chart,
    )
    found["search"] = Scripted(
        partial(blind, unread), "adversary", view, "best response to the average opponent, no reading", ceiling=_SEARCH
    )
    return found


_SEARCH = {f"{variant}-hard": 0.25 for variant in ("image", "text")}


def reference(view: View) -> Generator[Move, Observation, None]:
    """Read the recorded hands, then play the best response to the style estimated so far.

    It draws from a generator of its own, not from that of the run: an instance that it solved it solves every time.
    """
    rng = np.random.default_rng(1)
    following = Following(int(view.facts["stack"]), int(view.facts["blinds"].split("/")[1]), rng)
    for page in range(1, view.limits.budgets["pages"] + 1):
        result = yield call("scout", page=page)
        for hand in result.data["hands"]:
            following.recorded(hand)
    result = yield call("table")
    while not over(result):
        for hand in result.data.get("ended", ()):
            following.ended(hand)
        situation = following.table(shown(result))
        values = action_values(following.style, situation, 1 + 2 * int(rng.integers(2**30)))
        result = yield move(situation.spot, max(values, key=values.__getitem__))


def blind(choice: Choice, view: View) -> Generator[Move, Observation, None]:
    """Play a rule that never looks at how the opponent plays."""
    following = Following(int(view.facts["stack"]), int(view.facts["blinds"].split("/")[1]), view.rng)
    result = yield call("table")
    while not over(result):
        situation = following.table(shown(result))
        result = yield move(situation.spot, choice(situation, view.rng))


def shown(result: Observation) -> Mapping[str, str]:
    """Return the fields of the table: printed in the picture, or the text itself."""
    fields: Mapping[str, str] = result.image_facts or result.data
    return fields


def over(result: Observation) -> bool:
    """Say whether the match has ended."""
    return not isinstance(result.data, dict) or "hand" not in result.data


def move(spot: Spot, action: str) -> Move:
    """Put an action the way the tool takes it."""
    kind, *amount = action.split()
    if kind == "raise":
        return call("act", action="raise_to", amount=int(amount[0]))
    return call("act", action=kind if spot.owed else "check")


def fold(situation: Situation, rng: np.random.Generator) -> str:
    """Give up whenever there is a bet."""
    return "fold" if situation.spot.owed else "call"


def check_call(situation: Situation, rng: np.random.Generator) -> str:
    """Check or call whatever comes."""
    return "call"


def min_raise(situation: Situation, rng: np.random.Generator) -> str:
    """Raise as little as possible whenever possible."""
    return f"raise {situation.spot.least}" if situation.spot.may_raise else "call"


def pot(situation: Situation, rng: np.random.Generator) -> str:
    """Raise by the pot whenever possible."""
    return f"raise {situation.spot.of_pot(1.0)}" if situation.spot.may_raise else "call"


def all_in(situation: Situation, rng: np.random.Generator) -> str:
    """Put everything in."""
    return f"raise {situation.spot.most}" if situation.spot.may_raise else "call"


def random_legal(situation: Situation, rng: np.random.Generator) -> str:
    """Take any legal kind of action, a raise to any legal amount."""
    spot = situation.spot
    kinds = ["call", *(["fold"] if spot.owed else []), *(["raise"] if spot.may_raise else [])]
    kind = str(rng.choice(kinds))
    return f"raise {rng.integers(spot.least, spot.most + 1)}" if kind == "raise" else kind


def pair_or_fold(situation: Situation, rng: np.random.Generator) -> str:
    """Continue with a pair or better (before the flop also with a queen or better), else give up."""
    own, board = situation.hero, situation.board
    good = category((*own, *board)) != "high card" if board else own[0] // 4 == own[1] // 4 or max(own) // 4 >= 10
    return "call" if good or not situation.spot.owed else "fold"


def perturbed(choice: Choice, situation: Situation, rng: np.random.Generator) -> str:
    """Follow a rule, but act at random in a quarter of the decisions."""
    return random_legal(situation, rng) if rng.random() < 0.25 else choice(situation, rng)


def unread(situation: Situation, rng: np.random.Generator) -> str:
    """Plan with full effort against an opponent that has the mean of all families' parameters."""
    values = action_values(_AVERAGE, situation, 1 + 2 * int(rng.integers(2**30)))
    return max(values, key=values.__getitem__)


def fit_chart(identities: Sequence[Identity], options: Any) -> Play:
    """Fit the chart on training instances and return the policy that plays it."""
    chart: Chart = fitted(identities)
    return partial(blind, lambda situation, rng: chart.choose(situation))


_MEANS = {name: float(np.mean([np.mean(SPANS[kind][name]) for kind in KINDS])) for name in SPANS["loose"]}
_AVERAGE = Style("average", odds=0.2, **_MEANS)

_LAZIES: tuple[tuple[str, Choice, str], ...] = (
    ("fold", fold, "folds to every bet, else checks"),
    ("call", check_call, "checks or calls"),
    ("min-raise", min_raise, "the smallest raise whenever possible"),
    ("pot", pot, "a raise by the pot whenever possible"),
    ("all-in", all_in, "everything in"),
    ("random", random_legal, "a random legal action"),
    ("pair", pair_or_fold, "continues with a pair or better, else folds"),
)
