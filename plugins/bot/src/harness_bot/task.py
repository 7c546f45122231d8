"""The task's answers to the framework's hooks. Importing this module loads neither MuJoCo nor Pillow."""

from __future__ import annotations

from collections.abc import Mapping

from harness import Card, Group, Interaction, Prompt, Reward, Scripted, Toolset, hookimpl
from harness_bot.sample import LEVEL_TABLE, LEVELS, Options

_SUMMARIES = {
    "easy": "six axes, all obstacles told",
    "medium": "seven axes, half of the obstacles to be found",
    "hard": "seven axes, all obstacles to be found",
}
GROUPS = {level: Group({"level": level}, summary=_SUMMARIES[level]) for level in LEVELS}


@hookimpl
def harness_card() -> Card:
    """Say what the task is."""
    return Card(
        name="bot",
        version=1,
        title="Arm motion planning",
        summary="Take a robot arm to a goal pose along a joint path that is proven clear of everything.",
        options=Options,
        groups=GROUPS,
        heavy=True,
        certified=True,
        tolerance=0.01,
        simulators=("mujoco",),
    )


@hookimpl
def harness_prompt(options: Options) -> Prompt:
    """Return the prompt layer."""
    from harness_bot.prompt import PathPrompt

    return PathPrompt(options)


@hookimpl
def harness_tools(options: Options) -> type[Toolset]:
    """Return the toolset; where everything is told there is nothing to scan."""
    from harness_bot.tools import ScannedCell, Workcell

    return ScannedCell if LEVEL_TABLE[options.level].scans else Workcell


@hookimpl
def harness_interaction(options: Options) -> Interaction:
    """Return the interaction layer."""
    from harness_bot.interaction import Reminder

    return Reminder()


@hookimpl
def harness_reward(options: Options) -> Reward:
    """Return the reward layer."""
    from harness_bot.reward import PathReward

    return PathReward(options)


@hookimpl
def harness_policies(options: Options) -> Mapping[str, Scripted]:
    """Return the scripted policies."""
    from harness_bot.policies import policies

    return policies(options)
