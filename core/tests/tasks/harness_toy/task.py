"""A small complete task for the core's own tests: find a hidden number with a bounded number of questions."""

from __future__ import annotations

from collections.abc import Generator, Mapping
from typing import Annotated, Any

import attrs
import numpy as np

from harness import (
    Card,
    Group,
    Limits,
    Log,
    Move,
    Observation,
    Range,
    Refused,
    Score,
    Scripted,
    Term,
    Toolset,
    View,
    call,
    hookimpl,
    option,
    tool,
)


@attrs.frozen
class Options:
    size: int = option(64, "largest number", choices=(16, 64, 256))
    dense: bool = option(False, "also tell the distance", seeded=False)


@attrs.frozen
class Identity:
    target: int
    size: int
    questions: int


class Prompt:
    identity = Identity

    def __init__(self, options: Options) -> None:
        self.options = options

    def sample(self, rng: np.random.Generator) -> Identity:
        size = self.options.size
        return Identity(int(rng.integers(1, size + 1)), size, int(np.ceil(np.log2(size))) + 1)

    def messages(self, identity: Identity, wording: int, language: str) -> str:
        texts = {
            "en": (
                "Find a number from 1 to {size}. Ask at most {questions} times, then submit. You have {turns} turns.",
                "A number from 1 to {size} is hidden. Ask up to {questions} times within {turns} turns; then submit.",
                "Guess the number (1 to {size}): {questions} questions, {turns} turns, one submit.",
            ),
            "zh": (
                "找出 1 到 {size} 的整数。ask 最多 {questions} 次，共 {turns} 回合，最后 submit。",
                "1 到 {size} 之间藏着一个整数，可以问 {questions} 次，{turns} 回合内用 submit 作答。",
                "猜数（1 到 {size}）：{questions} 次提问，{turns} 回合，一次 submit。",
            ),
        }
        return texts[language][wording].format(
            size=identity.size, questions=identity.questions, turns=identity.questions + 4
        )

    def facts(self, identity: Identity, language: str) -> Mapping[str, str]:
        return {"size": str(identity.size), "questions": str(identity.questions), "turns": str(identity.questions + 4)}

    def limits(self, identity: Identity) -> Limits:
        return Limits(turns=identity.questions + 4, budgets={"questions": identity.questions}, call_seconds=5.0)

    def secrets(self, identity: Identity) -> tuple[str, ...]:
        return ()


@attrs.define
class World:
    asked: list[int] = attrs.field(factory=list)


class Tools(Toolset):
    World = World
    identity: Identity
    world: World

    @tool(budget="questions")
    def ask(self, value: Annotated[int, Range(1, 256)]) -> dict[str, Any]:
        """Compare a number with the hidden one.

        Args:
            value: The number to compare.
        """
        if value > self.identity.size:
            raise Refused(f"value: got {value}, allowed 1 to {self.identity.size}", argument="value")
        self.world.asked.append(value)
        sign = (value > self.identity.target) - (value < self.identity.target)
        answer = {"answer": {0: "equal", 1: "too high", -1: "too low"}[sign]}
        return answer | ({"distance": abs(value - self.identity.target)} if self.options.dense else {})

    @tool(final=True)
    def submit(self, value: int) -> str:
        """Give the final answer.

        Args:
            value: The number you found.
        """
        return "The answer was taken."

    def calc_reward(self) -> dict[str, Any]:
        return {"asked": len(self.world.asked)}


class Reward:
    id = "toy-1"

    def __init__(self, options: Options) -> None:
        self.options = options

    def score(self, identity: Identity, log: Log) -> Score:
        value = log.answer["value"] if log.answer else None
        near = 0.0 if value is None else max(0.0, 1 - abs(value - identity.target) / identity.size)
        used = log.spent("questions") / identity.questions
        success = value == identity.target
        return Score(
            success, (Term("distance", min(near, 0.99)),), (Term("questions", 1 - used),), 1.0 if success else -1.0
        )


def bisect(view: View) -> Generator[Move, Observation, None]:
    low, high = 1, int(view.facts["size"])
    for _ in range(view.limits.budgets["questions"]):
        middle = (low + high) // 2
        seen = yield call("ask", value=middle)
        if seen.data["answer"] == "equal":
            low = high = middle
            break
        low, high = (low, middle - 1) if seen.data["answer"] == "too high" else (middle + 1, high)
        if low >= high:
            break
    yield call("submit", value=low)


def middle(view: View) -> Generator[Move, Observation, None]:
    yield call("submit", value=int(view.facts["size"]) // 2)


@hookimpl
def harness_card() -> Card:
    groups = {"easy": Group({"size": 16}), "medium": Group({"size": 64}), "hard": Group({"size": 256})}
    return Card("toy", 1, "Number search", "Find a hidden number by asking.", Options, groups, margin=0.5)


@hookimpl
def harness_prompt(options: Options) -> Prompt:
    return Prompt(options)


@hookimpl
def harness_tools(options: Options) -> type[Toolset]:
    return Tools


@hookimpl
def harness_reward(options: Options) -> Reward:
    return Reward(options)


@hookimpl
def harness_policies(options: Options) -> Mapping[str, Scripted]:
    return {
        "reference": Scripted(bisect, "reference", summary="binary search"),
        "middle": Scripted(middle, "lazy", summary="always the middle"),
    }
