"""The engine: a problem in, temperature fields out.

`solve` is the interface; the default engine is scikit-fem with linear triangles. Steady problems are solved by Newton
iteration on the exact Jacobian. Heating in time goes by implicit steps whose matrix is factored once; radiation and
heater output are taken at the start of each step, and a constant share of radiation's change is implicit, for
stability. The engine `dolfinx` solves the same weak form on the same mesh and lives in `harness_fenics.twin`.
"""

from __future__ import annotations

from typing import Literal

import numpy as np
from attrs import frozen

from harness_fenics.grid import Array, Grid, Points, grid_of
from harness_fenics.problem import ORIGIN, SIGMA, Law, Patch, Problem, Source, Steady, Transient

START = 600.0
"""Temperature from which Newton's iteration starts, K."""

REACH = 250.0
"""Largest change of a temperature in one Newton step, K."""

PRECISION = 1e-6
"""Newton's iteration ends when no temperature changes by more, K; convergence is quadratic, so far less is left."""

ITERATIONS = 40

MELTED = 2500.0
"""Temperature at which heating in time is no longer modelled, K."""


class NoConvergence(Exception):
    """The state asked for has no solution that the model reaches."""


@frozen(eq=False)
class Fields:
    """Temperatures at the nodes, K.

    Attributes:
        snapshots: (s, n) at the end of each stage; a steady state has one.
        highest: (n,) the highest that each node reaches.
    """

    snapshots: Array
    highest: Array


def solve(problem: Problem, engine: Literal["scikit-fem", "dolfinx"] = "scikit-fem") -> Fields:
    """Solve a problem.

    Raises:
        NoConvergence: There is no solution within reach.
    """
    if engine == "dolfinx":
        from harness_fenics.twin import solve_on_dolfinx

        return solve_on_dolfinx(problem)
    return _steady(problem) if isinstance(problem, Steady) else _transient(problem)


def conductivity(law: Law, temperature: Array) -> tuple[Array, Array]:
    """Conductivity and its derivative by temperature; t is kept where every law is positive."""
    t = np.clip((temperature - ORIGIN) / 100, -1.0, 30.0)
    if law.kind == "rising":
        return law.k0 * (1 + law.a * t), np.full_like(t, law.k0 * law.a / 100)
    if law.kind == "falling":
        below = 1 + law.a * t
        return law.k0 / below, -law.k0 * law.a / 100 / below**2
    return law.k0 * (1 - law.a * t + law.b * t**2), law.k0 * (2 * law.b * t - law.a) / 100


def source_at(source: Source, points: Array) -> Array:
    """Volume heat at points (2, n), W/m³."""
    square = (points[0] - source.x) ** 2 + (points[1] - source.y) ** 2
    return np.asarray(source.peak * np.exp(-square / (2 * source.width**2)))


def inside(patch: Patch, centres: Array) -> Array:
    """Factor of the conductivity at element centres (2, e)."""
    x, y = centres
    within = (x > patch.left) & (x < patch.right) & (y > patch.low) & (y < patch.high)
    return np.where(within, patch.factor, 1.0)


# ---- steady


def _steady(problem: Steady) -> Fields:
    from scipy.linalg import solve_banded

    grid = grid_of(problem.plate)
    exchange, load = _Rim(problem, grid), _steady_load(problem, grid)
    factor = inside(problem.patch, grid.centres) if problem.patch else np.ones(grid.cells.shape[1])
    temperature = np.full(grid.size, START)
    for _ in range(ITERATIONS):
        local = temperature[grid.cells].T
        k, slope = conductivity(problem.law, local.mean(axis=1))
        flow = (grid.stiffness @ local[:, :, None])[:, :, 0]
        lost, loss_slope = exchange.loss(temperature)
        inner = np.bincount(grid.cells.T.ravel(), (flow * (factor * k)[:, None]).ravel(), minlength=grid.size)
        residual = inner + grid.rim.load(lost, grid.size) - load
        tangent = (factor * k)[:, None, None] * grid.stiffness + (flow * (factor * slope / 3)[:, None])[:, :, None]
        step = solve_banded((grid.band, grid.band), grid.banded(tangent, loss_slope), -residual, check_finite=False)
        temperature = temperature + np.clip(step, -REACH, REACH)
        if np.max(np.abs(step)) < PRECISION:
            return Fields(temperature[None, :], temperature)
    raise NoConvergence(f"no steady temperature field was found in {ITERATIONS} iterations")


def _steady_load(problem: Steady, grid: Grid) -> Array:
    """Heat that comes in through the segments and from the source, by node, W/m."""
    inflow = np.zeros(len(grid.rim.weights))
    for segment, flux in zip(problem.segments, problem.fluxes, strict=True):
        inflow[grid.on_segment(segment)] += flux
    load = grid.rim.load(inflow, grid.size)
    if problem.source is not None:
        nodal = source_at(problem.source, grid.points)[grid.cells].T
        spread = (grid.mass @ nodal[:, :, None])[:, :, 0]
        load += np.bincount(grid.cells.T.ravel(), spread.ravel(), minlength=grid.size)
    return load


class _Rim:
    """Heat exchange at the boundary points of a problem."""

    def __init__(self, problem: Problem, grid: Grid) -> None:
        left, exchange = grid.on_left(), problem.exchange
        self.transfer = np.where(left, exchange.left, exchange.air)
        self.outside = np.where(left, exchange.coolant, exchange.ambient)
        self.emission = np.where(left, 0.0, exchange.emissivity * SIGMA)
        self._points: Points = grid.rim

    def loss(self, temperature: Array) -> tuple[Array, Array]:
        """Heat lost at the points, W/m², and its derivative."""
        local = self._points.at(temperature)
        cube = local * local * local
        lost = self.transfer * (local - self.outside) + self.emission * (cube * local - self.outside**4)
        return lost, self.transfer + 4 * self.emission * cube

    def radiated(self, temperature: Array) -> Array:
        """Heat radiated at the points, W/m²."""
        return np.asarray(self.emission * (self._points.at(temperature) ** 4 - self.outside**4))


# ---- in time


def _transient(problem: Transient) -> Fields:
    from scipy.linalg import cho_solve_banded, cholesky_banded

    grid = grid_of(problem.plate)
    rim, heaters = _Rim(problem, grid), _Heaters(problem, grid)
    storage = problem.heat_capacity * problem.steps / problem.stage * grid.mass
    damping = np.where(rim.emission > 0, problem.damping, 0.0)
    left_side = grid.banded(problem.conductivity * grid.stiffness + storage, rim.transfer + damping)
    factor = (cholesky_banded(left_side[: grid.band + 1], check_finite=False), False)
    kept = grid.banded(storage, np.zeros(len(grid.rim.weights)))
    constant = grid.rim.load(rim.transfer * rim.outside, grid.size)
    temperature = np.full(grid.size, problem.exchange.ambient)
    highest, snapshots = temperature, []
    for step, levels in enumerate(problem.schedule(), start=1):
        inflow = heaters.inflow(levels, temperature) - rim.radiated(temperature) + damping * grid.rim.at(temperature)
        right_side = _times(kept, temperature, grid.band) + grid.rim.load(inflow, grid.size) + constant
        temperature = cho_solve_banded(factor, right_side, check_finite=False)
        highest = np.maximum(highest, temperature)
        if step % problem.steps == 0:
            snapshots.append(temperature)
    if not np.isfinite(highest).all() or highest.max() > MELTED:
        raise NoConvergence(f"the plate would be hotter than {MELTED:.0f} K, where this model ends")
    return Fields(np.stack(snapshots), highest)


def _times(banded: Array, vector: Array, band: int) -> Array:
    """Multiply a symmetric matrix in band storage with a vector, by its diagonals that hold anything."""
    product, size = banded[band] * vector, len(vector)
    for above in (1, band - 1, band):
        diagonal = banded[band - above, above:]
        product[: size - above] += diagonal * vector[above:]
        product[above:] += diagonal * vector[: size - above]
    return np.asarray(product)


class _Heaters:
    """Output of the heaters at the boundary points, falling with their own temperature."""

    def __init__(self, problem: Transient, grid: Grid) -> None:
        self._masks = [grid.on_segment(segment) for segment in problem.segments]
        self._points, self._problem = grid.rim, problem

    def inflow(self, levels: list[float], temperature: Array) -> Array:
        """Inflow at the points, W/m², at the temperatures of the start of the step."""
        local, made = self._points.at(temperature), np.zeros(len(self._points.weights))
        for mask, level, segment in zip(self._masks, levels, self._problem.segments, strict=True):
            mean = float(local[mask] @ self._points.weights[mask]) / segment.length
            share = 1 - self._problem.derating * (mean - self._problem.exchange.ambient)
            made[mask] += level * max(0.0, share)
        return np.asarray(made)
