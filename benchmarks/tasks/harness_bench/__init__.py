"""A task whose world takes about 4 kB and whose tool does almost nothing, so that what is around it can be measured."""

from __future__ import annotations

import attrs
import numpy as np

from harness import Card, Group, Limits, Log, Score, Term, Toolset, hookimpl, tool

READINGS, KEPT = 100, 20


@attrs.frozen
class Options:
    """No options."""


@attrs.frozen
class Identity:
    """What is hidden: where the knob ought to be."""

    best: float


class Prompt:
    """One plain sentence."""

    identity = Identity

    def __init__(self, options: Options) -> None:
        self.options = options

    def sample(self, rng: np.random.Generator) -> Identity:
        """Draw where the knob ought to be."""
        return Identity(float(rng.uniform()))

    def messages(self, identity: Identity, wording: int, language: str) -> str:
        """Say what to do."""
        return "Turn the knob, then submit."

    def facts(self, identity: Identity, language: str) -> dict[str, str]:
        """Nothing is stated in numbers."""
        return {}

    def limits(self, identity: Identity) -> Limits:
        """Allow as many turns as a benchmark may take."""
        return Limits(turns=1_000_000, budgets={"turns": 1_000_000})

    def secrets(self, identity: Identity) -> tuple[str, ...]:
        """The hidden place in full."""
        return (repr(identity.best),)


@attrs.define
class Event:
    """One thing that happened."""

    call: int
    knob: str
    value: float
    accepted: bool


@attrs.define
class World:
    """Readings of many sensors and the last events: about 4 kB of JSON."""

    readings: list[float]
    labels: dict[str, str]
    events: list[Event]


class Tools(Toolset):
    """One knob."""

    World = World
    identity: Identity
    world: World

    @classmethod
    def create(cls, identity: Identity, options: Options) -> World:
        """Fill the world."""
        readings = np.random.default_rng(0).normal(size=READINGS).tolist()
        events = [Event(number, "left", 0.125 * number, True) for number in range(KEPT)]
        return World(readings, {f"sensor-{k}": f"room {k % 7}, shelf {k % 3}" for k in range(20)}, events)

    @tool(budget="turns")
    def turn(self, knob: str, value: float) -> dict[str, float]:
        """Turn a knob and read a sensor.

        Args:
            knob: Which knob.
            value: Where to.
        """
        self.world.events = [*self.world.events[1:], Event(self.clock.call, knob, value, True)]
        self.world.readings[self.clock.call % READINGS] = value
        return {"reading": self.world.readings[0], "distance": abs(value - self.identity.best)}

    @tool(final=True)
    def submit(self, value: float) -> str:
        """Give the final answer.

        Args:
            value: Where the knob ought to be.
        """
        return "Taken."


class Reward:
    """How near the answer is."""

    id = "bench-1"

    def __init__(self, options: Options) -> None:
        self.options = options

    def score(self, identity: Identity, log: Log) -> Score:
        """Score by distance."""
        near = 0.0 if log.answer is None else 1 - abs(log.answer["value"] - identity.best)
        return Score(near > 0.95, (Term("near", max(0.0, near)),))


@hookimpl
def harness_card() -> Card:
    """Tell what the task is."""
    return Card(
        name="bench",
        version=1,
        title="Benchmark",
        summary="A world of about 4 kB",
        options=Options,
        groups={"only": Group({})},
        modality="text",
        heavy=False,
        certified=False,
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
