"""Search over designs with a cheap score: a cloud of random designs, narrowed a few times around its best members.

Used by the sampler and by the reference policy, both on the twin. Deterministic for a given generator.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from harness_battery.chemistry import BOUNDS

Array = NDArray[np.float64]
Scored = Callable[[Array], Array]
LOW = np.array([b.low for b in BOUNDS.values()])
HIGH = np.array([b.high for b in BOUNDS.values()])
DIGITS = (1, 3, 1, 3, 2)  # decimals to which designs are rounded: 0.1 µm, 0.001, 0.01 µm


@frozen
class Effort:
    """How hard to search: designs of the first cloud, rounds of narrowing, designs a round."""

    first: int = 400
    rounds: int = 4
    size: int = 80


def best_design(
    score: Scored, rng: np.random.Generator, start: Array, free: NDArray[np.bool_], effort: Effort
) -> Array:
    """Return the row of greatest score.

    Args:
        score: Rows of designs → their scores.
        rng: Source of the clouds.
        start: A row; variables that are not free keep its values, and it is itself a candidate.
        free: Which variables may move.
        effort: How hard to search.
    """
    rows = np.where(free, rng.uniform(LOW, HIGH, (effort.first, len(LOW))), start)
    rows = rounded(np.vstack([start, rows]))
    scores = score(rows)
    for _ in range(effort.rounds):
        best = np.argsort(-scores, kind="stable")[: max(8, effort.size // 8)]
        top = rows[best]
        spread = top.std(axis=0) + 0.002 * (HIGH - LOW)
        parents = top[rng.integers(0, len(top), effort.size)]
        children = np.clip(parents + rng.normal(0, 0.6, parents.shape) * spread, LOW, HIGH)
        children = rounded(np.where(free, children, start))
        rows, scores = np.vstack([top, children]), np.concatenate([scores[best], score(children)])
    return np.asarray(rows[int(np.argmax(scores))], float)


def rounded(rows: Array) -> Array:
    """Round designs to the decimals in which they are written."""
    return np.stack([np.round(rows[..., i], d) for i, d in enumerate(DIGITS)], axis=-1)
