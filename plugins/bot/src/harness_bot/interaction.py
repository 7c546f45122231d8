"""The interaction layer: a final answer in plain text is taken; else a reminder with how the last check ended."""

from __future__ import annotations

from typing import Any

from attrs import evolve

from harness import AnswerOrNudge, Response, Turn
from harness.tools import specs_of
from harness_bot.tools import Workcell
from harness_bot.wordings import texts


class Reminder:
    """Reminds like the default interaction and adds where the last checked path stands."""

    every_turn = False

    def __init__(self) -> None:
        self._default = AnswerOrNudge(specs_of(Workcell))

    def respond(self, toolset: Any, turn: Turn) -> Response | None:
        """Answer a turn without tool calls."""
        response = self._default.respond(toolset, turn)
        if response is None or not response.nudge or not toolset.world.share:
            return response
        phrases = texts(toolset.clock.language)
        world, left = toolset.world, toolset.clock.left("checks")
        key = {"valid": "stands_valid", "goal": "stands_short"}.get(world.last, "stands_broken")
        note = phrases[key].format(share=round(100 * world.share[-1]), what=world.last, left=left)
        return evolve(response, content=f"{response.content} {note}")
