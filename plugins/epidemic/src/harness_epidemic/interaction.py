"""The interaction layer: a message without a call is reminded, twice at most, and then the rest of the time runs out.

The task is model-driven: weeks pass only by `advance` and `close_out`. There is no answer to type, so the framework's
interaction is used without a final tool.
"""

from __future__ import annotations

from harness.interaction import AnswerOrNudge


def interaction() -> AnswerOrNudge:
    """Return the interaction of an episode."""
    return AnswerOrNudge({})
