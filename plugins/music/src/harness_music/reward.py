"""The reward layer: no fault is success; else credit falls with the weighted fault count of the submitted notes."""

from __future__ import annotations

from harness import Log, Score, Term
from harness.schema import conform
from harness_music.pitch import read_passage
from harness_music.rules import find_faults, weigh
from harness_music.sample import Exercise, Options, plan_of
from harness_music.world import Voices, passage_from

FREE_WEIGHT = 3
"""Weighted faults a chord to write at which the credit of a harmonisation is used up."""


class PartWritingReward:
    """Scores the answer; `checks` left over separate one success from another."""

    id = "music-1"

    def __init__(self, options: Options) -> None:
        self._options = options

    def score(self, identity: Exercise, log: Log) -> Score:
        """Score an episode from its typed answer and the number of checks charged."""
        if log.answer is None:
            return Score(success=False, progress=(Term("rules", 0.0),))
        voices = conform(log.answer["passage"], Voices)
        plan = plan_of(identity)
        faults = find_faults(passage_from(voices, len(plan.chords)), plan)
        weighted = weigh(faults)
        rules = Term("rules", max(0.0, 1 - weighted / allowance(identity)))
        unused = Term("checks_left", 1 - min(1.0, log.spent("checks") / identity.checks))
        detail = "" if not faults else f"{len(faults)} faults, weighted {weighted}"
        return Score(success=not faults, progress=(rules,), efficiency=(unused,), detail=detail)


def allowance(identity: Exercise) -> int:
    """Return the weighted fault count that earns nothing: that of the passage to repair, or three a chord to write."""
    if identity.variant == "repair":
        return weigh(find_faults(read_passage(identity.start), plan_of(identity)))
    return FREE_WEIGHT * len(identity.marked)
