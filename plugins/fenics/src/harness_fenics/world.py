"""The true plate of an instance: what its sensors would show for given controls or parameters.

Everything that tools, reward and proposals need of the engine goes through here. Solved states are cached in the worker
by problem, which is why asking twice for the same controls costs nothing; nothing here belongs to an episode.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from attrs import evolve, frozen

from harness_fenics.engine import Fields, solve
from harness_fenics.grid import grid_of
from harness_fenics.problem import Exchange, Problem, Steady, Transient
from harness_fenics.sample import PARAMETERS, Deviations, Drive, Puzzle

KILO, MILLI, MEGA = 1e3, 1e-3, 1e6


@frozen
class Reading:
    """What a solved drive shows.

    Attributes:
        monitors: Temperatures of the monitors at their times, K.
        peaks: Highest temperature on each heater at any time, K.
        hottest: Highest temperature anywhere at any time, K.
        place: Where that is, mm.
        load: Sum of control × length (× stage), kW/m (MJ/m).
    """

    monitors: tuple[float, ...]
    peaks: tuple[float, ...]
    hottest: float
    place: tuple[float, float]
    load: float


@lru_cache(maxsize=256)
def solved(problem: Problem) -> Fields:
    """Solve a problem; repeated questions are answered from memory."""
    return solve(problem)


# ---- drives


def true_problem(drive: Drive, controls: tuple[float, ...]) -> Problem:
    """The problem of the true plate under the given controls, kW/m²."""
    values = tuple(value * KILO for value in controls)
    exchange = _deviated(drive.told.exchange, drive.truth)
    if drive.steady is not None:
        law = evolve(drive.steady.law, k0=drive.steady.law.k0 * drive.truth.conductivity)
        return evolve(drive.steady, fluxes=values, law=law, exchange=exchange)
    assert drive.heating is not None
    count = len(drive.heating.segments)
    settings = tuple(values[start : start + count] for start in range(0, len(values), count))
    k = drive.heating.conductivity * drive.truth.conductivity
    return evolve(drive.heating, settings=settings, conductivity=k, exchange=exchange)


def _deviated(exchange: Exchange, truth: Deviations) -> Exchange:
    return evolve(
        exchange,
        left=exchange.left * truth.transfer,
        air=exchange.air * truth.transfer,
        emissivity=exchange.emissivity * truth.emissivity,
    )


def load_weights(problem: Problem) -> list[float]:
    """What one kW/m² of each control adds to the load: kW/m, over time MJ/m."""
    lengths = [segment.length for segment in problem.segments]
    if isinstance(problem, Transient):
        return [length * problem.stage * MILLI for _ in problem.settings for length in lengths]
    return lengths


def read(drive: Drive, controls: tuple[float, ...]) -> Reading:
    """Solve the true plate under controls and read its instruments.

    Raises:
        NoConvergence: The engine finds no state.
    """
    problem = true_problem(drive, controls)
    fields, grid = solved(problem), grid_of(problem.plate)
    top = int(np.argmax(fields.highest))
    return Reading(
        monitors=tuple(grid.value(fields.snapshots[m.stage - 1], m.x * MILLI, m.y * MILLI) for m in drive.monitors),
        peaks=tuple(float(fields.highest[grid.segment_nodes(s)].max()) for s in problem.segments),
        hottest=float(fields.highest[top]),
        place=(float(grid.points[0, top] / MILLI), float(grid.points[1, top] / MILLI)),
        load=float(np.dot(load_weights(problem), controls)),
    )


def temperature_at(drive: Drive, controls: tuple[float, ...], x: float, y: float) -> float:
    """Temperature of the true plate at a point in mm, at the end."""
    problem = true_problem(drive, controls)
    return grid_of(problem.plate).value(solved(problem).snapshots[-1], x * MILLI, y * MILLI)


# ---- puzzles


def with_parameters(puzzle: Puzzle, values: tuple[float, ...]) -> Steady:
    """The problem of `identify` under assumed values of its unknowns."""
    given = dict(zip((u.name for u in puzzle.unknowns), values, strict=True))
    assert set(given) <= set(PARAMETERS)
    source = puzzle.steady.source
    assert source is not None
    source = evolve(
        source,
        x=given["source_x"] * MILLI,
        y=given["source_y"] * MILLI,
        peak=given["source_peak"] * MEGA,
    )
    law, exchange = puzzle.steady.law, puzzle.steady.exchange
    law = evolve(law, k0=given.get("conductivity", law.k0), a=given.get("slope", law.a))
    exchange = evolve(exchange, left=given.get("left_transfer", exchange.left))
    return evolve(puzzle.steady, source=source, law=law, exchange=exchange)


def temperatures(puzzle: Puzzle, values: tuple[float, ...], points: tuple[tuple[float, float], ...]) -> list[float]:
    """Temperatures at points in mm under assumed values of the unknowns.

    Raises:
        NoConvergence: The engine finds no state.
    """
    problem = with_parameters(puzzle, values)
    fields, grid = solved(problem), grid_of(problem.plate)
    return [grid.value(fields.snapshots[-1], x * MILLI, y * MILLI) for x, y in points]
