"""The interaction layer: the house acts after every turn, and reminds a policy that does not.

Events change the same world on which the tools act. An episode ends when the steps are gone, or when the policy
keeps talking instead of acting.
"""

from __future__ import annotations

from typing import Any

from harness.layers import Response, Turn
from harness_escape.events import tick
from harness_escape.house import House
from harness_escape.texts import say


class HouseInteraction:
    """The house's side of the conversation; the flat has no events but the same patience."""

    every_turn = True

    def respond(self, toolset: Any, turn: Turn) -> Response | None:
        """Let events happen, end what cannot go on, remind the idle."""
        clock, heard = toolset.clock, list[str]()
        if isinstance(toolset.identity, House):
            heard = tick(toolset.identity, toolset.world, clock.spent.get("steps", 0), clock.language)
        text = "\n".join(heard)
        if clock.left("steps") <= 0:
            return Response(text, done=True, reason="budget_exhausted")
        if turn.called:
            return Response(text) if text else None
        if turn.nudges >= clock.limits.nudges:
            return Response(text, done=True, reason="no_answer")
        return Response("\n".join([*heard, say("idle", clock.language)]), nudge=True)
