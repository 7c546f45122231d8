"""Tool poses: quaternions, how far two poses are apart, and joint angles that reach one."""

from __future__ import annotations

import math

import numpy as np
from attrs import frozen

from harness_bot.cell import Cell

_ROUNDS = 60
_DAMPING = 0.05
_LONGEST_STEP = 0.25
_METRES_A_RADIAN = 0.3
"""Weight of rotation against translation in the solver and in the distance of two poses."""

CLOSE = (1e-5, 1e-4)
"""Errors in metres and radians at which a solution counts as found."""


@frozen
class Pose:
    """Position in metres and unit quaternion (w, x, y, z)."""

    position: tuple[float, float, float]
    rotation: tuple[float, float, float, float]

    @property
    def matrix(self) -> np.ndarray:
        """Rotation matrix of the normalised quaternion."""
        w, x, y, z = np.array(self.rotation) / math.hypot(*self.rotation)
        return np.array(
            (
                (1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)),
                (2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)),
                (2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)),
            )
        )


def pose_of(position: np.ndarray, matrix: np.ndarray) -> Pose:
    """Return a pose rounded to a tenth of a millimetre and four digits of the quaternion, with w not negative."""
    x, y, z = (round(float(v), 4) for v in position)
    quaternion = quaternion_of(matrix)
    if quaternion[0] < 0:
        quaternion = -quaternion
    w, i, j, k = (round(float(v), 4) + 0.0 for v in quaternion)
    return Pose((x, y, z), (w, i, j, k))


def quaternion_of(matrix: np.ndarray) -> np.ndarray:
    """Return the unit quaternion of a rotation: the eigenvector of the largest eigenvalue of Bar-Itzhack's matrix."""
    m = matrix
    k = np.array(
        (
            (m[0, 0] + m[1, 1] + m[2, 2], m[2, 1] - m[1, 2], m[0, 2] - m[2, 0], m[1, 0] - m[0, 1]),
            (m[2, 1] - m[1, 2], m[0, 0] - m[1, 1] - m[2, 2], m[0, 1] + m[1, 0], m[0, 2] + m[2, 0]),
            (m[0, 2] - m[2, 0], m[0, 1] + m[1, 0], m[1, 1] - m[0, 0] - m[2, 2], m[1, 2] + m[2, 1]),
            (m[1, 0] - m[0, 1], m[0, 2] + m[2, 0], m[1, 2] + m[2, 1], m[2, 2] - m[0, 0] - m[1, 1]),
        )
    )
    _, vectors = np.linalg.eigh(k)
    found: np.ndarray = vectors[:, -1]
    return found


def rotation_vector(turn: np.ndarray) -> np.ndarray:
    """Return axis times angle of a rotation matrix."""
    (_, b, c), (d, _, f), (g, h, _) = turn.tolist()
    x, y, z = (h - f) / 2, (c - g) / 2, (d - b) / 2
    sine, cosine = math.sqrt(x * x + y * y + z * z), (float(turn.trace()) - 1) / 2
    if sine > 1e-6 or cosine > 0:
        scale = math.atan2(sine, cosine) / sine if sine > 1e-9 else 1.0
        return np.array((x * scale, y * scale, z * scale))
    axis = quaternion_of(turn)[1:]  # half a turn: the antisymmetric part vanishes
    half_turn: np.ndarray = axis * (math.pi / np.linalg.norm(axis))
    return half_turn


def pose_error(position: np.ndarray, matrix: np.ndarray, goal: Pose) -> tuple[float, float]:
    """Return how far a tool is from a goal: metres, radians."""
    away = float(np.linalg.norm(position - np.array(goal.position)))
    return away, float(np.linalg.norm(rotation_vector(goal.matrix @ matrix.T)))


def pose_distance(position: np.ndarray, matrix: np.ndarray, goal: Pose) -> float:
    """Return one number for both errors, in metres."""
    metres, radians = pose_error(position, matrix, goal)
    return metres + _METRES_A_RADIAN * radians


def solve(cell: Cell, goal: Pose, seed: np.ndarray) -> tuple[np.ndarray, bool]:
    """Find joint angles within the limits whose tool is at a pose, by damped least squares from a seed.

    Returns:
        The last angles, and whether they reach the pose.
    """
    low, high = cell.arm.bounds.T
    angles, wanted, aim = np.clip(seed, low, high), goal.matrix, np.array(goal.position)
    weights = np.array((1, 1, 1, *[_METRES_A_RADIAN] * 3))
    for _ in range(_ROUNDS):
        position, matrix = cell.tool(angles)
        error = np.concatenate((aim - position, rotation_vector(wanted @ matrix.T)))
        if np.linalg.norm(error[:3]) < CLOSE[0] and np.linalg.norm(error[3:]) < CLOSE[1]:
            return angles, True
        jacobian = cell.jacobian() * weights[:, None]
        error = error * weights
        damping = min(_DAMPING, 0.3 * float(np.linalg.norm(error))) ** 2 + 1e-9
        step = jacobian.T @ np.linalg.solve(jacobian @ jacobian.T + damping * np.eye(6), error)
        longest = float(np.abs(step).max())
        angles = np.clip(angles + step * min(1.0, _LONGEST_STEP / max(longest, 1e-12)), low, high)
    return angles, False
