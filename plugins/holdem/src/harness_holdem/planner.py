"""What each action is worth against a known opponent: best response over sampled futures.

A *future* is a run-out of the board and a holding of the opponent, drawn in proportion to its range; on the river all holdings are taken, so that
values are exact. The opponent's probabilities are integrated, not drawn. The hero's later decisions are best responses that may depend only on
what the hero will know by then: the betting and how strong the own hand has become (a bucket of its percentile). All actions at a decision are
valued on the same futures, so their differences carry little noise. Nothing here knows the opponent's real cards or the real deck.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache, lru_cache

import attrs
import numpy as np
from numpy.typing import NDArray

from harness_holdem.betting import HERO, SHOWDOWN, Spot
from harness_holdem.cards import MASKS, free, holding, mask
from harness_holdem.strength import board_percentiles, board_values, percentiles, values
from harness_holdem.styles import Floats, Likelihood, Style, respond, wager

SAMPLES = 2400
_LIBRARY, _RUNOUTS, _BUCKETS = 900, 180, 8
_NEGLIGIBLE = 2e-3


@attrs.frozen
class Seen:
    """An action of the opponent as everybody saw it: the spot, the open cards, ``fold``, ``call`` or ``raise AMOUNT``."""

    spot: Spot
    board: tuple[int, ...]
    action: str


@attrs.frozen
class Situation:
    """All that the hero knows at a decision, as far as this hand goes.

    Attributes:
        hero: the hero's two cards.
        board: the open cards.
        spot: the betting.
        stack: chips of both players at the start of the hand.
        seen: what the opponent did in this hand.
    """

    hero: tuple[int, ...]
    board: tuple[int, ...]
    spot: Spot
    stack: int
    seen: tuple[Seen, ...]


@lru_cache(maxsize=4096)
def action_values(style: Style, situation: Situation, seed: int, extra: str = "") -> Mapping[str, float]:
    """Return the expected chips won by each action of the hero, when the hero plays well ever after.

    Args:
        style: whom the hero plays against.
        situation: the decision.
        seed: of the sampled futures.
        extra: one more action to value, for a raise to an unusual amount.

    Returns:
        Action (``fold``, ``call``, ``raise AMOUNT``) → chips, relative to the start of the hand.
    """
    drawn = futures(situation.hero, situation.board, range_of(style, situation), seed)
    planner = Planner(style, drawn, situation.stack)
    choices = options(situation.spot)
    if extra:
        choices[extra] = after(situation.spot, extra)
    return {action: planner.value(spot) for action, spot in choices.items()}


def range_of(style: Style, situation: Situation) -> Floats:
    """Return the opponent's range: each holding weighted by the probability that the style would have acted as seen."""
    weights = free(situation.hero).astype(np.float32)
    for seen in situation.seen:
        fold, call, bet = respond(style, seen.spot, board_percentiles(seen.board))
        likelihood = {"fold": fold, "call": call, "raise": bet}[seen.action.split()[0]]
        weights = weights * likelihood * free(seen.board)
    return weights * free(situation.board)


def after(spot: Spot, action: str) -> Spot:
    """Return the spot that an action leads to."""
    kind, *amount = action.split()
    if kind == "raise":
        return spot.raise_to(int(amount[0]))
    return spot.fold() if kind == "fold" else spot.call()


@attrs.frozen
class Futures:
    """Sampled futures of one decision, arrays of equal length.

    Attributes:
        weights: probability of each future, summing to 1.
        percentile: for each street the opponent's percentile there; earlier streets are None.
        bucket: for each street what the hero can tell apart; None on the current street, where nothing new is known.
        share: the hero's share of the pot at showdown: 1, ½ or 0.
    """

    weights: Floats
    percentile: tuple[Floats | None, ...]
    bucket: tuple[NDArray[np.int64] | None, ...]
    share: Floats


class Planner:
    """The values of the hero's actions at one spot against one style."""

    def __init__(self, style: Style, futures: Futures, stack: int) -> None:
        self._style, self._futures, self._stack = style, futures, stack
        self._known: dict[tuple[object, ...], Likelihood] = {}

    def value(self, after: Spot) -> float:
        """Return the hero's expected chips won over the hand once the betting has come to ``after``."""
        return float(self._value(after, self._futures.weights).sum())

    def _value(self, spot: Spot, weights: Floats) -> Floats:
        paid = self._stack - spot.stacks[HERO]
        if spot.folded is not None:
            return weights * (spot.pot * (spot.folded != HERO) - paid)
        if spot.street == SHOWDOWN or float(weights.sum()) < _NEGLIGIBLE:
            return weights * (self._futures.share * spot.pot - paid)
        return self._hero(spot, weights) if spot.actor == HERO else self._opponent(spot, weights)

    def _opponent(self, spot: Spot, weights: Floats) -> Floats:
        likelihood = self._likelihood(spot)
        total = self._value(spot.call(), weights * likelihood.call)
        if spot.owed:
            total = total + self._value(spot.fold(), weights * likelihood.fold)
        if spot.may_raise and spot.raises < 3:
            total = total + self._value(spot.raise_to(wager(self._style, spot)), weights * likelihood.bet)
        return total

    def _hero(self, spot: Spot, weights: Floats) -> Floats:
        options = [self._value(after, weights) for after in later_options(spot)]
        bucket = self._futures.bucket[spot.street]
        if bucket is None:
            return max(options, key=lambda option: float(option.sum()))
        sums = np.array([np.bincount(bucket, option, _BUCKETS) for option in options])
        chosen = sums.argmax(axis=0)[bucket]
        return np.choose(chosen, options)

    def _likelihood(self, spot: Spot) -> Likelihood:
        key = (spot.street, round(spot.price, 4), spot.raises, spot.may_raise)
        if key not in self._known:
            percentile = self._futures.percentile[spot.street]
            assert percentile is not None, "futures hold the current street and all later ones"
            self._known[key] = respond(self._style, spot, percentile)
        return self._known[key]


def later_options(spot: Spot) -> list[Spot]:
    """Return what the hero may do at a later decision: fold, check or call, bet about three quarters of the pot."""
    options = [spot.call()]
    if spot.owed:
        options.append(spot.fold())
    if spot.may_raise and spot.raises < 2:
        options.append(spot.raise_to(spot.of_pot(0.75)))
    return options


def options(spot: Spot) -> dict[str, Spot]:
    """Return what the hero may do now, each with the spot it leads to: every kind of action and raises of four sizes."""
    found = {"call": spot.call()}
    if spot.owed:
        found["fold"] = spot.fold()
    if spot.may_raise:
        amounts = {spot.least, spot.of_pot(0.5), spot.of_pot(1.0), spot.most}
        found |= {f"raise {amount}": spot.raise_to(amount) for amount in sorted(amounts)}
    return found


def futures(hero: Sequence[int], board: Sequence[int], weights: Floats, seed: int, samples: int = SAMPLES) -> Futures:
    """Draw futures for a decision of the hero.

    Args:
        hero: the hero's two cards.
        board: the open cards, 0, 3, 4 or 5.
        weights: the opponent's range over `HOLDINGS`, zero where a card is seen.
        seed: of the draw; the same for all actions compared.
        samples: how many to draw; a few are dropped because the cards collide.
    """
    board = tuple(board)
    if len(board) == 5:
        return _river(hero, board, weights)
    rng = np.random.default_rng(seed)
    rollouts = _library() if not board else _runouts(board, int(rng.integers(4)))
    usable = np.flatnonzero((rollouts.masks & mask(hero)) == 0)
    held = _drawn(weights, samples, rng)
    row = usable[rng.permutation(samples) % len(usable)]
    fits = (MASKS[held] & rollouts.masks[row]) == 0
    held, row = held[fits], row[fits]
    own = holding(hero)
    river = rollouts.rivers
    mine, theirs = river[row, own], river[row, held]
    share = (0.5 * (1 + np.sign(mine.astype(np.int32) - theirs))).astype(np.float32)
    known = [None] * len(_street_boards(board)) + [board_percentiles(board)[held]]
    later = [shares[row, held] for shares in rollouts.shares]
    seen = [None] * len(known) + [_bucket(shares[row, own]) for shares in rollouts.shares]
    even = np.full(len(held), 1 / len(held), dtype=np.float32)
    return Futures(even, (*known, *later), tuple(seen), share)


@attrs.frozen
class _Rollouts:
    """Run-outs of a board: bit sets of the new cards, river values of all holdings, percentiles on each later street."""

    masks: NDArray[np.uint64]
    rivers: NDArray[np.int16]
    shares: tuple[Floats, ...]


@cache
def _library() -> _Rollouts:
    """Return a fixed set of whole boards for decisions before the flop, kept by each worker."""
    rng = np.random.default_rng(20_260)
    boards = rng.permuted(np.tile(np.arange(52), (_LIBRARY, 1)), axis=1)[:, :5]
    found = [values(boards[:, :width]) for width in (3, 4, 5)]
    return _Rollouts(_masks(boards), found[-1], tuple(percentiles(part) for part in found))


@lru_cache(maxsize=24)
def _runouts(board: tuple[int, ...], seed: int) -> _Rollouts:
    """Return run-outs of a flop or turn: every river of a turn, a sample of turn and river pairs of a flop."""
    rest = np.array([card for card in range(52) if card not in board])
    known = np.array(board)
    if len(board) == 4:
        boards = np.array([(*board, card) for card in rest])
        found = values(boards)
        return _Rollouts(_masks(boards[:, 4:]), found, (percentiles(found),))
    rng = np.random.default_rng(seed)
    pairs = np.array([rng.choice(rest, 2, replace=False) for _ in range(_RUNOUTS)])
    boards = np.hstack([np.tile(known, (_RUNOUTS, 1)), pairs])
    turns, which = np.unique(boards[:, 3], return_inverse=True)
    turn_shares = percentiles(values(np.hstack([np.tile(known, (len(turns), 1)), turns[:, None]])))
    found = values(boards)
    return _Rollouts(_masks(pairs), found, (turn_shares[which], percentiles(found)))


def _river(hero: Sequence[int], board: tuple[int, ...], weights: Floats) -> Futures:
    """Take every holding of the range: on the river nothing is left to chance."""
    held = np.flatnonzero(weights > 0)
    found = board_values(board).astype(np.int32)
    share = (0.5 * (1 + np.sign(found[holding(hero)] - found[held]))).astype(np.float32)
    probability = (weights[held] / weights[held].sum()).astype(np.float32)
    return Futures(probability, (None, None, None, board_percentiles(board)[held]), (None,) * 4, share)


def _drawn(weights: Floats, samples: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """Draw holdings in proportion to the range by systematic sampling, so that each comes up as often as it should to within one."""
    total = np.cumsum(weights, dtype=np.float64)
    points = (np.arange(samples) + rng.random()) * (total[-1] / samples)
    return np.minimum(np.searchsorted(total, points, side="right"), len(weights) - 1)


def _bucket(share: Floats) -> NDArray[np.int64]:
    return np.minimum((share * _BUCKETS).astype(np.int64), _BUCKETS - 1)


def _masks(cards: NDArray[np.int64]) -> NDArray[np.uint64]:
    return np.bitwise_or.reduce(np.uint64(1) << cards.astype(np.uint64), axis=1)


def _street_boards(board: tuple[int, ...]) -> range:
    """Return the streets before that of a board of this many cards."""
    return range({0: 0, 3: 1, 4: 2, 5: 3}[len(board)])
