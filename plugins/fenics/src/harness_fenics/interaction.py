"""The interaction layer: a typed final answer in a message counts as a submission, anything else is reminded.

Nothing happens to a plate unless it is solved, so the task is model-driven and the framework's own interaction says all
that is needed; this module only names the choice.
"""

from __future__ import annotations

from harness.interaction import AnswerOrNudge
from harness.layers import Toolset
from harness.tools import specs_of


def interaction(toolset: type[Toolset]) -> AnswerOrNudge:
    """Return the interaction of an episode with a toolset."""
    return AnswerOrNudge(specs_of(toolset))
