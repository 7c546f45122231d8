"""The arms: published kinematics and joint limits, and capsules of ours around the links.

An arm is a chain of revolute joints given by a Denavit-Hartenberg table in one of its two conventions. Link i is the
body behind joint i; its frame has the joint's axis as z. `Arm.offsets` writes both conventions as one: the place of
each joint in the frame of the link before it. Lengths are metres, angles radians unless a name says degrees.
"""

from __future__ import annotations

import math
from functools import cached_property
from typing import Literal

import numpy as np
from attrs import field, frozen

Vector = tuple[float, float, float]

BASE = 0
"""Number of the link that does not move."""


@frozen
class Row:
    """One row of a Denavit-Hartenberg table; in the modified convention `a` and `alpha` belong to the link before."""

    a: float
    d: float
    alpha: float


@frozen
class Capsule:
    """A capsule around (a part of) a link: all points within `radius` of the segment from `start` to `end`.

    Attributes:
        link: Number of the link in whose frame the segment is given; 0 is the base.
    """

    name: str
    link: int
    start: Vector
    end: Vector
    radius: float

    @property
    def ends(self) -> np.ndarray:
        """The segment, shape (2, 3)."""
        return np.array((self.start, self.end))


@frozen(slots=False)
class Arm:
    """A robot arm.

    Attributes:
        limits: Lowest and highest angle of each joint in degrees.
        tool: Tool point in the frame of the last link; its orientation is that of the last link.
        apart: Pairs of capsules that are never nearer than 12 mm in any posture: not measured, as are those of
            neighbouring links.
        touching: The pair of capsules that overlap in every posture, around one joint.
        home: A folded posture well inside the limits, degrees.
        usual: Lowest and highest angle, in degrees, of the postures that instances start and end in.
    """

    name: str
    title: str
    convention: Literal["standard", "modified"]
    rows: tuple[Row, ...]
    limits: tuple[tuple[float, float], ...]
    capsules: tuple[Capsule, ...]
    tool: Vector
    home: tuple[float, ...]
    usual: tuple[tuple[float, float], ...]
    touching: tuple[str, str]
    apart: tuple[tuple[str, str], ...] = field(default=())

    @property
    def axes(self) -> int:
        """Number of joints."""
        return len(self.rows)

    @cached_property
    def bounds(self) -> np.ndarray:
        """Joint limits in radians, shape (axes, 2)."""
        limits: np.ndarray = np.radians(np.array(self.limits))
        return limits

    @cached_property
    def offsets(self) -> tuple[tuple[Vector, float], ...]:
        """For each joint its position in the frame of the link before, and its rotation about that frame's x axis."""
        if self.convention == "modified":
            return tuple(((r.a, -r.d * math.sin(r.alpha), r.d * math.cos(r.alpha)), r.alpha) for r in self.rows)
        first: tuple[Vector, float] = ((0.0, 0.0, 0.0), 0.0)
        return (first, *(((r.a, 0.0, r.d), r.alpha) for r in self.rows[:-1]))

    @cached_property
    def self_pairs(self) -> tuple[tuple[int, int], ...]:
        """Indices of the capsule pairs that may collide: their links are at least two joints apart."""
        pairs = []
        for j, second in enumerate(self.capsules):
            for i, first in enumerate(self.capsules[:j]):
                if second.link - first.link >= 2 and (first.name, second.name) not in (*self.apart, self.touching):
                    pairs.append((i, j))
        return tuple(pairs)

    @cached_property
    def reach(self) -> np.ndarray:
        """Largest distance of a capsule's segment from each joint's axis, in any posture: shape (capsules, axes).

        The motion of every point of the segment is at most the sum over joints of |angle| times this. For the
        capsule's own joint it is exact; for an earlier one it is the offset of the next joint from the axis plus the
        lengths of the links between.
        """
        table = np.zeros((len(self.capsules), self.axes))
        for c, capsule in enumerate(self.capsules):
            if capsule.link == BASE:
                continue
            table[c, capsule.link - 1] = np.hypot(capsule.ends[:, 0], capsule.ends[:, 1]).max()
            rest = float(np.linalg.norm(capsule.ends, axis=1).max())
            for joint in range(capsule.link - 1, 0, -1):
                (x, y, z), _ = self.offsets[joint]
                table[c, joint - 1] = math.hypot(x, y) + rest
                rest += math.hypot(x, y, z)
        return table

    def motion(self, first: int, second: int) -> np.ndarray:
        """Return, for each joint, how far capsule `second` moves at most for each radian, seen from capsule `first`.

        Args:
            first: Index of a capsule nearer to the base; -1 for the world.
            second: Index of a capsule.
        """
        begin = 0 if first < 0 else self.capsules[first].link
        row: np.ndarray = self.reach[second].copy()
        row[:begin] = 0.0
        return row


_HALF = math.pi / 2

UR5E = Arm(
    name="ur5e",
    title="Universal Robots UR5e",
    convention="standard",
    rows=(
        Row(0.0, 0.1625, _HALF),
        Row(-0.425, 0.0, 0.0),
        Row(-0.3922, 0.0, 0.0),
        Row(0.0, 0.1333, _HALF),
        Row(0.0, 0.0997, -_HALF),
        Row(0.0, 0.0996, 0.0),
    ),
    limits=((-360, 360), (-360, 360), (-180, 180), (-360, 360), (-360, 360), (-360, 360)),
    capsules=(
        Capsule("base", 0, (0, 0, 0.0), (0, 0, 0.10), 0.07),
        Capsule("shoulder", 2, (0, 0, -0.01), (0, 0, 0.13), 0.06),
        Capsule("upper arm", 2, (-0.02, 0, 0.138), (-0.425, 0, 0.138), 0.055),
        Capsule("elbow", 3, (0, 0, 0.02), (0, 0, 0.13), 0.05),
        Capsule("forearm", 3, (-0.03, 0, 0.007), (-0.3922, 0, 0.007), 0.045),
        Capsule("wrist 1", 4, (0, 0, 0.03), (0, 0, 0.1333), 0.042),
        Capsule("wrist 2", 5, (0, 0, 0.01), (0, 0, 0.0997), 0.042),
        Capsule("wrist 3", 6, (0, 0, 0.03), (0, 0, 0.075), 0.04),
    ),
    tool=(0.0, 0.0, 0.0996),
    home=(0, -90, 90, -90, -90, 0),
    usual=((-170, 170), (-150, -30), (-140, 140), (-180, 180), (-130, 130), (-90, 90)),
    touching=("base", "shoulder"),
    apart=(
        ("base", "upper arm"),
        ("base", "elbow"),
        ("elbow", "wrist 2"),
        ("elbow", "wrist 3"),
        ("forearm", "wrist 2"),
        ("wrist 1", "wrist 3"),
    ),
)

PANDA = Arm(
    name="panda",
    title="Franka Emika Panda",
    convention="modified",
    rows=(
        Row(0.0, 0.333, 0.0),
        Row(0.0, 0.0, -_HALF),
        Row(0.0, 0.316, _HALF),
        Row(0.0825, 0.0, _HALF),
        Row(-0.0825, 0.384, -_HALF),
        Row(0.0, 0.0, _HALF),
        Row(0.088, 0.0, _HALF),
    ),
    limits=((-166, 166), (-101, 101), (-166, 166), (-176, -4), (-166, 166), (-1, 215), (-166, 166)),
    capsules=(
        Capsule("base", 0, (-0.04, 0, 0.04), (0, 0, 0.10), 0.08),
        Capsule("shoulder", 1, (0, 0, -0.12), (0, 0, -0.02), 0.065),
        Capsule("upper arm", 2, (0, 0.01, 0), (0, -0.15, 0), 0.065),
        Capsule("upper elbow", 3, (0, 0, -0.14), (0, 0, -0.02), 0.06),
        Capsule("elbow", 3, (0.03, 0, 0), (0.0825, 0, 0), 0.06),
        Capsule("lower elbow", 4, (0, 0, 0), (-0.0825, 0.10, 0), 0.06),
        Capsule("forearm", 5, (0, 0, -0.26), (0, 0.02, -0.08), 0.05),
        Capsule("wrist", 5, (0, 0.02, -0.08), (0, 0, 0), 0.05),
        Capsule("wrist bend", 6, (0, 0, 0), (0.088, 0, 0), 0.05),
        Capsule("hand", 7, (0, 0, 0.0), (0, 0, 0.067), 0.04),
    ),
    tool=(0.0, 0.0, 0.107),
    home=(0, -45, 0, -135, 0, 90, 45),
    usual=((-150, 150), (-70, 90), (-120, 120), (-150, -30), (-150, 150), (15, 200), (-150, 150)),
    touching=("wrist", "hand"),
    apart=(
        ("base", "upper arm"),
        ("base", "upper elbow"),
        ("base", "elbow"),
        ("shoulder", "upper elbow"),
        ("shoulder", "elbow"),
        ("shoulder", "lower elbow"),
        ("upper arm", "lower elbow"),
        ("upper elbow", "forearm"),
        ("upper elbow", "wrist"),
        ("upper elbow", "wrist bend"),
        ("elbow", "forearm"),
        ("elbow", "wrist"),
        ("elbow", "wrist bend"),
        ("lower elbow", "wrist bend"),
        ("lower elbow", "hand"),
    ),
)

ARMS = {arm.name: arm for arm in (UR5E, PANDA)}
