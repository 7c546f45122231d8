"""The world: a bolted joint under pressure, and what a design does in it.

The bolts carry the pressure's end load and press the gasket; their force, spread over a ring under the washers, the
gasket's reaction, the pressure on face and bore and the pull of the pipe bend the flange, which the weld of the pipe
resists. `Joint` is what the drawing and the prompt say, `Truth` how the real joint deviates from its nominal figures.
"""

from __future__ import annotations

import math

import numpy as np
from attrs import frozen

from harness_flangeplane.design import Design
from harness_flangeplane.elements import COLUMNS, LAYERS, POISSON, Array, Ring, Shape
from harness_flangeplane.stock import GASKETS, MATERIAL_NAMES, MATERIALS

PIPE_MODULUS = 210_000.0
"""Young's modulus of the pipe, MPa."""

DEVIATION = 0.35
"""Share of the told deviation of strengths that moduli may deviate by."""


@frozen
class Joint:
    """What the flange has to serve.

    Attributes:
        bore: inner diameter of flange and pipe, mm.
        gasket_inner: inner diameter of the gasket, mm.
        gasket_outer: outer diameter of the gasket, mm.
        pipe_wall: wall of the pipe that is welded to the back of the flange, mm.
        pressure: design pressure, bar.
        gasket: kind of gasket.
    """

    bore: float
    gasket_inner: float
    gasket_outer: float
    pipe_wall: float
    pressure: int
    gasket: str

    @property
    def gasket_mean(self) -> float:
        """Mean diameter of the gasket, mm."""
        return (self.gasket_inner + self.gasket_outer) / 2

    @property
    def stress(self) -> float:
        """Design pressure, MPa."""
        return self.pressure / 10

    @property
    def bolt_force(self) -> float:
        """Nominal force of all bolts: what tightness under pressure or seating the gasket takes, N."""
        width, kind = (self.gasket_outer - self.gasket_inner) / 4, GASKETS[self.gasket]
        ring = math.pi * self.gasket_mean * width
        running = math.pi / 4 * self.gasket_mean**2 * self.stress + 2 * ring * kind.factor * self.stress
        return max(running, ring * kind.seating)

    @property
    def pipe_stiffness(self) -> float:
        """Moment of the pipe's end per radian of rotation and radian of circumference, N mm (semi-infinite shell)."""
        radius = (self.bore + self.pipe_wall) / 2
        bending = PIPE_MODULUS * self.pipe_wall**3 / (12 * (1 - POISSON**2))
        decay = math.sqrt(math.sqrt(3 * (1 - POISSON**2)) / (radius * self.pipe_wall))
        return 2 * decay * bending * self.bore / 2


@frozen
class Truth:
    """How the real joint deviates.

    Attributes:
        force: bolt force that is needed, as a share of the nominal one.
        weld: share of the pipe's stiffness that the weld passes on.
        moduli: modulus of each material in stock, as a share of its nominal one.
        strengths: yield strength of each material in stock, as a share of its nominal one.
    """

    force: float = 1.0
    weld: float = 0.7
    moduli: tuple[float, ...] = (1.0,) * len(MATERIAL_NAMES)
    strengths: tuple[float, ...] = (1.0,) * len(MATERIAL_NAMES)


@frozen
class Found:
    """What an analysis finds: yield strength over largest stress, stresses in MPa, rotation in mrad."""

    safety: float
    stress: float
    rotation: float
    bolt_stress: float


def analyse(joint: Joint, truth: Truth, design: Design, columns: int = COLUMNS, layers: int = LAYERS) -> Found:
    """Analyse a design in a joint; the design must clear the gasket."""
    place = MATERIAL_NAMES.index(design.material)
    material, force = MATERIALS[design.material], joint.bolt_force * truth.force
    shape = Shape(joint.bore / 2, design.outer_diameter / 2, design.thickness, columns, layers)
    holes = _hole_share(shape, design)
    softened = 1 - holes * design.bolts * design.size.hole / (4 * design.bolt_circle)
    ring = Ring(shape, 1000 * material.modulus * truth.moduli[place] * softened)
    ring.stiffen_bore(truth.weld * joint.pipe_stiffness)
    _load(ring, joint, design, force / (2 * math.pi))
    bent = ring.solve()
    ligament = 1 - holes * design.bolts * design.size.hole / (math.pi * design.bolt_circle)
    at_stations = np.concatenate([ligament[:1], np.repeat(ligament, 2)])
    stress = float((bent.faces().equivalent.max(axis=1) / at_stations).max())
    inside, outside = joint.gasket_mean / 2, design.bolt_circle / 2
    tilt = (bent.deflection(inside) - bent.deflection(outside)) / (outside - inside)
    return Found(
        safety=material.strength * truth.strengths[place] / stress,
        stress=stress,
        rotation=1000 * tilt,
        bolt_stress=force / (design.bolts * design.size.area),
    )


def _load(ring: Ring, joint: Joint, design: Design, force: float) -> None:
    """Put a bolt force per radian on a ring, and what balances it."""
    pressure, mean = joint.stress, joint.gasket_mean
    reach, circle = design.size.washer / 2, design.bolt_circle / 2
    ring.press(circle - reach, circle + reach, -force / (2 * circle * reach), back=True)
    ring.press(joint.bore / 2, mean / 2, pressure)
    ring.pull_bore(pressure * joint.bore**2 / 8)
    ring.blow_bore(pressure)
    left = force - pressure * mean**2 / 8
    ring.press(
        joint.gasket_inner / 2, joint.gasket_outer / 2, left * 8 / (joint.gasket_outer**2 - joint.gasket_inner**2)
    )
    ring.fix(mean / 2)


def _hole_share(shape: Shape, design: Design) -> Array:
    """Share of each column that lies between the inner and the outer edge of the bolt holes."""
    edges = shape.inner + shape.width * np.arange(shape.columns + 1)
    low, high = (design.bolt_circle - design.size.hole) / 2, (design.bolt_circle + design.size.hole) / 2
    found: Array = np.clip(np.minimum(edges[1:], high) - np.maximum(edges[:-1], low), 0, None) / shape.width
    return found
