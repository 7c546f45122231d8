"""Another interaction (the world speaks after every turn) and another wording."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

from harness import Prompt, Response, Turn, hookimpl


class Talk:
    every_turn = True

    def respond(self, toolset: Any, turn: Turn) -> Response:
        return Response(f"That was turn {turn.number}.")


@hookimpl
def harness_interaction(options: Any) -> Talk:
    return Talk()


@hookimpl(wrapper=True)
def harness_prompt(options: Any) -> Generator[None, Prompt, Prompt]:
    prompt = yield
    worded = prompt.messages
    prompt.messages = lambda *words: f"Be polite. {worded(*words)}"  # type: ignore[method-assign]
    return prompt
