"""The second model: the same arms and bodies in plain numpy, many postures at once.

Kinematics are products of the literal Denavit-Hartenberg matrices, distances are those of segments to bodies in closed
form (to a box: the minimum of a convex function). It shares no code with MuJoCo: tests hold the two against each
other, and the sampler, which looks at whole sweeps, is fast because of it.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from harness_bot.arms import Arm, Row
from harness_bot.scene import Obstacle

_GOLDEN = (np.sqrt(5.0) - 1) / 2
_ROUNDS = 22
"""Golden-section steps: the place on a segment is found to 25 millionths of its length."""


def link_frames(arm: Arm, angles: np.ndarray) -> np.ndarray:
    """Return the frames of base and links, (axes + 1, n, 4, 4), for joint angles (n, axes) in radians."""
    count = len(angles)
    frames = np.empty((arm.axes + 1, count, 4, 4))
    frames[0] = at = np.broadcast_to(np.eye(4), (count, 4, 4))
    for i, row in enumerate(arm.rows):
        turn = _about_z(angles[:, i])
        if arm.convention == "standard":  # Rz(q) Tz(d) Tx(a) Rx(alpha)
            frames[i + 1] = at @ turn
            at = frames[i + 1] @ _shift(0, 0, row.d) @ _shift(row.a, 0, 0) @ _about_x(row)
        else:  # Rx(alpha) Tx(a) Rz(q) Tz(d)
            frames[i + 1] = at = at @ _about_x(row) @ _shift(row.a, 0, 0) @ turn @ _shift(0, 0, row.d)
    return frames


def tool_frames(arm: Arm, angles: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the tool point (n, 3) and the rotation matrix of the last link (n, 3, 3)."""
    last = link_frames(arm, angles)[-1]
    return last[:, :3, 3] + last[:, :3, :3] @ np.array(arm.tool), last[:, :3, :3]


def segments(arm: Arm, angles: np.ndarray) -> np.ndarray:
    """Return the axes of all capsules, shape (n, capsules, 2, 3)."""
    frames = link_frames(arm, angles)
    found = np.empty((len(angles), len(arm.capsules), 2, 3))
    for c, capsule in enumerate(arm.capsules):
        frame = frames[capsule.link]
        found[:, c] = capsule.ends @ frame[:, :3, :3].transpose(0, 2, 1) + frame[:, None, :3, 3]
    return found


def radii(arm: Arm) -> np.ndarray:
    """Return the radii of all capsules."""
    return np.array([capsule.radius for capsule in arm.capsules])


def to_obstacle(lines: np.ndarray, obstacle: Obstacle, rounds: int = _ROUNDS) -> np.ndarray:
    """Return the distance of segments (…, 2, 3) from a body's surface.

    Exact wherever the segment stays outside the body; negative inside, there only a bound. For a box, the place
    on the segment is searched in so many rounds.
    """
    a, b = lines[..., 0, :], lines[..., 1, :]
    if obstacle.kind == "sphere":
        return to_point(a, b, np.array(obstacle.centre)) - obstacle.size[0]
    if obstacle.kind == "capsule":
        c, d = obstacle.ends
        return between(a, b, c, d) - obstacle.size[0]
    return _to_box(a, b, obstacle, rounds)


def to_floor(lines: np.ndarray) -> np.ndarray:
    """Return the height of the lower end of segments (…, 2, 3)."""
    height: np.ndarray = lines[..., 2].min(axis=-1)
    return height


def to_point(a: np.ndarray, b: np.ndarray, point: np.ndarray) -> np.ndarray:
    """Return the distance of segments a-b (…, 3) from points that broadcast against them."""
    along, to = b - a, point - a
    length = np.maximum(_dot(along, along), 1e-18)
    share = np.clip(_dot(to, along) / length, 0.0, 1.0)
    away = to - share[..., None] * along
    distance: np.ndarray = np.sqrt(_dot(away, away))
    return distance


def between(a: np.ndarray, b: np.ndarray, c: np.ndarray, d: np.ndarray) -> np.ndarray:
    """Return the distance between segments a-b and c-d that broadcast against each other.

    The least of the interior solution, where it lies in both segments, and the four distances of an end from the
    other segment: the distance is convex in both places, so its minimum is one of these.
    """
    u, v, w = b - a, d - c, a - c
    uu, uv, vv, uw, vw = _dot(u, u), _dot(u, v), _dot(v, v), _dot(u, w), _dot(v, w)
    slant = uu * vv - uv * uv
    safe = np.where(slant > 1e-12, slant, 1.0)
    s, t = (uv * vw - vv * uw) / safe, (uu * vw - uv * uw) / safe
    inside = (slant > 1e-12) & (s >= 0) & (s <= 1) & (t >= 0) & (t <= 1)
    middle = np.linalg.norm(w + s[..., None] * u - t[..., None] * v, axis=-1)
    ends = np.minimum(
        np.minimum(to_point(a, b, c), to_point(a, b, d)), np.minimum(to_point(c, d, a), to_point(c, d, b))
    )
    least: np.ndarray = np.where(inside, np.minimum(middle, ends), ends)
    return least


def clearances(
    arm: Arm, obstacles: Sequence[Obstacle], angles: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return distances to obstacles (n, capsules, obstacles), the floor (n, capsules), in self pairs (n, pairs)."""
    lines, thick = segments(arm, angles), radii(arm)
    away = [to_obstacle(lines, obstacle) - thick for obstacle in obstacles]
    first, second = np.array(arm.self_pairs).T
    one, two = lines[:, first], lines[:, second]
    apart = between(one[..., 0, :], one[..., 1, :], two[..., 0, :], two[..., 1, :]) - thick[first] - thick[second]
    empty = np.empty((*lines.shape[:2], 0))
    return np.stack(away, axis=-1) if away else empty, to_floor(lines) - thick, apart


def _to_box(a: np.ndarray, b: np.ndarray, box: Obstacle, rounds: int) -> np.ndarray:
    """Minimise the signed distance of a box, which is convex, along each segment by golden section."""
    turn = np.radians(box.turn)
    into = np.array(((np.cos(turn), -np.sin(turn), 0), (np.sin(turn), np.cos(turn), 0), (0, 0, 1)))
    a, b, half = (a - box.centre) @ into, (b - box.centre) @ into, np.array(box.size)
    along = b - a

    def at(share: np.ndarray) -> np.ndarray:
        out = np.abs(a + share[..., None] * along) - half
        beyond = np.maximum(out, 0.0)
        signed: np.ndarray = np.sqrt(_dot(beyond, beyond)) + np.minimum(out.max(axis=-1), 0.0)
        return signed

    low, high = np.zeros(a.shape[:-1]), np.ones(a.shape[:-1])
    p, q = high - _GOLDEN * (high - low), low + _GOLDEN * (high - low)
    f, g = at(p), at(q)
    for _ in range(rounds):
        left = f < g
        low, high = np.where(left, low, p), np.where(left, q, high)
        fresh = np.where(left, high - _GOLDEN * (high - low), low + _GOLDEN * (high - low))
        p, q = np.where(left, fresh, q), np.where(left, p, fresh)
        value = at(fresh)
        f, g = np.where(left, value, g), np.where(left, f, value)
    ends = np.minimum(at(np.zeros_like(low)), at(np.ones_like(low)))
    least: np.ndarray = np.minimum(np.minimum(f, g), ends)
    return least


def _dot(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    found: np.ndarray = np.einsum("...i,...i->...", a, b)
    return found


def _about_z(angle: np.ndarray) -> np.ndarray:
    turn = np.zeros((len(angle), 4, 4))
    cos, sin = np.cos(angle), np.sin(angle)
    turn[:, 0, 0], turn[:, 0, 1], turn[:, 1, 0], turn[:, 1, 1] = cos, -sin, sin, cos
    turn[:, 2, 2] = turn[:, 3, 3] = 1.0
    return turn


def _about_x(row: Row) -> np.ndarray:
    cos, sin = np.cos(row.alpha), np.sin(row.alpha)
    turn: np.ndarray = np.array(((1, 0, 0, 0), (0, cos, -sin, 0), (0, sin, cos, 0), (0, 0, 0, 1)))
    return turn


def _shift(x: float, y: float, z: float) -> np.ndarray:
    moved = np.eye(4)
    moved[:3, 3] = x, y, z
    return moved
