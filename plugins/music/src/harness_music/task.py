"""The task's answers to the framework's hooks."""

from __future__ import annotations

from collections.abc import Mapping

from harness import Card, Group, Prompt, Reward, Toolset, hookimpl
from harness.layers import Interaction
from harness.scripted import Scripted
from harness_music.grammar import LEVELS
from harness_music.sample import VARIANTS, Options

GROUPS = {f"{variant}-{level}": Group({"variant": variant, "level": level}) for variant in VARIANTS for level in LEVELS}


@hookimpl
def harness_card() -> Card:
    """Say what the task is."""
    return Card(
        name="music",
        version=1,
        title="Part-writing",
        summary="Repair or complete four-part harmony so that it obeys the common-practice rules.",
        options=Options,
        groups=GROUPS,
        heavy=False,
        certified=True,
    )


@hookimpl
def harness_prompt(options: Options) -> Prompt:
    """Return the prompt layer."""
    from harness_music.prompt import PartWritingPrompt

    return PartWritingPrompt(options)


@hookimpl
def harness_tools(options: Options) -> type[Toolset]:
    """Return the toolset."""
    from harness_music.tools import Studio

    return Studio


@hookimpl
def harness_interaction(options: Options) -> Interaction:
    """Return the interaction layer."""
    from harness_music.interaction import Reminder

    return Reminder()


@hookimpl
def harness_reward(options: Options) -> Reward:
    """Return the reward layer."""
    from harness_music.reward import PartWritingReward

    return PartWritingReward(options)


@hookimpl
def harness_policies(options: Options) -> Mapping[str, Scripted]:
    """Return the scripted policies."""
    from harness_music.policies import policies

    return policies(options)
