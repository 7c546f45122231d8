"""Options and identities: what can be set, and what is hidden in an instance of each variant.

`flux` and `transient` are drives: an instance has a nominal problem, which is told, and deviations from it, which are
not; controls are to be found that meet told requirements. `identify` has an unknown source and unknown material, and
asks for temperatures where nobody can measure. Proposing instances is in `harness_fenics.propose`.
"""

from __future__ import annotations

from math import ceil
from typing import Final, Literal, TypeAlias

from attrs import field, frozen

from harness.layers import option
from harness_fenics.problem import Steady, Transient

Variant: TypeAlias = Literal["flux", "identify", "transient"]

LAYOUTS: Final = {3: (3, 1), 4: (2, 2), 6: (3, 2)}
"""Controls of the variant `transient`: number → heaters and stages."""

PARAMETERS: Final = ("source_x", "source_y", "source_peak", "conductivity", "slope", "left_transfer")
"""Unknowns of the variant `identify` in the order in which levels add them."""

UNITS: Final = {
    "source_x": "mm",
    "source_y": "mm",
    "source_peak": "MW/m3",
    "conductivity": "W/(m K)",
    "slope": "1",
    "left_transfer": "W/(m2 K)",
}


@frozen
class Options:
    """Parameters of the task; the groups are presets of them."""

    variant: Variant = option("flux", "what is asked", choices=("flux", "identify", "transient"))  # noqa: RUF009
    controls: int = option(4, "controls, or unknowns of `identify`", choices=(3, 4, 6))
    tolerance: int = option(30, "half width of every temperature window, tenths of a kelvin", choices=range(1, 101))
    slack: int = option(8, "kelvin between the hidden solution's hottest point and the limit", choices=range(2, 41))
    noise: int = option(3, "standard deviation of a measurement of `identify`, tenths of a kelvin", choices=range(21))
    solves: int = option(0, "calls of solve; 0 stands for 1.5 (controls + 1)", seeded=False, choices=range(41))
    probes: int = option(3, "calls of probe", seeded=False, choices=range(1, 41))
    turns: int = option(20, "assistant turns", seeded=False, choices=range(4, 61))

    @property
    def solve_budget(self) -> int:
        """Calls of solve."""
        return self.solves or ceil(1.5 * (self.controls + 1))


@frozen
class Monitor:
    """A point that must be in a temperature window at the end of a stage (a steady state has one); x and y in mm."""

    name: str
    x: int
    y: int
    stage: int
    target: float


@frozen
class Deviations:
    """Factors by which the true plate differs from the told one."""

    conductivity: float
    transfer: float
    emissivity: float


BANDS: Final = Deviations(0.08, 0.15, 0.10)
"""Largest deviations; they are told."""


@frozen
class Drive:
    """Identity of the variants `flux` and `transient`.

    Attributes:
        steady: Told problem of `flux`, without fluxes; None in `transient`.
        heating: Told problem of `transient`, without settings; None in `flux`.
        ceiling: Largest value of a control, kW/m²; the smallest is 0.
        hottest: Limit on the highest temperature anywhere, K.
        weak: The heater, counted from 0, whose bond has a limit of its own.
        bond: That limit on its highest temperature, K.
        load: Limit on the sum of control × length (× stage), kW/m (MJ/m).
        answer: The controls that the requirements were made from, kW/m².
    """

    steady: Steady | None
    heating: Transient | None
    truth: Deviations
    ceiling: int
    monitors: tuple[Monitor, ...]
    tolerance: float
    hottest: int
    weak: int
    bond: int
    load: float
    answer: tuple[float, ...] = field(repr=False)

    @property
    def told(self) -> Steady | Transient:
        """The problem as it is told."""
        problem = self.steady or self.heating
        assert problem is not None
        return problem

    @property
    def stages(self) -> int:
        """Number of stages; a steady state counts as one."""
        return len(self.heating.settings) if self.heating else 1


@frozen
class Unknown:
    """A parameter to be identified, within told bounds."""

    name: str
    low: float
    high: float


@frozen
class Zone:
    """A sealed rectangle where nothing can be measured, mm."""

    left: int
    right: int
    low: int
    high: int

    def holds(self, x: float, y: float) -> bool:
        """Whether a point lies in the zone, edges included."""
        return self.left <= x <= self.right and self.low <= y <= self.high


@frozen
class Puzzle:
    """Identity of the variant `identify`.

    Attributes:
        steady: The told problem; its source has the told width, everything unknown is a placeholder.
        values: True values of the unknowns.
        held: Points in the zone whose temperature is asked for, mm.
        noise: Standard deviation of a measurement, K.
    """

    steady: Steady
    unknowns: tuple[Unknown, ...]
    zone: Zone
    held: tuple[tuple[int, int], ...]
    tolerance: float
    noise: float
    values: tuple[float, ...] = field(repr=False)


Identity: TypeAlias = Drive | Puzzle
