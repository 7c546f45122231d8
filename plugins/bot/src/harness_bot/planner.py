"""A path planner: RRT-Connect on the swept check itself, then short-cuts until the path fits its waypoints.

Two trees grow from the start and from the goal postures. An edge goes as far towards its target as the check proves it
clear, so that no path has to be checked again. Iterations are counted, never the clock: the same generator gives the
same path.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from harness_bot.paths import cut, length
from harness_bot.sweep import Sweeper

_LONGEST_EDGE = 1.2
_BACK_OFF = 0.02
_SHORTEST_EDGE = 0.05
_SHORT_CUTS = 60


class Tree:
    """Postures with their parents."""

    def __init__(self, roots: Sequence[np.ndarray]) -> None:
        self._postures = np.array(roots)
        self._parents = [-1] * len(roots)
        self._size = len(roots)

    def nearest(self, target: np.ndarray) -> int:
        """Return the index of the posture nearest to a target."""
        away = self._postures[: self._size] - target
        return int(np.argmin(np.einsum("ij,ij->i", away, away)))

    def add(self, posture: np.ndarray, parent: int) -> int:
        """Add a posture; return its index."""
        if self._size == len(self._postures):
            self._postures = np.concatenate((self._postures, np.empty_like(self._postures)))
        self._postures[self._size] = posture
        self._parents.append(parent)
        self._size += 1
        return self._size - 1

    def posture(self, index: int) -> np.ndarray:
        """Return a posture."""
        found: np.ndarray = self._postures[index]
        return found

    def branch(self, index: int) -> list[np.ndarray]:
        """Return the postures from a root to an index."""
        found = []
        while index >= 0:
            found.append(self.posture(index))
            index = self._parents[index]
        return found[::-1]


def plan(
    sweeper: Sweeper,
    start: np.ndarray,
    goals: Sequence[np.ndarray],
    rng: np.random.Generator,
    most: int,
    waypoints: int,
) -> np.ndarray | None:
    """Plan a clear path within the waypoints, cut to the longest segment; None when `most` iterations find none."""
    usable = [goal for goal in goals if sweeper.slack(goal) >= 0]
    if not usable or sweeper.slack(start) < 0:
        return None
    path = _connect(sweeper, start, usable, rng, most)
    if path is None:
        return None
    path = cut(shorten(sweeper, path, rng))
    return path if len(path) <= waypoints else None


def _connect(
    sweeper: Sweeper, start: np.ndarray, goals: Sequence[np.ndarray], rng: np.random.Generator, most: int
) -> np.ndarray | None:
    low, high = _region(sweeper, start, goals)
    here, there, turned = Tree((start,)), Tree(goals), False
    target = goals[0]
    for _ in range(most):
        grown = _grow(sweeper, here, target)
        if grown is not None:
            met = _reach(sweeper, there, here.posture(grown))
            if met is not None:
                first, second = here.branch(grown), there.branch(met)
                path = [*first, *second[-2::-1]]
                return np.array(path[::-1] if turned else path)
        here, there, turned = there, here, not turned
        target = rng.uniform(low, high)
    return None


def _region(sweeper: Sweeper, start: np.ndarray, goals: Sequence[np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    """Box in which to look: around all ends, with room to go round, within the limits."""
    ends = np.array((start, *goals))
    low, high = sweeper.cell.arm.bounds.T
    return np.maximum(low, ends.min(axis=0) - 1.5), np.minimum(high, ends.max(axis=0) + 1.5)


def _grow(sweeper: Sweeper, tree: Tree, target: np.ndarray) -> int | None:
    """Grow a tree from its nearest posture towards a target, as far as is clear; None when that is hardly anywhere."""
    parent = tree.nearest(target)
    start = tree.posture(parent)
    change = target - start
    size = float(np.linalg.norm(change))
    if size < 1e-9:
        return None
    change = change * min(1.0, _LONGEST_EDGE / size)
    share = sweeper.first_break(start, start + change)
    share = 1.0 if share is None else share - _BACK_OFF
    if share * float(np.linalg.norm(change)) < _SHORTEST_EDGE:
        return None
    return tree.add(start + share * change, parent)


def _reach(sweeper: Sweeper, tree: Tree, target: np.ndarray) -> int | None:
    """Grow a tree to a target edge by edge; the index of the target when it gets there."""
    while True:
        grown = _grow(sweeper, tree, target)
        if grown is None:
            return None
        if float(np.linalg.norm(tree.posture(grown) - target)) < 1e-9:
            return grown


def shorten(sweeper: Sweeper, path: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Replace pieces of a path by straight lines that are clear, as long as it gets shorter or has fewer waypoints."""
    path = _skip(sweeper, path)
    for _ in range(_SHORT_CUTS):
        if len(path) <= 2:
            break
        one, two = np.sort(rng.uniform(0, len(path) - 1, 2))
        i, j = int(one), int(two)
        if i == j:
            continue
        a = path[i] + (one - i) * (path[i + 1] - path[i])
        b = path[j] + (two - j) * (path[min(j + 1, len(path) - 1)] - path[j])
        made = np.array((*path[: i + 1], a, b, *path[j + 1 :]))
        if length(made) < length(path) - 1e-6 and sweeper.first_break(a, b) is None:
            path = _skip(sweeper, made)
    return path


def _skip(sweeper: Sweeper, path: np.ndarray) -> np.ndarray:
    """Leave out every waypoint that the path can do without."""
    kept, i = [path[0]], 0
    while i < len(path) - 1:
        j = len(path) - 1
        while j > i + 1:
            if sweeper.first_break(path[i], path[j]) is None:
                break
            j -= 1
        kept.append(path[j])
        i = j
    return np.array(kept)
