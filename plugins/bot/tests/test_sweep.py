"""The swept check never misses: against dense sampling, thin plates and the bound on motion that it rests on."""

from __future__ import annotations

import numpy as np
import pytest

from harness import generator
from harness_bot.arms import ARMS, Arm
from harness_bot.cell import Cell
from harness_bot.sample import LEVELS, sweeper_of
from harness_bot.scene import Obstacle
from harness_bot.sweep import SLIP, Sweeper
from harness_bot.twin import clearances, segments

DENSER = 20


def least_slack(sweeper: Sweeper, postures: np.ndarray) -> float:
    """Least distance beyond what is required, by the twin."""
    arm, obstacles = sweeper.cell.arm, sweeper.cell.obstacles
    away, floor, apart = clearances(arm, obstacles, postures)
    moving = [c for c, capsule in enumerate(arm.capsules) if capsule.link > 0]
    high = [c for c, capsule in enumerate(arm.capsules) if capsule.link > 1]
    clearance = float(sweeper.required.max())
    return float(min(away[:, moving].min() - clearance, floor[:, high].min() - clearance, apart.min() - 0.005))


@pytest.mark.slow
@pytest.mark.parametrize("level", LEVELS)
def test_sampling_20_times_denser_finds_nothing_that_the_check_missed(instance_of, level: str) -> None:  # type: ignore[no-untyped-def]
    clear = broken = 0
    for number in range(6):
        instance = instance_of(level, number)
        sweeper = sweeper_of(instance)
        arm, rng = sweeper.cell.arm, generator("dense", level, number)
        for _ in range(12):
            start = np.radians(np.array(instance.start))
            end = np.clip(start + rng.uniform(-0.9, 0.9, arm.axes), *arm.bounds.T)
            sweeper.steps = 0
            share = sweeper.first_break(start, end)
            until = 1.0 if share is None else share
            places = np.linspace(0, until, DENSER * sweeper.steps + 2)[: None if share is None else -1]
            assert least_slack(sweeper, start + places[:, None] * (end - start)) > -SLIP - 1e-9
            clear, broken = clear + (share is None), broken + (share is not None)
            if share is not None:
                assert least_slack(sweeper, (start + share * (end - start))[None]) < 1e-6
    assert clear >= 10
    assert broken >= 10


@pytest.mark.parametrize("thickness", [0.0005, 0.005])
def test_nothing_tunnels_through_a_thin_plate(thickness: float) -> None:
    """A plate half a millimetre thick stands across a swing of 90 degrees; both ends are far from it."""
    plate = Obstacle("plate", "box", (-0.6, -0.6, 0.5), (0.3, thickness, 0.4), 45.0)
    sweeper = Sweeper(Cell(ARMS["ur5e"], (plate,)), 0.0)
    start = np.radians((0.0, -40, 40, 0, 90, 0))
    end = start + np.radians((90.0, 0, 0, 0, 0, 0))
    assert sweeper.slack(start) > 0.05
    assert sweeper.slack(end) > 0.05
    share = sweeper.first_break(start, end)
    assert share is not None
    swept = sweeper.sweep(np.array((start, end)))
    assert swept.contact is not None
    assert swept.contact.against == "plate"
    assert swept.free == pytest.approx(share)


@pytest.mark.parametrize("arm", ARMS.values(), ids=ARMS)
def test_no_link_moves_farther_than_its_bound(arm: Arm) -> None:
    rng = generator("bound", arm.name)
    start = rng.uniform(*arm.bounds.T, (500, arm.axes))
    end = np.clip(start + rng.normal(0, 0.5, start.shape), *arm.bounds.T)
    moved = np.linalg.norm(segments(arm, end) - segments(arm, start), axis=-1).max(axis=-1)
    bound = np.abs(end - start) @ arm.reach.T
    assert (moved <= bound + 1e-9).all()
    assert (moved[:, 1:] > 0.2 * bound[:, 1:]).any(), "a bound that is never nearly reached would make checks slow"


def test_a_self_collision_is_found_and_named() -> None:
    sweeper = Sweeper(Cell(ARMS["ur5e"], ()), 0.01)
    start = np.radians((0.0, -90, 0, -90, -90, 0))
    end = start + np.radians((0.0, 0, 170, 0, 0, 0))
    contact = sweeper.sweep(np.array((start, end))).contact
    assert contact is not None
    assert contact.kind == "self"
    assert contact.distance <= contact.required == 0.005


def test_the_floor_is_found_and_named() -> None:
    sweeper = Sweeper(Cell(ARMS["panda"], ()), 0.02)
    start = np.radians((0.0, 0, 0, -90, 0, 90, 0))
    end = np.radians((0.0, 95, 0, -40, 0, 90, 0))
    contact = sweeper.sweep(np.array((start, end))).contact
    assert contact is not None
    assert contact.against == "floor"
    assert 0.0 <= contact.distance <= 0.02


def test_standing_still_is_clear() -> None:
    sweeper = Sweeper(Cell(ARMS["panda"], ()), 0.02)
    home = np.radians(np.array(ARMS["panda"].home, dtype=float))
    swept = sweeper.sweep(np.array((home, home)))
    assert swept.clear
    assert swept.free == 1.0
