"""The options of the task and the levels that its groups preset."""

from __future__ import annotations

from typing import Annotated

from attrs import frozen

from harness import Range, option

VARIANTS = ("image", "text")

LEVELS: dict[str, dict[str, int | float]] = {
    "easy": {"hands": 6, "stack": 12, "pages": 8, "page_hands": 6, "allowance": 0.3},
    "medium": {"hands": 8, "stack": 16, "pages": 4, "page_hands": 4, "allowance": 0.25},
    "hard": {"hands": 12, "stack": 20, "pages": 4, "page_hands": 2, "allowance": 0.2},
}
"""What the levels set. The fewer recorded hands, the less is known of the opponent before the first decision."""


@frozen
class Options:
    """Parameters of the task."""

    variant: str = option("image", "where the cards are shown: in pictures or in text", seeded=False, choices=VARIANTS)
    hands: Annotated[int, Range(1, 40)] = option(8, "hands in a match")
    stack: Annotated[int, Range(5, 60)] = option(16, "chips of both players before every hand, in big blinds")
    pages: Annotated[int, Range(1, 20)] = option(4, "pages of recorded hands, and how many may be read")
    page_hands: Annotated[int, Range(1, 10)] = option(4, "recorded hands on a page")
    allowance: Annotated[float, Range(0.01, 5)] = option(0.25, "mean regret per hand, in big blinds, that is a success")
    dense: bool = option(False, "tell the result and the regret of each hand when it ends", seeded=False)
