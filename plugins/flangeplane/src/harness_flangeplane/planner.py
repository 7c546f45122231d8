"""A twin of the joint that learns from analyses, and the search for the design with the most room in every requirement.

The twin is the same kind of model on a coarser mesh, with nominal figures. What an analysis says corrects it: the bolt
force for all designs, strength, stress and rotation for the material that was analysed. The search goes through all
materials and bolt sizes, takes the smallest bolt circle and rim that the rules allow, and balances the thickness.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import product
from typing import Any

import attrs
import numpy as np
from attrs import define, field, frozen

from harness_flangeplane.design import Design
from harness_flangeplane.joint import Found, Joint, Truth, analyse
from harness_flangeplane.sample import Requirements, good_design
from harness_flangeplane.stock import BOLT_NAMES, MATERIAL_NAMES, MATERIALS, BoltName, MaterialName
from harness_flangeplane.tools import margins

MESH = (12, 2)
BEYOND = 0.3
"""A kind of design that misses a requirement by more at its greatest thickness is given up."""

_SHARES = np.linspace(0.5, 1.0, 251)


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

    def plans(self) -> list[Plan]:
        """Return the balanced design of every kind that may meet what is asked, the best first."""
        found = [plan for kind in _kinds() if (plan := self._balanced(*kind)) is not None]
        return sorted(found, key=lambda plan: -plan.worst)

    def _balanced(self, material: MaterialName, bolt: BoltName, more: int) -> Plan | None:
        """Balance the thickness of a kind of design between what asks for more and what asks for less."""
        most = self._thickest(material, bolt, more)
        design = self._kind(material, bolt, 0.95 * most, more) if most > 6 else None
        if design is None:
            return None
        powers, seen = (1.7, 2.2), self.predict(design)
        if min(seen.safety / self.required.safety - 1, 1 - seen.rotation / self.required.rotation) < -BEYOND:
            return None
        for _ in range(2):
            after = self._kind(material, bolt, self._balance(design, seen, powers), more)
            if after is None:
                return None
            before, design, seen = (design, seen), after, self.predict(after)
            powers = _powers(*before, design, seen, powers)
        return Plan(design, min(margins(design, seen, self.required).values()))

    def _kind(self, material: MaterialName, bolt: BoltName, thickness: float, more: int) -> Design | None:
        area = self.joint.bolt_force * self.truth.force / (0.99 * self.required.bolt_stress)
        return good_design(self.joint, material, bolt, min(120.0, max(6.0, thickness)), area, more)

    def _thickest(self, material: MaterialName, bolt: BoltName, more: int) -> float:
        """Greatest thickness that weight and cost allow, mm; 0 when none does."""
        thickness = 0.1 * self.joint.gasket_outer
        for _ in range(3):
            design = self._kind(material, bolt, thickness, more)
            if design is None:
                return 0.0
            spare = self.required.cost - design.bolts * design.size.price
            weight = min(self.required.blank, spare / MATERIALS[material].price)
            thickness = design.thickness * weight / design.blank
            if thickness < 6:
                return 0.0
        return thickness

    def _balance(self, design: Design, seen: Found, powers: tuple[float, float]) -> float:
        """Return the thickness of the largest least margin if stress and rotation go with powers of it."""
        asked = self.required
        upper = 1.1 * design.thickness
        ratio = _SHARES * upper / design.thickness
        spare = np.minimum(seen.safety / asked.safety * ratio ** powers[0] - 1,
                           1 - seen.rotation / asked.rotation * ratio ** -powers[1])  # fmt: skip
        plate = design.cost - design.bolts * design.size.price
        spare = np.minimum(spare, 1 - design.blank / asked.blank * ratio)
        spare = np.minimum(spare, 1 - (design.cost + plate * (ratio - 1)) / asked.cost)
        return float(ratio[int(np.argmax(spare))] * design.thickness)


def _kinds() -> Iterator[tuple[MaterialName, BoltName, int]]:
    yield from product(MATERIAL_NAMES, BOLT_NAMES, (0, 2))


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
