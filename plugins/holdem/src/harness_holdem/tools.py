"""The affordances of a match: act, look at the table, look back, and read recorded hands of the opponent.

The world changes in `act` alone. What a call shows is the same in both variants except for the table itself, which is
a picture or a set of fields.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from harness import Json, Range, Refused, Result, Toolset, image, tool
from harness_holdem.archive import page_of
from harness_holdem.betting import HERO, SHOWDOWN
from harness_holdem.cards import names
from harness_holdem.match import Match, World, button_of, deal_of, regrets, spots_of
from harness_holdem.notation import told
from harness_holdem.options import Options
from harness_holdem.rules import Table
from harness_holdem.sample import Identity
from harness_holdem.seen import fields, legal_words

Kind = Literal["fold", "check", "call", "raise_to", "all_in"]


class Seat(Toolset):
    """The hero's seat at the table."""

    World = World

    @classmethod
    def create(cls, identity: Identity, options: Options) -> Any:
        """Deal the first hand and let the opponent act if it is first."""
        world = World()
        Match(identity, world)
        return world

    @tool
    def act(self, action: Kind, amount: Annotated[int, Range(minimum=1)] | None = None) -> Result:
        """Take an action in the current hand. Returns the table at your next decision, in this hand or the next.

        Args:
            action: What to do. `check` when there is nothing to call, `raise_to` also for a first bet.
            amount: Only for `raise_to`: the chips that your bet on this street becomes in total.
        """
        match = Match(self.identity, self.world)
        match.act(_checked(match.table, action, amount))
        return self._shown(match)

    @tool
    def table(self) -> Result:
        """Show the table at your current decision."""
        return self._shown(Match(self.identity, self.world))

    @tool
    def history(self) -> Mapping[str, Json]:
        """List the betting of the hands of this match that have ended."""
        return {"ended": [self._ended(number) for number in range(len(self.world.won))]}

    @tool(budget="pages")
    def scout(self, page: int) -> Mapping[str, Json]:
        """Read a page of recorded hands of this opponent against somebody else, played before the match.

        Args:
            page: Number of the page, from 1.
        """
        if not 1 <= page <= self.identity.pages:
            raise Refused(f"page: got {page}, allowed 1 to {self.identity.pages}", argument="page")
        return {"page": f"{page} of {self.identity.pages}", "hands": page_of(self.identity, page)}

    def calc_reward(self) -> Mapping[str, Json]:
        """Value the decisions of every hand against the opponent's actual style."""
        lost = [regrets(self.identity, number, actions) for number, actions in enumerate(self.world.hands)]
        return {
            "regret_bb": [round(sum(hand), 6) for hand in lost],
            "decisions": sum(map(len, lost)),
            "hands_ended": len(self.world.won),
            "won_bb": sum(self.world.won) / self.identity.big_blind,
        }

    def _shown(self, match: Match) -> Result:
        """Tell which hands have ended since the last look and show the table, or that the match is over."""
        ended = [self._ended(number) for number in range(self.world.told, len(self.world.won))]
        self.world.told = len(self.world.won)
        news: dict[str, Json] = {"ended": ended} if ended else {}
        if match.over:
            total = sum(self.world.won) / self.identity.big_blind
            return Result({"match": "over", "won_bb": total, **news}, done=True)
        seen = fields(match)
        if self.options.variant == "text":
            return Result({**seen, **news})
        from harness_holdem.picture import picture

        drawn = image(picture(seen, self.identity.design), facts=seen)
        return Result({"hand": seen["hand"], "table": "in the picture", **news}, images=(drawn,))

    def _ended(self, number: int) -> dict[str, Json]:
        """Tell of an ended hand its betting and, in the dense variant, how it came out."""
        actions = self.world.hands[number]
        spots = spots_of(self.identity, number, actions)
        entry: dict[str, Json] = {
            "hand": number + 1,
            "button": "you" if button_of(self.identity, number) == HERO else "they",
            "betting": told(list(zip(spots, actions, strict=False)), "you"),
        }
        if self.options.dense:
            entry["won_bb"] = self.world.won[number] / self.identity.big_blind
            entry["regret_bb"] = round(sum(regrets(self.identity, number, actions)), 3)
            held = deal_of(self.identity.deals[number]).opponent
            entry["they_showed"] = names(held) if spots[-1].street == SHOWDOWN else None
        return entry


def _checked(table: Table, action: Kind, amount: int | None) -> str:
    """Return a legal action the way hands are recorded, or refuse it and name what is legal."""
    legal, owed = table.legal, table.spot.owed
    if action == "raise_to":
        return f"raise {_amount(table, amount)}"
    if amount is not None:
        raise _refusal(table, f"amount: only raise_to takes one, got {amount} with {action}", "amount")
    if action == "all_in":
        if legal.least is not None:
            return f"raise {legal.most}"
        if owed == table.spot.stacks[HERO]:
            return "call"
        raise _refusal(table, "action: all_in would be a raise, and none is possible", "action")
    if action == "fold" and not legal.fold:
        raise _refusal(table, "action: there is no bet to fold to", "action")
    if action == "check" and owed:
        raise _refusal(table, f"action: {owed} to call, check is not possible", "action")
    if action == "call" and not owed:
        raise _refusal(table, "action: there is nothing to call", "action")
    return "fold" if action == "fold" else "call"


def _amount(table: Table, amount: int | None) -> int:
    legal = table.legal
    if legal.least is None or legal.most is None:
        raise _refusal(table, "action: a raise is not possible", "action")
    if amount is None:
        raise _refusal(table, "amount: is missing, raise_to needs the total bet", "amount")
    if not legal.least <= amount <= legal.most:
        raise _refusal(table, f"amount: got {amount}, allowed {legal.least} to {legal.most}", "amount")
    return amount


def _refusal(table: Table, what: str, argument: str) -> Refused:
    return Refused(f"{what}. Legal now: {'; '.join(legal_words(table))}", argument=argument)
