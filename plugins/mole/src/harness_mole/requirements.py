"""What is asked of a molecule: intervals of measured values, and how a molecule stands to them.

A requirement is told with its ends as printed, so every value is rounded to the printed digits before it is compared:
what an agent reads and what decides are the same numbers.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, Literal

from attrs import frozen

from harness_mole import chemistry

Name = Literal["logp", "tpsa", "weight", "qed", "sa", "rotors", "similarity", "substructure", "alerts"]

DIGITS: Final[Mapping[Name, int]] = {
    "logp": 2,
    "tpsa": 1,
    "weight": 1,
    "qed": 3,
    "sa": 2,
    "rotors": 0,
    "similarity": 3,
    "substructure": 0,
    "alerts": 0,
}
"""Printed decimals of each value."""

REACH: Final[Mapping[Name, float]] = {
    "logp": 2.0,
    "tpsa": 50.0,
    "weight": 100.0,
    "qed": 0.4,
    "sa": 2.0,
    "rotors": 4.0,
    "similarity": 0.4,
    "substructure": 1.0,
    "alerts": 2.0,
}
"""Distance from an interval at which nothing is earned for it, where the lead lies inside."""


@frozen
class Requirement:
    """An interval in which a value must lie, ends included; None leaves a side open."""

    name: Name
    low: float | None = None
    high: float | None = None

    @property
    def hair(self) -> float:
        """Smallest distance that is more than rounding."""
        return 2 * 10.0 ** -DIGITS[self.name] if DIGITS[self.name] else 0.1

    def off(self, value: float) -> float:
        """Signed distance from the interval, 0 inside: negative is too low."""
        if self.low is not None and value < self.low:
            return round(value - self.low, 6)
        return round(value - self.high, 6) if self.high is not None and value > self.high else 0.0

    def room(self, value: float) -> float:
        """Distance to the nearest end: at least 0 inside, negative outside. Counts are at full room or none."""
        if DIGITS[self.name] == 0:
            return 1.0 if self.off(value) == 0 else -1.0
        ends = [value - end for end in (self.low,) if end is not None] + [
            end - value for end in (self.high,) if end is not None
        ]
        return round(min(ends), 6)

    def closeness(self, value: float, start: float) -> float:
        """1 inside, falling to 0 at the distance of the lead's value `start`, or at `REACH` if that is inside."""
        return max(0.0, 1 - abs(self.off(value)) / (abs(self.off(start)) or REACH[self.name]))


def measure(mol: Any, lead: str, core: str) -> tuple[dict[Name, float], tuple[str, ...]]:
    """Return the values of a molecule as printed, and the names of its structural alerts."""
    from rdkit import Chem

    found = chemistry.properties_of(str(Chem.MolToSmiles(mol)))
    values: dict[Name, float] = {
        "logp": found.logp,
        "tpsa": found.tpsa,
        "weight": found.weight,
        "qed": found.qed,
        "sa": found.sa,
        "rotors": found.rotors,
        "similarity": chemistry.similarity(mol, lead),
        "substructure": float(chemistry.keeps(mol, core)),
        "alerts": float(len(found.alerts)),
    }
    return {name: round(value, DIGITS[name]) for name, value in values.items()}, found.alerts
