"""The task's answers to the framework's hooks."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from harness import AnswerOrNudge, Card, Group, Scripted, hookimpl
from harness_finance.prompt import FinancePrompt
from harness_finance.sample import Options
from harness_finance.tools import FinanceTools

if TYPE_CHECKING:
    from harness_finance.reward import FinanceReward

GROUPS = {
    "easy": Group(
        {
            "years": 4,
            "segments": 1,
            "occurring": 1,
            "updates": 4,
            "astray": 0,
            "distractors": 0,
            "items": 6,
            "lookups": 32,
            "checks": 4,
            "turns": 24,
        },
        summary="one segment, few updates, all filed under their topic; six graded lines",
    ),
    "medium": Group(
        {
            "years": 5,
            "segments": 2,
            "occurring": 3,
            "updates": 6,
            "astray": 50,
            "distractors": 3,
            "items": 9,
            "lookups": 20,
            "checks": 3,
            "turns": 20,
        },
        summary="two segments, half of the updates filed elsewhere, some notes that change nothing; nine graded lines",
    ),
    "hard": Group(
        {
            "years": 7,
            "segments": 3,
            "occurring": 5,
            "updates": 10,
            "astray": 75,
            "distractors": 6,
            "items": 12,
            "lookups": 12,
            "checks": 2,
            "turns": 16,
        },
        summary="three segments, many updates, most of them filed elsewhere, more distractions; twelve graded lines",
    ),
}


@hookimpl
def harness_card() -> Card:
    """Say what the task is."""
    return Card(
        name="finance",
        version=1,
        title="Financial prediction",
        summary="Forecast a company's next statements from its history, its notes and its loan covenants.",
        options=Options,
        groups=GROUPS,
        margin=0.1,
    )


@hookimpl
def harness_prompt(options: Options) -> FinancePrompt:
    """Return the prompt layer."""
    return FinancePrompt(options)


@hookimpl
def harness_tools(options: Options) -> type[FinanceTools]:
    """Return the tools of the data room."""
    return FinanceTools


@hookimpl
def harness_interaction(options: Options) -> AnswerOrNudge:
    """Return the interaction layer."""
    from harness_finance.interaction import interaction

    return interaction()


@hookimpl
def harness_reward(options: Options) -> FinanceReward:
    """Return the reward layer."""
    from harness_finance.reward import FinanceReward

    return FinanceReward(options)


@hookimpl
def harness_policies(options: Options) -> Mapping[str, Scripted]:
    """Return the scripted policies."""
    from harness_finance.policies import policies

    return policies()
