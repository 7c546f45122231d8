"""Recorded hands: the opponent of the match against a guest, before the match. They are how its style can be learned.

A page is rebuilt from the identity whenever it is asked for. It tells what an onlooker would have seen: the button,
the betting, the open cards, and the opponent's cards where the hand came to a showdown.
"""

from __future__ import annotations

from harness import Json, seeds
from harness_holdem.betting import HERO, OPPONENT
from harness_holdem.cards import names
from harness_holdem.match import chosen
from harness_holdem.notation import told
from harness_holdem.rules import Deal, Table
from harness_holdem.sample import Identity
from harness_holdem.styles import Style

GUEST = Style("guest", width=1.15, grip=0.0, odds=0.0, value=0.4, bluff=0.15, raising=0.12, size=0.7)
"""How the guest plays: it bets and calls often, so that the opponent is seen in many spots."""


def page_of(identity: Identity, page: int) -> list[dict[str, Json]]:
    """Return the recorded hands of a page, counted from 1."""
    first = (page - 1) * identity.page_hands
    return [_recorded(identity, number) for number in range(first, first + identity.page_hands)]


def _recorded(identity: Identity, number: int) -> dict[str, Json]:
    table = _played(identity, number)
    return {
        "hand": number + 1,
        "button": "they" if table.button == OPPONENT else "guest",
        "betting": told(table.actions, "guest", table.deal.board),
        "they_showed": names(table.deal.opponent) if table.shown else None,
    }


def _played(identity: Identity, number: int) -> Table:
    rng = seeds.generator("archive", identity.archive, number)
    cards = tuple(rng.permutation(52)[:9].tolist())
    deal = Deal(hero=cards[:2], opponent=cards[2:4], board=cards[4:])
    table = Table(deal, (identity.first_button + number) % 2, identity.stack, identity.big_blind)
    styles = {HERO: GUEST, OPPONENT: identity.style}
    held = {HERO: deal.hero, OPPONENT: deal.opponent}
    while table.spot.actor is not None:
        actor = table.spot.actor
        table.act(chosen(styles[actor], table.spot, held[actor], table.board, float(rng.random())))
    return table
