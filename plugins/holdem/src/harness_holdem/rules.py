"""A hand of heads-up no-limit hold'em on PokerKit, which decides what is legal, whose turn it is and who wins what.

Beside the PokerKit state a `Table` carries the `Spot` that look-ahead starts from. A hand is a deal and a list of
short action texts (``fold``, ``call``, ``raise 300``); it is rebuilt by playing them again, which takes about half a
millisecond.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from functools import cache
from typing import Any

import attrs

from harness_holdem.betting import HERO, OPPONENT, SHOWDOWN, Spot, first_spot
from harness_holdem.cards import names

OPEN_CARDS = (0, 3, 4, 5, 5)
"""How many cards of the board lie open on each street and at showdown."""


@attrs.frozen
class Deal:
    """The cards of a hand: two each and the board in order."""

    hero: tuple[int, ...]
    opponent: tuple[int, ...]
    board: tuple[int, ...]


@attrs.frozen
class Legal:
    """What the player to act may do. Amounts are chips; raises name the bet that is made, not what is added."""

    fold: bool
    call: int
    least: int | None
    most: int | None


class Table:
    """One hand being played."""

    def __init__(self, deal: Deal, button: int, stack: int, big_blind: int) -> None:
        self.deal, self.button = deal, button
        self.spot: Spot = first_spot(stack, big_blind, button)
        self.actions: list[tuple[Spot, str]] = []
        self._stack = stack
        self._seat = {button: 1, 1 - button: 0}
        self._state = _game().create_state(*_terms(stack, big_blind))
        held = {HERO: deal.hero, OPPONENT: deal.opponent}
        for player in (1 - button, button):
            self._state.deal_hole(_written(held[player]))

    @property
    def over(self) -> bool:
        """Whether the hand has ended."""
        return self.spot.actor is None

    @property
    def board(self) -> tuple[int, ...]:
        """The open cards."""
        return self.deal.board[: OPEN_CARDS[self.spot.street]]

    @property
    def shown(self) -> bool:
        """Whether the hand came to a showdown."""
        return self.spot.street == SHOWDOWN

    @property
    def legal(self) -> Legal:
        """What the player to act may do."""
        state = self._state
        return Legal(
            fold=state.checking_or_calling_amount > 0,
            call=state.checking_or_calling_amount,
            least=state.min_completion_betting_or_raising_to_amount,
            most=state.max_completion_betting_or_raising_to_amount,
        )

    @property
    def won(self) -> int:
        """Chips that the hero won (negative: lost) over a hand that has ended."""
        return int(self._state.stacks[self._seat[HERO]]) - self._stack

    def act(self, action: str) -> None:
        """Play ``fold``, ``call`` (also for a check) or ``raise AMOUNT`` for the player to act.

        Raises:
            ValueError: PokerKit refuses the action.
        """
        before, (kind, *amount) = self.spot, action.split()
        if kind == "fold":
            self._state.fold()
            self.spot = before.fold()
        elif kind == "call":
            self._state.check_or_call()
            self.spot = before.call()
        else:
            self._state.complete_bet_or_raise_to(int(amount[0]))
            self.spot = before.raise_to(int(amount[0]))
        self.actions.append((before, action))
        self._open_cards()

    def _open_cards(self) -> None:
        """Turn over what the street needs; at an all-in showdown, the rest of the board."""
        if self.spot.folded is not None:
            return
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            while len(self._state.board_cards) < len(self.board):
                at = len(self._state.board_cards)
                self._state.deal_board(_written(self.board[at : max(at + 1, 3)]))


def played(deal: Deal, button: int, stack: int, big_blind: int, actions: Iterable[str]) -> Table:
    """Rebuild a hand from its actions."""
    table = Table(deal, button, stack, big_blind)
    for action in actions:
        table.act(action)
    return table


def _written(cards: Iterable[int]) -> str:
    return names(cards).replace(" ", "")


@cache
def _game() -> Any:
    from pokerkit import NoLimitTexasHoldem

    return NoLimitTexasHoldem


@cache
def _terms(stack: int, big_blind: int) -> tuple[Any, ...]:
    """Return PokerKit's arguments: automations, antes, blinds, smallest bet, stacks, players."""
    from pokerkit import Automation as Auto

    automations = (
        Auto.ANTE_POSTING,
        Auto.BET_COLLECTION,
        Auto.BLIND_OR_STRADDLE_POSTING,
        Auto.CARD_BURNING,
        Auto.HOLE_CARDS_SHOWING_OR_MUCKING,
        Auto.HAND_KILLING,
        Auto.CHIPS_PUSHING,
        Auto.CHIPS_PULLING,
    )
    return automations, True, 0, (big_blind // 2, big_blind), big_blind, (stack, stack), 2
