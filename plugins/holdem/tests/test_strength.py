"""The evaluator against published counts, an independent library, and brute force."""

from __future__ import annotations

import json
from importlib.resources import files
from itertools import combinations

import numpy as np
import pytest
from pokerkit import StandardHighHand

from harness_holdem.cards import HOLDINGS, free, holding, names, number, numbers
from harness_holdem.strength import (
    CATEGORIES,
    _classes,
    before_flop,
    board_percentiles,
    board_values,
    category,
    percentiles,
    starting_class,
    values,
)

COUNTS = {
    "straight flush": 40,
    "four of a kind": 624,
    "full house": 3_744,
    "flush": 5_108,
    "straight": 10_200,
    "three of a kind": 54_912,
    "two pair": 123_552,
    "pair": 1_098_240,
    "high card": 1_302_540,
}
"""Numbers of five-card hands, as every textbook of probability has them."""


def test_all_five_card_hands_by_category() -> None:
    boards = np.array(list(combinations(range(52), 3)))
    counted = np.zeros(len(CATEGORIES), dtype=np.int64)
    for start in range(0, len(boards), 2000):
        found = values(boards[start : start + 2000])
        counted += np.bincount(_classes()[found[found >= 0]] >> 20, minlength=len(CATEGORIES))
    assert sum(COUNTS.values()) == 2_598_960
    # each hand was met once for every choice of its two held cards among five
    assert dict(zip(CATEGORIES, (counted // 10).tolist(), strict=True)) == COUNTS


def test_there_are_7462_distinct_values() -> None:
    assert len(_classes()) == 7462


def test_order_of_seven_card_hands_agrees_with_pokerkit() -> None:
    rng = np.random.default_rng(1)
    for _ in range(150):
        cards = rng.permutation(52)[:9].tolist()
        board = tuple(cards[4:])
        mine = [int(board_values(board)[holding(cards[i : i + 2])]) for i in (0, 2)]
        written = names(board).replace(" ", "")
        theirs = [StandardHighHand.from_game(names(cards[i : i + 2]).replace(" ", ""), written) for i in (0, 2)]
        assert (mine[0] > mine[1]) == (theirs[0] > theirs[1])
        assert (mine[0] == mine[1]) == (theirs[0] == theirs[1])


@pytest.mark.parametrize(
    ("cards", "expected"),
    [
        ("Ah 2d 3c 4s 5h Kd Kc", "straight"),
        ("Ah Kh Qh Jh Th 9h 8h", "straight flush"),
        ("2c 2d 2h 3c 3d 3h 9s", "full house"),
        ("9c 9d 9h 9s Ac Ad Ah", "four of a kind"),
        ("2h 4h 6h 8h Th Tc Td", "flush"),
        ("2c 3d 5h 7s 9c Jd Kh", "high card"),
    ],
)
def test_categories(cards: str, expected: str) -> None:
    assert category(numbers(cards)) == expected


def test_kickers_and_third_pairs_count() -> None:
    board = numbers("Kc Kd 7h 7s 2c")
    ace, queen, deuces = (int(board_values(board)[holding(numbers(held))]) for held in ("Ah 3d", "Qh 3d", "2h 2s"))
    assert ace > queen
    assert deuces > ace  # deuces full


@pytest.mark.parametrize("size", [3, 4, 5])
def test_percentile_is_the_share_of_holdings_beaten(size: int) -> None:
    rng = np.random.default_rng(size)
    board = tuple(rng.permutation(52)[:size].tolist())
    found, shares = board_values(board), board_percentiles(board)
    others = found[free(board)]
    for position in rng.choice(np.flatnonzero(free(board)), 40):
        beaten = (others < found[position]).sum() + 0.5 * ((others == found[position]).sum() - 1)
        assert shares[position] == pytest.approx(beaten / (len(others) - 1), abs=1e-6)
    assert (found[~free(board)] == -1).all()
    assert (shares[~free(board)] == 0).all()


def test_shipped_table_agrees_with_sampled_boards() -> None:
    means = json.loads(files("harness_holdem").joinpath("preflop.json").read_text())
    rng = np.random.default_rng(0)
    boards = rng.permuted(np.tile(np.arange(52), (1200, 1)), axis=1)[:, :5]
    found = values(boards)
    sampled = percentiles(found).sum(axis=0) / (found >= 0).sum(axis=0)
    for name in ("AA", "QQ", "AKs", "JTs", "T9o", "72o", "32o"):
        own = [i for i, pair in enumerate(HOLDINGS) if starting_class(pair.tolist()) == name]
        assert np.mean(sampled[own]) == pytest.approx(means[name], abs=0.02)


def test_before_the_flop_aces_are_best_and_the_median_hand_is_the_median() -> None:
    shares = before_flop()
    assert starting_class(HOLDINGS[int(shares.argmax())].tolist()) == "AA"
    assert float(shares.mean()) == pytest.approx(0.5, abs=1e-3)
    assert len({starting_class(pair.tolist()) for pair in HOLDINGS}) == 169


@pytest.mark.parametrize("text", ["", "A", "Ax", "1h", "10h", "ah"])
def test_what_is_no_card_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="is not a card"):
        number(text)
