"""What each action is worth against a known opponent: best response over sampled futures.

A *future* is a run-out of the board and a holding of the opponent, drawn in proportion to its range; on the river all
holdings are taken, so that values are exact. The opponent's probabilities are integrated, not drawn. The hero's later
decisions are best responses that may depend only on what the hero will know by then: the betting and how strong the
own hand has become (a bucket of its percentile). All actions at a decision are valued on the same futures, so their
differences carry little noise. Nothing here knows the opponent's real cards or the real deck.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache, lru_cache
from math import comb

import attrs
import numpy as np
from numpy.typing import NDArray

from harness_holdem.betting import HERO, SHOWDOWN, Spot
from harness_holdem.cards import MASKS, free, holding, mask
from harness_holdem.strength import board_percentiles, board_values, values
from harness_holdem.styles import Floats, Likelihood, Style, respond, wager

SAMPLES = 1800
_LIBRARY, _RUNOUTS, _BUCKETS = 900, 196, 8
_NEGLIGIBLE = 4e-3
_SPAN = 1 << 13


@attrs.frozen
class Seen:
    """An action of the opponent as all saw it: the spot, the open cards, ``fold``, ``call`` or ``raise AMOUNT``."""

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
        choices[extra] = situation.spot.after(extra)
    return {action: planner.value(spot) for action, spot in choices.items()}


def range_of(style: Style, situation: Situation) -> Floats:
    """Return the opponent's range: each holding weighted by the probability that the style would have acted as seen.

    Scaled to a largest weight of 1 at each step, so that a style that would hardly have acted so leaves no empty range.
    """
    weights = free(situation.hero).astype(np.float32)
    for seen in situation.seen:
        fold, call, bet = respond(style, seen.spot, board_percentiles(seen.board))
        likelihood = {"fold": fold, "call": call, "raise": bet}[seen.action.split()[0]]
        weights = weights * likelihood * free(seen.board)
        weights /= weights.max()
    return weights * free(situation.board)


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
        best, sums = options[0], np.bincount(bucket, options[0], _BUCKETS)
        for option in options[1:]:
            other = np.bincount(bucket, option, _BUCKETS)
            best = np.where((other > sums)[bucket], option, best)
            sums = np.maximum(sums, other)
        return best

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
    """Return what the hero may do now and the spots it leads to: every kind of action, raises of four sizes."""
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
        seed: of the draw; its parity chooses between two sets of run-outs, one for scoring and one for players.
        samples: how many to draw; a few are dropped because the cards collide.
    """
    board = tuple(board)
    if len(board) == 5:
        return _river(hero, board, weights)
    rng = np.random.default_rng(seed)
    rollouts = _runouts(board, seed % 2) if board else _library(seed % 2)
    usable = np.flatnonzero((rollouts.masks & mask(hero)) == 0)
    held = _drawn(weights, samples, rng)
    row = usable[np.arange(samples) * len(usable) // samples]
    held = rng.permutation(held)
    fits = (MASKS[held] & rollouts.masks[row]) == 0
    held, row = held[fits], row[fits]
    own = holding(hero)
    known = [None] * (4 - len(rollouts.streets) - 1) + [board_percentiles(board)[held]]
    later = [street.percentiles(row, held) for street in rollouts.streets]
    told = [_bucket(street.percentiles(np.arange(len(rollouts.masks)), own))[row] for street in rollouts.streets]
    even = np.full(len(held), 1 / len(held), dtype=np.float32)
    return Futures(even, (*known, *later), (*[None] * len(known), *told), rollouts.streets[-1].share(row, own, held))


class _Street:
    """The boards of one later street, run-out by run-out; several run-outs may share a board."""

    def __init__(self, boards: NDArray[np.int64], which: NDArray[np.int64]) -> None:
        self._which, self._found = which, values(boards)
        self._blocked = 1326 - comb(52 - boards.shape[1], 2)
        ordered = np.sort(self._found, axis=1, kind="stable").astype(np.int32)
        self._ordered = (ordered + _SPAN * np.arange(len(boards), dtype=np.int32)[:, None]).ravel()

    def percentiles(self, runout: NDArray[np.int64], held: NDArray[np.int64] | int) -> Floats:
        """Return the percentiles of holdings, one per run-out."""
        row = self._which[runout]
        keys = self._found[row, held].astype(np.int32) + _SPAN * row.astype(np.int32)
        first, last = (np.searchsorted(self._ordered, keys, side) for side in ("left", "right"))
        beaten = first - 1326 * row - self._blocked + 0.5 * (last - first - 1)
        shares: Floats = (beaten / (1325 - self._blocked)).astype(np.float32)
        return shares

    def share(self, runout: NDArray[np.int64], own: int, held: NDArray[np.int64]) -> Floats:
        """Return the share of the pot that one holding wins against others: 1, ½ or 0."""
        row = self._which[runout]
        mine, theirs = self._found[row, own].astype(np.int32), self._found[row, held]
        won: Floats = (0.5 * (1 + np.sign(mine - theirs))).astype(np.float32)
        return won


@attrs.frozen
class _Rollouts:
    """Run-outs of a board: bit sets of the new cards, and the boards of each later street."""

    masks: NDArray[np.uint64]
    streets: tuple[_Street, ...]


@cache
def _library(draw: int) -> _Rollouts:
    """Return a fixed set of whole boards for decisions before the flop, kept by each worker."""
    rng = np.random.default_rng([20_260, draw])
    boards = rng.permuted(np.tile(np.arange(52), (_LIBRARY, 1)), axis=1)[:, :5]
    every = np.arange(_LIBRARY)
    return _Rollouts(_masks(boards), tuple(_Street(boards[:, :width], every) for width in (3, 4, 5)))


@lru_cache(maxsize=32)
def _runouts(board: tuple[int, ...], draw: int) -> _Rollouts:
    """Return run-outs of a flop or turn: every river of a turn, a sample of turn and river pairs of a flop."""
    rest = np.array([card for card in range(52) if card not in board])
    if len(board) == 4:
        new = rest[:, None]
    else:
        first = np.arange(_RUNOUTS) % len(rest)  # every turn equally often
        step = np.random.default_rng([*board, draw]).integers(1, len(rest), _RUNOUTS)
        new = np.column_stack([rest[first], rest[(first + step) % len(rest)]])
    boards = np.hstack([np.tile(np.array(board), (len(new), 1)), new])
    rivers = _Street(boards, np.arange(len(new)))
    if len(board) == 4:
        return _Rollouts(_masks(new), (rivers,))
    turns, which = np.unique(boards[:, :4], axis=0, return_inverse=True)
    return _Rollouts(_masks(new), (_Street(turns, which.ravel()), rivers))


def _river(hero: Sequence[int], board: tuple[int, ...], weights: Floats) -> Futures:
    """Take every holding of the range: on the river nothing is left to chance."""
    held = np.flatnonzero(weights > 0)
    found = board_values(board).astype(np.int32)
    share = (0.5 * (1 + np.sign(found[holding(hero)] - found[held]))).astype(np.float32)
    probability = (weights[held] / weights[held].sum()).astype(np.float32)
    return Futures(probability, (None, None, None, board_percentiles(board)[held]), (None,) * 4, share)


def _drawn(weights: Floats, samples: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """Draw holdings in proportion to the range by systematic sampling: each as often as it should be."""
    total = np.cumsum(weights, dtype=np.float64)
    points = (np.arange(samples) + rng.random()) * (total[-1] / samples)
    drawn: NDArray[np.int64] = np.minimum(np.searchsorted(total, points, side="right"), len(weights) - 1)
    return drawn


def _bucket(share: Floats) -> NDArray[np.int64]:
    return (share * _BUCKETS).astype(np.int64).clip(0, _BUCKETS - 1)


def _masks(cards: NDArray[np.int64]) -> NDArray[np.uint64]:
    joined: NDArray[np.uint64] = np.bitwise_or.reduce(np.uint64(1) << cards.astype(np.uint64), axis=1)
    return joined
