"""What a scripted policy reads from the prompt: duty, requirements, bounds, as numbers.

Scripts get the facts of the prompt as strings and must read them as a model would; nothing of the hidden deviation
is here.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from harness.records import Json
from harness.scripted import View
from harness_battery import twin
from harness_battery.chemistry import BOUNDS, CHEMISTRIES, Chemistry, Design
from harness_battery.requirements import ZERO_CELSIUS, Requirements
from harness_battery.world import Duty

_NUMBER = re.compile(r"-?\d+(?:\.\d+)?")


@frozen
class Brief:
    """The instance as told.

    Attributes:
        name: Chemistry.
        free: Which design variables are the designer's, in the order of `twin.VARIABLES`.
        simulations: Budget, from the limits of the episode.
    """

    name: str
    duty: Duty
    required: Requirements
    free: NDArray[np.bool_]
    simulations: int

    @property
    def cell(self) -> Chemistry:
        """The published cell."""
        return CHEMISTRIES[self.name]

    def nominal(self) -> NDArray[np.float64]:
        """Return the published design as a row."""
        return np.asarray(twin.as_rows([self.cell.nominal()])[0], float)

    def arguments(self, row: NDArray[np.float64]) -> dict[str, Json]:
        """Write a row as the arguments of a tool: the variables that are free."""
        design = {v: float(x) for v, x, free in zip(BOUNDS, row, self.free, strict=True) if free}
        return {"design": design}

    def design(self, row: NDArray[np.float64]) -> Design:
        """Return a row as a design, with the published value of what is not free."""
        return twin.as_design(np.where(self.free, row, self.nominal()))


def read(view: View) -> Brief:
    """Read the facts of a prompt."""
    facts = view.facts
    fast = "charge_rate" in facts
    ambient = number(facts, "ambient") + ZERO_CELSIUS
    share = number(facts, "charge_percent") if fast else 0.0
    duty = Duty(
        number(facts, "c_rate"),
        ambient,
        number(facts, "cooling"),
        number(facts, "charge_rate") if fast else 0.0,
        share / 100,
    )
    need = Requirements(
        number(facts, "capacity_ah"),
        number(facts, "energy_wh_per_kg"),
        number(facts, "peak_c"),
        number(facts, "plating_mv") if fast else None,
        share if fast else None,
    )
    return Brief(
        facts["chemistry"], duty, need, np.array([name in facts for name in BOUNDS]), view.limits.budgets["simulations"]
    )


def number(facts: Mapping[str, str], name: str) -> float:
    """Return the first number of a fact."""
    found = _NUMBER.search(facts[name])
    if found is None:
        raise ValueError(f"the fact {name!r} holds no number: {facts[name]!r}")
    return float(found.group())
