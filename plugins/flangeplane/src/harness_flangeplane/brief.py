"""What a scripted policy takes from prompt and drawing: the requirements, the joint, the flange in the drawing.

Numbers of the prompt are found in its facts, which every wording carries in both languages; what stands in the drawing
is found in its labels, and bolt holes are counted. The tables of stock are the told ones.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import cast

from attrs import asdict, fields, frozen

from harness import Json, Observation, View
from harness_flangeplane.design import Design, Reading
from harness_flangeplane.joint import Joint
from harness_flangeplane.sample import Requirements
from harness_flangeplane.stock import BOLT_NAMES, GASKETS, MATERIAL_NAMES, BoltName, MaterialName

TYPICAL = Joint(135.0, 146.0, 172.0, 5.5, 25, "graphite")
"""What one would guess of a joint without looking; the kind of gasket is told."""

_GUESSED = Reading(TYPICAL.bore, TYPICAL.gasket_outer, 204.0, 25.0, 12, float(TYPICAL.pressure))


@frozen
class Brief:
    """What is known at the start.

    Attributes:
        joint: the joint, as read or guessed.
        required: what is asked.
        read: what is handed in as the reading.
        doubt: told deviation of forces and strengths, as a share.
        pictured: the flange in the drawing; None for who does not look.
    """

    joint: Joint
    required: Requirements
    read: Reading
    doubt: float
    pictured: Design | None = None

    @property
    def reading(self) -> dict[str, Json]:
        """The reading as an argument of a call."""
        return asdict(self.read)


def sighted(view: View) -> Brief:
    """Read the prompt and the drawing."""
    labels = view.image_facts
    joint = Joint(
        bore=number(labels["bore"]),
        gasket_inner=number(labels["gasket_inner"]),
        gasket_outer=number(labels["gasket_outer"]),
        pipe_wall=number(labels["pipe_wall"]),
        pressure=int(number(labels["pressure"])),
        gasket=_gasket(view),
    )
    drawn = pictured(labels)
    read = Reading(
        joint.bore, joint.gasket_outer, drawn.bolt_circle, drawn.thickness, drawn.bolts, float(joint.pressure)
    )
    return Brief(joint, _required(view), read, _doubt(view), drawn)


def blind(view: View) -> Brief:
    """Read the prompt alone and guess the rest."""
    guess = asdict(TYPICAL) | {"gasket": _gasket(view)}
    return Brief(Joint(**guess), _required(view), _GUESSED, _doubt(view))


def pictured(labels: Mapping[str, str]) -> Design:
    """Read a flange from the labels of a drawing."""
    return Design(
        material=cast(MaterialName, _named(labels["material"], MATERIAL_NAMES)),
        bolt=cast(BoltName, _named(labels["bolt"], BOLT_NAMES)),
        bolts=len(labels["bolt_holes"].split(";")),
        bolt_circle=number(labels["bolt_circle"]),
        outer_diameter=number(labels["outer_diameter"]),
        thickness=_thickness(labels),
    )


def _thickness(labels: Mapping[str, str]) -> float:
    """Return the printed thickness, or measure it against the scale bar."""
    if "thickness" in labels:
        return number(labels["thickness"])
    bar = number(labels["scale_bar"]) / number(labels["scale_bar_pixels"])
    return round(bar * number(labels["thickness_pixels"]), 2)


def number(text: str) -> float:
    """Return the last number of a text."""
    return float(re.findall(r"\d+(?:\.\d+)?", text)[-1])


def _named(text: str, names: tuple[str, ...]) -> str:
    return next(name for name in names if text.endswith(name))


def _gasket(view: View) -> str:
    return next(kind for kind in GASKETS if kind in view.facts["gasket"])


def _doubt(view: View) -> float:
    """The first percentage that the prompt tells of the real joint."""
    found = re.search(r"(\d+(?:\.\d+)?) %", view.facts["doubt"])
    assert found is not None
    return float(found[1]) / 100


def _required(view: View) -> Requirements:
    names = [field.name for field in fields(Requirements)]
    return Requirements(**{name: number(view.facts[f"required {name}"]) for name in names})


def least(seen: Observation) -> float:
    """Return the least margin of an analysis, as a share of what is asked."""
    found = []
    for name, told in seen.data.items():
        if isinstance(told, dict) and "spare" in told:
            asked = told["value"] - told["spare"] if name == "safety" else told["value"] + told["spare"]
            found.append(told["spare"] / asked)
    return float(min(found))
