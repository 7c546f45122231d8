"""What the policy is shown of a match: the fields of a table, the same printed in a picture or written as text."""

from __future__ import annotations

from harness_holdem.betting import HERO, OPPONENT, STREETS
from harness_holdem.cards import names
from harness_holdem.match import Match
from harness_holdem.notation import told
from harness_holdem.rules import Table


def fields(match: Match) -> dict[str, str]:
    """Return the fields of the table as the hero sees it, name → text."""
    table, spot = match.table, match.table.spot
    return {
        "hand": f"{match.number + 1} of {len(match.identity.deals)}",
        "street": STREETS[min(spot.street, 3)],
        "button": "you" if table.button == HERO else "they",
        "your_cards": names(table.deal.hero),
        "board": names(table.board),
        "pot": str(spot.pot),
        "your_bet": str(spot.bets[HERO]),
        "their_bet": str(spot.bets[OPPONENT]),
        "your_stack": str(spot.stacks[HERO]),
        "their_stack": str(spot.stacks[OPPONENT]),
        "betting": told(table.actions, "you"),
        "legal": "; ".join(legal_words(table)),
    }


def legal_words(table: Table) -> list[str]:
    """Name what the hero may do, the way `act` takes it; empty when the hand is over."""
    if table.over:
        return []
    legal = table.legal
    words = ["fold"] if legal.fold else []
    words.append(f"call {legal.call}" if legal.call else "check")
    if legal.least is not None:
        words.append(
            f"raise_to {legal.least}-{legal.most}" if legal.least < (legal.most or 0) else f"raise_to {legal.most}"
        )
    if legal.least is not None or table.spot.owed == table.spot.stacks[HERO]:
        words.append("all_in")
    return words
