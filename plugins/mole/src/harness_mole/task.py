"""The task's answers to the framework's hooks."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from harness import AnswerOrNudge, Card, Group, Scripted, Toolset, hookimpl
from harness_mole.prompt import MolePrompt
from harness_mole.sample import Options

if TYPE_CHECKING:
    from harness_mole.reward import ConformerReward, LeadReward

GROUPS = {
    "conformer-easy": Group(
        {"variant": "conformer", "level": "easy", "minimisations": 5, "scans": 40, "energies": 24, "turns": 120},
        summary="up to five minima inside the bands lose for each that wins",
    ),
    "conformer-medium": Group(
        {"variant": "conformer", "level": "medium", "minimisations": 5, "scans": 40, "energies": 24, "turns": 120},
        summary="five to fifteen lose for each that wins",
    ),
    "conformer-hard": Group(
        {"variant": "conformer", "level": "hard", "minimisations": 5, "scans": 40, "energies": 24, "turns": 120},
        summary="fifteen and more lose for each that wins",
    ),
    "lead-easy": Group(
        {"variant": "lead", "level": "easy", "evaluations": 16, "turns": 30},
        summary="wide windows, two edits away",
    ),
    "lead-medium": Group(
        {"variant": "lead", "level": "medium", "evaluations": 14, "turns": 30},
        summary="narrower windows, two edits away",
    ),
    "lead-hard": Group(
        {"variant": "lead", "level": "hard", "evaluations": 14, "turns": 30},
        summary="narrow windows, three edits away",
    ),
}


@hookimpl
def harness_card() -> Card:
    """Say what the task is."""
    return Card(
        name="mole",
        version=1,
        title="Molecules",
        summary="Find the lowest conformer of a molecule, or change a lead until its properties fit.",
        options=Options,
        groups=GROUPS,
        margin=0.1,
        tolerance=0.02,
        simulators=("rdkit",),
    )


@hookimpl
def harness_prompt(options: Options) -> MolePrompt:
    """Return the prompt layer."""
    return MolePrompt(options)


@hookimpl
def harness_tools(options: Options) -> type[Toolset]:
    """Return the bench of the variant."""
    from harness_mole.tools import ConformerTools, LeadTools

    return ConformerTools if options.variant == "conformer" else LeadTools


@hookimpl
def harness_interaction(options: Options) -> AnswerOrNudge:
    """Return the interaction layer."""
    from harness_mole.interaction import interaction

    return interaction(harness_tools(options))


@hookimpl
def harness_reward(options: Options) -> ConformerReward | LeadReward:
    """Return the reward layer of the variant."""
    from harness_mole.reward import ConformerReward, LeadReward

    return ConformerReward(options) if options.variant == "conformer" else LeadReward(options)


@hookimpl
def harness_policies(options: Options) -> Mapping[str, Scripted]:
    """Return the scripted policies of the variant."""
    from harness_mole.policies import policies

    return policies(options.variant)
