"""The task's answers to the framework's hooks. Importing this module loads no numerical library."""

from __future__ import annotations

from collections.abc import Mapping

from harness import Card, Group, Interaction, Prompt, Reward, Scripted, Toolset, hookimpl
from harness_flangeplane.options import LEVELS, Options

SUMMARIES = {
    "easy": "every size is printed, small deviations, wide requirements",
    "medium": "jacking holes among the bolt holes, larger deviations, narrower requirements",
    "hard": "the thickness by the scale bar only, the largest deviations, the narrowest requirements",
}

GROUPS = {level: Group(dict(preset), summary=SUMMARIES[level]) for level, preset in LEVELS.items()}


@hookimpl
def harness_card() -> Card:
    """Say what the task is."""
    return Card(
        name="flangeplane",
        version=1,
        title="Flange design from a drawing",
        summary="Read a dimensioned drawing of a plate flange and redesign the flange under finite elements.",
        options=Options,
        groups=GROUPS,
        modality="vision",
        heavy=True,
        margin=0.002,
        tolerance=1e-6,
        simulators=("numpy", "scipy", "pillow"),
    )


@hookimpl
def harness_prompt(options: Options) -> Prompt:
    """Return the prompt layer."""
    from harness_flangeplane.prompt import FlangePrompt

    return FlangePrompt(options)


@hookimpl
def harness_tools(options: Options) -> type[Toolset]:
    """Return the designer's desk."""
    from harness_flangeplane.tools import DesignDesk

    return DesignDesk


@hookimpl
def harness_interaction(options: Options) -> Interaction:
    """Return the interaction layer."""
    from harness_flangeplane.interaction import interaction

    return interaction()


@hookimpl
def harness_reward(options: Options) -> Reward:
    """Return the reward layer."""
    from harness_flangeplane.reward import FlangeReward

    return FlangeReward(options)


@hookimpl
def harness_policies(options: Options) -> Mapping[str, Scripted]:
    """Return the reference, the lazy policies and the adversaries."""
    from harness_flangeplane.policies import policies

    return policies(options)
