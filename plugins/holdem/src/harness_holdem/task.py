"""The task's answers to the framework's hooks. Importing this module loads no numerical library."""

from __future__ import annotations

from collections.abc import Mapping

from harness import Card, Group, Interaction, Prompt, Reward, Scripted, Toolset, hookimpl
from harness_holdem.options import LEVELS, VARIANTS, Options

GROUPS = {
    f"{variant}-{level}": Group({"variant": variant, **LEVELS[level]}) for variant in VARIANTS for level in LEVELS
}


@hookimpl
def harness_card() -> Card:
    """Say what the task is."""
    return Card(
        name="holdem",
        version=1,
        title="Heads-up hold'em",
        summary="Play no-limit Texas hold'em against an opponent whose style must be learned; luck does not count.",
        options=Options,
        groups=GROUPS,
        modality="vision",
        heavy=True,
        margin=0.1,
        tolerance=0.01,
        simulators=("pokerkit", "pillow"),
    )


@hookimpl
def harness_prompt(options: Options) -> Prompt:
    """Return the prompt layer."""
    from harness_holdem.prompt import MatchPrompt

    return MatchPrompt(options)


@hookimpl
def harness_tools(options: Options) -> type[Toolset]:
    """Return the seat at the table."""
    from harness_holdem.tools import Seat

    return Seat


@hookimpl
def harness_interaction(options: Options) -> Interaction:
    """Return the dealer."""
    from harness_holdem.interaction import Dealer

    return Dealer()


@hookimpl
def harness_reward(options: Options) -> Reward:
    """Return scoring by regret."""
    from harness_holdem.reward import DecisionReward

    return DecisionReward(options)


@hookimpl
def harness_policies(options: Options) -> Mapping[str, Scripted]:
    """Return the reference, the lazy policies and the adversaries."""
    from harness_holdem.policies import policies

    return policies(options)
