"""The interaction layer: a typed final answer in a message counts as a submission, anything else is reminded.

The task is model-driven in both variants: nothing changes unless the agent asks. The framework's own interaction says
just that, so this module only names the choice.
"""

from __future__ import annotations

from harness.interaction import AnswerOrNudge
from harness.layers import Toolset
from harness.tools import specs_of


def interaction(toolset: type[Toolset]) -> AnswerOrNudge:
    """Return the interaction of an episode."""
    return AnswerOrNudge(specs_of(toolset))
