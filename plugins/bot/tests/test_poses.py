from __future__ import annotations

import numpy as np
import pytest

from harness import generator
from harness_bot.arms import ARMS, Arm
from harness_bot.cell import cell_of
from harness_bot.poses import Pose, pose_error, pose_of, quaternion_of, rotation_vector, solve


def turned(axis: np.ndarray, angle: float) -> np.ndarray:
    """Rodrigues' formula."""
    x, y, z = axis / np.linalg.norm(axis)
    skew = np.array(((0, -z, y), (z, 0, -x), (-y, x, 0)))
    return np.eye(3) + np.sin(angle) * skew + (1 - np.cos(angle)) * skew @ skew


def test_rotation_vectors_are_axis_times_angle_up_to_half_a_turn() -> None:
    rng = generator("turns")
    for angle in (1e-12, 1e-7, 0.3, 1.5, 3.0, np.pi - 1e-4, np.pi):
        axis = rng.normal(size=3)
        vector = rotation_vector(turned(axis, angle))
        assert np.linalg.norm(vector) == pytest.approx(angle, abs=1e-7)
        assert np.abs(turned(vector if angle > 1e-9 else axis, angle) - turned(axis, angle)).max() < 1e-6


def test_quaternions_and_matrices_go_back_and_forth() -> None:
    rng = generator("quaternions")
    for _ in range(100):
        q = rng.normal(size=4)
        q /= np.linalg.norm(q)
        matrix = Pose((0, 0, 0), tuple(q.tolist())).matrix  # type: ignore[arg-type]
        again = quaternion_of(matrix)
        assert min(np.abs(again - q).max(), np.abs(again + q).max()) < 1e-9


@pytest.mark.parametrize("arm", ARMS.values(), ids=ARMS)
def test_inverse_kinematics_reach_poses_near_the_seed_and_keep_limits(arm: Arm) -> None:
    cell, rng = cell_of(arm.name, ()), generator("inverse", arm.name)
    low, high = np.radians(np.array(arm.usual, dtype=float)).T
    solved = 0
    for _ in range(60):
        aim = rng.uniform(low, high)
        goal = pose_of(*cell.tool(aim))
        found, reached = solve(cell, goal, aim + rng.normal(0, 0.15, arm.axes))
        assert (found >= arm.bounds[:, 0]).all()
        assert (found <= arm.bounds[:, 1]).all()
        metres, radians = pose_error(*cell.tool(found), goal)
        assert reached == (metres < 1e-5 and radians < 1e-4)
        solved += reached
    assert solved >= 50


def test_out_of_reach_is_said() -> None:
    cell = cell_of("ur5e", ())
    _, reached = solve(cell, Pose((2.0, 0, 0.5), (1, 0, 0, 0)), np.zeros(6))
    assert not reached
