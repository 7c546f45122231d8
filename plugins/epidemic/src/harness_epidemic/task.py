"""The task `epidemic`: the hooks that tie its layers together.

Levels `easy`, `medium` and `hard` are countries with the full desk; `tiny` is one region with one choice. The level
chooses the layers; everything else is in the rooms named by the stage words.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from harness import AnswerOrNudge, Card, Group, Scripted, Toolset, hookimpl
from harness_epidemic.options import Options
from harness_epidemic.prompt import EpidemicPrompt, TinyPrompt
from harness_epidemic.tiny import TinyTools
from harness_epidemic.tools import EpidemicTools

if TYPE_CHECKING:
    from harness_epidemic.reward import EpidemicReward


@hookimpl
def harness_card() -> Card:
    """Say what the task is."""
    return Card(
        name="epidemic",
        version=1,
        title="Intervention planning in an epidemic",
        summary="Steer an epidemic for weeks by measures, vaccine and beds, from noisy and delayed bulletins.",
        options=Options,
        groups={
            "easy": Group({"level": "easy"}, summary="one region, 16 to 18 weeks, no variant, 25 % slack"),
            "medium": Group({"level": "medium"}, summary="2 or 3 regions, 20 to 24 weeks, often a variant, 18 % slack"),
            "hard": Group({"level": "hard"}, summary="4 or 5 regions, 26 to 30 weeks, a variant, 12 % slack"),
            "tiny": Group({"level": "tiny"}, ratio=0.0, summary="one region, one choice of four levels, six turns"),
        },
        margin=0.02,
        tolerance=1e-6,
    )


@hookimpl
def harness_prompt(options: Options) -> EpidemicPrompt:
    """Return the prompt layer of the level."""
    return TinyPrompt(options) if options.level == "tiny" else EpidemicPrompt(options)


@hookimpl
def harness_tools(options: Options) -> type[Toolset]:
    """Return the tools of the level."""
    return TinyTools if options.level == "tiny" else EpidemicTools


@hookimpl
def harness_interaction(options: Options) -> AnswerOrNudge:
    """Return the interaction layer."""
    from harness_epidemic.interaction import interaction

    return interaction()


@hookimpl
def harness_reward(options: Options) -> EpidemicReward:
    """Return the reward layer."""
    from harness_epidemic.reward import EpidemicReward

    return EpidemicReward(options)


@hookimpl
def harness_policies(options: Any) -> Mapping[str, Scripted]:
    """Return the scripted policies of the level."""
    if options.level == "tiny":
        from harness_epidemic.tiny_policies import TINY_POLICIES

        return TINY_POLICIES
    from harness_epidemic.policies import policies

    return policies(options.level)
