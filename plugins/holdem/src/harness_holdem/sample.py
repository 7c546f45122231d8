"""Instances: who the opponent is and how the cards lie. The identity is everything that an episode is rebuilt from."""

from __future__ import annotations

import numpy as np
from attrs import frozen

from harness_holdem.cards import names
from harness_holdem.options import Options
from harness_holdem.styles import KINDS, Style, draw

BIG_BLIND = 100
DESIGNS = ("classic", "four-colour", "night")


@frozen
class Identity:
    """The hidden parameters of one match.

    Attributes:
        style: how the opponent plays.
        deals: the cards of each hand: the hero's two, the opponent's two and the board, written without spaces.
        first_button: who has the button in the first hand, 0 for the hero.
        stack: chips of both players at the start of every hand.
        big_blind: chips of the big blind.
        chance: seed of the opponent's mixed choices and of the sampled futures of scoring.
        archive: seed of the recorded hands.
        pages: pages of recorded hands.
        page_hands: recorded hands on a page.
        allowance: mean regret per hand, in big blinds, that is still a success.
        design: look of the cards in pictures.
    """

    style: Style
    deals: tuple[str, ...]
    first_button: int
    stack: int
    big_blind: int
    chance: int
    archive: int
    pages: int
    page_hands: int
    allowance: float
    design: str


def propose(options: Options, rng: np.random.Generator) -> Identity:
    """Draw an instance: a family of opponents, its parameters, the cards, the seats, the look of the table."""
    style = draw(str(rng.choice(KINDS)), rng)
    deals = tuple(names(rng.permutation(52)[:9].tolist()).replace(" ", "") for _ in range(options.hands))
    return Identity(
        style=style,
        deals=deals,
        first_button=int(rng.integers(2)),
        stack=options.stack * BIG_BLIND,
        big_blind=BIG_BLIND,
        chance=int(rng.integers(2**31)),
        archive=int(rng.integers(2**31)),
        pages=options.pages,
        page_hands=options.page_hands,
        allowance=options.allowance,
        design=str(rng.choice(DESIGNS)),
    )
