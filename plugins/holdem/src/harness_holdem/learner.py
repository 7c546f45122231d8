"""Learning a style from public actions: weighted candidates, each with its own range for the hand in play.

A learner holds a few hundred candidate styles. An action of the opponent multiplies the weight of each candidate by
the probability that it would have acted so, averaged over the holdings it could have there, and narrows its range.
Bet sizes are read off directly. Only what the table shows is
used: actions, open cards, the learner's own cards, and holdings shown down.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from harness_holdem.betting import Spot
from harness_holdem.cards import free, holding
from harness_holdem.strength import board_percentiles
from harness_holdem.styles import KINDS, Style, draw, respond

_PER_KIND, _HOLDINGS = 50, 120
_COLUMNS = ("width", "grip", "odds", "value", "bluff", "raising")


class Learner:
    """A posterior over styles."""

    def __init__(self, rng: np.random.Generator) -> None:
        drawn = [draw(kind, rng) for kind in KINDS for _ in range(_PER_KIND)]
        self._table = np.array([[getattr(style, name) for name in _COLUMNS] for style in drawn], dtype=np.float32)
        columns: dict[str, Any] = {name: self._table[:, [i]] for i, name in enumerate(_COLUMNS)}
        self._styles = Style(kind="candidates", size=0.0, **columns)
        self._logs = np.zeros(len(drawn))
        self._sizes: list[float] = []
        self._rng = rng
        self.open_hand()

    def open_hand(self, own: Sequence[int] = (), shown: Sequence[int] = ()) -> None:
        """Begin a hand in which some cards are known: the learner's own, or the opponent's if they were shown."""
        if shown:
            self._held = np.array([holding(shown)])
        else:
            self._held = self._rng.permutation(np.flatnonzero(free(own)))[:_HOLDINGS]
        self._reach = np.full((len(self._logs), len(self._held)), 1 / len(self._held), dtype=np.float32)

    def saw(self, spot: Spot, board: tuple[int, ...], action: str) -> None:
        """Take in an action (``fold``, ``call``, ``raise AMOUNT``) of the opponent at a spot."""
        kind, *amount = action.split()
        if board:
            self._reach = self._reach * free(board)[self._held]
        fold, call, bet = respond(self._styles, spot, board_percentiles(board)[self._held])
        before = self._reach.sum(axis=1) + 1e-9
        self._reach = self._reach * {"fold": fold, "call": call, "raise": bet}[kind]
        self._logs += np.log((self._reach.sum(axis=1) + 1e-9) / before)
        if amount and spot.least < int(amount[0]) < spot.most:
            self._sizes.append((int(amount[0]) - max(spot.bets)) / (spot.pot + spot.owed))

    def style(self) -> Style:
        """Return the style at the mean of the posterior."""
        weights = self.weights()
        mean = dict(zip(_COLUMNS, (weights @ self._table).tolist(), strict=True))
        size = float(np.median(self._sizes)) if self._sizes else 0.7
        return Style(kind="estimate", size=size, **mean)

    def weights(self) -> NDArray[np.float64]:
        """Return the posterior probability of each candidate."""
        likelihood = np.exp(self._logs - self._logs.max())
        normalised: NDArray[np.float64] = likelihood / likelihood.sum()
        return normalised
