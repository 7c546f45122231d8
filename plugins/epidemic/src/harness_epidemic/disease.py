"""The equations: expected flows between seven compartments, day by day, for regions and age bands at once.

Susceptible → exposed → infectious → recovered or hospital → recovered or dead; vaccinated people leave the susceptible
until their immunity wanes. Flows are expectations, so people are real numbers and the same acts always have the same
effect; chance enters through seeded weekly shocks of transmission, which do not depend on what is done. Arrays carry
a leading axis of alternatives: an episode has one, a planner compares many. The force of infection enters as
`1 - exp(-force)`, which makes the final size of an unmitigated outbreak exact at any step.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, TypeAlias

import numpy as np
from attrs import frozen

if TYPE_CHECKING:
    from collections.abc import Sequence

Array: TypeAlias = np.ndarray[Any, np.dtype[Any]]

S, E, I, H, D, R, V = range(7)  # noqa: E741 - the names that the literature uses
"""Places of the compartments on the first axis: susceptible … vaccinated."""

ADMITTED, DIED, JABBED = 7, 8, 9
"""Places of the flows that leave no compartment alone; the others stand at the compartment that they leave."""

FLOWS: Final = 10

MOVES: Final = np.array(
    [
        # S   E   I   H   D   R   V   admitted, died, jabbed
        [-1, 0, 0, 0, 0, 1, 1, 0, 0, -1],
        [1, -1, 0, 0, 0, 0, 0, 0, 0, 0],
        [0, 1, -1, 0, 0, 0, 0, 0, 0, 0],
        [0, 0, 0, -1, 0, 0, 0, 1, 0, 0],
        [0, 0, 0, 0, 0, 0, 0, 0, 1, 0],
        [0, 0, 1, 1, 0, -1, 0, -1, -1, 0],
        [0, 0, 0, 0, 0, 0, -1, 0, 0, 1],
    ],
    dtype=np.float64,
)
"""What each flow (column) does to each compartment (row); columns sum to zero, so nobody is lost."""

AGES: Final = 3
"""Age bands: 0-19, 20-64, 65 and older."""

SHARES: Final = np.array([0.22, 0.60, 0.18])
"""Share of each band in the population of every region."""

FATALITY: Final = np.array([0.02, 0.07, 0.24])
"""Share of hospital stays that end in death while there are beds enough."""

ADMISSION: Final = np.array([0.0015, 0.011, 0.075])
"""Share of infections that need a hospital, before the disease's severity."""

UNCARED: Final = 2.0
"""By how much fatality grows, relative, for patients without a bed."""


@frozen
class Pace:
    """Probabilities per step.

    Attributes:
        days: Length of a step.
        onset: From exposed to infectious.
        removal: From infectious to recovered or hospital.
        discharge: From hospital to recovered or dead.
        waning: From recovered or vaccinated to susceptible.
        admission: Share of each age band that goes to hospital, shape (AGES,).
    """

    days: float
    onset: float
    removal: float
    discharge: float
    waning: float
    admission: Array


def pace(days: float, latent: float, infectious: float, stay: float, immune: float, severity: float) -> Pace:
    """Return the step probabilities of mean durations in days."""
    onset, removal, discharge, waning = (
        1.0 - float(np.exp(-days / mean)) for mean in (latent, infectious, stay, immune)
    )
    return Pace(days, onset, removal, discharge, waning, np.minimum(1.0, ADMISSION * severity))


@frozen
class Tally:
    """What happened over some steps, each of shape (alternatives, regions).

    Attributes:
        infections: Newly exposed.
        onsets: Newly infectious.
        admissions: New hospital patients.
        deaths: Deaths.
        overflow: Patient-days without a bed.
    """

    infections: Array
    onsets: Array
    admissions: Array
    deaths: Array
    overflow: Array


def advance(
    people: Array,
    pace: Pace,
    matrix: Array,
    strengths: Sequence[float | Array],
    beds: Array,
    jabs: Array | None = None,
    escapes: Sequence[float] | None = None,
) -> Tally:
    """Move people on by one step per strength, in place.

    Args:
        people: Changed in place; shape (7, alternatives, regions × AGES).
        pace: Step probabilities.
        matrix: Force per infectious person at strength 1, per day: (alternatives, regions × AGES, regions × AGES).
        strengths: Factor on the force, one per step.
        beds: Beds of each region, broadcastable to (alternatives, regions).
        jabs: Share of the susceptible who become vaccinated in a step; None where nobody ever was.
        escapes: Share of the immune who become susceptible to a new variant, one per step.
    """
    alternatives, cells = people.shape[1:]
    by_region = (alternatives, cells // AGES, AGES)
    flows, total = np.zeros((2, FLOWS, alternatives, cells))
    overflow = np.zeros(by_region[:2])
    fatality, admission = (np.tile(share, by_region[1]) for share in (FATALITY, pace.admission))
    rates = np.array([0.0, pace.onset, pace.removal, pace.discharge, 0.0, pace.waning, pace.waning])[:, None, None]
    for step, strength in enumerate(strengths):
        over = _crowding(people[H].reshape(by_region), beds, overflow, pace.days)
        deadly = fatality if over is None else np.minimum(0.95, fatality * (1.0 + UNCARED * np.repeat(over, AGES, 1)))
        force = np.matmul(matrix, people[I][:, :, None])[:, :, 0] * (strength * -pace.days)
        rates[R:] = pace.waning + (escapes[step] if escapes is not None else 0.0)
        np.multiply(people, rates, out=flows[:ADMITTED])
        np.multiply(people[S], -np.expm1(force), out=flows[S])
        np.multiply(flows[I], admission, out=flows[ADMITTED])
        np.multiply(flows[H], deadly, out=flows[DIED])
        if jabs is not None:
            np.multiply(people[S], jabs, out=flows[JABBED])
        total += flows
        people += (MOVES @ flows.reshape(FLOWS, -1)).reshape(people.shape)
    sums = total.reshape(FLOWS, *by_region).sum(axis=3)
    return Tally(sums[S], sums[E], sums[ADMITTED], sums[DIED], overflow)


def _crowding(hospital: Array, beds: Array, overflow: Array, days: float) -> Array | None:
    """Add patient-days without a bed to `overflow`; return the share of patients without one, None if nowhere any."""
    patients = hospital.sum(axis=2)
    excess = patients - beds
    if excess.max() <= 0.0:
        return None
    excess = np.maximum(0.0, excess)
    overflow += excess * days
    share: Array = excess / np.maximum(patients, 1e-9)
    return share
