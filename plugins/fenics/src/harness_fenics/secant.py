"""Gauss-Newton with secants and active limits, on outputs that only calls reveal.

The model of the outputs is affine: a base point, differences along each unknown, and after every further call Broyden's
rank-one correction. A step minimises the weighted misfit of the wanted rows within the box; rows with a ceiling join
the least squares when the model says that they would be broken. Unknowns are shares of their ranges.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from attrs import field, frozen
from numpy.typing import NDArray

Vector: TypeAlias = NDArray[np.float64]

RIDGE = 0.02
"""Weight of staying where one is, in tolerances per full range."""

ROUNDS = 12


@frozen(eq=False)
class Goal:
    """What the outputs should be.

    Attributes:
        wanted: Values of the first rows.
        scale: Their tolerances.
        ceilings: Largest values of the rows that follow.
        firm: Scale in which a broken ceiling counts.
    """

    wanted: Vector
    scale: Vector
    ceilings: Vector = field(factory=lambda: np.zeros(0))
    firm: Vector = field(factory=lambda: np.zeros(0))

    def misfit(self, outputs: Vector) -> float:
        """Worst requirement in its own scale; at most 1 when all windows are met."""
        count = len(self.wanted)
        off = np.abs(outputs[:count] - self.wanted) / self.scale
        over = 1 + (outputs[count : count + len(self.ceilings)] - self.ceilings) / self.firm
        return float(max(off.max(), over.max(initial=0.0)))

    def total(self, outputs: Vector) -> float:
        """Sum of squared misfits of the wanted rows."""
        return float((((outputs[: len(self.wanted)] - self.wanted) / self.scale) ** 2).sum())


class Affine:
    """An affine model of outputs, corrected call by call."""

    def __init__(self, point: Vector, outputs: Vector) -> None:
        self.point, self.outputs = point, outputs
        self.slopes: Any = np.zeros((len(outputs), len(point)))
        self.seen = [(point, outputs)]

    def difference(self, number: int, point: Vector, outputs: Vector) -> None:
        """Take the column of one unknown from a call that moved it alone."""
        self.slopes[:, number] = (outputs - self.outputs) / (point[number] - self.point[number])
        self.seen.append((point, outputs))

    def correct(self, point: Vector, outputs: Vector) -> None:
        """Move to a new point; the slopes change as little as agreement with it needs."""
        moved = point - self.point
        length = float(moved @ moved)
        if length > 1e-12:
            surprise = outputs - self.outputs - self.slopes @ moved
            self.slopes = self.slopes + np.outer(surprise, moved) / length
        self.point, self.outputs = point, outputs
        self.seen.append((point, outputs))

    def predict(self, point: Vector) -> Vector:
        """Outputs at a point, by the model."""
        return np.asarray(self.outputs + self.slopes @ (point - self.point))


def step(model: Affine, goal: Goal, ridge: float = RIDGE, low: float = 0.0, high: float = 1.0) -> Vector:
    """Return the point at which the model meets the goal best."""
    count, size = len(goal.wanted), len(model.point)
    rows = model.slopes[:count] / goal.scale[:, None]
    aims = (goal.wanted - model.outputs[:count]) / goal.scale
    rows, aims = np.vstack([rows, ridge * np.eye(size)]), np.concatenate([aims, np.zeros(size)])
    limits = slice(count, count + len(goal.ceilings))
    steep, room = model.slopes[limits] / goal.firm[:, None], (goal.ceilings - model.outputs[limits]) / goal.firm
    active: list[int] = []
    move = np.zeros(size)
    for _ in range(ROUNDS):
        move = boxed(
            np.vstack([rows, 3 * steep[active]]),
            np.concatenate([aims, 3 * room[active]]),
            low - model.point,
            high - model.point,
        )
        broken = [n for n in np.flatnonzero(steep @ move - room > 0.02) if n not in active]
        if not broken:
            break
        active.append(int(max(broken, key=lambda n: (steep @ move - room)[n])))
    return np.clip(model.point + move, low, high)


def boxed(rows: Vector, aims: Vector, low: Vector, high: Vector) -> Vector:
    """Least squares within a box: fix what would leave it the farthest, solve for the rest, and again."""
    size = rows.shape[1]
    move, free = np.zeros(size), np.ones(size, dtype=bool)
    while free.any():
        rest = aims - rows[:, ~free] @ move[~free]
        move[free] = np.linalg.lstsq(rows[:, free], rest, rcond=None)[0]
        outside = np.where(free, np.maximum(low - move, move - high), -1.0)
        worst = int(outside.argmax())
        if outside[worst] <= 1e-12:
            break
        move[worst], free[worst] = np.clip(move, low, high)[worst], False
    return move
