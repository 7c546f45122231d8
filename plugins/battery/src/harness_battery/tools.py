"""The tools: estimate a design by algebra, simulate it on this cell, submit it.

Two toolsets differ only in whether the particle radius is the designer's to choose. Nothing about the duty or the cell
is an argument: it all comes from the identity. The world keeps the submitted design, nothing else.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from attrs import asdict, define, frozen

from harness import Infeasible, Json, Range, Result, Toolset, Unit, tool
from harness_battery.chemistry import BOUNDS, CHEMISTRIES, Design
from harness_battery.requirements import DANGER_C, N_TO_P_DECIMALS, margins, measure
from harness_battery.sample import Identity
from harness_battery.world import SolverFailed


@define
class Submission:
    """What changes during an episode: the submitted design."""

    submitted: Design | None = None


def _bounds(name: str) -> Range:
    return Range(BOUNDS[name].low, BOUNDS[name].high)


Micrometres = Unit("µm")


@frozen
class Electrodes:
    """A design.

    Attributes:
        negative_thickness_um: Coating thickness of the negative electrode.
        negative_porosity: Pore share of the negative electrode.
        positive_thickness_um: Coating thickness of the positive electrode.
        positive_porosity: Pore share of the positive electrode.
    """

    negative_thickness_um: Annotated[float, _bounds("negative_thickness_um"), Micrometres]
    negative_porosity: Annotated[float, _bounds("negative_porosity")]
    positive_thickness_um: Annotated[float, _bounds("positive_thickness_um"), Micrometres]
    positive_porosity: Annotated[float, _bounds("positive_porosity")]


@frozen
class ElectrodesAndParticle:
    """A design.

    Attributes:
        negative_thickness_um: Coating thickness of the negative electrode.
        negative_porosity: Pore share of the negative electrode.
        positive_thickness_um: Coating thickness of the positive electrode.
        positive_porosity: Pore share of the positive electrode.
        negative_particle_um: Particle radius of the negative active material.
    """

    negative_thickness_um: Annotated[float, _bounds("negative_thickness_um"), Micrometres]
    negative_porosity: Annotated[float, _bounds("negative_porosity")]
    positive_thickness_um: Annotated[float, _bounds("positive_thickness_um"), Micrometres]
    positive_porosity: Annotated[float, _bounds("positive_porosity")]
    negative_particle_um: Annotated[float, _bounds("negative_particle_um"), Micrometres]


_NO_SOLUTION = {
    "en": "the cell model has no solution for this design under the duty: it is beyond what such a cell can do. "
    "Thinner or more porous electrodes usually help",
    "zh": "在该工况下,电池模型对这个设计无解:它超出了这种电池的能力。通常可以减薄电极或提高孔隙率",
}
_DANGER = {
    "en": f"unsafe: the cell is hotter than {DANGER_C:.0f} degC, where the separator fails",
    "zh": f"不安全:电池温度超过 {DANGER_C:.0f} degC,隔膜会失效",
}


class FourVariables(Toolset):
    """Tools of the levels in which the particle radius is the published one."""

    World = Submission
    identity: Identity
    world: Submission

    @tool
    def estimate(self, design: Electrodes) -> Mapping[str, Json]:
        """Compute mass, N/P ratio and nominal capacity of a design by algebra. Free; knows nothing of this cell.

        Args:
            design: The design.
        """
        return _estimate(self, _complete(self, design))

    @tool(budget="simulations")
    def simulate(self, design: Electrodes) -> Result:
        """Simulate a design of this cell under the duty: each quantity and its distance from the requirement. Budgeted.

        Args:
            design: The design.
        """
        return _simulate(self, _complete(self, design))

    @tool(final=True)
    def submit(self, design: Electrodes) -> str:
        """Submit the final design. Ends the episode.

        Args:
            design: The design.
        """
        return _submit(self, _complete(self, design))

    def calc_reward(self) -> Mapping[str, Json]:
        return _evidence(self)


class FiveVariables(Toolset):
    """Tools of the level in which the particle radius is free as well."""

    World = Submission
    identity: Identity
    world: Submission

    @tool
    def estimate(self, design: ElectrodesAndParticle) -> Mapping[str, Json]:
        """Compute mass, N/P ratio and nominal capacity of a design by algebra. Free; knows nothing of this cell.

        Args:
            design: The design.
        """
        return _estimate(self, _complete(self, design))

    @tool(budget="simulations")
    def simulate(self, design: ElectrodesAndParticle) -> Result:
        """Simulate a design of this cell under the duty: each quantity and its distance from the requirement. Budgeted.

        Args:
            design: The design.
        """
        return _simulate(self, _complete(self, design))

    @tool(final=True)
    def submit(self, design: ElectrodesAndParticle) -> str:
        """Submit the final design. Ends the episode.

        Args:
            design: The design.
        """
        return _submit(self, _complete(self, design))

    def calc_reward(self) -> Mapping[str, Json]:
        return _evidence(self)


def _complete(tools: Toolset, design: Electrodes | ElectrodesAndParticle) -> Design:
    """Return the whole design: a particle radius that is not chosen is the published one."""
    published = CHEMISTRIES[tools.identity.chemistry].negative.particle_um
    return Design(**({"negative_particle_um": published} | asdict(design)))


def _estimate(tools: Any, design: Design) -> dict[str, Json]:
    cell = CHEMISTRIES[tools.identity.chemistry]
    return {
        "mass_g": round(1e3 * cell.mass(design), 2),
        "n_to_p": round(cell.n_to_p(design), N_TO_P_DECIMALS),
        "nominal_capacity_ah": round(cell.nominal_capacity(design), 3),
    }


def _simulate(tools: Any, design: Design) -> Result:
    identity: Identity = tools.identity
    try:
        values = measure(identity.chemistry, design, identity.duty, identity.deviation)
    except SolverFailed:
        raise Infeasible(_NO_SOLUTION[tools.clock.language]) from None
    found = tuple(margins(identity.requirements, values))
    told: dict[str, Json] = {
        "all_met": all(m.met for m in found),
        "quantities": {m.name: _told(m, tools.options) for m in found},
    }
    if tools.options.feedback == "margins":
        told |= {"mean_voltage_v": values["mean_v"], **_estimate(tools, design)}
        del told["n_to_p"]
    danger = values["peak_c"] > DANGER_C
    if danger:
        told["warning"] = _DANGER[tools.clock.language]
    return Result(told, metrics={"quantities": values, "unsafe": danger})


def _told(margin: Any, options: Any) -> dict[str, Json]:
    if options.feedback == "verdicts":
        return {"required": margin.required, "met": margin.met}
    kept = {"value": margin.value, "required": margin.required, "margin": margin.margin, "met": margin.met}
    return kept | ({"unit": margin.unit} if margin.unit else {})


def _submit(tools: Any, design: Design) -> str:
    tools.world.submitted = design
    return {"en": "The design is submitted.", "zh": "设计已提交。"}[tools.clock.language]


def _evidence(tools: Any) -> dict[str, Json]:
    """Simulate the submitted design: what scoring looks at."""
    design, identity = tools.world.submitted, tools.identity
    if design is None:
        return {}
    try:
        values = measure(identity.chemistry, design, identity.duty, identity.deviation)
    except SolverFailed:
        return {"feasible": False, "design": asdict(design)}
    return {"feasible": True, "design": asdict(design), "quantities": values}
