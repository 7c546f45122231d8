"""The tool layer: analyse, price and draw designs of the new flange, and hand one in with the reading of the drawing.

What stands in the drawing only never comes back as a number: an analysis tells stresses, rotation and margins, the
price is that of the blank, and a clash of bolt holes and gasket is told without its size. Readings are graded at close.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from attrs import define

from harness import Infeasible, Json, Refused, Result, Toolset, image, tool
from harness_flangeplane.design import Design, Reading, broken_rule, clears
from harness_flangeplane.joint import Found, analyse
from harness_flangeplane.options import Options
from harness_flangeplane.reading import reading_margins
from harness_flangeplane.sample import Identity, Requirements

CLASH = "the bolt holes cut the gasket: bolt_circle must be at least the gasket's outer diameter + hole + 6 mm"

_UNITS = {"safety": "", "rotation": "_mrad", "bolt_stress": "_MPa", "blank": "_kg", "cost": "_EUR"}


@define
class Desk:
    """World of an episode: what was handed in."""

    design: Design | None = None
    read: Reading | None = None


class DesignDesk(Toolset):
    """The callable affordances of the designer."""

    World: ClassVar[type] = Desk
    identity: Identity
    options: Options
    world: Desk

    @tool(budget="analyses")
    def analyse(self, design: Design) -> Result:
        """Analyse a design in the real joint by finite elements; tells each value and its spare, negative when missed.

        Args:
            design: The flange to analyse.
        """
        self._require_rules(design)
        self._require_room(design)
        found = analyse(self.identity.joint, self.identity.truth, design)
        told = verdict(design, found, self.identity.required)
        return Result(told, metrics={"unsafe": unsafe(found)})

    @tool
    def cost(self, design: Design) -> Mapping[str, Json]:
        """Price a design and check the rules that need no drawing. Free.

        Args:
            design: The flange to price.
        """
        self._require_rules(design)
        asked = self.identity.required
        values = {"blank": (design.blank, asked.blank), "cost": (design.cost, asked.cost)}
        return {name + _UNITS[name]: _below(value, limit) for name, (value, limit) in values.items()}

    @tool(budget="drawings")
    def draw(self, design: Design) -> Result:
        """Draw a design the way the given drawing is made.

        Args:
            design: The flange to draw.
        """
        from harness_flangeplane.drawing import draw, style_of

        self._require_rules(design)
        self._require_room(design)
        drawn = draw(self.identity.joint, design, style_of(self.identity))
        return Result({"drawing": "in the picture"}, images=(image(drawn.data, facts=drawn.labels),))

    @tool(final=True)
    def submit(self, design: Design, read: Reading) -> str:
        """Hand in a design and what the given drawing says. This ends the task.

        Args:
            design: The new flange.
            read: What the given drawing says of the flange as drawn.
        """
        self._require_rules(design)
        self.world.design, self.world.read = design, read
        return "The design and the reading are handed in."

    def calc_reward(self) -> Mapping[str, Json]:
        """Grade the reading and analyse the design that was handed in."""
        design, read, identity = self.world.design, self.world.read, self.identity
        if design is None or read is None:
            return {}
        readings = dict(reading_margins(read, identity.reading, identity.scale_bar))
        if not clears(design, identity.joint.gasket_outer):
            return {"readings": readings, "margins": {}}
        found = analyse(identity.joint, identity.truth, design)
        return {"readings": readings, "margins": margins(design, found, identity.required), "unsafe": unsafe(found)}

    def _require_rules(self, design: Design) -> None:
        broken = broken_rule(design, self.identity.joint.gasket)
        if broken is not None:
            raise Refused(broken.text, argument=broken.argument)

    def _require_room(self, design: Design) -> None:
        """Turn down a design whose holes cut the gasket; charged, so that it cannot be used to feel for its size."""
        if not clears(design, self.identity.joint.gasket_outer):
            raise Infeasible(CLASH, argument="design.bolt_circle")


def margins(design: Design, found: Found, asked: Requirements) -> dict[str, float]:
    """Return how far each requirement is from its boundary, as a share of it; negative when it is missed."""
    return {
        "safety": found.safety / asked.safety - 1,
        "rotation": 1 - found.rotation / asked.rotation,
        "bolt_stress": 1 - found.bolt_stress / asked.bolt_stress,
        "blank": 1 - design.blank / asked.blank,
        "cost": 1 - design.cost / asked.cost,
    }


def verdict(design: Design, found: Found, asked: Requirements) -> dict[str, Json]:
    """Say what an analysis found and how far each requirement is, in its units; spare is negative when it is missed."""
    spare = found.safety - asked.safety
    told: dict[str, Json] = {
        "safety": {"value": round(found.safety, 4), "spare": round(spare, 4), "met": spare >= 0},
        "rotation_mrad": _below(found.rotation, asked.rotation),
        "bolt_stress_MPa": _below(found.bolt_stress, asked.bolt_stress),
        "blank_kg": _below(design.blank, asked.blank),
        "cost_EUR": _below(design.cost, asked.cost),
        "largest_stress_MPa": round(found.stress, 2),
    }
    danger = unsafe(found)
    return told | ({"unsafe": danger} if danger else {})


def unsafe(found: Found) -> str:
    """Name what is dangerous in a joint, if anything is."""
    return f"the flange yields: {found.stress:.0f} MPa is above its yield strength" if found.safety < 1 else ""


def _below(value: float, limit: float) -> dict[str, Json]:
    spare = limit - value
    return {"value": round(value, 4), "spare": round(spare, 4), "met": spare >= 0}
