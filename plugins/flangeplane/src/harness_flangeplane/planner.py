"""A twin of the joint that learns from analyses, and the search for the design with the most room in every requirement.

The twin is the same kind of model on a coarser mesh, with nominal figures. What an analysis says corrects it: the bolt
force for all designs, strength, stress and rotation for the material that was analysed. The search goes through all
materials and bolt sizes, takes the smallest bolt circle and rim that the rules allow, and balances the thickness.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any, TypeAlias

import attrs
import numpy as np
from attrs import define, field, frozen

from harness_flangeplane.design import Design, least_circle, slimmest
from harness_flangeplane.joint import Found, Joint, Truth, analyse
from harness_flangeplane.sample import Requirements, up
from harness_flangeplane.stock import BOLT_NAMES, BOLTS, MATERIAL_NAMES, MATERIALS
from harness_flangeplane.tools import margins

MESH = (12, 2)
BEYOND = 0.3
"""A kind of design that misses a requirement by more at its greatest thickness is given up."""

POWERS = (1.7, 2.2)
"""Powers of the thickness by which safety rises and rotation falls, before two designs of a kind tell better."""

REFINED = 4
"""Kinds of each material that are balanced."""

COUNTS = 5
"""Numbers of bolts that are tried of a size, from the fewest that come near."""

STEPS = 401
"""Thicknesses that are compared of a kind."""


@frozen
class Kind:
    """A kind of design: all but the thickness, and the range of it that rules, weight and cost leave, mm."""

    design: Design
    least: float
    most: float

    def of(self, thickness: float) -> Design:
        """Return the design of a thickness, rounded towards what weight and cost allow."""
        return attrs.evolve(self.design, thickness=max(self.least, math.floor(1000 * thickness) / 1000))


@frozen
class Start:
    """A kind at its greatest thickness, what is predicted of it, and the margin that balancing may give."""

    kind: Kind
    design: Design
    seen: Found
    spare: float


Powers: TypeAlias = tuple[float, float]
Known: TypeAlias = tuple[Joint, Requirements, Truth, tuple[tuple[str, float], ...], tuple[tuple[str, float], ...]]


@frozen
class Plan:
    """A design and its least margin by the twin."""

    design: Design
    worst: float


@define
class Twin:
    """A model of the joint as far as it is known.

    Attributes:
        joint: what was read.
        required: what is asked.
        truth: estimate of the deviations.
        stress, rotation: factors on what the model says, by material.
    """

    joint: Joint
    required: Requirements
    truth: Truth = field(factory=Truth)
    stress: dict[str, float] = field(factory=dict)
    rotation: dict[str, float] = field(factory=dict)

    def predict(self, design: Design) -> Found:
        """Return what an analysis of a design is expected to say."""
        found = analyse(self.joint, self.truth, design, *MESH)
        stress, rotation = self.stress.get(design.material, 1.0), self.rotation.get(design.material, 1.0)
        return Found(found.safety / stress, found.stress * stress, found.rotation * rotation, found.bolt_stress)

    def learn(self, design: Design, told: Mapping[str, Any]) -> None:
        """Correct the twin by the answer to an analysis."""
        material, stress = design.material, told["largest_stress_MPa"]
        force = told["bolt_stress_MPa"]["value"] * design.bolts * design.size.area / self.joint.bolt_force
        strengths = list(self.truth.strengths)
        strengths[MATERIAL_NAMES.index(material)] = told["safety"]["value"] * stress / MATERIALS[material].strength
        self.truth = attrs.evolve(self.truth, force=force, strengths=tuple(strengths))
        bare = analyse(self.joint, self.truth, design, *MESH)
        self.stress[material] = stress / bare.stress
        self.rotation[material] = told["rotation_mrad"]["value"] / bare.rotation

    def plans(self) -> tuple[Plan, ...]:
        """Return the balanced design of every kind that may meet what is asked, the best first."""
        return _plans(self._known())

    def _known(self) -> Known:
        stress, rotation = tuple(sorted(self.stress.items())), tuple(sorted(self.rotation.items()))
        return self.joint, self.required, self.truth, stress, rotation

    def search(self) -> tuple[Plan, ...]:
        """Look at every kind at its greatest thickness, balance the most promising few of each material."""
        started: dict[str, list[Start]] = {name: [] for name in MATERIAL_NAMES}
        for kind in self._kinds():
            design = kind.of(kind.most)
            seen = self.predict(design)
            if min(margins(design, seen, self.required).values()) >= -BEYOND:
                _, spare = self._balance(kind, design, seen, POWERS)
                started[design.material].append(Start(kind, design, seen, min(spare, self._bolt_spare(seen))))
        few = [start for starts in started.values() for start in sorted(starts, key=lambda s: -s.spare)[:REFINED]]
        return tuple(sorted(map(self._balanced, few), key=lambda plan: -plan.worst))

    def _bolt_spare(self, seen: Found) -> float:
        return 1 - seen.bolt_stress / self.required.bolt_stress

    def _kinds(self) -> Iterator[Kind]:
        """Yield every material, bolt size and number of bolts within reach, with its range of thickness."""
        force, asked = self.joint.bolt_force * self.truth.force, self.required
        for bolt in BOLT_NAMES:
            size = BOLTS[bolt]
            fewest = force / (size.area * asked.bolt_stress * (1 + BEYOND))
            least = max(4, 2 * math.ceil(fewest / 2))
            for bolts in range(least, min(40, least + 2 * COUNTS), 2):
                circle = up(max(least_circle(size, self.joint.gasket_outer), bolts * size.pitch / math.pi))
                slim = slimmest(size, math.pi * circle / bolts, self.joint.gasket)
                for material in MATERIAL_NAMES:
                    design = Design(material, bolt, bolts, circle, up(circle + 2 * size.edge), 10.0)
                    plate = (asked.cost - bolts * size.price) / MATERIALS[material].price
                    most = min(120.0, 10.0 * min(asked.blank, plate) / design.blank)
                    if max(6.0, slim) <= most:
                        yield Kind(design, max(6.0, slim), most)

    def _balanced(self, start: Start) -> Plan:
        """Balance the thickness of a kind of design between what asks for more and what asks for less."""
        design, seen, powers = start.design, start.seen, POWERS
        for _ in range(2):
            thickness, _ = self._balance(start.kind, design, seen, powers)
            after = start.kind.of(thickness)
            before, design, seen = (design, seen), after, self.predict(after)
            powers = _powers(*before, design, seen, powers)
        return Plan(design, min(margins(design, seen, self.required).values()))

    def _balance(self, kind: Kind, design: Design, seen: Found, powers: Powers) -> tuple[float, float]:
        """Return the thickness of the largest least margin, and that, if stress and rotation go with powers of it."""
        asked, thickness = self.required, np.linspace(kind.least, kind.most, STEPS)
        ratio = thickness / design.thickness
        safety = seen.safety / asked.safety * ratio ** powers[0] - 1
        rotation = 1 - seen.rotation / asked.rotation * ratio ** -powers[1]
        plate = design.cost - design.bolts * design.size.price
        cost = 1 - (design.cost + plate * (ratio - 1)) / asked.cost
        spare = np.min([safety, rotation, cost, 1 - design.blank / asked.blank * ratio], axis=0)
        best = int(np.argmax(spare))
        return float(thickness[best]), float(spare[best])


@lru_cache(maxsize=1024)
def _plans(known: Known) -> tuple[Plan, ...]:
    """Search once for what several policies ask: a twin is a function of what is known."""
    joint, required, truth, stress, rotation = known
    return Twin(joint, required, truth, dict(stress), dict(rotation)).search()


def _powers(
    first: Design, seen: Found, second: Design, later: Found, powers: tuple[float, float]
) -> tuple[float, float]:
    """Powers of the thickness by which safety rises and rotation falls, from two designs."""
    step = np.log(second.thickness / first.thickness)
    if abs(step) < 0.005 or first.bolts != second.bolts:
        return powers
    rises = np.log(later.safety / seen.safety) / step
    falls = -np.log(later.rotation / seen.rotation) / step
    return float(np.clip(rises, 0.5, 3)), float(np.clip(falls, 0.5, 4))
