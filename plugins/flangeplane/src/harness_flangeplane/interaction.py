"""The interaction layer: a typed final answer in a message counts as a submission, anything else is reminded.

Nothing happens to a joint unless a design is analysed, so the framework's own interaction says all that is needed; this
module only names the choice.
"""

from __future__ import annotations

from harness import AnswerOrNudge
from harness.tools import specs_of
from harness_flangeplane.tools import DesignDesk


def interaction() -> AnswerOrNudge:
    """Return the interaction of an episode."""
    return AnswerOrNudge(specs_of(DesignDesk))
