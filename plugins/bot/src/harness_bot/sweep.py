"""The swept check: is a whole joint path clear, proven and not sampled?

From a posture whose distances are known, no pair can come nearer than it is by more than its bodies move, and what they
move is bounded by the angles turned times the reach of each joint (`Arm.reach`). So the check steps forward exactly as
far as the measured distances allow, measures again, and stops at the first posture that breaks a requirement. Nothing
can pass between two steps, whatever the size of an obstacle.

What is proven of a path that passes: every measured posture keeps each requirement, and in between none is broken by
more than `SLIP`.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from attrs import frozen

from harness_bot.cell import FLOOR, SIGHT, Cell

SLIP = 0.0005
"""Metres by which a requirement may be missed between two measured postures: what keeps steps from becoming endless."""

SELF_APART = 0.005
"""Least distance of two links of the arm."""

MOST_STEPS = 6000
"""Measured postures of a segment after which one that hugs an obstacle counts as not proven clear."""


@frozen
class Contact:
    """Where and with what a path first breaks a requirement.

    Attributes:
        segment: Number of the segment, the first is 1.
        share: Place on the segment, 0 to 1.
        link: Name of the capsule of the arm.
        against: Name of the obstacle, `floor`, or a capsule of the arm.
        kind: `obstacle`, `floor` or `self`.
        distance: Signed distance there, metres; negative is how deep the bodies overlap.
        required: Distance that is required.
        point: Between the two surfaces.
        angles: Posture there, radians.
    """

    segment: int
    share: float
    link: str
    against: str
    kind: str
    distance: float
    required: float
    point: np.ndarray
    angles: np.ndarray


@frozen
class Swept:
    """Result of a check: the first contact, if any, and the share of the path before it."""

    contact: Contact | None
    free: float

    @property
    def clear(self) -> bool:
        """Whether the whole path keeps every requirement."""
        return self.contact is None


class Sweeper:
    """The check of paths in one cell.

    Attributes:
        required: Least distance of each pair of the cell.
        steps: Postures measured so far.
    """

    def __init__(self, cell: Cell, clearance: float) -> None:
        self.cell = cell
        self.required = np.array([clearance if pair.other < 0 else SELF_APART for pair in cell.pairs])
        self._weights = np.array([cell.arm.motion(pair.other, pair.capsule) for pair in cell.pairs])
        self._unseen = SIGHT - float(self.required.max())
        self.steps = 0

    def sweep(self, path: np.ndarray) -> Swept:
        """Check a path of waypoints, shape (n, axes), radians, straight in joint space between them."""
        lengths = np.abs(np.diff(path, axis=0)).max(axis=1)
        total = max(float(lengths.sum()), 1e-9)
        for number, (start, end) in enumerate(pairwise(path)):
            share = self.first_break(start, end)
            if share is not None:
                contact = self._describe(number + 1, share, start + share * (end - start))
                return Swept(contact, float(lengths[:number].sum() + share * lengths[number]) / total)
        return Swept(None, 1.0)

    def first_break(self, start: np.ndarray, end: np.ndarray) -> float | None:
        """Return the place on a segment, 0 to 1, where it first breaks a requirement; None when it is proven clear."""
        change = end - start
        motion = self._weights @ np.abs(change)
        blind = self._unseen / max(float(motion.max()), 1e-9)
        share = 0.0
        for _ in range(MOST_STEPS):
            self.steps += 1
            numbers, distances = self.cell.near(start + share * change)
            slack = distances - self.required[numbers]
            if slack.size and slack.min() < 0.0:
                return share
            if share >= 1.0:
                return None
            step = blind
            if slack.size:
                moved = np.maximum(motion[numbers], 1e-12)
                step = min(blind, float(((slack + SLIP) / moved).min()))
            share = min(1.0, share + step)
        return share

    def slack(self, angles: np.ndarray) -> float:
        """Return how much nearer the nearest pair may come, metres; at most what is in sight."""
        numbers, distances = self.cell.near(angles)
        return min(self._unseen, float((distances - self.required[numbers]).min(initial=self._unseen)))

    def nearest(self, angles: np.ndarray, segment: int = 0, share: float = 0.0) -> Contact | None:
        """Describe the pair with the least slack in a posture; None when nothing is in sight."""
        numbers, _ = self.cell.near(angles)
        return self._describe(segment, share, angles) if numbers.size else None

    def _describe(self, segment: int, share: float, angles: np.ndarray) -> Contact:
        numbers, distances = self.cell.near(angles)
        worst = int(np.argmin(distances - self.required[numbers]))
        number, distance = int(numbers[worst]), float(distances[worst])
        pair = self.cell.pairs[number]
        kind = "self" if pair.other >= 0 else FLOOR if pair.against == FLOOR else "obstacle"
        required, point = float(self.required[number]), self.cell.contact_point(number)
        link = self.cell.arm.capsules[pair.capsule].name
        return Contact(segment, share, link, pair.against, kind, distance, required, point, angles)
