"""The betting of a hand in words, and back: the one form in which tables, histories and recorded hands tell it.

For instance ``preflop: they raise to 250, you call | flop Ts 9s 2c: you check, they bet 300, you fold``. The opponent
is always ``they``; the other player is ``you`` in the match and ``guest`` in recorded hands.
"""

from __future__ import annotations

from collections.abc import Sequence

from harness_holdem.betting import OPPONENT, STREETS, Spot
from harness_holdem.cards import names
from harness_holdem.rules import OPEN_CARDS


def told(actions: Sequence[tuple[Spot, str]], other: str, board: Sequence[int] = ()) -> str:
    """Tell the actions of a hand street by street; with a board, the open cards of each street too."""
    parts = []
    for street in sorted({spot.street for spot, _ in actions}):
        steps = ", ".join(_told(spot, action, other) for spot, action in actions if spot.street == street)
        cards = f" {names(board[: OPEN_CARDS[street]])}" if board and street else ""
        parts.append(f"{STREETS[street]}{cards}: {steps}")
    return " | ".join(parts)


def _told(spot: Spot, action: str, other: str) -> str:
    kind, *amount = action.split()
    who, ending = ("they", "") if spot.actor == OPPONENT else (other, "" if other == "you" else "s")
    if kind == "raise":
        return f"{who} raise{ending} to {amount[0]}" if spot.bets != (0, 0) else f"{who} bet{ending} {amount[0]}"
    verb = "check" if kind == "call" and not spot.owed else kind
    return f"{who} {verb}{ending}"


def read(text: str) -> list[str]:
    """Return the actions that a told hand consists of: ``fold``, ``call``, ``raise AMOUNT``, in order."""
    steps = [step.split() for part in text.split(" | ") if part for step in part.partition(": ")[2].split(", ")]
    return [_read(words[1].rstrip("s"), words[-1]) for words in steps]


def _read(verb: str, last: str) -> str:
    if verb in ("bet", "raise"):
        return f"raise {last}"
    return "fold" if verb == "fold" else "call"
