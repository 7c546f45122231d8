"""Joint paths: how they are cut to the longest segment allowed, and the simple ones that instances must defeat."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np

from harness_bot.arms import Arm
from harness_bot.cell import Cell
from harness_bot.poses import Pose, pose_of, solve

LONGEST_SEGMENT = 90.0
"""Degrees by which each joint may turn between two waypoints at most."""

LIFT = 0.25
"""Metres by which `lift_over` raises the tool."""

_SAFE = math.radians(LONGEST_SEGMENT - 0.5)


def cut(path: np.ndarray) -> np.ndarray:
    """Put waypoints between those of a path (radians), evenly, so that no segment is too long."""
    pieces = [path[:1]]
    for start, end in pairwise(path):
        parts = max(1, math.ceil(float(np.abs(end - start).max()) / _SAFE))
        pieces.append(start + np.linspace(0, 1, parts + 1)[1:, None] * (end - start))
    return np.concatenate(pieces)


def spread(path: np.ndarray, step: float) -> np.ndarray:
    """Return postures along a path, no joint turning by more than `step` radians from one to the next."""
    pieces = [path[:1]]
    for start, end in pairwise(path):
        parts = max(1, math.ceil(float(np.abs(end - start).max()) / step))
        pieces.append(start + np.linspace(0, 1, parts + 1)[1:, None] * (end - start))
    return np.concatenate(pieces)


def length(path: np.ndarray) -> float:
    """Return the length of a path: for each segment the largest change of a joint, radians, summed."""
    return float(np.abs(np.diff(path, axis=0)).max(axis=1).sum())


def straight(start: np.ndarray, goal: np.ndarray) -> np.ndarray:
    """Return the straight line in joint space."""
    return np.array((start, goal))


def through(start: np.ndarray, via: np.ndarray, goal: np.ndarray) -> np.ndarray:
    """Return the path over one via-point."""
    return np.array((start, via, goal))


def fixed_via(arm: Arm, start: np.ndarray, goal: np.ndarray) -> np.ndarray:
    """Go through the folded home posture, its first joint midway."""
    via = np.radians(np.array(arm.home, dtype=float))
    via[0] = (start[0] + goal[0]) / 2
    return through(start, via, goal)


def lift_over(cell: Cell, start: np.ndarray, goal: np.ndarray) -> np.ndarray:
    """Raise the tool, go over, lower it; where it cannot be raised, go straight."""
    raised = [raise_tool(cell, posture) for posture in (start, goal)]
    return np.array((start, *[posture for posture in raised if posture is not None], goal))


def raise_tool(cell: Cell, angles: np.ndarray) -> np.ndarray | None:
    """Return the posture with the tool straight above where it is; None when it is out of reach."""
    pose = pose_of(*cell.tool(angles))
    x, y, z = pose.position
    found, reached = solve(cell, Pose((x, y, z + LIFT), pose.rotation), angles)
    return found if reached else None


def random_via(arm: Arm, start: np.ndarray, goal: np.ndarray, rng: np.random.Generator, spreads: float) -> np.ndarray:
    """Draw a via-point about a place on the straight line; `spreads` is the standard deviation in radians."""
    middle = start + rng.uniform(0.2, 0.8) * (goal - start)
    low, high = arm.bounds.T
    return through(start, np.clip(middle + rng.normal(0.0, spreads, len(start)), low, high), goal)
