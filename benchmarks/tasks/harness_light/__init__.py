"""A task that costs next to nothing itself: ask about a hidden number, then submit one."""

from __future__ import annotations

import attrs
import numpy as np

from harness import Card, Group, Limits, Log, Score, Term, Toolset, hookimpl, tool

QUESTIONS, LARGEST = 8, 100
PROMPT = (
    f"A whole number from 1 to {LARGEST} is hidden. ask(value) says whether it is larger or smaller; you may ask "
    f"{QUESTIONS} times within 12 turns. Then submit(value)."
)


@attrs.frozen
class Options:
    """No options."""


@attrs.frozen
class Identity:
    """The hidden number."""

    target: int


class Prompt:
    """One plain sentence."""

    identity = Identity

    def __init__(self, options: Options) -> None:
        self.options = options

    def sample(self, rng: np.random.Generator) -> Identity:
        """Draw the number."""
        return Identity(int(rng.integers(1, LARGEST + 1)))

    def messages(self, identity: Identity, wording: int, language: str) -> str:
        """Say what to do."""
        return PROMPT

    def facts(self, identity: Identity, language: str) -> dict[str, str]:
        """What is told in numbers."""
        return {"largest": str(LARGEST), "questions": str(QUESTIONS)}

    def limits(self, identity: Identity) -> Limits:
        """Bound the questions."""
        return Limits(turns=12, budgets={"questions": QUESTIONS})


@attrs.define
class World:
    """What has been asked."""

    asked: list[int] = attrs.field(factory=list)


class Tools(Toolset):
    """Ask and submit."""

    World = World
    identity: Identity
    world: World

    @tool(budget="questions")
    def ask(self, value: int) -> dict[str, str]:
        """Compare a number with the hidden one.

        Args:
            value: The number to compare.
        """
        self.world.asked.append(value)
        return {"answer": compare(value, self.identity.target)}

    @tool(final=True)
    def submit(self, value: int) -> str:
        """Give the final answer.

        Args:
            value: The number you found.
        """
        return "The answer was taken."


def compare(value: int, target: int) -> str:
    """Say where a number lies."""
    return "equal" if value == target else "too high" if value > target else "too low"


class Reward:
    """Exact match."""

    id = "light-1"

    def __init__(self, options: Options) -> None:
        self.options = options

    def score(self, identity: Identity, log: Log) -> Score:
        """Score by equality."""
        success = log.answer is not None and log.answer["value"] == identity.target
        return Score(success, (Term("answered", float(log.answer is not None)),))


@hookimpl
def harness_card() -> Card:
    """Tell what the task is."""
    return Card(
        name="light",
        version=1,
        title="Light",
        summary="A task that costs next to nothing",
        options=Options,
        groups={"only": Group({})},
        certified=False,
        languages=("en",),
        wordings=1,
    )


@hookimpl
def harness_prompt(options: Options) -> Prompt:
    """Make the prompt layer."""
    return Prompt(options)


@hookimpl
def harness_tools(options: Options) -> type[Tools]:
    """Name the tools."""
    return Tools


@hookimpl
def harness_reward(options: Options) -> Reward:
    """Make the reward."""
    return Reward(options)
