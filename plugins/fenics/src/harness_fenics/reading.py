"""What a script takes from its prompt and from the answers of the tools: numbers, by the names of the facts.

Facts are the same strings as in the prompt, in either language, and carry their numbers in the same order.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

import numpy as np
from attrs import frozen

from harness import View
from harness_fenics.secant import Vector

Lens: TypeAlias = Callable[[Vector], Vector]

NUMBER = re.compile(r"(?<![A-Za-z\d.])\d+(?:\.\d+)?(?:e[+-]?\d+)?")


def numbers(text: str) -> list[float]:
    """Numbers of a text; digits within names and units are none."""
    return [float(found) for found in NUMBER.findall(text)]


def _all(facts: Mapping[str, str], name: str) -> list[list[float]]:
    return [numbers(text) for key, text in facts.items() if key.startswith(f"{name} ")]


@frozen(eq=False)
class DriveBrief:
    """A drive as the prompt tells it.

    Attributes:
        targets: Wanted temperatures, K.
        weights: What one kW/m² of each control adds to the load.
        lengths: Of the heaters, m.
    """

    ceiling: float
    targets: Vector
    tolerance: float
    hottest: float
    bond: float
    load: float
    weights: Vector
    lengths: Vector

    @property
    def even_share(self) -> float:
        """Share of the range that all controls have when they are equal and make nearly the allowed load."""
        return float(min(0.8, self.load / 1.05 / (self.weights.sum() * self.ceiling)))

    def controls(self, share: Vector) -> list[float]:
        """Controls of shares of the range."""
        return [min(self.ceiling, max(0.0, round(float(value) * self.ceiling, 3))) for value in share]


def drive_brief(view: View) -> DriveBrief:
    """Read a drive from the facts of the prompt."""
    facts = view.facts
    lengths = np.array([(places[-1] - places[-2]) / 1000 for places in _all(facts, "heater")])
    weights = lengths
    if "heating" in facts:
        _, stages, seconds = numbers(facts["heating"])
        weights = np.tile(lengths * seconds / 1000, int(stages))
    return DriveBrief(
        ceiling=numbers(facts["bounds"])[-1],
        targets=np.array([each[-1] for each in _all(facts, "monitor")]),
        tolerance=numbers(facts["tolerance"])[-1],
        hottest=numbers(facts["hottest"])[-1],
        bond=numbers(facts["bond"])[-1],
        load=numbers(facts["load"])[-1],
        weights=weights,
        lengths=lengths,
    )


def drive_outputs(answer: Mapping[str, Any], lens: Lens) -> Vector:
    """Monitors, bond and hottest point through a lens, and load, of an answer of `solve`."""
    monitors = [monitor["T_K"] for monitor in answer["monitors"].values()]
    load = next(value for name, value in answer["load"].items() if name.startswith("value_"))
    temperatures = np.array([*monitors, answer["bond"]["T_K"], answer["hottest"]["T_K"]])
    return np.append(lens(temperatures), load)


def requirements_met(answer: Mapping[str, Any]) -> bool:
    """Whether an answer of `solve` says that everything is met."""
    parts = [*answer["monitors"].values(), answer["bond"], answer["hottest"], answer["load"]]
    return all(part["met"] for part in parts)


def plain(temperature: Vector) -> Vector:
    """Temperatures as they are."""
    return temperature


def told_lens(view: View) -> Lens:
    """The view of temperatures in which conduction alone is linear, if the prompt tells a law."""
    return conductivity_integral(view.facts["law"]) if "law" in view.facts else plain


def conductivity_integral(law: str) -> Lens:
    """Integral of the told law from 300 K, over its constant factor; t is in hundreds of kelvin."""
    told = numbers(law.split("t = (T", maxsplit=1)[0])  # k0, 1, a and, of a dipping law, b
    a = told[2]
    if "/ (1 +" in law:
        return lambda temperature: np.log1p(a * (temperature - 300) / 100) / a
    if "t^2" in law:
        b = told[3]
        return lambda temperature: _powers((temperature - 300) / 100, -a / 2, b / 3)
    return lambda temperature: _powers((temperature - 300) / 100, a / 2, 0.0)


def _powers(t: Vector, square: float, cube: float) -> Vector:
    return np.asarray(t + square * t**2 + cube * t**3)


@frozen(eq=False)
class PuzzleBrief:
    """A puzzle as the prompt tells it; places in mm."""

    width: float
    height: float
    zone: tuple[float, float, float, float]
    held: Vector
    low: Vector
    high: Vector
    names: tuple[str, ...]
    heaters: tuple[tuple[float, float], ...]
    tolerance: float
    noise: float

    def parameters(self, share: Vector) -> list[float]:
        """Parameters of shares of their ranges."""
        raw = self.low + share * (self.high - self.low)
        return [float(np.clip(round(float(v), 5), a, b)) for v, a, b in zip(raw, self.low, self.high, strict=True)]


def puzzle_brief(view: View) -> PuzzleBrief:
    """Read a puzzle from the facts of the prompt."""
    facts = view.facts
    bounds = np.array([each[:2] for each in _all(facts, "unknown")])
    width, height = numbers(facts["plate"])[:2]
    heaters = [_middle(text, width, height) for key, text in facts.items() if key.startswith("heater ")]
    left, right, low, high = numbers(facts["zone"])
    return PuzzleBrief(
        width=width,
        height=height,
        zone=(left, right, low, high),
        held=np.array(_all(facts, "held")),
        low=bounds[:, 0],
        high=bounds[:, 1],
        names=tuple(key.split()[1] for key in facts if key.startswith("unknown ")),
        heaters=tuple(heaters),
        tolerance=numbers(facts["accuracy"])[-1],
        noise=numbers(facts["noise"])[-1],
    )


def _middle(text: str, width: float, height: float) -> tuple[float, float]:
    """Middle of a heated stretch; which edge it is on is told by the coordinate and the words of both languages."""
    start, stop, _ = numbers(text)
    along = (start + stop) / 2
    if re.search(r"\by\b", text) or "右" in text:
        return width, along
    return along, 0.0 if "bottom" in text or "下" in text else height
