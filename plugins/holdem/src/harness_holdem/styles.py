"""How an opponent plays: a style is a handful of numbers, and its own hand counts only through a percentile.

At each decision the opponent looks at the share of possible holdings that its own beats at this moment, the price of
a call and whether there was a raise on this street. The probability of each action is a smooth step in the
percentile. So the likelihood of an action under a style is one vectorised formula over the 1,326 holdings, a range is
a product of such vectors, and no opponent ever sees a hidden card.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, NamedTuple

import attrs
import numpy as np
from numpy.typing import NDArray

from harness_holdem.betting import Spot

Kind = Literal["loose", "tight", "passive", "aggressive", "equity"]
KINDS: tuple[Kind, ...] = ("loose", "tight", "passive", "aggressive", "equity")
Floats = NDArray[np.float32]


@attrs.frozen
class Style:
    """The parameters of an opponent.

    Attributes:
        kind: which of the five families it comes from.
        width: scale of the share of hands with which it continues against a bet.
        grip: how much the width grows from street to street.
        odds: 0 when that share follows the bet's size relative to the pot (minimum defence), 1 when it follows pot
            odds.
        value: share of hands, the best ones, that it bets when nobody has bet, or raises before the flop.
        bluff: share of hands, the worst ones, that it bets when nobody has bet.
        raising: share of hands, the best ones, with which it raises a bet.
        size: its bets as a fraction of the pot.
        blur: width of the smooth steps, in percentile.
    """

    kind: str
    width: float
    grip: float
    odds: float
    value: float
    bluff: float
    raising: float
    size: float
    blur: float = 0.03


class Likelihood(NamedTuple):
    """Probabilities of the three kinds of action, arrays over holdings or samples (over styles first, if several)."""

    fold: Floats
    call: Floats
    bet: Floats


_Spans = Mapping[str, tuple[float, float]]
_HONEST = (-0.1, -0.05)
SPANS: Mapping[str, _Spans] = {
    "loose": {
        "width": (1.5, 1.9),
        "grip": (0.0, 0.1),
        "value": (0.12, 0.2),
        "bluff": _HONEST,
        "raising": (0.03, 0.06),
        "size": (0.5, 0.7),
    },
    "tight": {
        "width": (0.5, 0.65),
        "grip": (0.35, 0.5),
        "value": (0.15, 0.25),
        "bluff": _HONEST,
        "raising": (0.06, 0.1),
        "size": (0.5, 0.7),
    },
    "passive": {
        "width": (0.9, 1.1),
        "grip": (0.0, 0.1),
        "value": (0.05, 0.1),
        "bluff": _HONEST,
        "raising": (0.01, 0.03),
        "size": (0.5, 0.7),
    },
    "aggressive": {
        "width": (0.9, 1.1),
        "grip": (0.0, 0.1),
        "value": (0.5, 0.6),
        "bluff": (0.25, 0.35),
        "raising": (0.3, 0.4),
        "size": (0.8, 1.1),
    },
    "equity": {
        "width": (0.95, 1.05),
        "grip": (0.0, 0.0),
        "value": (0.3, 0.4),
        "bluff": _HONEST,
        "raising": (0.1, 0.15),
        "size": (0.6, 0.9),
    },
}
"""The range of each parameter in each family."""


def draw(kind: str, rng: np.random.Generator) -> Style:
    """Draw an opponent of a family."""
    drawn = {name: float(rng.uniform(*span)) for name, span in SPANS[kind].items()}
    return Style(kind=kind, odds=1.0 if kind == "equity" else 0.0, **drawn)


def respond(style: Style, spot: Spot, percentile: Floats) -> Likelihood:
    """Return what the style does at a spot with hands of these percentiles.

    The parameters of the style may be arrays of shape (k, 1), one row for each of k styles; the result then has k rows.
    """
    if spot.owed == 0:
        passes = _step(1 - style.value - percentile, style.blur) * _step(percentile - style.bluff, style.blur)
        passes = passes if spot.may_raise else np.ones_like(passes)
        return Likelihood(np.zeros_like(passes), passes, 1 - passes)
    stays = _step(percentile - 1 + continuing(style, spot), style.blur)
    if not spot.may_raise or spot.raises >= 3:
        return Likelihood(1 - stays, stays, np.zeros_like(stays))
    raises = stays * _step(percentile - 1 + raising(style, spot), style.blur)
    return Likelihood(1 - stays, stays - raises, raises)


def wager(style: Style, spot: Spot) -> int:
    """Return what the style makes its bet or raise at a spot."""
    return spot.of_pot(style.size)


def continuing(style: Style, spot: Spot) -> Floats:
    """Return the share of all hands with which the style does not fold at a spot."""
    price = spot.price
    defence = (1 - 2 * price) / (1 - price)
    share = (style.width + style.grip * spot.street) * ((1 - style.odds) * defence + style.odds * (1 - price))
    clipped: Floats = np.clip(share, 0.02, 0.99)
    return clipped


def raising(style: Style, spot: Spot) -> float:
    """Return the share of all hands with which the style raises when it faces a bet, or the blind."""
    if spot.street == 0 and spot.raises == 0:
        return style.value
    return style.raising / (1 if spot.raises < 2 else 2)


def _step(distance: Floats, blur: float) -> Floats:
    """Return the logistic step, 1 far above zero."""
    step: Floats = 1 / (1 + np.exp(np.clip(-distance / blur, -30, 30)))
    return step
