"""MuJoCo and the numpy twin are two models of one cell: they agree, and both agree with what is published."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from harness import generator
from harness_bot.arms import ARMS, Arm
from harness_bot.cell import FLOOR, SIGHT, Cell, cell_of
from harness_bot.scene import Obstacle, read, tell
from harness_bot.twin import between, clearances, segments, to_obstacle, tool_frames

COUNT = 1000


def postures(arm: Arm, *words: str) -> np.ndarray:
    return generator("postures", arm.name, *words).uniform(*arm.bounds.T, (COUNT, arm.axes))


def bodies(number: int) -> tuple[Obstacle, ...]:
    rng = generator("bodies", number)
    sizes = {"sphere": (0.1,), "box": (0.12, 0.2, 0.05), "capsule": (0.05, 0.25)}
    return tuple(
        Obstacle(
            f"body {i}",
            kind,  # type: ignore[arg-type]
            tuple(rng.uniform((-0.7, -0.7, 0.1), (0.7, 0.7, 0.9)).tolist()),  # type: ignore[arg-type]
            sizes[kind],
            float(rng.uniform(0, 180)),
            float(rng.uniform(0, 90)),
        )
        for i, kind in enumerate(("sphere", "box", "capsule", "box", "capsule"))
    )


@pytest.mark.parametrize("arm", ARMS.values(), ids=ARMS)
def test_forward_kinematics_agree_on_1000_poses(arm: Arm) -> None:
    cell, angles = cell_of(arm.name, ()), postures(arm, "poses")
    places, turns = tool_frames(arm, angles)
    lines = segments(arm, angles)
    for i, posture in enumerate(angles):
        place, turn = cell.tool(posture)
        assert np.abs(place - places[i]).max() < 1e-6
        assert np.abs(turn - turns[i]).max() < 1e-6
        assert np.abs(cell.capsules(posture) - lines[i]).max() < 1e-6


def test_kinematics_are_the_published_ones() -> None:
    """At zero both arms stand as the makers' tables say: sums of the lengths of the Denavit-Hartenberg tables."""
    place, turn = cell_of("ur5e", ()).tool(np.zeros(6))
    assert place == pytest.approx([-0.425 - 0.3922, -0.1333 - 0.0996, 0.1625 - 0.0997], abs=1e-9)
    assert turn == pytest.approx(np.array([[1, 0, 0], [0, 0, -1], [0, 1, 0]]), abs=1e-9)
    place, turn = cell_of("panda", ()).tool(np.zeros(7))
    assert place == pytest.approx([0.088, 0, 0.333 + 0.316 + 0.384 - 0.107], abs=1e-9)
    assert turn == pytest.approx(np.diag([1, -1, -1]), abs=1e-9)


@pytest.mark.parametrize("arm", ARMS.values(), ids=ARMS)
def test_distances_agree_on_1000_configurations(arm: Arm) -> None:
    """Every declared pair, wherever the capsule's axis is outside the body: there both models are exact."""
    things, angles = bodies(1), postures(arm, "distances")
    cell, compared = Cell(arm, things), 0
    away, floor, apart = clearances(arm, things, angles)
    names = [thing.name for thing in things]
    for i, posture in enumerate(angles):
        least = np.full(len(cell.pairs), SIGHT)
        np.minimum.at(least, *cell.near(posture))
        for number, pair in enumerate(cell.pairs):
            if pair.other >= 0:
                expected = apart[i, arm.self_pairs.index((pair.other, pair.capsule))]
            elif pair.against == FLOOR:
                expected = floor[i, pair.capsule]
            else:
                expected = away[i, pair.capsule, names.index(pair.against)]
            if expected > -0.03:
                compared += 1
                assert abs(min(expected, SIGHT) - least[number]) < 1e-3
    assert compared > 30 * COUNT


def test_distances_of_two_segments_are_the_least_of_a_dense_grid() -> None:
    rng = generator("segments")
    shares = np.linspace(0, 1, 201)
    for _ in range(50):
        a, b, c, d = rng.normal(size=(4, 3))
        one = a + shares[:, None] * (b - a)
        two = c + shares[:, None] * (d - c)
        grid = np.linalg.norm(one[:, None] - two[None], axis=-1).min()
        assert -1e-9 <= grid - between(a, b, c, d) < 0.03


def test_parallel_segments_and_points_have_a_distance() -> None:
    a, b = np.zeros(3), np.array((1.0, 0, 0))
    assert between(a, b, a + np.array((0, 2, 0)), b + np.array((0, 2, 0))) == pytest.approx(2)
    assert between(a, a, b, b) == pytest.approx(1)


def test_a_box_is_turned_about_the_vertical() -> None:
    box = Obstacle("b", "box", (0, 0, 0.5), (0.3, 0.1, 0.1), 90.0)
    line = np.array(((0.0, 0.5, 0.5), (0.0, 0.6, 0.5)))
    assert float(to_obstacle(line, box)) == pytest.approx(0.2)
    assert float(to_obstacle(line[:, [1, 0, 2]], box)) == pytest.approx(0.4)


@pytest.mark.parametrize("arm", ARMS.values(), ids=ARMS)
def test_joint_limits_reach_the_model_in_radians(arm: Arm) -> None:
    model = Cell(arm, ())._model
    assert model.jnt_range == pytest.approx(np.radians(np.array(arm.limits, dtype=float)))


@pytest.mark.parametrize("arm", ARMS.values(), ids=ARMS)
def test_self_collisions_are_possible_and_seen(arm: Arm) -> None:
    """Some postures within the limits collide with the arm itself, and no pair of links always does."""
    _, _, apart = clearances(arm, (), postures(arm, "self"))
    touching = apart < 0
    assert 0.02 < touching.any(axis=1).mean() < 0.6
    assert not touching.all(axis=0).any()


@pytest.mark.parametrize("arm", ARMS.values(), ids=ARMS)
def test_pairs_that_are_not_measured_never_come_near(arm: Arm) -> None:
    number = {capsule.name: i for i, capsule in enumerate(arm.capsules)}
    lines = segments(arm, np.concatenate([postures(arm, str(i)) for i in range(20)]))
    for one, two in (*arm.apart, arm.touching):
        i, j = number[one], number[two]
        away = between(lines[:, i, 0], lines[:, i, 1], lines[:, j, 0], lines[:, j, 1])
        away -= arm.capsules[i].radius + arm.capsules[j].radius
        assert away.max() < 0 if (one, two) == arm.touching else away.min() > 0.012


def test_threads_share_no_cell_and_find_the_same() -> None:
    angles = postures(ARMS["panda"], "threads")[:300]

    def look(_: int) -> tuple[int, list[float]]:
        cell = cell_of("panda", bodies(3))
        return id(cell), [float(cell.near(posture)[1].sum()) for posture in angles]

    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(look, range(4)))
    alone = look(0)
    assert all(distances == alone[1] for _, distances in found)
    assert alone[0] not in {number for number, _ in found}


def test_all_contacts_of_the_largest_cell_have_room() -> None:
    """A posture with every body in sight: no pair is lost for want of memory."""
    heap = tuple(Obstacle(f"body {i}", "box", (0.35, 0.0, 0.5), (0.1, 0.1, 0.1)) for i in range(14))
    cell = Cell(ARMS["panda"], heap)
    numbers, _ = cell.near(np.radians(np.array(ARMS["panda"].home, dtype=float)))
    seen = {cell.pairs[n].against for n in numbers}
    assert {body.name for body in heap} <= seen
    assert cell._state.maxuse_arena < 0.5 * cell._model.narena


def test_obstacles_are_told_and_read_back() -> None:
    for body in bodies(2):
        again = read(tell(body))
        assert (again.name, again.kind) == (body.name, body.kind)
        assert again.centre == pytest.approx(body.centre, abs=6e-4)
        assert (again.size, again.extent) == (body.size, pytest.approx(body.extent))
        assert tell(again) == tell(body)
    assert cell_of("ur5e", bodies(1)) is cell_of("ur5e", bodies(1))
