"""How good a hand is: the value of every holding on a board, and the share of the other holdings that it beats.

A hand of up to seven cards has one of 7,462 values. Without a flush the value depends on the ranks only, so one table
row for each multiset of board ranks and one column for each pair of ranks holds all of them; flushes are a second
table over rank sets. All 1,326 holdings on a board are then one gather, about 10 ns each. The tables are built on
first use in a worker and kept; nothing here draws random numbers.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from functools import cache, lru_cache
from importlib.resources import files
from itertools import combinations, combinations_with_replacement
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from harness_holdem.cards import HOLDINGS, MASKS, RANKS, holding, mask

CATEGORIES = (
    "high card",
    "pair",
    "two pair",
    "three of a kind",
    "straight",
    "flush",
    "full house",
    "four of a kind",
    "straight flush",
)
_FLUSH, _STRAIGHT_FLUSH = 5, 8
_PAIRS = {pair: number for number, pair in enumerate(combinations_with_replacement(range(13), 2))}
_PAIR = np.array([_PAIRS[int(a) // 4, int(b) // 4] for a, b in HOLDINGS])
_SUITED = np.array([[sum(1 << (int(c) // 4) for c in pair if c % 4 == suit) for pair in HOLDINGS] for suit in range(4)])
_CHUNK = 16
T = TypeVar("T", bound=np.generic)


def values(boards: NDArray[np.int64]) -> NDArray[np.int16]:
    """Return the value of each holding on each board, higher is better, −1 where they share a card.

    Args:
        boards: card numbers, shape (k, n) with n of 3, 4 or 5.

    Returns:
        Shape (k, 1326), from 0 (seven high) to 7,461 (royal flush).
    """
    width = boards.shape[1]
    keys = (np.sort(boards // 4, axis=1) * 13 ** np.arange(width)).sum(axis=1)
    rows, table = _plain(width)
    found: NDArray[np.int16] = table[rows[keys]][:, _PAIR]
    for suit in range(4):
        own = boards % 4 == suit
        (suited,) = np.nonzero(own.sum(axis=1) >= 3)
        if len(suited):
            sets = np.where(own[suited], 1 << (boards[suited] // 4), 0).sum(axis=1)
            flushes = _flushes()[sets[:, None] | _SUITED[suit][None, :]]
            found[suited] = np.maximum(found[suited], flushes)
    taken = (MASKS[None, :] & np.array([mask(board.tolist()) for board in boards])[:, None]) != 0
    found[taken] = -1
    return found


def percentiles(found: NDArray[np.int16]) -> NDArray[np.float32]:
    """Return for each holding the share of the other possible holdings that it beats, ties as a half.

    Args:
        found: what `values` returned, shape (k, 1326).

    Returns:
        Shape (k, 1326) in [0, 1]; 0 where the holding shares a card with the board.
    """
    shares = np.zeros(found.shape, dtype=np.float32)
    for start in range(0, len(found), _CHUNK):
        part = found[start : start + _CHUNK].astype(np.int64) + 1
        rows = np.arange(len(part))[:, None] * 7463
        counts = np.bincount((part + rows).ravel(), minlength=len(part) * 7463).reshape(len(part), 7463)
        counts[:, 0] = 0
        below = np.cumsum(counts, axis=1) - counts
        ties = counts.take(part + rows)
        beaten = below.take(part + rows) + 0.5 * (ties - 1)
        shares[start : start + _CHUNK] = np.where(part > 0, beaten / (counts.sum(axis=1, keepdims=True) - 1), 0.0)
    return shares


@lru_cache(maxsize=4096)
def board_values(board: tuple[int, ...]) -> NDArray[np.int16]:
    """Return the value of each holding on one board, shape (1326,)."""
    return _frozen(values(np.array([board]))[0])


@lru_cache(maxsize=4096)
def board_percentiles(board: tuple[int, ...]) -> NDArray[np.float32]:
    """Return the percentile of each holding on one board; before the flop (an empty board) from the shipped table."""
    if not board:
        return before_flop()
    return _frozen(percentiles(board_values(board)[None, :])[0])


@cache
def before_flop() -> NDArray[np.float32]:
    """Return the percentile of each holding before the flop: its rank by mean river percentile over all boards.

    The means of the 169 classes were computed once over all 2,598,960 boards and ship as ``preflop.json``.
    """
    means = json.loads(files("harness_holdem").joinpath("preflop.json").read_text())
    merit = np.array([means[starting_class(pair.tolist())] for pair in HOLDINGS])
    order = np.sort(merit)
    below, upto = np.searchsorted(order, merit, "left"), np.searchsorted(order, merit, "right")
    return _frozen(((below + 0.5 * (upto - below - 1)) / (len(merit) - 1)).astype(np.float32))


def starting_class(cards: Sequence[int]) -> str:
    """Name the class of two cards: ``AA``, ``AKs``, ``72o``."""
    low, high = sorted(cards)
    if low // 4 == high // 4:
        return RANKS[low // 4] * 2
    return RANKS[high // 4] + RANKS[low // 4] + ("s" if low % 4 == high % 4 else "o")


def category(cards: Sequence[int]) -> str:
    """Name what five to seven cards make, the first two of them held and the rest on the board."""
    value = int(board_values(tuple(cards[2:]))[holding(cards[:2])])
    return CATEGORIES[_classes()[value] >> 20]


@cache
def _classes() -> NDArray[np.int64]:
    """Return the sorted codes of all 7,462 values; a code is ``category << 20`` and up to five ranks."""
    plain = np.array([ranks for ranks in combinations_with_replacement(range(13), 5) if _possible(ranks)])
    sets = np.array([sum(1 << rank for rank in ranks) for ranks in combinations(range(13), 5)])
    return np.unique(np.concatenate([_plain_codes(_counts(plain)), _flush_codes(sets)]))


def _possible(ranks: Sequence[int]) -> bool:
    """Say whether a deck holds these ranks: at most four of each."""
    return all(ranks[i] != ranks[i + 4] for i in range(len(ranks) - 4))


@cache
def _plain(width: int) -> tuple[NDArray[np.int64], NDArray[np.int16]]:
    """Build the table of values without flushes for boards of some width: (row of a rank key, table of row × pair)."""
    boards = [ranks for ranks in combinations_with_replacement(range(13), width) if _possible(ranks)]
    keys = (np.array(boards) * 13 ** np.arange(width)).sum(axis=1)
    rows = np.full(13**width, -1, dtype=np.int64)
    rows[keys] = np.arange(len(boards))
    board_counts, pair_counts = _counts(np.array(boards)), _counts(np.array(list(_PAIRS)))
    table = np.zeros((len(boards), len(_PAIRS)), dtype=np.int16)
    for column, extra in enumerate(pair_counts):
        codes = _plain_codes(np.minimum(board_counts + extra, 4))
        table[:, column] = np.searchsorted(_classes(), codes)
    return rows, table


@cache
def _flushes() -> NDArray[np.int16]:
    """Return the value of a flush for each of the 8,192 rank sets, −1 for sets of fewer than five ranks."""
    sets = np.arange(1 << 13)
    enough = np.bitwise_count(sets) >= 5
    table = np.full(1 << 13, -1, dtype=np.int16)
    table[enough] = np.searchsorted(_classes(), _flush_codes(sets[enough]))
    return table


def _counts(ranks: NDArray[np.int64]) -> NDArray[np.int64]:
    """Count each of the thirteen ranks in rows of ranks, shape (k, 13)."""
    counted: NDArray[np.int64] = (ranks[:, :, None] == np.arange(13)).sum(axis=1)
    return counted


def _plain_codes(counts: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the codes of hands given as rank counts, flushes left aside."""
    order = np.sort(counts * 16 + np.arange(13), axis=1)[:, ::-1]
    groups, ranks = order // 16, order % 16
    first, second = groups[:, 0], groups[:, 1]
    single = np.where(counts > 0, np.arange(13), -1)
    kicker = np.where((single != ranks[:, :1]) & (single != ranks[:, 1:2]), single, -1).max(axis=1).clip(0)
    rest = np.where(single != ranks[:, :1], single, -1).max(axis=1)
    straight = _straights()[(np.where(counts > 0, 1, 0) << np.arange(13)).sum(axis=1)]
    code = _code(0, *ranks[:, :5].T)
    code = np.where(first == 2, _code(1, *ranks[:, :4].T), code)
    code = np.where((first == 2) & (second == 2), _code(2, ranks[:, 0], ranks[:, 1], kicker), code)
    code = np.where(first == 3, _code(3, *ranks[:, :3].T), code)
    code = np.where(straight >= 0, _code(4, straight), code)
    code = np.where((first == 3) & (second >= 2), _code(6, ranks[:, 0], ranks[:, 1]), code)
    return np.where(first == 4, _code(7, ranks[:, 0], rest), code)


def _flush_codes(sets: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the codes of flushes given as rank sets of five or more."""
    held = np.where((sets[:, None] >> np.arange(13)) & 1 == 1, np.arange(13), -1)
    ranks = np.sort(held, axis=1)[:, ::-1][:, :5]
    straight = _straights()[sets]
    return np.where(straight >= 0, _code(_STRAIGHT_FLUSH, straight), _code(_FLUSH, *ranks.T))


def _code(kind: int, *ranks: NDArray[np.int64]) -> NDArray[np.int64]:
    code = np.full(ranks[0].shape, kind << 20, dtype=np.int64)
    for place, rank in enumerate(ranks):
        code |= rank.astype(np.int64) << (16 - 4 * place)
    return code


@cache
def _straights() -> NDArray[np.int64]:
    """Return the highest rank of the best straight in each rank set, −1 where there is none; aces also count low."""
    sets = np.arange(1 << 13)
    best = np.full(1 << 13, -1, dtype=np.int64)
    for top, needed in _runs():
        best[(sets & needed) == needed] = top
    return best


def _runs() -> Iterator[tuple[int, int]]:
    yield 3, 0b1000000001111
    for top in range(4, 13):
        yield top, 0b11111 << (top - 4)


def _frozen(array: NDArray[T]) -> NDArray[T]:
    array.setflags(write=False)
    return array
