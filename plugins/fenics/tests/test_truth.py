"""The engine against closed forms, manufactured solutions, conservation and scikit-fem's own assembly."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from attrs import evolve

from harness_fenics.engine import solve, source_at
from harness_fenics.grid import grid_of
from harness_fenics.problem import SIGMA, Exchange, Law, Patch, Plate, Segment, Source, Steady, Transient

NO_RADIATION = Exchange(left=400.0, coolant=300.0, air=0.0, ambient=300.0, emissivity=0.0)
RIGHT_EDGE = (Segment("right", 0.0, 0.06),)


def steady(**changes: Any) -> Steady:
    """A plate without source, heated over its whole right edge."""
    made = Steady(Plate(20, 12, 0.005), NO_RADIATION, RIGHT_EDGE, (50e3,), Law("rising", 15.0, 0.0))
    return evolve(made, **changes)


def test_a_slab_has_its_linear_profile() -> None:
    fields = solve(steady())
    grid = grid_of(Plate(20, 12, 0.005))
    exact = 300 + 50e3 / 400 + 50e3 / 15 * grid.points[0]
    assert np.allclose(fields.highest, exact, rtol=1e-12)


@pytest.mark.parametrize("kind", ["rising", "falling", "dipping"])
def test_a_slab_of_any_law_has_the_profile_of_its_integral(kind: Any) -> None:
    """Through a slab the integral of the conductivity over temperature is linear; errors fall nearly fourfold."""
    errors = []
    for refine in (1, 2):
        problem = steady(plate=Plate(20 * refine, 12 * refine, 0.005 / refine), law=Law(kind, 15.0, 0.2, 0.05))
        grid, found = grid_of(problem.plate), solve(problem).highest
        integral = _integral(problem.law, found)
        surface = _integral(problem.law, np.array([300 + 50e3 / 400]))
        errors.append(float(np.max(np.abs(integral - surface - 50e3 * grid.points[0]))))
    assert errors[0] < 2e-3 * 50e3 * 0.1
    assert errors[1] < errors[0] / 3


def _integral(law: Law, temperature: Any) -> Any:
    t = (temperature - 300) / 100
    if law.kind == "rising":
        return 100 * law.k0 * (t + law.a * t**2 / 2)
    if law.kind == "falling":
        return 100 * law.k0 * np.log1p(law.a * t) / law.a
    return 100 * law.k0 * (t - law.a * t**2 / 2 + law.b * t**3 / 3)


class Manufactured:
    """T = 600 + 120 cos(pi x / W) cos(pi y / H) under the law k0 (1 + a t); no edge has a normal derivative."""

    def __init__(self, refine: int) -> None:
        self.plate = Plate(8 * refine, 6 * refine, 0.0125 / refine)
        self.law = Law("rising", 15.0, 0.25)

    def exact(self, points: Any) -> Any:
        x, y = points
        return 600 + 120 * np.cos(np.pi * x / self.plate.width) * np.cos(np.pi * y / self.plate.height)

    def heat(self, points: Any) -> Any:
        """-div(k grad T), by hand."""
        x, y = np.pi * points[0] / self.plate.width, np.pi * points[1] / self.plate.height
        t = self.exact(points)
        k = self.law.k0 * (1 + self.law.a * (t - 300) / 100)
        slope_x = -120 * np.pi / self.plate.width * np.sin(x) * np.cos(y)
        slope_y = -120 * np.pi / self.plate.height * np.cos(x) * np.sin(y)
        bend = -120 * np.pi**2 * (1 / self.plate.width**2 + 1 / self.plate.height**2) * np.cos(x) * np.cos(y)
        return -(k * bend + self.law.k0 * self.law.a / 100 * (slope_x**2 + slope_y**2))


@pytest.mark.parametrize("radiating", [False, True])
def test_a_manufactured_solution_converges_with_second_order(monkeypatch: Any, radiating: bool) -> None:
    """The edges exchange exactly what keeps the normal derivative zero: surroundings as hot as the surface."""
    errors = []
    for refine in (1, 2, 4):
        truth = Manufactured(refine)
        exchange = Exchange(left=50.0, coolant=0.0, air=50.0, ambient=0.0, emissivity=0.8 if radiating else 0.0)
        problem = steady(
            plate=truth.plate, exchange=exchange, law=truth.law, source=Source(0.0, 0.0, 1.0, 1.0), fluxes=(0.0,)
        )
        grid = grid_of(truth.plate)
        surface = truth.exact(_places(grid))
        monkeypatch.setattr("harness_fenics.engine.source_at", lambda source, points, truth=truth: truth.heat(points))
        monkeypatch.setattr(
            "harness_fenics.engine._Rim", lambda problem, grid, surface=surface: _Surroundings(problem, grid, surface)
        )
        found = solve(problem).highest - truth.exact(grid.points)
        local = found[grid.cells].T[:, :, None]
        errors.append(float(np.sqrt((local * (grid.mass @ local)).sum())))
    orders = np.log2(np.array(errors[:-1]) / np.array(errors[1:]))
    assert (orders > 1.9).all(), (errors, orders)
    assert (orders < 2.2).all(), (errors, orders)


def _places(grid: Any) -> Any:
    """Coordinates of the boundary points, by their shape functions."""
    return np.stack([grid.rim.at(grid.points[0]), grid.rim.at(grid.points[1])])


class _Surroundings:
    """Exchange with surroundings whose temperature varies along the rim."""

    def __init__(self, problem: Steady, grid: Any, surface: Any) -> None:
        self._grid, self._surface = grid, surface
        self._emission = problem.exchange.emissivity * SIGMA
        self._transfer = problem.exchange.air

    def loss(self, temperature: Any) -> Any:
        local = self._grid.rim.at(temperature)
        lost = self._transfer * (local - self._surface) + self._emission * (local**4 - self._surface**4)
        return lost, self._transfer + 4 * self._emission * local**3


def test_heat_is_conserved() -> None:
    """What comes in through segments and source goes out through the edges."""
    exchange = Exchange(left=200.0, coolant=300.0, air=30.0, ambient=295.0, emissivity=0.8)
    source = Source(0.05, 0.03, 0.01, 3e6)
    patch = Patch(0.02, 0.04, 0.02, 0.04, 0.3)
    problem = steady(exchange=exchange, source=source, patch=patch, law=Law("falling", 20.0, 0.2))
    grid, found = grid_of(problem.plate), solve(problem).highest
    local, left = grid.rim.at(found), grid.on_left()
    lost = np.where(left, 200 * (local - 300), 30 * (local - 295) + 0.8 * SIGMA * (local**4 - 295.0**4))
    nodal = source_at(source, grid.points)[grid.cells].T[:, :, None]
    given = 50e3 * 0.06 + float((grid.mass @ nodal).sum())
    assert float(lost @ grid.rim.weights) == pytest.approx(given, rel=1e-9)


def test_arrays_agree_with_scikit_fems_own_assembly() -> None:
    """The residual of a solution vanishes when scikit-fem itself assembles the weak form."""
    from skfem import Basis, ElementTriP1, FacetBasis, LinearForm, MeshTri
    from skfem.helpers import dot, grad

    exchange = Exchange(left=200.0, coolant=300.0, air=30.0, ambient=295.0, emissivity=0.8)
    problem = steady(exchange=exchange, law=Law("dipping", 20.0, 0.25, 0.05), fluxes=(30e3,))
    grid, found = grid_of(problem.plate), solve(problem).highest
    mesh = MeshTri(grid.points, grid.cells)
    centroid = (np.array([[1 / 3], [1 / 3]]), np.array([0.5]))
    inner, rim = Basis(mesh, ElementTriP1(), quadrature=centroid), FacetBasis(mesh, ElementTriP1(), intorder=8)

    def conduct(v: Any, w: Any) -> Any:
        t = (w.temperature - 300) / 100
        return 20.0 * (1 - 0.25 * t + 0.05 * t**2) * dot(w.temperature.grad, grad(v))

    def exchanged(v: Any, w: Any) -> Any:
        left = w.x[0] < 1e-9
        inflow = np.where(w.x[0] > problem.plate.width - 1e-9, 30e3, 0.0)
        t = w.temperature
        lost = np.where(left, 200 * (t - 300), 30 * (t - 295) + 0.8 * SIGMA * (t**4 - 295.0**4))
        return (lost - inflow) * v

    residual = LinearForm(conduct).assemble(inner, temperature=inner.interpolate(found))
    residual += LinearForm(exchanged).assemble(rim, temperature=rim.interpolate(found))
    assert np.max(np.abs(residual)) < 1e-7 * 30e3 * 0.06


# ---- in time


def heating(**changes: Any) -> Transient:
    made = Transient(
        plate=Plate(20, 12, 0.005),
        exchange=NO_RADIATION,
        segments=RIGHT_EDGE,
        settings=((80e3,),),
        stage=400.0,
        slew=1e9,
        derating=0.0,
        conductivity=20.0,
        heat_capacity=3e6,
        steps=16,
    )
    return evolve(made, **changes)


def test_long_heating_ends_in_the_steady_state() -> None:
    exchange = Exchange(left=200.0, coolant=300.0, air=30.0, ambient=300.0, emissivity=0.8)
    late = solve(heating(exchange=exchange, stage=40_000.0, steps=400)).snapshots[-1]
    at_rest = solve(steady(exchange=exchange, law=Law("rising", 20.0, 0.0), fluxes=(80e3,))).highest
    assert np.max(np.abs(late - at_rest)) < 0.01


def test_heating_of_a_closed_plate_stores_what_comes_in() -> None:
    """Without losses the mean temperature rises by power × time / heat capacity."""
    closed = Exchange(left=0.0, coolant=300.0, air=0.0, ambient=300.0, emissivity=0.0)
    problem = heating(exchange=closed)
    grid, found = grid_of(problem.plate), solve(problem).snapshots[-1]
    stored = 3e6 * float((grid.mass @ (found - 300)[grid.cells].T[:, :, None]).sum())
    assert stored == pytest.approx(80e3 * 0.06 * 400, rel=1e-10)


def test_a_heated_half_space_follows_the_closed_form() -> None:
    """Surface of a half-space under constant flux: T = T0 + 2 q sqrt(t / (pi k c)) (Carslaw and Jaeger, 2.9)."""
    closed = Exchange(left=0.0, coolant=300.0, air=0.0, ambient=300.0, emissivity=0.0)
    problem = heating(
        plate=Plate(80, 4, 0.001), segments=(Segment("right", 0.0, 0.004),), exchange=closed, stage=100.0, steps=400
    )
    found = solve(problem).highest.max() - 300
    exact = 2 * 80e3 * np.sqrt(100 / (np.pi * 20.0 * 3e6))
    assert found == pytest.approx(exact, rel=0.01)


def test_time_steps_converge_with_first_order() -> None:
    exchange = Exchange(left=200.0, coolant=300.0, air=30.0, ambient=300.0, emissivity=0.8)
    made = heating(exchange=exchange, settings=((120e3,), (60e3,)), derating=6e-4, slew=800.0)
    tops = [float(solve(evolve(made, steps=steps)).snapshots[-1].max()) for steps in (16, 32, 64, 128)]
    gaps = np.abs(np.diff(tops))
    assert (gaps[:-1] / gaps[1:] > 1.6).all(), tops


def test_heaters_follow_their_settings_no_faster_than_they_can() -> None:
    levels = [row[0] for row in heating(settings=((80e3,), (20e3,)), slew=400.0).schedule()]
    rises = np.diff([0.0, *levels])
    assert np.max(np.abs(rises)) == pytest.approx(400.0 * 400 / 16)
    assert max(levels) == 80e3
    assert levels[-1] == 20e3
    assert len(levels) == 32
