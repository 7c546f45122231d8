"""Measures: what a region may order, what each does to contacts, and what it costs.

The effects told in the prompt are those of full compliance. Compliance wears off under strict measures at a hidden
rate and comes back slowly without them, so that a lockdown without end neither holds nor pays.
"""

from __future__ import annotations

from typing import Final, Literal, TypeAlias

import numpy as np
from attrs import frozen

from harness_epidemic.disease import AGES, SHARES, Array

Schools: TypeAlias = Literal["open", "hybrid", "closed"]
Travel: TypeAlias = Literal["open", "restricted"]

SCHOOLS: Final = ("open", "hybrid", "closed")
TRAVEL: Final = ("open", "restricted")
LEVELS: Final = 5

DISTANCE_CUT: Final = np.array([0.0, 0.20, 0.40, 0.60, 0.78])
"""Share of contacts outside home and school that each level of distancing prevents."""

SCHOOL_CUT: Final = np.array([0.0, 0.5, 0.9])
MASK_CUT: Final = 0.20
TRACE_CUT: Final = 0.09
"""Share of transmission that each level of testing prevents when the tests suffice."""
TRAVEL_CUT: Final = 0.8

DISTANCE_PRICE: Final = np.array([0.0, 3.0, 9.0, 20.0, 38.0])
"""Credits per thousand people and week."""
SCHOOL_PRICE: Final = np.array([0.0, 2.0, 6.0])
MASK_PRICE: Final = 0.5
TRAVEL_PRICE: Final = 1.5
TEST_PRICE: Final = 0.1
"""Credits per test used."""
BED_PRICE: Final = 12
"""Credits per surge bed, once."""

TESTS_PER_THOUSAND: Final = 10
"""Tests that each level of testing uses per thousand people and week."""

_HOME = np.array([[1.6, 1.3, 0.5], [1.3, 1.2, 0.6], [0.5, 0.6, 1.6]]) * SHARES
_SCHOOL = np.array([[9.0, 0.7, 0.0], [0.7, 0.05, 0.0], [0.0, 0.0, 0.0]]) * SHARES
_OTHER = np.array([[3.0, 2.6, 1.4], [2.6, 4.6, 2.0], [1.4, 2.0, 2.6]]) * SHARES
_SCALE = 1.0 / float(np.abs(np.linalg.eigvals(_HOME + _SCHOOL + _OTHER)).max())
HOME, SCHOOL, OTHER = _HOME * _SCALE, _SCHOOL * _SCALE, _OTHER * _SCALE
"""Contacts of each band with each band, scaled so that an unmitigated population has R0 = force × infectious days."""

PLACES: Final = np.stack([HOME, SCHOOL, OTHER]).reshape(3, -1)

FLOOR: Final = 0.35
"""Compliance never falls below this."""
RECOVERY: Final = 0.08


@frozen
class Policy:
    """What is in force in a region.

    Attributes:
        distancing: 0 none … 4 stay at home.
        testing: 0 none, 1 symptomatic, 2 broad.
    """

    distancing: int = 0
    schools: str = "open"
    masks: bool = False
    travel: str = "open"
    testing: int = 0

    def row(self) -> tuple[int, int, int, int, int]:
        """Return as numbers: distancing, schools, masks, travel, testing."""
        return (
            self.distancing,
            SCHOOLS.index(self.schools),
            int(self.masks),
            TRAVEL.index(self.travel),
            self.testing,
        )


LOCKDOWN: Final = Policy(4, "closed", True, "restricted", 2)
"""Everything at its strictest."""


def orders(policies: list[Policy]) -> Array:
    """Return policies of regions as an array of shape (1, regions, 5)."""
    return np.array([[policy.row() for policy in policies]], dtype=np.float64)


def contacts(ordered: Array, compliance: Array, tested: Array) -> Array:
    """Return contact matrices, shape (alternatives, regions, AGES, AGES).

    Args:
        ordered: Shape (alternatives, regions, 5), as `orders` writes it.
        compliance: Shape (alternatives, regions).
        tested: Share of the tests asked for that was there, same shape.
    """
    distance = 1.0 - compliance * DISTANCE_CUT[ordered[..., 0].astype(int)]
    school = 1.0 - SCHOOL_CUT[ordered[..., 1].astype(int)]
    mask = 1.0 - compliance * MASK_CUT * ordered[..., 2]
    trace = 1.0 - TRACE_CUT * ordered[..., 4] * tested
    outside = mask * trace
    made: Array = np.stack([trace, school * outside, distance * outside], axis=-1) @ PLACES
    return made.reshape(*compliance.shape, AGES, AGES)


def force_matrix(contact: Array, mixing: Array, populations: Array) -> Array:
    """Return the force per infectious person, shape (alternatives, regions × AGES, regions × AGES)."""
    alternatives, regions = contact.shape[:2]
    cells = regions * AGES
    prevalence = np.repeat(mixing, AGES, axis=2) / (populations[:, None] * SHARES).ravel()
    made: Array = np.repeat(prevalence, AGES, axis=1)
    made *= np.concatenate([contact.reshape(alternatives, cells, AGES)] * regions, axis=2)
    return made


def mixing(mobility: Array, ordered: Array) -> Array:
    """Return where a region's contacts take place: rows sum to 1; shape (alternatives, regions, regions)."""
    free = 1.0 - TRAVEL_CUT * ordered[..., 3]
    away: Array = mobility * free[:, :, None] * free[:, None, :]
    at_home = np.einsum("aii->ai", away)  # a view
    at_home += 1.0 - away.sum(axis=2)
    return away


def weekly_price(ordered: Array, populations: Array) -> Array:
    """Return credits per week of each region, without tests; shape (alternatives, regions)."""
    per_thousand = (
        DISTANCE_PRICE[ordered[..., 0].astype(int)]
        + SCHOOL_PRICE[ordered[..., 1].astype(int)]
        + MASK_PRICE * ordered[..., 2]
        + TRAVEL_PRICE * ordered[..., 3]
    )
    price: Array = per_thousand * populations / 1000.0
    return price


def tire(compliance: Array, ordered: Array, fatigue: float, weeks: int = 1) -> Array:
    """Return compliance some weeks later."""
    strain = np.maximum(0.0, ordered[..., 0] - 1.0) / 3.0 + 0.15 * (ordered[..., 1] > 1)
    lost, eased = fatigue * strain, RECOVERY * (1.0 - np.minimum(1.0, strain))
    for _ in range(weeks):
        compliance = compliance - lost + eased * (1.0 - compliance)
        compliance = np.minimum(1.0, np.maximum(FLOOR, compliance))
    return compliance
