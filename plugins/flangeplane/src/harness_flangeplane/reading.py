"""Grading of a reading: how far each value is from what the drawing says, in units of what is allowed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from attrs import asdict

from harness_flangeplane.design import Reading

LENGTH: Final = 0.6
"""Error of a printed length that is allowed, mm."""

SHARE: Final = 0.08
"""Relative error of a length that is only drawn to scale that is allowed."""


def reading_margins(given: Reading, said: Reading, scale_bar: bool) -> Mapping[str, float]:
    """Return for each value 1 when it is exact, 0 at the edge of what is allowed, less beyond it.

    Args:
        given: The reading that was handed in.
        said: What the drawing says.
        scale_bar: Whether the thickness is only drawn to scale.
    """
    told = asdict(said)
    allowed = dict.fromkeys(told, LENGTH) | {"bolts": 0.5, "pressure": 0.5}
    if scale_bar:
        allowed["thickness"] = SHARE * said.thickness
    return {name: max(-1.0, 1 - abs(value - told[name]) / allowed[name]) for name, value in asdict(given).items()}
