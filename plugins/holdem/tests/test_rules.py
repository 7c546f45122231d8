"""PokerKit decides; the light betting used for look-ahead must agree with it everywhere."""

from __future__ import annotations

import numpy as np
import pytest

from harness_holdem.betting import HERO, OPPONENT, SHOWDOWN, first_spot
from harness_holdem.cards import holding
from harness_holdem.notation import read, told
from harness_holdem.rules import Deal, Table, played
from harness_holdem.strength import board_values


def deal_from(rng: np.random.Generator) -> Deal:
    cards = tuple(rng.permutation(52)[:9].tolist())
    return Deal(cards[:2], cards[2:4], cards[4:])


def any_action(table: Table, rng: np.random.Generator) -> str:
    legal, chance = table.legal, rng.random()
    if legal.fold and chance < 0.12:
        return "fold"
    if legal.least is None or legal.most is None or chance < 0.6:
        return "call"
    return f"raise {rng.choice([legal.least, legal.most, rng.integers(legal.least, legal.most + 1)])}"


def test_look_ahead_betting_equals_pokerkit_on_random_hands() -> None:
    rng = np.random.default_rng(2)
    for _ in range(400):
        stack, button = int(rng.choice([500, 1200, 2350, 4000])), int(rng.integers(2))
        table = Table(deal_from(rng), button, stack, 100)
        while not table.over:
            spot, legal = table.spot, table.legal
            assert legal.fold == (spot.owed > 0)
            assert legal.call == spot.owed
            assert (legal.least is not None) == spot.may_raise
            if spot.may_raise:
                assert (legal.least, legal.most) == (spot.least, spot.most)
                assert spot.least <= spot.of_pot(float(rng.random() * 2)) <= spot.most
            table.act(any_action(table, rng))
        assert table.won == settled(table, stack)


def settled(table: Table, stack: int) -> int:
    """What the hero won by the light betting and the own evaluator."""
    spot, deal = table.spot, table.deal
    paid = stack - spot.stacks[HERO]
    if spot.folded is not None:
        return spot.pot * (spot.folded == OPPONENT) - paid
    mine, theirs = (int(board_values(deal.board)[holding(held)]) for held in (deal.hero, deal.opponent))
    return int(spot.pot * (1.0 if mine > theirs else 0.5 if mine == theirs else 0.0)) - paid


def test_a_hand_is_rebuilt_from_its_actions_and_from_its_telling() -> None:
    rng = np.random.default_rng(3)
    for _ in range(100):
        deal, button = deal_from(rng), int(rng.integers(2))
        table = Table(deal, button, 1600, 100)
        while not table.over:
            table.act(any_action(table, rng))
        actions = [action for _, action in table.actions]
        again = played(deal, button, 1600, 100, actions)
        assert (again.won, again.spot) == (table.won, table.spot)
        assert read(told(table.actions, "you")) == actions
        assert read(told(table.actions, "guest", deal.board)) == actions


def test_button_posts_the_small_blind_and_acts_first_before_the_flop_only() -> None:
    spot = first_spot(2000, 100, HERO)
    assert (spot.actor, spot.bets, spot.owed, spot.price) == (HERO, (50, 100), 50, 0.25)
    flop = spot.call().call()
    assert (flop.street, flop.actor, flop.pot, flop.bets) == (1, OPPONENT, 200, (0, 0))


def test_a_called_all_in_goes_to_showdown() -> None:
    spot = first_spot(1000, 100, OPPONENT).raise_to(1000).call()
    assert (spot.street, spot.actor, spot.pot) == (SHOWDOWN, None, 2000)
    with pytest.raises(ValueError, match="nobody is to act"):
        spot.call()


def test_illegal_raise_is_refused_by_pokerkit() -> None:
    table = Table(deal_from(np.random.default_rng(0)), HERO, 1000, 100)
    with pytest.raises(ValueError, match=r"."):
        table.act("raise 120")
