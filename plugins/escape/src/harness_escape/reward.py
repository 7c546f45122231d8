"""The reward layer: milestones of the puzzle graph, success on leaving, efficiency against the fair explorer.

Pure: it reads the identity, the typed log and what was measured of the final world. Of a success, half of the
efficiency is keeping the explorer's pace (1 at its steps, 0 at the budget), half is beating it (0 at its steps, 1
at the optimum).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from harness.records import Log, Score, Term
from harness_escape import tiny
from harness_escape.graph import Act, required
from harness_escape.house import House
from harness_escape.tiny import Flat
from harness_escape.world import World

KINDS: Final = {"locks": (("open",), 3.0), "things": (("hold", "pull", "find"), 2.0), "clues": (("read",), 1.0)}
"""Term → which acts it counts, and its share of the progress."""


def is_done(world: World, act: Act) -> bool:
    """Whether a milestone was reached in a world."""
    mask = {
        "open": world.opened,
        "hold": world.held | world.used,
        "pull": world.used,
        "find": world.inspected,
        "read": world.inspected,
    }[act.verb]
    return bool(mask >> act.target & 1)


class HouseReward:
    """Scores a house."""

    id = "escape-house-1"

    def score(self, house: House, log: Log) -> Score:
        """Score an episode."""
        done: set[tuple[str, int]] = {(verb, target) for verb, target in log.metrics.get("acts", ())}
        acts = required(house)
        progress = tuple(_shares(acts, done))
        steps, out = log.spent("steps"), bool(log.metrics.get("out", False))
        missing = sum((act.verb, act.target) not in done for act in acts) + 1
        margin = (house.budget - steps) / house.budget if out else -missing / (len(acts) + 1)
        detail = (
            f"{'out' if out else 'inside'} after {steps} of {house.budget} steps; {len(done)} of {len(acts)} milestones"
        )
        return Score(out, progress, _efficiency(house, log, steps), margin, detail=detail)


def _shares(acts: Mapping[Act, int], done: set[tuple[str, int]]) -> Iterator[Term]:
    """Yield the reached share of each kind of milestone that the house has; an act weighs by its depth squared."""
    for name, (verbs, share) in KINDS.items():
        wanted = {(act.verb, act.target): depth**2 for act, depth in acts.items() if act.verb in verbs}
        if wanted:
            reached = sum(weight for key, weight in wanted.items() if key in done)
            yield Term(name, reached / sum(wanted.values()), share)


def _efficiency(house: House, log: Log, steps: int) -> tuple[Term, ...]:
    pace = _clip((house.budget - steps) / (house.budget - house.need))
    insight = _clip((house.need - steps) / max(1, house.need - house.optimum))
    terms = (Term("pace", pace), Term("insight", insight))
    if not house.events:
        return terms
    harm = int(log.metrics.get("caught", 0)) + sum(action.status == "unsafe_action" for action in log.actions)
    return (*terms, Term("unharmed", 1.0 / (1 + harm), 0.5))


class FlatReward:
    """Scores a flat."""

    id = "escape-flat-1"

    def score(self, flat: Flat, log: Log) -> Score:
        """Score an episode."""
        room, pressed, out = (log.metrics.get(key, 0) for key in ("room", "pressed", "out"))
        rooms = Term("rooms", min(int(room), tiny.LAST) / tiny.LAST)
        presses = Term("presses", int(pressed) / len(flat.presses))
        steps = log.spent("steps")
        pace = Term("pace", _clip((tiny.BUDGET - steps) / (tiny.BUDGET - tiny.NEED)))
        missing = tiny.NEED - min(int(room), tiny.LAST) - int(pressed)
        margin = (tiny.BUDGET - steps) / tiny.BUDGET if out else -missing / tiny.NEED
        return Score(bool(out), (rooms, presses), (pace,), margin)


def _clip(value: float) -> float:
    return min(1.0, max(0.0, value))
