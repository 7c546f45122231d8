"""The world of an episode and what a path must be to be looked at: shape, limits, start, length of segments."""

from __future__ import annotations

from typing import Annotated

import numpy as np
from attrs import Factory, define

from harness import Doc, Json, Length, Range, Refused
from harness_bot.arms import ARMS, Arm
from harness_bot.paths import LONGEST_SEGMENT
from harness_bot.sample import Instance

Joints = Annotated[list[Annotated[float, Range(-360, 360)]], Length(6, 7)]
Path = Annotated[
    list[Joints],
    Length(2, 24),
    Doc("Postures in order, each a list of all joint angles in degrees; the first is the start."),
]
Point = Annotated[list[Annotated[float, Range(-3, 3)]], Length(3, 3)]
Quaternion = Annotated[list[Annotated[float, Range(-1, 1)]], Length(4, 4)]

START_TOLERANCE = 0.05
"""Degrees by which the first waypoint may differ from the start."""

_COST = "this costs the turn and no budget"


@define
class State:
    """What an episode remembers.

    Attributes:
        found: Names of hidden bodies that scans have shown, in order.
        share: Clear share of each checked path.
        last: Short account of the last checked path, empty before the first.
        measured: Evidence of the submitted path for scoring, empty before.
    """

    found: list[str] = Factory(list)
    share: list[float] = Factory(list)
    last: str = ""
    measured: dict[str, Json] = Factory(dict)


def posture(joints: list[float], arm: Arm, place: str) -> np.ndarray:
    """Return joint angles in radians.

    Raises:
        Refused: Another number of joints, or one beyond its limits.
    """
    if len(joints) != arm.axes:
        raise Refused(
            f"argument {place}: got {len(joints)} angles, the arm has {arm.axes} joints; {_COST}", argument=place
        )
    for i, (angle, (low, high)) in enumerate(zip(joints, arm.limits, strict=True)):
        if not low <= angle <= high:
            said = f"joint {i + 1} allows {low:g} to {high:g} degrees, got {angle:g}"
            raise Refused(f"argument {place}[{i}]: {said}; {_COST}", argument=f"{place}[{i}]")
    made: np.ndarray = np.radians(np.array(joints))
    return made


def waypoints_of(path: list[list[float]], instance: Instance) -> np.ndarray:
    """Return a path in radians, shape (waypoints, axes).

    Raises:
        Refused: It is no path that the arm may be sent along; the message names the place and what was expected.
    """
    place = "waypoints"
    if not 2 <= len(path) <= instance.waypoints:
        said = f"got {len(path)} waypoints, allowed 2 to {instance.waypoints}"
        raise Refused(f"argument {place}: {said}; {_COST}", argument=place)
    made = np.array([posture(joints, ARMS[instance.arm], f"{place}[{i}]") for i, joints in enumerate(path)])
    away = np.degrees(np.abs(made[0] - np.radians(instance.start)))
    if away.max() > START_TOLERANCE:
        joint = int(away.argmax())
        said = f"joint {joint + 1} is {away[joint]:.2f} degrees off the start {list(instance.start)}"
        raise Refused(f"argument {place}[0]: {said}; {_COST}", argument=f"{place}[0]")
    turns = np.degrees(np.abs(np.diff(made, axis=0)))
    if turns.max() > LONGEST_SEGMENT + 1e-6:
        segment, joint = (int(v) for v in np.unravel_index(turns.argmax(), turns.shape))
        turn = f"{turns[segment, joint]:.1f} degrees from the waypoint before"
        said = f"joint {joint + 1} turns {turn}, at most {LONGEST_SEGMENT:g} allowed"
        raise Refused(f"argument {place}[{segment + 1}]: {said}; {_COST}", argument=f"{place}[{segment + 1}]")
    return made


def degrees(angles: np.ndarray) -> list[float]:
    """Return angles as tools tell them: degrees to a hundredth."""
    return [round(float(v), 2) + 0.0 for v in np.degrees(angles)]
