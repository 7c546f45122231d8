"""The task `escape`: the hooks that tie its layers together.

Levels `easy`, `medium` and `hard` are houses; `tiny` is the flat. The level chooses the layers; everything else is
in the rooms named by the stage words.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from harness import Card, Group, hookimpl
from harness.layers import Interaction, Prompt, Reward, Toolset
from harness.scripted import Scripted
from harness_escape.interaction import HouseInteraction
from harness_escape.options import Options
from harness_escape.prompt import FlatPrompt, HousePrompt
from harness_escape.reward import FlatReward, HouseReward
from harness_escape.tools import FlatTools, HouseTools


@hookimpl
def harness_card() -> Card:
    """Say what the task is."""
    return Card(
        name="escape",
        version=1,
        title="Text escape room",
        summary="Explore a locked house, put clues and parts together, and leave within a step budget.",
        options=Options,
        groups={
            "easy": Group({"level": "easy"}, summary="4 rooms, one locked door, a code told digit by digit"),
            "medium": Group(
                {"level": "medium"}, summary="6 rooms, two locked doors, colours and ciphers, a one-way door"
            ),
            "hard": Group({"level": "hard"}, summary="9 rooms, three locked doors, ciphers, events"),
            "tiny": Group({"level": "tiny"}, ratio=0.0, summary="3 rooms, 2 tools, 6 turns; for very small models"),
        },
    )


@hookimpl
def harness_prompt(options: Options) -> Prompt:
    """Return the prompt layer of the level."""
    if options.level == "tiny":
        return FlatPrompt()
    return HousePrompt(options)


@hookimpl
def harness_tools(options: Options) -> type[Toolset]:
    """Return the tools of the level."""
    return FlatTools if options.level == "tiny" else HouseTools


@hookimpl
def harness_interaction(options: Options) -> Interaction:
    """Return the interaction layer: it acts after every turn."""
    return HouseInteraction()


@hookimpl
def harness_reward(options: Options) -> Reward:
    """Return the reward layer of the level."""
    return FlatReward() if options.level == "tiny" else HouseReward()


@hookimpl
def harness_policies(options: Any) -> Mapping[str, Scripted]:
    """Return the scripted policies of the level."""
    if options.level == "tiny":
        from harness_escape.tiny_policies import FLAT_POLICIES

        return FLAT_POLICIES
    from harness_escape.policies import HOUSE_POLICIES

    return HOUSE_POLICIES
