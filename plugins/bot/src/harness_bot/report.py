"""What the tools tell of a path: first break, worst place, goal errors, with units and signs."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
from attrs import frozen

from harness import Json
from harness_bot.paths import length, spread
from harness_bot.poses import pose_distance, pose_error
from harness_bot.sample import GOAL_DEG, GOAL_MM, Instance, sweeper_of
from harness_bot.sweep import Contact, Sweeper, Swept
from harness_bot.world import degrees

_WORST_STEP = 0.08


@frozen
class Report:
    """A path measured.

    Attributes:
        collides: Whether bodies overlap somewhere, not only come too near.
        worst: The sampled posture with the least slack.
        position: Distance of the tool from the goal at the end, millimetres.
        rotation: The same in degrees.
        approach: Share of the start's distance from the goal that the end has made good, 0 to 1.
        directness: Length of the straight line to the same end, over that of the path.
    """

    swept: Swept
    collides: bool
    worst: Contact | None
    position: float
    rotation: float
    approach: float
    directness: float

    @property
    def reached(self) -> bool:
        """Whether the goal is reached within its tolerances."""
        return self.position <= GOAL_MM and self.rotation <= GOAL_DEG

    @property
    def valid(self) -> bool:
        """Whether every requirement holds."""
        return self.swept.clear and self.reached


def measure(path: np.ndarray, instance: Instance) -> Report:
    """Measure a path in the cell of an instance."""
    sweeper = sweeper_of(instance)
    cell, goal = sweeper.cell, instance.goal
    swept = sweeper.sweep(path)
    collides = not swept.clear and not Sweeper(cell, 0.0).sweep(path).clear
    first, last = cell.tool(path[0]), cell.tool(path[-1])
    metres, radians = pose_error(*last, goal)
    approach = 1 - pose_distance(*last, goal) / max(pose_distance(*first, goal), 1e-9)
    straight = float(np.abs(path[-1] - path[0]).max())
    directness = min(1.0, straight / max(length(path), 1e-9))
    return Report(
        swept, collides, _worst(path, sweeper), 1000 * metres, math.degrees(radians), max(0.0, approach), directness
    )


def _worst(path: np.ndarray, sweeper: Sweeper) -> Contact | None:
    """Describe the posture with the least slack, of those a few degrees apart."""
    least, found = math.inf, None
    for segment, ends in enumerate(pairwise(path), start=1):
        postures = spread(np.array(ends), _WORST_STEP)
        slacks = [sweeper.slack(posture) for posture in postures]
        at = int(np.argmin(slacks))
        if slacks[at] < least:
            least, found = slacks[at], sweeper.nearest(postures[at], segment, at / max(1, len(postures) - 1))
    return found


def tell_report(report: Report) -> dict[str, Json]:
    """Return a report as the policy sees it."""
    told: dict[str, Json] = {"valid": report.valid, "clear": report.swept.clear}
    told["clear_share"] = round(report.swept.free, 3)
    if report.swept.contact is not None:
        told["breaks"] = "collision" if report.collides else "too close"
        told["first_break"] = tell_contact(report.swept.contact)
    if report.collides and report.worst is not None:
        told["unsafe"] = f"collision: {report.worst.link} runs into {report.worst.against}"
    if report.worst is not None:
        told["worst"] = tell_contact(report.worst)
    told["goal"] = {
        "reached": report.reached,
        "position_error_mm": round(report.position, 2),
        "rotation_error_deg": round(report.rotation, 2),
    }
    return told


def tell_contact(contact: Contact) -> dict[str, Json]:
    """Return a contact as the policy sees it; `margin_mm` is negative where the requirement is broken."""
    told: dict[str, Json] = {}
    if contact.segment:
        told |= {"segment": contact.segment, "share": round(contact.share, 3), "joints": degrees(contact.angles)}
    return told | {
        "link": contact.link,
        "against": contact.against,
        "distance_mm": round(1000 * contact.distance, 1),
        "required_mm": round(1000 * contact.required, 1),
        "margin_mm": round(1000 * (contact.distance - contact.required), 1) + 0.0,
        "point": [round(float(v), 3) for v in contact.point],
    }


def evidence(report: Report) -> dict[str, Json]:
    """Return what scoring needs of the submitted path."""
    return {
        "clear": report.swept.clear,
        "collides": report.collides,
        "clear_share": round(report.swept.free, 6),
        "reached": report.reached,
        "position_mm": round(report.position, 4),
        "rotation_deg": round(report.rotation, 4),
        "approach": round(report.approach, 6),
        "directness": round(report.directness, 6),
    }
