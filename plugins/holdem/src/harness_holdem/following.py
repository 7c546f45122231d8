"""Following a match from what is shown: the reference's memory.

`Following` turns tables, ended hands and recorded hands back into spots and actions, feeds the opponent's actions to
a learner once each, and gives the hero's current situation. It reads observations only.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from harness import Json
from harness_holdem.betting import HERO, OPPONENT, Spot, first_spot, retraced
from harness_holdem.cards import numbers
from harness_holdem.learner import Learner
from harness_holdem.notation import read
from harness_holdem.planner import Seen, Situation
from harness_holdem.rules import OPEN_CARDS
from harness_holdem.styles import Style


class Following:
    """What a player knows of the opponent and of the hand in play."""

    def __init__(self, stack: int, big_blind: int, rng: np.random.Generator) -> None:
        self._stack, self._big_blind = stack, big_blind
        self._learner = Learner(rng)
        self._hand, self._learned = 0, 0
        self._own: tuple[int, ...] = ()
        self._board: tuple[int, ...] = ()

    @property
    def style(self) -> Style:
        """The best estimate of how the opponent plays."""
        return self._learner.style()

    def recorded(self, hand: Mapping[str, Json]) -> None:
        """Learn from a recorded hand."""
        shown = numbers(hand["they_showed"] or "")
        self._learner.open_hand(shown=shown)
        board = _board_of(hand["betting"])
        for seen in self._seen(hand["button"] == "they", hand["betting"], board):
            self._learner.saw(seen.spot, seen.board, seen.action)

    def ended(self, hand: Mapping[str, Json]) -> None:
        """Learn what has not been learned yet from a hand of the match that has ended."""
        if hand["hand"] != self._hand:
            self._open(hand["hand"], ())
        self._learn(self._seen(hand["button"] == "they", hand["betting"], self._board))

    def table(self, fields: Mapping[str, str]) -> Situation:
        """Take in the table and return the situation of the hero."""
        number = int(fields["hand"].split()[0])
        if number != self._hand:
            self._open(number, numbers(fields["your_cards"]))
        self._board = numbers(fields["board"])
        theirs = fields["button"] == "they"
        seen = self._seen(theirs, fields["betting"], self._board)
        self._learn(seen)
        spot = self._spots(theirs, fields["betting"])[-1]
        return Situation(self._own, self._board, spot, self._stack, tuple(seen))

    def _open(self, number: int, own: tuple[int, ...]) -> None:
        self._hand, self._learned, self._board, self._own = number, 0, (), own
        self._learner.open_hand(own)

    def _learn(self, seen: Sequence[Seen]) -> None:
        for one in seen[self._learned :]:
            self._learner.saw(one.spot, one.board, one.action)
        self._learned = len(seen)

    def _spots(self, theirs: bool, betting: str) -> list[Spot]:
        first = first_spot(self._stack, self._big_blind, OPPONENT if theirs else HERO)
        return retraced(first, read(betting))

    def _seen(self, theirs: bool, betting: str, board: Sequence[int]) -> list[Seen]:
        spots = self._spots(theirs, betting)
        return [
            Seen(spot, tuple(board[: OPEN_CARDS[spot.street]]), action)
            for spot, action in zip(spots, read(betting), strict=False)
            if spot.actor == OPPONENT
        ]


def _board_of(betting: str) -> tuple[int, ...]:
    """Return the open cards told in the betting of a recorded hand; each street repeats those before."""
    heads = [part.partition(": ")[0].split()[1:] for part in betting.split(" | ")]
    return numbers(" ".join(heads[-1]))
