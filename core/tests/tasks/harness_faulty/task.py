"""A task that misbehaves on request: its tool breaks in the way that it is told, its reward in the way that its
options say."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from typing import Any

import attrs
import numpy as np

from harness import (
    Card,
    Group,
    Limits,
    Log,
    Response,
    Result,
    Score,
    Scripted,
    Term,
    Toolset,
    Turn,
    View,
    call,
    hookimpl,
    option,
    tool,
)


@attrs.frozen
class Options:
    reward: str = option("good", "how the reward layer behaves")
    shared: bool = option(False, "keep state on the class, as a task must not")
    every_turn: bool = option(False, "act after every turn")
    call_seconds: float = option(0.5, "limit of a call")
    turns: int = option(6, "assistant turns")
    calls_per_turn: int = option(0, "calls allowed a turn; 0 is unlimited")
    letters: int = option(0, "length of what the world adds to its word after every turn")


@attrs.frozen
class Identity:
    number: int


@attrs.define
class World:
    count: int = 0
    weeks: int = 0


class Prompt:
    identity = Identity

    def __init__(self, options: Options) -> None:
        self.options = options

    def sample(self, rng: np.random.Generator) -> Identity:
        return Identity(int(rng.integers(1 << 40)))

    def messages(self, identity: Identity, wording: int, language: str) -> str:
        return f"Do as you like, within {self.options.turns} turns and 3 breaks."

    def facts(self, identity: Identity, language: str) -> Mapping[str, str]:
        return {"turns": str(self.options.turns)}

    def limits(self, identity: Identity) -> Limits:
        options = self.options
        return Limits(
            turns=options.turns,
            budgets={"breaks": 3},
            call_seconds=options.call_seconds,
            calls_per_turn=options.calls_per_turn or None,
        )


class Tools(Toolset):
    World = World
    world: World
    seen: list[int] = []

    @tool
    def increment(self, by: int = 1) -> dict[str, int]:
        """Add to the counter.

        Args:
            by: How much to add.
        """
        before = self.world.count
        time.sleep(0)
        self.world.count = before + by
        if self.options.shared:
            self.seen.append(by)
            return {"count": len(self.seen)}
        return {"count": self.world.count}

    @tool(budget="breaks")
    def act(self, kind: str) -> Any:
        """Break in a way.

        Args:
            kind: How to break.
        """
        if kind == "raise":
            return {}["secret-key"]
        if kind == "hang":
            time.sleep(3600)
        if kind == "die":
            os._exit(3)
        return {
            "object": object(),
            "inner": {"value": object()},
            "surrogate": "half \ud835 a pair",
            "long": "x" * 8000,
            "nan": {"value": float("nan")},
        }.get(kind, "fine")

    @tool
    def nothing(self) -> Result:
        """Do nothing, without arguments."""
        return Result("nothing")

    @tool(final=True)
    def submit(self, value: int | None = None) -> str:
        """Answer.

        Args:
            value: Anything.
        """
        return "taken"

    def calc_reward(self) -> dict[str, Any]:
        return {"count": self.world.count, "weeks": self.world.weeks}


class Interaction:
    every_turn = True

    def respond(self, toolset: Tools, turn: Turn) -> Response | None:
        toolset.world.weeks += 1
        said = f"week {toolset.world.weeks}" + "x" * toolset.options.letters
        return Response(said, score=0.5, extra={"weeks": toolset.world.weeks})


class Reward:
    def __init__(self, options: Options) -> None:
        self.kind = options.reward
        self.id = f"faulty-{options.reward}"

    def score(self, identity: Identity, log: Log) -> Any:
        if self.kind == "hang":
            while True:
                time.sleep(1)
        if self.kind == "raise":
            raise RuntimeError("no score")
        values: dict[str, Any] = {"nan": float("nan"), "inf": float("inf"), "big": 1.5, "good": 0.5}
        if self.kind == "none":
            return None
        success = log.answer is not None
        return Score(success, (Term("half", values.get(self.kind, 0.5)),), (), 1.0 if success else -1.0)


def submit_at_once(view: View) -> Any:
    yield call("submit", value=1)


@hookimpl
def harness_card() -> Card:
    return Card(
        "faulty",
        1,
        "Faulty",
        "Misbehaves on request.",
        Options,
        {"plain": Group()},
        certified=False,
        languages=("en",),
        wordings=1,
    )


@hookimpl
def harness_prompt(options: Options) -> Prompt:
    return Prompt(options)


@hookimpl
def harness_tools(options: Options) -> type[Toolset]:
    return Tools


@hookimpl
def harness_interaction(options: Options) -> Interaction | None:
    return Interaction() if options.every_turn else None


@hookimpl
def harness_reward(options: Options) -> Reward:
    return Reward(options)


@hookimpl
def harness_policies(options: Options) -> Mapping[str, Scripted]:
    return {
        "reference": Scripted(submit_at_once, "reference", summary="submits at once"),
        "fitted": Scripted(
            None, "adversary", summary="fitted before it plays", fit=lambda some, options: submit_at_once
        ),
    }
