"""The betting of a heads-up hand as a small value, for looking ahead.

`rules` plays the real hand on PokerKit; this is the same betting without cards, light enough to walk through hundreds
of continuations in a few milliseconds. Both players start a hand with equal stacks, so a called all-in is always
matched. A test plays thousands of random hands on both.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

HERO, OPPONENT = 0, 1
SHOWDOWN = 4
STREETS = ("preflop", "flop", "turn", "river")


class Spot(NamedTuple):
    """A point of the betting at which somebody must act, or at which it is over.

    Amounts are chips. ``bets`` are those of the current street, ``pot`` includes them. ``actor`` is None when the
    betting is over: by a fold (``folded`` names who) or because only the showdown is left (street 4).
    """

    street: int
    button: int
    actor: int | None
    pot: int
    bets: tuple[int, int]
    stacks: tuple[int, int]
    step: int
    raises: int
    acted: int
    big_blind: int
    folded: int | None = None

    @property
    def owed(self) -> int:
        """Chips that the actor must add to call."""
        actor = self._turn()
        return min(self.bets[1 - actor] - self.bets[actor], self.stacks[actor])

    @property
    def price(self) -> float:
        """The share of the final pot that a call costs: the equity at which calling breaks even."""
        return self.owed / (self.pot + self.owed)

    @property
    def may_raise(self) -> bool:
        """Whether the actor can put in more than a call and the other could answer."""
        actor = self._turn()
        return self.stacks[1 - actor] > 0 and self.stacks[actor] > self.owed

    @property
    def most(self) -> int:
        """The bet of the actor on this street when all chips are in."""
        actor = self._turn()
        return self.bets[actor] + self.stacks[actor]

    @property
    def least(self) -> int:
        """The smallest legal raise, all-in where less than a full raise is left."""
        return min(self.bets[1 - self._turn()] + self.step, self.most)

    def of_pot(self, fraction: float) -> int:
        """Return the legal amount closest to raising by a fraction of the pot after a call.

        It is all-in where less than half of the new pot would be left behind.
        """
        actor = self._turn()
        after = self.pot + self.owed
        amount = max(round(self.bets[1 - actor] + fraction * after), self.least)
        left = self.most - amount
        return self.most if left < 0.5 * (after + 2 * (amount - self.bets[1 - actor])) else amount

    def fold(self) -> Spot:
        """Return the hand given up by the actor."""
        return self._replace(actor=None, folded=self._turn())

    def call(self) -> Spot:
        """Return the spot after a check or call."""
        actor, owed = self._turn(), self.owed
        after = self._paid(actor, owed)
        if self.acted == 0:
            return after._replace(actor=1 - actor, acted=1)
        if 0 in after.stacks:
            return after._replace(actor=None, street=SHOWDOWN)
        return after._next_street()

    def raise_to(self, amount: int) -> Spot:
        """Return the spot after the actor's bet on this street is made ``amount``."""
        actor = self._turn()
        after = self._paid(actor, amount - self.bets[actor])
        step = max(self.step, amount - self.bets[1 - actor])
        return after._replace(actor=1 - actor, step=step, raises=self.raises + 1, acted=self.acted + 1)

    def after(self, action: str) -> Spot:
        """Return the spot after an action written as in recorded hands: ``fold``, ``call`` or ``raise AMOUNT``."""
        kind, *amount = action.split()
        if kind == "raise":
            return self.raise_to(int(amount[0]))
        return self.fold() if kind == "fold" else self.call()

    def _turn(self) -> int:
        if self.actor is None:
            raise ValueError("the betting of this hand is over: nobody is to act")
        return self.actor

    def _paid(self, actor: int, chips: int) -> Spot:
        bets, stacks = list(self.bets), list(self.stacks)
        bets[actor] += chips
        stacks[actor] -= chips
        return self._replace(pot=self.pot + chips, bets=(bets[0], bets[1]), stacks=(stacks[0], stacks[1]))

    def _next_street(self) -> Spot:
        street = self.street + 1
        actor = None if street == SHOWDOWN else 1 - self.button
        return self._replace(street=street, actor=actor, bets=(0, 0), step=self.big_blind, raises=0, acted=0)


def first_spot(stack: int, big_blind: int, button: int) -> Spot:
    """Return the first decision of a hand: the button has posted the small blind and acts."""
    small = big_blind // 2
    bets = (small, big_blind) if button == HERO else (big_blind, small)
    stacks = (stack - bets[0], stack - bets[1])
    return Spot(0, button, button, sum(bets), bets, stacks, big_blind, 0, 0, big_blind)


def retraced(first: Spot, actions: Iterable[str]) -> list[Spot]:
    """Return the spots that a hand went through: one before each action, and the last."""
    spots = [first]
    for action in actions:
        spots.append(spots[-1].after(action))
    return spots
