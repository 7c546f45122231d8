"""The interaction layer: a final answer in plain text is taken; else a reminder with where the exercise stands."""

from __future__ import annotations

from typing import Any

from attrs import evolve

from harness.interaction import AnswerOrNudge
from harness.layers import Response, Turn
from harness.tools import specs_of
from harness_music.tools import Studio
from harness_music.wordings import texts


class Reminder:
    """Reminds like the default interaction and adds the result of the last check."""

    every_turn = False

    def __init__(self) -> None:
        self._default = AnswerOrNudge(specs_of(Studio))

    def respond(self, toolset: Any, turn: Turn) -> Response | None:
        """Answer a turn without tool calls."""
        response = self._default.respond(toolset, turn)
        if response is None or not response.nudge or not toolset.world.weighted:
            return response
        left = toolset.clock.left("checks")
        note = texts(toolset.clock.language)["studied"].format(weighted=toolset.world.weighted[-1], left=left)
        return evolve(response, content=f"{response.content} {note}")
