"""What an engine is asked to solve: heat conduction in a plate, steady or in time, as plain records in SI units.

A problem says everything that the weak form needs and nothing of how it is discretised beyond the mesh pitch, so that
two engines can be given the same one. The plate lies in the plane, all heat is per metre of depth, temperatures are in
kelvin. Steady: div(k(T) grad T) + s = 0. In time: rho_c dT/dt = div(k grad T). On the edges: told inflow on the heated
segments, convection to a coolant on the left edge, convection and radiation to the air on the three others.
"""

from __future__ import annotations

from typing import Final, Literal, TypeAlias

from attrs import frozen

Edge: TypeAlias = Literal["bottom", "right", "top"]
LawKind: TypeAlias = Literal["rising", "falling", "dipping"]

SIGMA: Final = 5.670374419e-8
"""Stefan-Boltzmann constant, W/(m² K⁴)."""

ORIGIN: Final = 300.0
"""Temperature at which a law gives its `k0`, K; laws are written in t = (T - 300 K) / 100 K."""


@frozen
class Plate:
    """A rectangle of `columns` × `rows` square cells, each cut into two triangles; `pitch` is their side in metres."""

    columns: int
    rows: int
    pitch: float

    @property
    def width(self) -> float:
        """Extent along x, m."""
        return self.columns * self.pitch

    @property
    def height(self) -> float:
        """Extent along y, m."""
        return self.rows * self.pitch


@frozen
class Segment:
    """A heated stretch of an edge, from `start` to `stop` along it (x or y), m; both on mesh nodes."""

    edge: Edge
    start: float
    stop: float

    @property
    def length(self) -> float:
        """Length, m."""
        return self.stop - self.start


@frozen
class Law:
    """Conductivity by temperature, W/(m K).

    `rising` is k0 (1 + a t), `falling` k0 / (1 + a t), `dipping` k0 (1 - a t + b t²).
    """

    kind: LawKind
    k0: float
    a: float
    b: float = 0.0


@frozen
class Patch:
    """A rectangle in which the conductivity is `factor` times the plate's; element centroids decide."""

    left: float
    right: float
    low: float
    high: float
    factor: float


@frozen
class Source:
    """Volume heat of `peak` exp(-r² / (2 width²)) W/m³ around a centre; interpolated at the mesh nodes."""

    x: float
    y: float
    width: float
    peak: float


@frozen
class Exchange:
    """Heat exchange of the edges.

    Attributes:
        left: Heat-transfer coefficient of the left edge, W/(m² K).
        coolant: Temperature behind the left edge, K.
        air: Heat-transfer coefficient of the other edges, W/(m² K).
        ambient: Temperature around the other edges, K.
        emissivity: Emissivity of the other edges.
    """

    left: float
    coolant: float
    air: float
    ambient: float
    emissivity: float


@frozen
class Steady:
    """A steady state; `fluxes` are the inflows of the segments, W/m²."""

    plate: Plate
    exchange: Exchange
    segments: tuple[Segment, ...]
    fluxes: tuple[float, ...]
    law: Law
    patch: Patch | None = None
    source: Source | None = None


@frozen
class Transient:
    """A heating from uniform `ambient` temperature.

    Attributes:
        settings: Stage by stage, the setting of every segment, W/m².
        stage: Duration of a stage, s.
        slew: Fastest change of a heater's setting, W/m² per s; heaters start at zero.
        derating: Loss of output per kelvin of the heater's mean temperature above ambient; none goes below zero.
        steps: Time steps per stage.
    """

    plate: Plate
    exchange: Exchange
    segments: tuple[Segment, ...]
    settings: tuple[tuple[float, ...], ...]
    stage: float
    slew: float
    derating: float
    conductivity: float
    heat_capacity: float
    steps: int

    @property
    def damping(self) -> float:
        """Coefficient that each step treats as implicit in place of radiation, W/(m² K): its slope at 1000 K."""
        return 4 * self.exchange.emissivity * SIGMA * 1000.0**3

    def schedule(self) -> list[list[float]]:
        """Return what the heaters are set to at the end of each time step: the settings, as fast as they can follow."""
        level, rise, made = [0.0] * len(self.segments), self.slew * self.stage / self.steps, []
        for wanted in self.settings:
            for _ in range(self.steps):
                level = [now + max(-rise, min(rise, goal - now)) for now, goal in zip(level, wanted, strict=True)]
                made.append(level)
        return made


Problem: TypeAlias = Steady | Transient
