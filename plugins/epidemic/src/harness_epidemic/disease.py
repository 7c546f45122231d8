"""The equations: expected flows between seven compartments, day by day, for regions and age bands at once.

Susceptible → exposed → infectious → recovered or hospital → recovered or dead; vaccinated people leave the susceptible
until their immunity wanes. Flows are expectations, so people are real numbers and the same acts always have the same
effect; chance enters through seeded weekly shocks of transmission, which do not depend on what is done. Arrays carry
a leading axis of alternatives: an episode has one, a planner compares many. The force of infection enters as
`1 - exp(-force)`, which makes the final size of an unmitigated outbreak exact at any step.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import numpy as np
from attrs import frozen

if TYPE_CHECKING:
    from collections.abc import Sequence

Array: TypeAlias = np.ndarray[Any, np.dtype[Any]]

S, E, I, H, D, R, V = range(7)  # noqa: E741 - the names that the literature uses
"""Places of the compartments on the first axis: susceptible … vaccinated."""

INFECTED, ADMITTED, DIED, JABBED = range(7, 11)
"""Places, after the compartments, of the flows that are no fixed share of a compartment."""

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
        moves: What a step makes of each compartment (row) out of compartments and flows (columns).
    """

    days: float
    onset: float
    removal: float
    discharge: float
    waning: float
    admission: Array
    moves: Array


def pace(days: float, latent: float, infectious: float, stay: float, immune: float, severity: float) -> Pace:
    """Return the step probabilities of mean durations in days."""
    onset, removal, discharge, waning = (
        1.0 - float(np.exp(-days / mean)) for mean in (latent, infectious, stay, immune)
    )
    moves = _moves(onset, removal, discharge, waning)
    return Pace(days, onset, removal, discharge, waning, np.minimum(1.0, ADMISSION * severity), moves)


def _moves(onset: float, removal: float, discharge: float, waning: float) -> Array:
    """Columns of compartments sum to one and those of flows to zero, so nobody is lost."""
    moves = np.zeros((7, 11))
    moves[range(7), range(7)] = 1.0
    for leaves, enters, share in ((E, I, onset), (I, R, removal), (H, R, discharge)):
        moves[leaves, leaves], moves[enters, leaves] = 1.0 - share, share
    for flow, leaves, enters in ((INFECTED, S, E), (ADMITTED, R, H), (DIED, R, D), (JABBED, S, V)):
        moves[leaves, flow], moves[enters, flow] = -1.0, 1.0
    _wane(moves, waning)
    return moves


def _wane(moves: Array, share: float) -> None:
    """Let a share of the recovered and the vaccinated become susceptible in a step, in place."""
    for immune in (R, V):
        moves[immune, immune], moves[S, immune] = 1.0 - share, share


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
    regions = _regions(cells // AGES)
    state = np.concatenate([people, np.zeros((4, alternatives, cells))])
    flat, moved = state.reshape(len(state), -1), np.empty((len(people), alternatives * cells))
    susceptible, _, ill, patients, *_, infected, admitted, died, jabbed = state
    force, moves, infectious = matrix * -pace.days, pace.moves.copy(), ill[:, :, None]
    flows, overflow = np.zeros((2, alternatives, cells)), np.zeros((alternatives, cells // AGES))
    admission, dying = np.tile(pace.removal * pace.admission, cells // AGES), np.tile(FATALITY, cells // AGES)
    cared = pace.discharge * dying
    for step, strength in enumerate(strengths):
        over = _crowding(patients @ regions, beds, overflow, pace.days)
        deadly = (
            cared if over is None else pace.discharge * np.minimum(0.95, dying * (1.0 + UNCARED * over @ regions.T))
        )
        np.multiply(susceptible, -np.expm1(np.matmul(force, infectious)[:, :, 0] * strength), out=infected)
        np.multiply(ill, admission, out=admitted)
        np.multiply(patients, deadly, out=died)
        if jabs is not None:
            np.multiply(susceptible, jabs, out=jabbed)
        if escapes is not None:
            _wane(moves, pace.waning + escapes[step])
        flows += state[INFECTED:DIED]
        flat[: len(people)] = np.matmul(moves, flat, out=moved)
    onsets, deaths = people[E] - state[E] + flows[0], state[D] - people[D]
    people[:] = state[: len(people)]
    return Tally(flows[0] @ regions, onsets @ regions, flows[1] @ regions, deaths @ regions, overflow)


@lru_cache
def _regions(count: int) -> Array:
    """Return which cells are in which region: (cells, regions)."""
    return np.repeat(np.eye(count), AGES, axis=0)


def _crowding(patients: Array, beds: Array, overflow: Array, days: float) -> Array | None:
    """Add patient-days without a bed to `overflow`; return the share of patients without one, None if nowhere any."""
    excess = patients - beds
    if excess.max() <= 0.0:
        return None
    excess = np.maximum(0.0, excess)
    overflow += excess * days
    share: Array = excess / np.maximum(patients, 1e-9)
    return share
