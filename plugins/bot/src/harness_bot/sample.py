"""Instances: a hidden detour first, then obstacles in the way of everything simpler.

Start, goal and a detour over two via-points are drawn for the bare arm. Then obstacles are put onto the swept volumes
of the lazy paths (straight line, lift-over, fixed and random via-points) wherever they keep off the detour's. So a
solution exists by construction, and a path that takes no account of the obstacles is blocked by construction. Sweeps
are looked at with the numpy twin; the detour is proven clear at the end with the real check.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Literal

import numpy as np
from attrs import frozen

from harness import Reject, option
from harness_bot.arms import Arm
from harness_bot.cell import Cell, cell_of
from harness_bot.paths import cut, fixed_via, lift_over, random_via, spread, straight, through
from harness_bot.poses import Pose, pose_of, solve
from harness_bot.scene import Obstacle
from harness_bot.sweep import Sweeper
from harness_bot.twin import radii, segments, to_obstacle, to_point

LEVELS = ("easy", "medium", "hard")

GOAL_MM = 10.0
GOAL_DEG = 3.0
"""How near the tool must come to the goal pose."""

SCAN_RADIUS = 0.2
"""Metres around a point within which a scan finds bodies."""


@frozen
class Options:
    """Parameters of the task."""

    level: str = option("medium", "which arm, how many obstacles, how many of them hidden", choices=LEVELS)
    pictures: bool = option(False, "begin with a picture of the arm and the known obstacles", seeded=False)


@frozen
class Level:
    """What a level means.

    Attributes:
        obstacles: Fewest and most bodies.
        hidden: Share of them that is not told.
        clearance: Millimetres that the arm has to keep from obstacles and floor.
        rivals: Random via-point paths that obstacles are put in the way of, beside the lazy ones.
        waypoints: Most waypoints of a path, start and goal included.
    """

    arm: str
    obstacles: tuple[int, int]
    hidden: float
    clearance: float
    rivals: int
    waypoints: int
    checks: int
    scans: int
    clearances: int


LEVEL_TABLE: Mapping[str, Level] = {
    "easy": Level("ur5e", (8, 12), 0.0, 10.0, 40, 10, 6, 0, 40),
    "medium": Level("panda", (9, 13), 0.5, 15.0, 40, 12, 8, 6, 40),
    "hard": Level("panda", (11, 14), 1.0, 20.0, 40, 12, 8, 10, 40),
}


@frozen
class Instance:
    """The identity of an instance.

    Attributes:
        start: Joint angles in degrees.
        goal: Pose that the tool has to reach.
        hidden: Names of the obstacles that the prompt does not tell.
        clearance: Millimetres to keep from obstacles and floor.
        detour: Via-points and last posture, in degrees, of a path that is clear; never shown.
    """

    arm: Literal["ur5e", "panda"]
    start: tuple[float, ...]
    goal: Pose
    obstacles: tuple[Obstacle, ...]
    hidden: tuple[str, ...]
    clearance: float
    waypoints: int
    checks: int
    scans: int
    clearances: int
    detour: tuple[tuple[float, ...], ...]

    @property
    def told(self) -> tuple[Obstacle, ...]:
        """The obstacles that the prompt tells."""
        return tuple(o for o in self.obstacles if o.name not in self.hidden)


def sweeper_of(instance: Instance) -> Sweeper:
    """Return the swept check of an instance's cell."""
    return Sweeper(cell_of(instance.arm, instance.obstacles), instance.clearance / 1000)


# ---- drawing

_TRIES = 6
_SLACK = 0.012
"""Metres beyond the clearance that obstacles keep off the detour."""

_SPREAD_STEP = 0.15
_ROUNDS = 13
"""Golden-section steps for boxes: a millimetre is enough here."""

_VIA_SPREAD = np.radians(42)
_RIVAL_SPREAD = np.radians(45)
_NEAREST_START, _FARTHEST_START = np.radians(50), np.radians(150)


def propose(rng: np.random.Generator, options: Options) -> Instance:
    """Propose an instance.

    Raises:
        Reject: No route or no set of obstacles was found in a few tries.
    """
    level = LEVEL_TABLE[options.level]
    bare = cell_of(level.arm, ())
    for _ in range(_TRIES):
        route = _draw_route(bare, level, rng)
        obstacles = None if route is None else _Site(bare, level, route).build(rng)
        if route is None or obstacles is None:
            continue
        made = _instance(level, bare, route, obstacles, rng)
        if sweeper_of(made).sweep(cut(route)).clear:
            return made
    raise Reject("no route with obstacles around it")


def _instance(
    level: Level, bare: Cell, route: np.ndarray, obstacles: tuple[Obstacle, ...], rng: np.random.Generator
) -> Instance:
    order = rng.permutation(len(obstacles))
    named = tuple(
        Obstacle(f"body {n + 1}", o.kind, o.centre, o.size, o.turn, o.rise)
        for n, o in enumerate(obstacles[i] for i in order)
    )
    hidden = rng.permutation(len(named))[: round(level.hidden * len(named))]
    degrees = [tuple(round(float(v), 1) for v in np.degrees(posture)) for posture in route]
    return Instance(
        arm=bare.arm.name,  # type: ignore[arg-type]
        start=degrees[0],
        goal=pose_of(*bare.tool(route[-1])),
        obstacles=named,
        hidden=tuple(named[i].name for i in sorted(hidden)),
        clearance=level.clearance,
        waypoints=level.waypoints,
        checks=level.checks,
        scans=level.scans,
        clearances=level.clearances,
        detour=tuple(degrees[1:]),
    )


def _draw_route(bare: Cell, level: Level, rng: np.random.Generator) -> np.ndarray | None:
    """Draw start, two via-points and goal of a path that the bare arm can go; angles are tenths of a degree."""
    sweeper = Sweeper(bare, level.clearance / 1000 + _SLACK)
    for _ in range(60):
        start, goal = _draw_end(sweeper, rng), _draw_end(sweeper, rng)
        if start is None or goal is None or not _is_a_way(bare, start, goal):
            continue
        low, high = bare.arm.bounds.T
        for _ in range(4):
            vias = [start + s * (goal - start) + rng.normal(0, _VIA_SPREAD, len(start)) for s in (0.33, 0.67)]
            route = _rounded(np.array((start, *np.clip(vias, low, high), goal)))
            if len(cut(route)) <= level.waypoints and sweeper.sweep(route).clear:
                return route
    return None


def _draw_end(sweeper: Sweeper, rng: np.random.Generator) -> np.ndarray | None:
    low, high = np.radians(np.array(sweeper.cell.arm.usual)).T
    for _ in range(20):
        posture = _rounded(rng.uniform(low, high))
        (x, y, z), _ = sweeper.cell.tool(posture)
        if 0.08 < z < 0.9 and np.hypot(x, y) > 0.25 and sweeper.slack(posture) > 0:
            return posture
    return None


def _is_a_way(bare: Cell, start: np.ndarray, goal: np.ndarray) -> bool:
    turned = float(np.abs(goal - start).max())
    moved = float(np.linalg.norm(bare.tool(start)[0] - bare.tool(goal)[0]))
    return _NEAREST_START < turned < _FARTHEST_START and moved > 0.35


def _rounded(postures: np.ndarray) -> np.ndarray:
    rounded: np.ndarray = np.radians(np.round(np.degrees(postures), 1))
    return rounded


class _Swept:
    """The volume that the capsules sweep along a path: their segments in posture after posture, in one flat list."""

    def __init__(self, arm: Arm, lines: np.ndarray, first: int) -> None:
        self.lines = lines
        moving = self.lines[:, first:]
        self._a, self._b = moving[:, :, 0].reshape(-1, 3), moving[:, :, 1].reshape(-1, 3)
        self._thick = np.tile(radii(arm)[first:], len(moving))

    def room(self, centre: np.ndarray) -> np.ndarray:
        """Return the distance of a point from each capsule."""
        room: np.ndarray = to_point(self._a, self._b, centre) - self._thick
        return room

    def gap(self, body: Obstacle, room: np.ndarray, most: float) -> float:
        """Return the distance to a body, given the room at its centre; `most` if it is no nearer."""
        near = np.flatnonzero(room < most + body.extent)
        if not near.size:
            return most
        lines = np.stack((self._a[near], self._b[near]), axis=1)
        return min(most, float((to_obstacle(lines, body, _ROUNDS) - self._thick[near]).min()))

    def rooms(self, places: np.ndarray) -> np.ndarray:
        """Return the distance of each of many points (n, 3) from the capsules of every other posture."""
        skip = slice(None, None, 2)
        a, b, thick = self._a[skip], self._b[skip], self._thick[skip]
        rooms: np.ndarray = (to_point(a, b, places[:, None]) - thick).min(axis=1)
        return rooms


class _Site:
    """Where obstacles are put: the swept volume to keep off, and those to block."""

    def __init__(self, bare: Cell, level: Level, route: np.ndarray) -> None:
        self.arm, self.bare, self.level, self.route = bare.arm, bare, level, route
        self.clearance = level.clearance / 1000
        self.keep = _Swept(self.arm, segments(self.arm, spread(route, _SPREAD_STEP)), 0)
        self.made: list[Obstacle] = []

    def build(self, rng: np.random.Generator) -> tuple[Obstacle, ...] | None:
        """Put obstacles until every lazy path is blocked; None when one cannot be."""
        fewest, most = self.level.obstacles
        for path in self._lazy_paths():
            swept = _Swept(self.arm, segments(self.arm, spread(path, _SPREAD_STEP)), 1)
            blocked = self._is_blocked(swept) or not Sweeper(self.bare, self.clearance).sweep(path).clear
            if not blocked and not self._block(swept, rng):
                return None
        rivals = self._rivals(rng)
        for left in range(len(rivals), 0, -1):
            if len(self.made) >= most:
                break
            swept = rivals[left - 1]
            short = len(self.made) + left // 2 <= fewest
            if short or not self._is_blocked(swept):
                self._block(swept, rng)
        return tuple(self.made) if fewest <= len(self.made) <= most else None

    def _lazy_paths(self) -> Iterator[np.ndarray]:
        """The paths of policies that look at no obstacle, to each posture that they may find for the goal."""
        start, goal = self.route[0], self.route[-1]
        yield straight(start, goal)
        found = goal_posture(self.bare, pose_of(*self.bare.tool(goal)), start)
        if found is not None:
            yield straight(start, found)
            yield fixed_via(self.arm, start, found)
            yield lift_over(self.bare, start, found)

    def _rivals(self, rng: np.random.Generator) -> list[_Swept]:
        """Draw paths over one via-point that the bare arm can be in: about the straight line, or anywhere, in turn."""
        start, goal = self.route[0], self.route[-1]
        low, high = np.radians(np.array(self.arm.usual)).T
        bare, paths = Sweeper(self.bare, self.clearance), []
        for number in range(self.level.rivals):
            path = random_via(self.arm, start, goal, rng, _RIVAL_SPREAD)
            if number % 2:
                path = through(start, rng.uniform(low, high), goal)
            if bare.slack(path[1]) >= 0:
                paths.append(spread(path, _SPREAD_STEP))
        ends = np.cumsum([len(path) for path in paths])[:-1]
        lines = segments(self.arm, np.concatenate(paths)) if paths else np.empty((0, len(self.arm.capsules), 2, 3))
        return [_Swept(self.arm, part, 1) for part in np.split(lines, ends)]

    def _is_blocked(self, swept: _Swept) -> bool:
        return any(self._blocks(body, swept) for body in self.made)

    def _blocks(self, body: Obstacle, swept: _Swept, room: np.ndarray | None = None) -> bool:
        room = swept.room(np.array(body.centre)) if room is None else room
        return swept.gap(body, room, self.clearance) < self.clearance - 0.003

    def _block(self, swept: _Swept, rng: np.random.Generator) -> bool:
        """Put a body in the way of a path, off the detour's sweep: as large as fits, of a drawn shape."""
        least = self.clearance + _SLACK
        for centre in self._centres(swept, least, rng):
            drawn = _draw_body(_KINDS[int(rng.integers(len(_KINDS)))], centre, rng)
            for scale in _SCALES:
                body = _scaled(drawn, scale)
                if self.keep.gap(body, self.keep.room(np.array(body.centre)), least) >= least:
                    break
            else:
                continue
            if self._blocks(body, swept):
                self.made.append(body)
                return True
        return False

    def _centres(self, swept: _Swept, least: float, rng: np.random.Generator) -> np.ndarray:
        """Draw places on the capsules of a path that are far enough from the detour, the roomiest first."""
        count = len(swept.lines)
        at = rng.integers(count // 8, max(count // 8 + 1, count - count // 8), _CANDIDATES)
        which = rng.integers(2, swept.lines.shape[1], _CANDIDATES)
        share = rng.uniform(0, 1, (_CANDIDATES, 1))
        ends = swept.lines[at, which]
        places = np.round(ends[:, 0] + share * (ends[:, 1] - ends[:, 0]), 3)
        away = self.keep.rooms(places)
        order = np.argsort(-away, kind="stable")
        fit = order[(away[order] > least + 0.02) & (places[order, 2] > 0.05)]
        chosen: np.ndarray = places[fit[:_TRIED]]
        return chosen


def goal_posture(cell: Cell, goal: Pose, start: np.ndarray) -> np.ndarray | None:
    """Return the posture that a policy finds for the goal first: from the start, else from the folded home posture."""
    for seed in (start, np.radians(np.array(cell.arm.home, dtype=float))):
        found, reached = solve(cell, goal, seed)
        if reached:
            return found
    return None


_SCALES = (1.0, 0.75, 0.5, 0.35, 0.25, 0.15)
_CANDIDATES, _TRIED = 32, 6
_KINDS: tuple[Literal["sphere", "box", "capsule"], ...] = ("sphere", "box", "box", "capsule")


def _draw_body(kind: Literal["sphere", "box", "capsule"], centre: np.ndarray, rng: np.random.Generator) -> Obstacle:
    """Draw a body of full size about a centre."""
    x, y, z = (float(v) for v in centre)
    turn = float(5 * rng.integers(0, 36))
    if kind == "sphere":
        return Obstacle("", kind, (x, y, z), (0.16,))
    if kind == "box":
        a, b, c = (float(v) for v in rng.uniform((0.05, 0.05, 0.06), (0.2, 0.2, 0.25)))
        return Obstacle("", kind, (x, y, z), (a, b, c), turn)
    rise = float(rng.choice((0.0, 90.0)))
    return Obstacle("", kind, (x, y, z), (float(rng.uniform(0.05, 0.1)), float(rng.uniform(0.15, 0.35))), turn, rise)


def _scaled(body: Obstacle, scale: float) -> Obstacle:
    """Shrink a body about its centre, to millimetres, and let nothing stand in the floor."""
    size = tuple(round(max(0.015, scale * v), 3) for v in body.size)
    made = Obstacle(body.name, body.kind, body.centre, size, body.turn, body.rise)
    low = {"sphere": size[0], "box": size[-1], "capsule": size[0] + size[-1] * abs(float(made.axis[2]))}[body.kind]
    x, y, z = body.centre
    return Obstacle(body.name, body.kind, (x, y, round(max(z, low), 3)), size, body.turn, body.rise)
