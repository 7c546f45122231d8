"""A match: hands played one after another against the same opponent, and the world that an episode keeps of it.

The world is the list of actions of every hand; cards, stacks and turns are rebuilt from the identity and those
actions. The opponent acts as soon as it is its turn. What it does is a draw keyed by the hand and the place in the
hand, so that the same actions always meet the same answers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache

import attrs

from harness import seeds
from harness_holdem.betting import HERO, OPPONENT, Spot, first_spot, retraced
from harness_holdem.cards import holding, numbers
from harness_holdem.planner import Seen, Situation, action_values
from harness_holdem.rules import OPEN_CARDS, Deal, Table, played
from harness_holdem.sample import Identity
from harness_holdem.strength import board_percentiles
from harness_holdem.styles import Style, respond, wager


@attrs.define
class World:
    """What has happened.

    Attributes:
        hands: for each hand begun, its actions so far, both players' in order.
        won: for each hand ended, the chips that the hero won.
        told: how many of the ended hands the policy has been told of.
    """

    hands: list[list[str]] = attrs.field(factory=list)
    won: list[int] = attrs.field(factory=list)
    told: int = 0


class Match:
    """The match of one identity at the state of a world; playing on changes the world."""

    def __init__(self, identity: Identity, world: World) -> None:
        self.identity, self.world = identity, world
        if not world.hands:
            world.hands.append([])
        self.table = self._rebuilt()
        self._settle()

    @property
    def over(self) -> bool:
        """Whether all hands have been played."""
        return len(self.world.won) == len(self.identity.deals)

    @property
    def number(self) -> int:
        """Number of the current (or last) hand, from 0."""
        return len(self.world.hands) - 1

    @property
    def situation(self) -> Situation:
        """What the hero knows now."""
        spots, actions = zip(*self.table.actions, strict=True) if self.table.actions else ((), ())
        return situation_of(self.table.deal, self.identity.stack, (*spots, self.table.spot), actions)

    def act(self, action: str) -> None:
        """Play the hero's action, then the opponent's until it is the hero's turn again or the match is over."""
        self._play(action)
        self._settle()

    def _settle(self) -> None:
        while not self.over:
            if self.table.over:
                self._finish()
            elif self.table.spot.actor == OPPONENT:
                self._play(self._answer())
            else:
                return

    def _finish(self) -> None:
        self.world.won.append(self.table.won)
        if not self.over:
            self.world.hands.append([])
            self.table = self._rebuilt()

    def _play(self, action: str) -> None:
        self.table.act(action)
        self.world.hands[-1].append(action)

    def _answer(self) -> str:
        chance = seeds.fraction("opponent", self.identity.chance, self.number, len(self.table.actions))
        return chosen(self.identity.style, self.table.spot, self.table.deal.opponent, self.table.board, chance)

    def _rebuilt(self) -> Table:
        identity, number = self.identity, self.number
        deal, button = deal_of(identity.deals[number]), button_of(identity, number)
        return played(deal, button, identity.stack, identity.big_blind, self.world.hands[number])


def chosen(style: Style, spot: Spot, held: Sequence[int], board: tuple[int, ...], chance: float) -> str:
    """Return the action that a style takes with a holding, given a draw from [0, 1)."""
    position = holding(held)
    likelihood = respond(style, spot, board_percentiles(board)[position : position + 1])
    fold, call = float(likelihood.fold[0]), float(likelihood.call[0])
    if spot.owed and chance < fold:
        return "fold"
    if chance < fold + call or not spot.may_raise:
        return "call"
    return f"raise {wager(style, spot)}"


def button_of(identity: Identity, number: int) -> int:
    """Return who has the button in a hand; it changes hands every time."""
    return (identity.first_button + number) % 2


@cache
def deal_of(text: str) -> Deal:
    """Read a deal as the identity writes it: nine cards, the hero's two, the opponent's two and the board."""
    cards = numbers(" ".join(text[i : i + 2] for i in range(0, len(text), 2)))
    return Deal(cards[:2], cards[2:4], cards[4:])


def spots_of(identity: Identity, number: int, actions: Sequence[str]) -> list[Spot]:
    """Return the spots of a hand of the match: one before each action, and the last."""
    return retraced(first_spot(identity.stack, identity.big_blind, button_of(identity, number)), actions)


def situation_of(deal: Deal, stack: int, spots: Sequence[Spot], actions: Sequence[str]) -> Situation:
    """Return what the hero knows at the last of these spots, after these actions."""
    spot = spots[len(actions)]
    seen = tuple(
        Seen(before, deal.board[: OPEN_CARDS[before.street]], action)
        for before, action in zip(spots, actions, strict=False)
        if before.actor == OPPONENT
    )
    return Situation(deal.hero, deal.board[: OPEN_CARDS[spot.street]], spot, stack, seen)


def regrets(identity: Identity, number: int, actions: Sequence[str]) -> list[float]:
    """Return the regret of each decision of the hero in a hand, in big blinds.

    The regret is what the best action is worth against the opponent's actual style and its range given the actions
    seen, less what the chosen one is worth. It is never negative, and it does not depend on the opponent's cards or
    on those still to come.
    """
    deal, spots = deal_of(identity.deals[number]), spots_of(identity, number, actions)
    found = []
    for place, action in enumerate(actions):
        if spots[place].actor == HERO:
            situation = situation_of(deal, identity.stack, spots, actions[:place])
            values = _valued(identity, number, situation, action)
            found.append((max(values.values()) - values[action]) / identity.big_blind)
    return found


def _valued(identity: Identity, number: int, situation: Situation, action: str) -> Mapping[str, float]:
    """Return the values of the usual actions, and of the one taken, on futures drawn for scoring."""
    seed = 2 * seeds.integer("futures", identity.chance, number, situation.spot.street)
    usual = action_values(identity.style, situation, seed)
    return usual if action in usual else action_values(identity.style, situation, seed, action)
