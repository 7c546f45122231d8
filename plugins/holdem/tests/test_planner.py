"""Values and regrets against closed forms, enumeration and published equities."""

from __future__ import annotations

from itertools import combinations

import attrs
import numpy as np
import pytest

from harness_holdem.betting import HERO, OPPONENT, first_spot
from harness_holdem.cards import HOLDINGS, free, holding, numbers
from harness_holdem.match import Match, World, regrets
from harness_holdem.options import Options
from harness_holdem.planner import Planner, Seen, Situation, action_values, futures, options, range_of
from harness_holdem.sample import Identity, propose
from harness_holdem.strength import before_flop, values
from harness_holdem.styles import KINDS, Style, draw, respond

CALLS_ALL = Style("calls", width=50.0, grip=0.0, odds=1.0, value=-5.0, bluff=-5.0, raising=-5.0, size=0.7)
FOLDS_ALL = Style("folds", width=0.0, grip=0.0, odds=0.0, value=-5.0, bluff=-5.0, raising=-5.0, size=0.7)


def identity_of(seed: int, kind: str = "", hands: int = 3) -> Identity:
    rng = np.random.default_rng(seed)
    identity = propose(Options(hands=hands), rng)
    return attrs.evolve(identity, style=draw(kind, rng)) if kind else identity


def only(held: str) -> np.ndarray:
    weights = np.zeros(len(HOLDINGS), dtype=np.float32)
    weights[holding(numbers(held))] = 1
    return weights


@pytest.mark.parametrize(
    ("hero", "villain", "equity"),
    [("Ah As", "Kh Ks", 0.826), ("Ah Ks", "Qd Qc", 0.433), ("Ac Kc", "7d 2h", 0.685), ("Jh Th", "5c 5d", 0.505)],
)
def test_all_in_equities_of_known_match_ups(hero: str, villain: str, equity: float) -> None:
    drawn = futures(numbers(hero), (), only(villain), seed=0, samples=4000)
    # 900 boards: a standard error of about 0.016
    assert float(drawn.weights @ drawn.share) == pytest.approx(equity, abs=0.045)


def test_equity_on_a_turn_is_the_enumeration_of_rivers() -> None:
    hero, villain, board = numbers("Ah Kh"), numbers("9c 9d"), numbers("Qh 7h 2s 9s")
    rest = [card for card in range(52) if card not in (*hero, *villain, *board)]
    found = values(np.array([(*board, card) for card in rest])).astype(int)
    exact = np.mean(found[:, holding(hero)] > found[:, holding(villain)])
    drawn = futures(hero, board, only("9c 9d"), seed=0)
    assert float(drawn.weights @ drawn.share) == pytest.approx(float(exact), abs=0.02)
    assert float(exact) == pytest.approx(7 / 44)


def test_river_futures_hold_the_whole_range() -> None:
    hero, board = numbers("Ah Kh"), numbers("Qh 7h 2s 9s 3d")
    weights = (free(hero) & free(board)).astype(np.float32)
    drawn = futures(hero, board, weights, seed=0)
    assert len(drawn.weights) == 990
    found = values(np.array([board]))[0].astype(int)
    others = [holding(pair) for pair in combinations([c for c in range(52) if c not in (*hero, *board)], 2)]
    mine = found[holding(hero)]
    exact = np.mean([(mine > found[other]) + 0.5 * (mine == found[other]) for other in others])
    assert float(drawn.weights @ drawn.share) == pytest.approx(float(exact), abs=1e-4)


def test_against_who_folds_everything_each_raise_wins_the_blind() -> None:
    situation = Situation(numbers("7c 2d"), (), first_spot(1000, 100, HERO), 1000, ())
    found = action_values(FOLDS_ALL, situation, 0)
    assert found["fold"] == pytest.approx(-50, abs=0.01)
    for action in (name for name in found if name.startswith("raise")):
        assert 60 < found[action] < 110  # it does go on with its best 2 %


def test_against_who_calls_everything_all_in_is_worth_its_equity() -> None:
    situation = Situation(numbers("Ah As"), (), first_spot(1000, 100, HERO), 1000, ())
    value = action_values(CALLS_ALL, situation, 0)["raise 1000"]
    assert (value + 1000) / 2000 == pytest.approx(0.852, abs=0.03)  # aces against a random hand


def test_range_is_the_product_of_likelihoods() -> None:
    style = draw("loose", np.random.default_rng(0))
    first = first_spot(1600, 100, OPPONENT)
    hero = numbers("Ah Kd")
    situation = Situation(hero, (), first.call(), 1600, (Seen(first, (), "call"),))
    weights = range_of(style, situation)
    likelihood = respond(style, first, before_flop()).call * free(hero)
    assert np.allclose(weights, likelihood / likelihood.max(), atol=1e-6)


def test_a_range_never_empties_however_unlikely_the_actions() -> None:
    first = first_spot(6000, 100, OPPONENT)
    raised = first.raise_to(300).raise_to(800)
    flop = raised.call()
    board = numbers("Kc 9d 4s")
    facing = flop.call() if flop.actor == OPPONENT else flop.raise_to(500)
    seen = (Seen(first, (), "raise 300"), Seen(raised, (), "raise 2000"), Seen(facing, board, "raise 3000"))
    situation = Situation(numbers("Ah Kd"), board, facing.raise_to(3000), 6000, seen)
    weights = range_of(CALLS_ALL, situation)  # a style that as good as never raises
    assert weights.max() > 0
    assert all(np.isfinite(value) for value in action_values(CALLS_ALL, situation, 0).values())


@pytest.mark.parametrize("kind", KINDS)
def test_the_opponent_aware_optimum_has_no_regret(kind: str) -> None:
    from harness_holdem.match import _valued

    identity = identity_of(11, kind)
    world = World()
    match = Match(identity, world)
    while not match.over:
        found = _valued(identity, match.number, match.situation, "call")
        match.act(max(found, key=found.__getitem__))
    assert [sum(regrets(identity, n, hand)) for n, hand in enumerate(world.hands)] == [0.0] * len(world.hands)


def test_regret_is_never_negative_also_for_odd_amounts() -> None:
    rng = np.random.default_rng(4)
    identity = identity_of(5, hands=4)
    world = World()
    match = Match(identity, world)
    while not match.over:
        spot = match.table.spot
        odd = spot.may_raise and rng.random() < 0.5
        match.act(f"raise {rng.integers(spot.least, spot.most + 1)}" if odd else "call")
    found = [value for n, hand in enumerate(world.hands) for value in regrets(identity, n, hand)]
    assert found
    assert min(found) >= 0


def test_regret_does_not_depend_on_hidden_cards() -> None:
    identity = identity_of(6, hands=1)
    deal = identity.deals[0]
    swapped = attrs.evolve(identity, deals=(deal[:4] + deal[10:12] + deal[12:14] + deal[8:10] + deal[4:8] + deal[14:],))
    actions = ["call", "call"] if identity.first_button == HERO else ["call", "raise 300", "fold"]
    actions = actions[:1] if identity.first_button == HERO else actions[:2]
    assert regrets(identity, 0, actions) == regrets(swapped, 0, actions)


def test_the_two_draws_of_futures_agree() -> None:
    situation = Situation(numbers("Jh Td"), numbers("Js 8h 4c"), first_spot(1600, 100, HERO).call().call(), 1600, ())
    situation = attrs.evolve(situation, spot=situation.spot.call())
    style = draw("equity", np.random.default_rng(0))
    first, second = (action_values(style, situation, seed) for seed in (0, 1))
    assert first.keys() == second.keys()
    for action in first:
        assert first[action] == pytest.approx(second[action], abs=60)  # three standard errors of an all-in pot


def test_planner_prefers_value_against_callers_and_bluffs_against_folders() -> None:
    board = numbers("Kc 9d 4s 2h 7c")
    spot = first_spot(1600, 100, OPPONENT).call().call().call().call().call().call()
    assert spot.street == 3
    for style, held, bets in ((CALLS_ALL, "Kd Ah", True), (CALLS_ALL, "3d 5h", False), (FOLDS_ALL, "3d 5h", True)):
        weights = (free(numbers(held)) & free(board)).astype(np.float32)
        drawn = futures(numbers(held), board, weights, seed=0)
        planner = Planner(style, drawn, 1600)
        found = {action: planner.value(after) for action, after in options(spot).items()}
        assert max(found, key=found.__getitem__).startswith("raise") == bets
