"""Why an episode ended as it did: one closed list.

Every outcome names exactly one reason from here; a free `detail` text stands beside it. The list says who can cause
each, because that decides whether an episode is *scored* (the policy is responsible) or *invalid* (it is not).
"""

from __future__ import annotations

from typing import Final

REASONS: Final[dict[str, str]] = {
    "solved": "policy: every requirement of the task holds",
    "wrong_answer": "policy: an answer was given and does not meet the requirements",
    "no_answer": "policy: the episode ended without an answer",
    "bad_answer_format": "policy: the final message held an answer that is not of the asked form",
    "malformed_call": "policy: the arguments of a tool call are not JSON",
    "unknown_tool": "policy: a tool that does not exist was called",
    "invalid_arguments": "policy: the arguments do not fit the tool's schema or the told bounds",
    "infeasible_state": "policy: the call asks for a state the world cannot be in (or breaks the simulator twice)",
    "unsafe_action": "policy: the action is dangerous in the world (collision, over-temperature, overspend)",
    "tool_timeout": "policy: the call exceeds its time limit, twice",
    "budget_exhausted": "policy: turns, calls or simulations ran out before an answer",
    "context_overflow": "policy: the conversation no longer fits the model's context",
    "length_truncated": "policy: the model's message was cut at its token limit",
    "premature_end": "policy: the episode was given up before it could be solved",
    "policy_error": "endpoint or script: the policy gave no reply (unreachable, refused, raised)",
    "tool_crash": "environment: a call failed once and its repetition did not tell whose fault it was",
    "backend_lost": "environment: no worker could be had for the call",
    "task_error": "task package: its own code raised outside a tool call (sampling, creation, reward)",
    "cancelled": "user: the run was interrupted",
}

INVALID: Final[frozenset[str]] = frozenset({"policy_error", "tool_crash", "backend_lost", "task_error", "cancelled"})
"""Reasons for which the policy is not responsible: reward is null."""

SCORED: Final[frozenset[str]] = frozenset(REASONS) - INVALID
"""Reasons for which it is: what a task may name."""

CALL_ERRORS: Final[frozenset[str]] = frozenset(
    {
        "malformed_call",
        "unknown_tool",
        "invalid_arguments",
        "infeasible_state",
        "unsafe_action",
        "tool_timeout",
        "budget_exhausted",
        "length_truncated",
    }
)
"""Error codes that a single tool call can be answered with (beside `not_executed`)."""
