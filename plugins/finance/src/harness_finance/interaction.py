"""The interaction layer: a typed final answer in a message counts as a submission, anything else is reminded.

The task is model-driven: nothing happens in the data room unless the analyst asks. The framework's own interaction
says just that, so this module only names the choice.
"""

from __future__ import annotations

from harness.interaction import AnswerOrNudge
from harness.tools import specs_of
from harness_finance.tools import FinanceTools


def interaction() -> AnswerOrNudge:
    """Return the interaction of an episode."""
    return AnswerOrNudge(specs_of(FinanceTools))
