"""Instances: a joint, the flange in its drawing, and requirements that a hidden good design meets with some slack.

The hidden design is a good one of its kind: the bolt circle as small as gasket and wrench allow, the rim as small as
the bolts allow, a thickness for a usual safety. Its material and bolt size are drawn. What it reaches in the real
joint, widened by the slack, is what is asked.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, cast

from attrs import frozen

from harness import Reject
from harness_flangeplane.design import Design, Reading, broken_rule, least_circle, widest
from harness_flangeplane.joint import DEVIATION, Found, Joint, Truth, analyse
from harness_flangeplane.options import Options
from harness_flangeplane.stock import (
    BOLT_NAMES,
    BOLTS,
    GASKETS,
    MATERIAL_NAMES,
    MATERIALS,
    PRESSURES,
    Bolt,
    BoltName,
    MaterialName,
)

if TYPE_CHECKING:
    import numpy as np

WELD = (0.4, 1.0)
"""Share of the pipe's stiffness that a weld passes on, from and to."""

SPARE = 0.01
"""Added to the smallest bolt circle and rim before rounding to hundredths, mm."""


@frozen
class Requirements:
    """What is asked: least safety against yield; most rotation (mrad), bolt stress (MPa), blank (kg) and cost (EUR)."""

    safety: float
    rotation: float
    bolt_stress: float
    blank: float
    cost: float


@frozen
class Identity:
    """The hidden parameters of an instance.

    Attributes:
        joint: what the flange serves; all but the kind of gasket stands in the drawing only.
        truth: how the real joint deviates from nominal figures.
        pictured: the flange in the drawing.
        required: what is asked.
        known: the hidden design that meets it.
        angle: how far the bolt holes of the front view are turned, degrees.
        look: which sides of the sheet the dimensions stand on.
        jacks: whether there are jacking holes in the drawing.
        scale_bar: whether the thickness is only drawn to scale.
        budgets: analyses and drawings.
        slack: by how much the requirements are wider than what the known design reaches.
        doubt: told deviation.
    """

    joint: Joint
    truth: Truth
    pictured: Design
    required: Requirements
    known: Design
    angle: float
    look: int
    jacks: bool
    scale_bar: bool
    budgets: tuple[int, int]
    slack: float
    doubt: float

    @property
    def reading(self) -> Reading:
        """What the drawing says."""
        joint, drawn = self.joint, self.pictured
        return Reading(
            joint.bore, joint.gasket_outer, drawn.bolt_circle, drawn.thickness, drawn.bolts, float(joint.pressure)
        )


def propose(options: Options, rng: np.random.Generator) -> Identity:
    """Draw an instance.

    Raises:
        Reject: No good design of the drawn kind fits the joint.
    """
    joint, truth = _joint(rng), _truth(rng, options.doubt)
    known = _known(joint, truth, rng)
    return Identity(
        joint=joint,
        truth=truth,
        pictured=_pictured(joint, known, rng),
        required=_required(known, analyse(joint, truth, known), options.slack),
        known=known,
        angle=round(float(rng.uniform(0, 360)), 2),
        look=int(rng.integers(4)),
        jacks=options.jacks,
        scale_bar=options.scale_bar,
        budgets=(options.analyses, options.drawings),
        slack=options.slack,
        doubt=options.doubt,
    )


def _joint(rng: np.random.Generator) -> Joint:
    bore = int(rng.integers(48, 221))
    inner = bore + 2 * int(rng.integers(3, 9))
    outer = inner + 2 * int(rng.integers(8, 19))
    wall = float(rng.integers(6, 17)) / 2
    gasket = str(rng.choice(list(GASKETS)))
    return Joint(float(bore), float(inner), float(outer), wall, int(rng.choice(PRESSURES)), gasket)


def _truth(rng: np.random.Generator, doubt: float) -> Truth:
    def around(band: float, count: int) -> tuple[float, ...]:
        return tuple(float(1 + band * share) for share in rng.uniform(-1, 1, count))

    kinds = len(MATERIAL_NAMES)
    return Truth(around(doubt, 1)[0], float(rng.uniform(*WELD)), around(DEVIATION * doubt, kinds), around(doubt, kinds))


# ---- the known design


def _known(joint: Joint, truth: Truth, rng: np.random.Generator) -> Design:
    """Draw a good design: its kind at random, its thickness for a usual safety."""
    material = cast(MaterialName, str(rng.choice(MATERIAL_NAMES)))
    plate, steel = MATERIALS[material], MATERIALS["S355"]
    target, wanted = float(rng.uniform(120, 200)), float(rng.uniform(1.5, 2.6))
    # what yields late bends far before: such a plate is made thicker than its strength asks
    wanted *= math.sqrt(plate.strength / plate.modulus * steel.modulus / steel.strength)
    thickness = 0.1 * (joint.gasket_outer + 60) * (steel.modulus / plate.modulus) ** (1 / 3)
    kinds = _kinds(joint, truth, target, thickness)
    if not kinds:
        raise Reject("no bolt size fits")
    bolt = kinds[int(rng.integers(len(kinds)))]
    design = None
    for _ in range(3):
        design = good_design(joint, material, bolt, thickness, joint.bolt_force * truth.force / target)
        if design is None or not 7 <= thickness <= 100:
            raise Reject("no thickness fits")
        found = analyse(joint, truth, design)
        thickness *= math.sqrt(wanted / found.safety)
    assert design is not None
    return design


def _kinds(joint: Joint, truth: Truth, target: float, thickness: float) -> list[BoltName]:
    """Bolt sizes whose rims are within a tenth of the smallest."""
    area = joint.bolt_force * truth.force / target
    found = {name: good_design(joint, "S355", name, thickness, area) for name in BOLT_NAMES}
    rims = {name: design.outer_diameter for name, design in found.items() if design is not None}
    return [name for name, rim in rims.items() if rim <= 1.1 * min(rims.values())]


def good_design(
    joint: Joint, material: MaterialName, name: BoltName, thickness: float, area: float, more: int = 0
) -> Design | None:
    """Return the design of the smallest rim for a material, bolt size, thickness and least stress area of all bolts.

    Args:
        joint: What it serves.
        material: Material of the plate.
        name: Bolt size.
        thickness: Of the plate, mm.
        area: Least sum of stress areas, mm2.
        more: Bolts beyond the fewest.
    """
    bolt = BOLTS[name]
    count = _even(max(4.0, area / bolt.area)) + more
    for _ in range(20):
        circle = up(max(least_circle(bolt, joint.gasket_outer), count * bolt.pitch / math.pi))
        needed = _even(math.pi * circle / widest(bolt, thickness, joint.gasket))
        if needed <= count:
            break
        count = needed
    rim = up(circle + 2 * bolt.edge)
    if count > 40 or circle > 600 or rim > 700 or needed > count:
        return None
    return Design(material, name, count, circle, rim, round(thickness, 3))


def _even(least: float) -> int:
    return 2 * math.ceil(least / 2 - 1e-9)


def up(value: float) -> float:
    """Round up to hundredths of a millimetre, with some to spare."""
    return math.ceil((value + SPARE) * 100) / 100


def _required(known: Design, found: Found, slack: float) -> Requirements:
    """Widen what the known design reaches by the slack; rounding widens too."""
    wide = 1 + slack
    return Requirements(
        safety=math.floor(1000 * found.safety / wide) / 1000,
        rotation=math.ceil(1000 * found.rotation * wide) / 1000,
        bolt_stress=math.ceil(10 * found.bolt_stress * wide) / 10,
        blank=math.ceil(100 * known.blank * wide) / 100,
        cost=math.ceil(100 * known.cost * wide) / 100,
    )


# ---- the flange in the drawing


def _pictured(joint: Joint, known: Design, rng: np.random.Generator) -> Design:
    """Draw a flange that keeps the rules and is no good design: roomier, of other thickness, bolts and material."""
    for _ in range(50):
        name = cast(BoltName, str(rng.choice(BOLT_NAMES[1:5])))
        material = cast(MaterialName, str(rng.choice(MATERIAL_NAMES)))
        bolt = BOLTS[name]
        thickness = min(90.0, max(14.0, round(2 * known.thickness * float(rng.uniform(0.6, 1.7))) / 2))
        circle = math.ceil(least_circle(bolt, joint.gasket_outer)) + int(rng.integers(3, 26))
        rim = math.ceil(circle + 2 * bolt.edge) + int(rng.integers(2, 26))
        counts = _counts(bolt, circle, widest(bolt, thickness, joint.gasket))
        if counts:
            design = Design(material, name, int(rng.choice(counts)), float(circle), float(rim), thickness)
            if broken_rule(design, joint.gasket) is None:
                return design
    raise Reject("no flange to draw")


def _counts(bolt: Bolt, circle: float, most: float) -> list[int]:
    return [n for n in range(4, 29, 2) if bolt.pitch <= math.pi * circle / n <= most]
