"""The toy again, with the fault that its group names; the group `sound` has none."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Generator, Mapping
from pathlib import Path
from typing import Any

import attrs
import numpy as np
from harness_toy import task as toy

from harness import (
    Card,
    Group,
    Log,
    Move,
    Observation,
    Score,
    Scripted,
    Toolset,
    View,
    call,
    hookimpl,
    option,
    tool,
)

FAULTS = {
    "sound": "",
    "wording": "one wording lacks a fact",
    "untold": "no wording tells the budget",
    "secret": "a tool shows the solution",
    "canary": "a tool shows the environment",
    "echo": "a tool shows a hidden number that is no declared secret",
    "shared": "state is kept on the class",
    "impure": "the reward counts its own calls",
    "hashing": "what a tool says depends on the hash seed",
    "child": "a tool leaves a process behind",
    "file": "a tool writes into the working directory",
    "sign": "the margin has the wrong sign",
    "generous": "silence is a success",
    "fragile": "the reward raises where there is no answer",
    "raising": "a tool raises on large numbers",
    "order": "a draw depends on how many were made before",
    "constant": "all instances have one key",
    "undocumented": "a parameter has no description",
    "unsolved": "the reference does not solve it",
    "english": "the reference reads English only",
}


@attrs.frozen
class Options:
    size: int = option(64, "largest number", choices=(16, 64, 256))
    dense: bool = option(False, "also tell the distance", seeded=False)
    fault: str = option("sound", "what is wrong", choices=tuple(FAULTS))


DRAWN: list[int] = []
LEFT: list[subprocess.Popen[bytes]] = []


@attrs.frozen
class Identity(toy.Identity):
    mass: float = 0.5


class Prompt(toy.Prompt):
    identity = Identity

    def sample(self, rng: np.random.Generator) -> Identity:
        DRAWN.append(1)
        drawn = Identity(*attrs.astuple(super().sample(rng)), mass=float(rng.random()))
        moved = (drawn.target + len(DRAWN)) % drawn.size + 1
        return attrs.evolve(drawn, target=moved) if self.options.fault == "order" else drawn

    def messages(self, identity: toy.Identity, wording: int, language: str) -> str:
        text = super().messages(identity, wording, language)
        if self.options.fault == "wording" and wording == 1:
            return text.replace(str(identity.size), "many")
        if self.options.fault == "untold":
            return text.replace(str(identity.questions), "some")
        return text

    def facts(self, identity: toy.Identity, language: str) -> Mapping[str, str]:
        facts = dict(super().facts(identity, language))
        if self.options.fault == "untold":
            del facts["questions"]
        return facts

    def key(self, identity: toy.Identity) -> Any:
        return "one" if self.options.fault == "constant" else attrs.astuple(identity)

    def secrets(self, identity: toy.Identity) -> tuple[str, ...]:
        return (f"the number is {identity.target}",)


class Tools(toy.Tools):
    seen: list[int] = []

    @tool(budget="questions")
    def ask(self, value: int) -> dict[str, Any]:
        """Compare a number with the hidden one.

        Args:
            value: The number to compare.
        """
        if self.options.fault == "raising" and value > 10**6:
            raise KeyError(value)
        return super().ask(max(1, min(value, self.identity.size))) | self._fault(value)

    def _fault(self, value: int) -> dict[str, Any]:
        fault = self.options.fault
        if fault == "secret":
            return {"note": f"the number is {self.identity.target}"}
        if fault == "canary":
            return {"note": os.environ.get("HARNESS_CANARY", "")}
        if fault == "echo":
            return {"note": f"{self.identity.mass}"}
        if fault == "shared":
            self.seen.append(value)
            return {"note": len(self.seen)}
        if fault == "hashing":
            return {"note": list({"red", "green", "blue", "black", "white"})}
        if fault == "child":
            LEFT.append(subprocess.Popen(["sleep", "60"]))
        if fault == "file":
            Path("left_behind.txt").write_text("left")
        return {}


class Undocumented(Tools):
    @tool
    def peek(self, where: str) -> str:
        """Look somewhere."""
        return "nothing"


class Reward(toy.Reward):
    id = "broken-1"
    scored = 0

    def score(self, identity: toy.Identity, log: Log) -> Score:
        fault = self.options.fault
        Reward.scored += 1
        if fault == "fragile" and log.answer is None:
            raise RuntimeError("there is no answer")
        made = super().score(identity, log)
        if fault == "impure":
            return attrs.evolve(made, detail=f"scored {Reward.scored} times")
        if fault == "sign":
            return attrs.evolve(made, margin=-(made.margin or 0.0))
        if fault == "generous" and log.answer is None:
            return attrs.evolve(made, success=True, margin=1.0)
        return made


def hopeless(view: View) -> Generator[Move, Observation, None]:
    yield call("submit", value=0)


def monoglot(view: View) -> Generator[Move, Observation, None]:
    yield from (toy.bisect if view.language == "en" else hopeless)(view)


@hookimpl
def harness_card() -> Card:
    groups = {name: Group({"fault": name}, summary=text) for name, text in FAULTS.items()}
    return Card("broken", 1, "Broken", "The toy with one fault per group.", Options, groups, margin=0.5)


@hookimpl
def harness_prompt(options: Options) -> Prompt:
    return Prompt(options)


@hookimpl
def harness_tools(options: Options) -> type[Toolset]:
    return Undocumented if options.fault == "undocumented" else Tools


@hookimpl
def harness_reward(options: Options) -> Reward:
    return Reward(options)


@hookimpl
def harness_policies(options: Options) -> Mapping[str, Scripted]:
    solver = {"unsolved": hopeless, "english": monoglot}.get(options.fault, toy.bisect)
    return {
        "reference": Scripted(solver, "reference", summary="binary search"),
        "middle": Scripted(toy.middle, "lazy", summary="always the middle"),
    }
