"""Learning: the likelihood of actions, and that records of an opponent reveal its style."""

from __future__ import annotations

import attrs
import numpy as np
import pytest

from harness_holdem.archive import page_of
from harness_holdem.betting import HERO, OPPONENT, first_spot
from harness_holdem.following import Following
from harness_holdem.learner import Learner
from harness_holdem.options import Options
from harness_holdem.sample import Identity, propose
from harness_holdem.strength import before_flop
from harness_holdem.styles import KINDS, SPANS, Style, continuing, draw, respond


def identity_of(kind: str, seed: int) -> Identity:
    rng = np.random.default_rng(seed)
    return attrs.evolve(propose(Options(pages=8, page_hands=6), rng), style=draw(kind, rng))


@pytest.mark.parametrize("kind", KINDS)
def test_probabilities_of_actions_sum_to_one_everywhere(kind: str) -> None:
    style = draw(kind, np.random.default_rng(0))
    first = first_spot(1600, 100, OPPONENT)
    flop = first.call().call()
    for spot in (first, first.call(), first.raise_to(1600), flop, flop.raise_to(150), flop.raise_to(150).raise_to(600)):
        found = respond(style, spot, before_flop())
        total = found.fold + found.call + found.bet
        assert np.allclose(total, 1, atol=1e-6)
        assert min(found.fold.min(), found.call.min(), found.bet.min()) >= -1e-6
        if not spot.owed:
            assert found.fold.max() == 0


def test_the_share_of_hands_that_continue_is_the_declared_one() -> None:
    spot = first_spot(4000, 100, HERO).raise_to(300)
    for width in (0.5, 1.0, 1.5):
        style = Style("", width, 0.0, 0.0, 0.2, -0.1, 0.05, 0.7, blur=0.001)
        found = respond(style, spot, before_flop())
        assert float(1 - found.fold.mean()) == pytest.approx(float(continuing(style, spot)), abs=0.01)
    # facing a raise of the pot, one half is the minimum defence
    pot = first_spot(4000, 100, HERO).raise_to(300)
    assert pot.price == pytest.approx(1 / 3)
    assert float(continuing(Style("", 1.0, 0.0, 0.0, 0.2, -0.1, 0.05, 0.7), pot)) == pytest.approx(0.5)


@pytest.mark.parametrize("kind", KINDS)
def test_recorded_hands_reveal_the_family(kind: str) -> None:
    found = []
    for seed in range(3):
        identity = identity_of(kind, seed)
        following = Following(identity.stack, identity.big_blind, np.random.default_rng(seed))
        for page in range(1, 9):
            for hand in page_of(identity, page):
                following.recorded(hand)
        weights = following._learner.weights().reshape(len(KINDS), -1).sum(axis=1)
        found.append(weights[KINDS.index(kind)])
        low, high = SPANS[kind]["width"]
        assert low - 0.1 <= following.style.width <= high + 0.1
        assert following.style.size == pytest.approx(identity.style.size, abs=0.06)
    assert np.mean(found) > 0.9


def test_a_learner_that_saw_nothing_keeps_its_prior() -> None:
    weights = Learner(np.random.default_rng(0)).weights()
    assert np.allclose(weights, weights[0])


def test_folding_to_a_small_raise_speaks_for_narrow_styles() -> None:
    learner = Learner(np.random.default_rng(0))
    spot = first_spot(1600, 100, HERO).raise_to(220)
    for _ in range(12):
        learner.open_hand()
        learner.saw(spot, (), "fold")
    assert learner.weights().reshape(len(KINDS), -1).sum(axis=1).argmax() == KINDS.index("tight")
