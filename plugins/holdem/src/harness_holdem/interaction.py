"""The dealer's side of the conversation: a turn without a tool call is answered with whose turn it is."""

from __future__ import annotations

from harness import Response, Turn
from harness_holdem.match import Match
from harness_holdem.tools import Seat

_WAITING = {
    "en": "It is your turn in hand {hand} of {hands}: call act, with table to look first. Reminders left: {left}.",
    "zh": "第 {hand} 手（共 {hands} 手）轮到你行动：请调用 act，也可先用 table 查看牌桌。剩余提醒次数：{left}。",
}


class Dealer:
    """Waits for the hero to act."""

    every_turn = False

    def respond(self, toolset: Seat, turn: Turn) -> Response | None:
        """Remind the hero, or close the match when no reminder is left."""
        clock = toolset.clock
        if turn.nudges >= clock.limits.nudges:
            return Response(done=True, reason="no_answer")
        match = Match(toolset.identity, toolset.world)
        text = _WAITING.get(clock.language, _WAITING["en"])
        left = clock.limits.nudges - turn.nudges - 1
        hands = len(toolset.identity.deals)
        return Response(text.format(hand=match.number + 1, hands=hands, left=left), nudge=True, reason="no_answer")
