"""The task as the harness sees it: a card and the four layers, wired by hooks. Importing it imports nothing heavy."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from harness import AnswerOrNudge, Card, Scripted, Toolset, hookimpl
from harness_battery.sample import GROUPS, Options

if TYPE_CHECKING:
    from harness_battery.prompt import DesignPrompt
    from harness_battery.reward import DesignReward


@hookimpl
def harness_card() -> Card:
    """Describe the task."""
    return Card(
        name="battery",
        version=1,
        title="Lithium-ion cell design",
        summary="Choose electrodes that meet capacity, energy and temperature targets; only simulations know the cell.",
        options=Options,
        groups=GROUPS,
        heavy=True,
        certified=True,
        margin=0.0004,
        tolerance=0.02,
        simulators=("pybamm", "pybammsolvers"),
    )


@hookimpl
def harness_prompt(options: Options) -> DesignPrompt:
    """Propose and word instances."""
    from harness_battery.prompt import DesignPrompt

    return DesignPrompt(options)


@hookimpl
def harness_tools(options: Options) -> type[Toolset]:
    """Return the tools of the level."""
    from harness_battery.sample import LEVELS
    from harness_battery.tools import FiveVariables, FourVariables

    return FiveVariables if LEVELS[options.level].fast_charge else FourVariables


@hookimpl
def harness_interaction(options: Options) -> AnswerOrNudge:
    """Take a typed final answer or remind."""
    from harness_battery.interaction import interaction_for

    return interaction_for(harness_tools(options))


@hookimpl
def harness_reward(options: Options) -> DesignReward:
    """Score by margins."""
    from harness_battery.reward import DesignReward

    return DesignReward()


@hookimpl
def harness_policies(options: Options) -> Mapping[str, Scripted]:
    """Return the scripted policies."""
    from harness_battery.policies import policies_for

    return policies_for(options)
