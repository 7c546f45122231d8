"""The cell as a policy can know it: read back from the facts of the prompt, never from the identity."""

from __future__ import annotations

import re
from collections.abc import Mapping

import numpy as np
from attrs import evolve, frozen

from harness import Json
from harness.jsonio import loads
from harness_bot.arms import ARMS, Arm
from harness_bot.cell import cell_of
from harness_bot.poses import Pose
from harness_bot.scene import Obstacle, read
from harness_bot.sweep import Sweeper


@frozen
class Brief:
    """What the prompt tells.

    Attributes:
        start: Joint angles in radians.
        known: Bodies that are told or have been found.
        clearance: Metres.
    """

    arm: Arm
    start: np.ndarray
    goal: Pose
    known: tuple[Obstacle, ...]
    clearance: float
    waypoints: int

    def with_bodies(self, bodies: list[Obstacle]) -> Brief:
        """Return the brief with bodies added that it does not have."""
        names = {body.name for body in self.known}
        return evolve(self, known=self.known + tuple(body for body in bodies if body.name not in names))

    def sweeper(self, extra: float) -> Sweeper:
        """Return the swept check among the known bodies, with metres more than the clearance."""
        return Sweeper(cell_of(self.arm.name, self.known), self.clearance + extra)


def read_brief(facts: Mapping[str, str]) -> Brief:
    """Read the facts of a prompt, in any language."""
    arm = next(arm for arm in ARMS.values() if arm.title == facts["title"])
    numbers = [float(text) for text in re.findall(r"-?\d+\.?\d*(?:e-?\d+)?", facts["goal"])]
    goal = Pose((numbers[0], numbers[1], numbers[2]), (numbers[3], numbers[4], numbers[5], numbers[6]))
    known = tuple(read(loads(told.encode())) for name, told in facts.items() if name.startswith("told "))
    start = np.radians(np.array(loads(facts["start"].encode()), dtype=float))
    return Brief(arm, start, goal, known, _number(facts["clearance"]) / 1000, int(_number(facts["waypoints"])))


def path_json(path: np.ndarray) -> list[list[float]]:
    """Return a path as the tools take it: degrees, to a hundredth."""
    return np.round(np.degrees(path), 2).tolist()  # type: ignore[no-any-return]


def pose_json(pose: Pose) -> dict[str, Json]:
    """Return a pose as `inverse` takes it."""
    return {"position": list(pose.position), "rotation": list(pose.rotation)}


def _number(text: str) -> float:
    return float(re.findall(r"\d+\.?\d*", text)[0])
