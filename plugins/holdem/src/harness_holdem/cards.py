"""Cards as small integers: the one place that knows how a card is numbered and written.

A card is ``4 * rank + suit`` with rank 0 for a deuce and 12 for an ace, suits in the order ``cdhs``. A *holding* is
one of the 1,326 pairs of cards; everything that reasons about the unseen cards of a player works on arrays over the
holdings, in the order of `HOLDINGS`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

RANKS = "23456789TJQKA"
SUITS = "cdhs"
DECK = range(52)

HOLDINGS: NDArray[np.int64] = np.array(list(combinations(DECK, 2)), dtype=np.int64)
"""All pairs of cards, shape (1326, 2), the lower card first."""

MASKS: NDArray[np.uint64] = np.array([(1 << int(a)) | (1 << int(b)) for a, b in HOLDINGS], dtype=np.uint64)
"""The same pairs as bit sets of cards."""

_NUMBERS = {(int(a), int(b)): number for number, (a, b) in enumerate(HOLDINGS)}


def name(card: int) -> str:
    """Write a card the usual way: ``As``, ``Td``, ``2c``."""
    return RANKS[card // 4] + SUITS[card % 4]


def names(cards: Iterable[int]) -> str:
    """Write several cards with spaces between them."""
    return " ".join(name(card) for card in cards)


def number(text: str) -> int:
    """Read one card; raise ValueError for anything that is none."""
    if len(text) != 2 or text[0] not in RANKS or text[1] not in SUITS:
        raise ValueError(
            f"{text!r} is not a card: a rank of {RANKS} and a suit of {SUITS} were expected, for instance 'Ks'"
        )
    return 4 * RANKS.index(text[0]) + SUITS.index(text[1])


def numbers(text: str) -> tuple[int, ...]:
    """Read cards separated by spaces."""
    return tuple(number(word) for word in text.split())


def holding(cards: Sequence[int]) -> int:
    """Return the position of two cards in `HOLDINGS`."""
    low, high = sorted(cards)
    return _NUMBERS[low, high]


def mask(cards: Iterable[int]) -> np.uint64:
    """Return the bit set of some cards."""
    return np.uint64(sum(1 << card for card in cards))


def free(cards: Iterable[int]) -> NDArray[np.bool_]:
    """Mark the holdings that use none of these cards."""
    untouched: NDArray[np.bool_] = (MASKS & mask(cards)) == 0
    return untouched
