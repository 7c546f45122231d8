"""The options of the task and the levels that its groups preset."""

from __future__ import annotations

from attrs import frozen

from harness import option

VARIANTS = ("image", "text")

LEVELS: dict[str, dict[str, int | float]] = {
    "easy": {"hands": 4, "stack": 12, "pages": 8, "page_hands": 6, "allowance": 0.4},
    "medium": {"hands": 8, "stack": 16, "pages": 4, "page_hands": 4, "allowance": 0.3},
    "hard": {"hands": 12, "stack": 20, "pages": 4, "page_hands": 2, "allowance": 0.2},
}
"""What the levels set. The more recorded hands, the easier it is to know the opponent before the first decision."""


@frozen
class Options:
    """Parameters of the task."""

    variant: str = option("image", "where the cards are shown: in pictures or in text", seeded=False, choices=VARIANTS)
    hands: int = option(8, "hands in a match, 1 to 40")
    stack: int = option(16, "chips of both players at the start of every hand, in big blinds, 5 to 60")
    pages: int = option(4, "pages of recorded hands that may be read, 1 to 20")
    page_hands: int = option(4, "recorded hands on a page, 1 to 10")
    allowance: float = option(
        0.3, "mean regret per hand, in big blinds, up to which the match is a success", seeded=False
    )
    dense: bool = option(False, "tell the result and the regret of each hand when it ends", seeded=False)
