"""Scoring: the mean regret of the hero's decisions per hand, against an allowance. Chips won do not count.

The regrets were measured at close by the toolset; the score is a pure function of them. A match that was not played
to its end is no success.
"""

from __future__ import annotations

from harness import Log, Score, Term
from harness_holdem.options import Options
from harness_holdem.sample import Identity

_FADE = 5.0
"""Regret, in allowances, at which the partial credit for decisions has faded to nothing."""


class DecisionReward:
    """Success when all hands are played and the mean regret per hand is within the allowance."""

    id = "holdem-regret-1"

    def __init__(self, options: Options) -> None:
        self._options = options

    def score(self, identity: Identity, log: Log) -> Score:
        """Score a match from the measured regrets."""
        hands = len(identity.deals)
        ended = int(log.metrics.get("hands_ended", 0))
        regret = sum(log.metrics.get("regret_bb", ())) / hands
        used = regret / identity.allowance
        finished = ended == hands
        quality = min(max((_FADE - used) / (_FADE - 1), 0.0), 1.0)
        progress = (Term("decisions", quality * ended / hands, 4.0), Term("hands", ended / hands))
        detail = (
            f"mean regret {regret:.3f} bb per hand, allowed {identity.allowance:g}; {ended} of {hands} hands played"
        )
        detail += f"; won {log.metrics.get('won_bb', 0):+.1f} bb"
        return Score(
            success=finished and used <= 1,
            progress=progress,
            efficiency=(Term("precision", min(max(1 - used, 0.0), 1.0)),),
            margin=max(min(1 - used, 1.0), -1.0) if finished else -1.0,
            reason=None if finished else "no_answer",
            detail=detail,
        )
