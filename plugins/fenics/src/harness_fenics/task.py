"""The task's answers to the framework's hooks."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from harness import AnswerOrNudge, Card, Group, Scripted, Toolset, hookimpl
from harness_fenics.prompt import FenicsPrompt
from harness_fenics.sample import Options

if TYPE_CHECKING:
    from harness_fenics.reward import FenicsReward

GROUPS = {
    "flux-easy": Group(
        {"variant": "flux", "controls": 3, "tolerance": 7, "slack": 6, "solves": 7, "probes": 3, "turns": 20},
        summary="three heaters, two monitors, steady",
    ),
    "flux-medium": Group(
        {"variant": "flux", "controls": 4, "tolerance": 6, "slack": 6, "probes": 3, "turns": 22},
        summary="four heaters, three monitors, steady",
    ),
    "flux-hard": Group(
        {"variant": "flux", "controls": 6, "tolerance": 6, "slack": 5, "probes": 3, "turns": 26},
        summary="six heaters, five monitors, steady",
    ),
    "identify-easy": Group(
        {"variant": "identify", "controls": 3, "tolerance": 30, "probes": 8, "turns": 24},
        summary="place and strength of the source unknown",
    ),
    "identify-medium": Group(
        {"variant": "identify", "controls": 4, "tolerance": 35, "probes": 10, "turns": 28},
        summary="conductivity unknown as well",
    ),
    "identify-hard": Group(
        {"variant": "identify", "controls": 6, "tolerance": 35, "probes": 14, "turns": 34},
        summary="slope of the conductivity and cooling of the left edge unknown as well",
    ),
    "transient-easy": Group(
        {"variant": "transient", "controls": 3, "tolerance": 20, "slack": 8, "probes": 3, "turns": 20},
        summary="three heaters, one stage, two windows",
    ),
    "transient-medium": Group(
        {"variant": "transient", "controls": 4, "tolerance": 15, "slack": 6, "probes": 3, "turns": 22},
        summary="two heaters, two stages, three windows",
    ),
    "transient-hard": Group(
        {"variant": "transient", "controls": 6, "tolerance": 10, "slack": 5, "probes": 3, "turns": 26},
        summary="three heaters, two stages, five windows",
    ),
}


@hookimpl
def harness_card() -> Card:
    """Say what the task is."""
    return Card(
        name="fenics",
        version=1,
        title="Finite-element engineering",
        summary="Drive a finite-element model of a heated plate to requirements, or identify what is hidden in it.",
        options=Options,
        groups=GROUPS,
        heavy=True,
        margin=0.02,
        tolerance=1e-6,
        simulators=("scikit-fem", "scipy", "numpy"),
    )


@hookimpl
def harness_prompt(options: Options) -> FenicsPrompt:
    """Return the prompt layer."""
    return FenicsPrompt(options)


@hookimpl
def harness_tools(options: Options) -> type[Toolset]:
    """Return the tools of the variant."""
    from harness_fenics.tools import DriveTools, PuzzleTools

    return PuzzleTools if options.variant == "identify" else DriveTools


@hookimpl
def harness_interaction(options: Options) -> AnswerOrNudge:
    """Return the interaction layer."""
    from harness_fenics.interaction import interaction

    return interaction(harness_tools(options))


@hookimpl
def harness_reward(options: Options) -> FenicsReward:
    """Return the reward layer."""
    from harness_fenics.reward import FenicsReward

    return FenicsReward(options)


@hookimpl
def harness_policies(options: Options) -> Mapping[str, Scripted]:
    """Return the scripted policies of the variant."""
    from harness_fenics.policies import policies

    return policies(options)
