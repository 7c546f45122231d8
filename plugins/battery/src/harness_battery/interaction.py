"""The interaction: the default one.

The designer drives: the world answers tool calls and does nothing by itself. A message without a call that holds a
valid design as JSON counts as a submission; any other is answered with a reminder, a bounded number of times.
"""

from __future__ import annotations

from harness import AnswerOrNudge, Toolset
from harness.tools import specs_of


def interaction_for(toolset: type[Toolset]) -> AnswerOrNudge:
    """Return the interaction for the tools of a level."""
    return AnswerOrNudge(specs_of(toolset))
