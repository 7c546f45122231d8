"""The tool layer: kinematics for nothing, distances and scans within budgets, whole paths checked, one submitted."""

from __future__ import annotations

from typing import Annotated

import numpy as np

from harness import Json, Refused, Toolset, Unit, tool
from harness_bot.arms import ARMS, Arm
from harness_bot.cell import SIGHT, Cell, cell_of
from harness_bot.poses import Pose, pose_error, pose_of, solve
from harness_bot.report import evidence, measure, tell_contact, tell_report
from harness_bot.sample import LEVEL_TABLE, SCAN_RADIUS, Instance, Options, sweeper_of
from harness_bot.scene import tell
from harness_bot.twin import to_obstacle
from harness_bot.world import Joints, Path, Point, Quaternion, State, degrees, posture, waypoints_of


class Workcell(Toolset):
    """The arm among told obstacles."""

    World = State
    identity: Instance
    options: Options
    world: State

    @classmethod
    def warm(cls, options: Options) -> None:
        """Load MuJoCo and compile the bare arm, once per worker."""
        cell_of(LEVEL_TABLE[options.level].arm, ())

    @tool
    def forward(self, joints: Annotated[Joints, Unit("degrees")]) -> dict[str, Json]:
        """Say where the tool and the links are in a posture, and how far the tool is from the goal pose. Free.

        Args:
            joints: All joint angles, from the base on.
        """
        angles = posture(joints, self._arm, "joints")
        position, matrix = self._bare.tool(angles)
        links = self._bare.capsules(angles)
        pose = pose_of(position, matrix)
        told: dict[str, Json] = {"position": list(pose.position), "rotation": list(pose.rotation)}
        told |= self._goal_errors(position, matrix)
        lines = {c.name: np.round(ends, 3).tolist() for c, ends in zip(self._arm.capsules, links, strict=True)}
        return told | {"capsules": lines}

    @tool
    def inverse(
        self,
        position: Annotated[Point, Unit("metres")],
        rotation: Quaternion,
        seed: Annotated[Joints, Unit("degrees")],
    ) -> dict[str, Json]:
        """Search from a seed for joint angles with the tool at a pose, within the limits, blind to obstacles. Free.

        Args:
            position: Where the tool shall be, x, y, z.
            rotation: Unit quaternion w, x, y, z of the tool.
            seed: Joint angles to start from; another seed may find another posture.
        """
        size = float(np.linalg.norm(rotation))
        if abs(size - 1) > 0.02:
            said = f"got a quaternion of length {size:.3f}, expected 1; this costs the turn and no budget"
            raise Refused(f"argument rotation: {said}", argument="rotation")
        (x, y, z), (w, i, j, k) = position, rotation
        goal = Pose((x, y, z), (w, i, j, k))
        angles, reached = solve(self._bare, goal, posture(seed, self._arm, "seed"))
        metres, radians = pose_error(*self._bare.tool(angles), goal)
        errors = {
            "position_error_mm": round(1000 * metres, 2),
            "rotation_error_deg": round(float(np.degrees(radians)), 2),
        }
        return {"reached": reached, "joints": degrees(angles), **errors}

    @tool(budget="clearances")
    def clearance(self, joints: Annotated[Joints, Unit("degrees")]) -> dict[str, Json]:
        """Measure the nearest distance between the arm and anything else in one posture. Costs one clearance.

        Args:
            joints: All joint angles, from the base on.
        """
        contact = sweeper_of(self.identity).nearest(posture(joints, self._arm, "joints"))
        if contact is None:
            return {"clear": True, "distance_mm": f"more than {1000 * SIGHT:g}"}
        told = {"clear": contact.distance >= contact.required, **tell_contact(contact)}
        if contact.distance < 0:
            told["unsafe"] = f"collision: {contact.link} is inside {contact.against}"
        return told

    @tool(budget="checks")
    def check_path(self, waypoints: Path) -> dict[str, Json]:
        """Check a whole path: where it first breaks a requirement, its worst place, its goal error. Costs one check.

        Args:
            waypoints: The path.
        """
        report = measure(waypoints_of(waypoints, self.identity), self.identity)
        self.world.share.append(round(report.swept.free, 4))
        told = tell_report(report)
        contact = report.swept.contact
        self.world.last = "valid" if report.valid else f"{contact.link} / {contact.against}" if contact else "goal"
        return told

    @tool(final=True)
    def submit(self, waypoints: Path) -> dict[str, Json]:
        """Send the arm along a path. Final: ends the episode.

        Args:
            waypoints: The path.
        """
        report = measure(waypoints_of(waypoints, self.identity), self.identity)
        self.world.measured = evidence(report)
        return tell_report(report)

    def calc_reward(self) -> dict[str, Json]:
        """Return the evidence of the submitted path."""
        return self.world.measured

    @property
    def _arm(self) -> Arm:
        return ARMS[self.identity.arm]

    @property
    def _bare(self) -> Cell:
        return cell_of(self.identity.arm, ())

    def _goal_errors(self, position: np.ndarray, matrix: np.ndarray) -> dict[str, Json]:
        metres, radians = pose_error(position, matrix, self.identity.goal)
        return {
            "goal_position_error_mm": round(1000 * metres, 2),
            "goal_rotation_error_deg": round(float(np.degrees(radians)), 2),
        }


class ScannedCell(Workcell):
    """The arm among obstacles of which some have to be found."""

    @tool(budget="scans")
    def scan(self, point: Annotated[Point, Unit("metres")]) -> dict[str, Json]:
        """List every body whose surface comes within 0.2 m of a point, with shape and place. Costs one scan.

        Args:
            point: Where to look, x, y, z.
        """
        line = np.array((point, point), dtype=float)
        seen = [o for o in self.identity.obstacles if float(to_obstacle(line, o)) <= SCAN_RADIUS]
        fresh = [o.name for o in seen if o.name in self.identity.hidden and o.name not in self.world.found]
        self.world.found.extend(fresh)
        return {"bodies": [tell(o) for o in seen], "new": fresh, "not_found_yet": len(self._unfound())}

    def _unfound(self) -> list[str]:
        return [name for name in self.identity.hidden if name not in self.world.found]
