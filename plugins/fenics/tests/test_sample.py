"""Proposals: told numbers are the world's numbers, limits are felt, draws repeat."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from attrs import evolve

from harness import Task
from harness.errors import Reject
from harness_fenics.propose import PITCH, propose
from harness_fenics.sample import BANDS, Drive, Options, Puzzle
from harness_fenics.world import MILLI, read, true_problem

COUNT = 12


def proposals(options: Options, count: int = COUNT) -> list[Any]:
    made = []
    for number in range(count):
        try:
            made.append(propose(options, np.random.default_rng(number)))
        except Reject:
            continue
    return made


def test_most_draws_are_usable(task: Task) -> None:
    assert len(proposals(task.options)) >= 0.6 * COUNT


def test_draws_repeat(task: Task) -> None:
    first, second = (proposals(task.options, 2) for _ in range(2))
    assert first == second


def test_heaters_lie_on_mesh_nodes_and_apart(task: Task) -> None:
    for identity in proposals(task.options, 6):
        problem = identity.steady if isinstance(identity, Puzzle) else identity.told
        for segment in problem.segments:
            for end in (segment.start, segment.stop):
                assert end / MILLI / PITCH == pytest.approx(round(end / MILLI / PITCH), abs=1e-9)
            assert segment.length > 0.014
        places = [(s.edge, n) for s in problem.segments for n in range(round(s.start / MILLI), round(s.stop / MILLI))]
        assert len(places) == len(set(places))


@pytest.mark.parametrize("variant", ["flux", "transient"])
def test_the_true_plate_deviates_within_the_told_bands(variant: Any) -> None:
    for drive in proposals(Options(variant=variant)):
        problem = true_problem(drive, drive.answer)
        for told, true, band in (
            (drive.told.exchange.air, problem.exchange.air, BANDS.transfer),
            (drive.told.exchange.left, problem.exchange.left, BANDS.transfer),
            (drive.told.exchange.emissivity, problem.exchange.emissivity, BANDS.emissivity),
        ):
            assert abs(true / told - 1) <= band
        assert problem.exchange.ambient == drive.told.exchange.ambient


@pytest.mark.parametrize("variant", ["flux", "transient"])
def test_limits_stand_just_above_the_hidden_solution(variant: Any) -> None:
    options = Options(variant=variant)
    for drive in proposals(options):
        seen = read(drive, drive.answer)
        assert options.slack <= drive.hottest - seen.hottest <= options.slack + 1
        assert options.slack <= drive.bond - seen.peaks[drive.weak] <= options.slack + 1
        assert 1.0 < drive.load / seen.load < 1.08
        assert all(abs(t - m.target) <= 0.05 for t, m in zip(seen.monitors, drive.monitors, strict=True))
        assert all(0 <= value <= drive.ceiling for value in drive.answer)


@pytest.mark.parametrize("variant", ["flux", "transient"])
def test_no_limit_is_met_by_full_heat(variant: Any) -> None:
    for drive in proposals(Options(variant=variant), 6):
        seen = read(drive, (float(drive.ceiling),) * len(drive.answer))
        assert seen.load > drive.load
        assert seen.hottest > drive.hottest


def test_one_window_fewer_than_controls(task: Task) -> None:
    for identity in proposals(task.options, 4):
        if isinstance(identity, Drive):
            assert len(identity.monitors) == len(identity.answer) - 1


def test_held_back_points_and_source_lie_in_the_zone() -> None:
    for puzzle in proposals(Options(variant="identify", controls=6)):
        assert all(puzzle.zone.holds(x, y) for x, y in puzzle.held)
        x, y = puzzle.values[:2]
        assert puzzle.zone.holds(x, y)
        assert all(u.low <= v <= u.high for u, v in zip(puzzle.unknowns, puzzle.values, strict=True))


def test_hidden_deviations_make_no_other_instance(flux: Task) -> None:
    drive = proposals(flux.options, 3)[0]
    other = evolve(drive, truth=evolve(drive.truth, conductivity=1.0))
    assert flux.prompt.key(drive) == flux.prompt.key(other)


def test_the_budget_of_solves_follows_the_controls() -> None:
    assert [Options(controls=k).solve_budget for k in (3, 4, 6)] == [6, 8, 11]
    assert Options(controls=3, solves=9).solve_budget == 9
