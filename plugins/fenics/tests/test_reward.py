"""The reward: a pure function of identity and log, monotone, success exactly when everything is met."""

from __future__ import annotations

from typing import Any

import pytest

from harness import Log, Task
from harness_fenics.reward import FenicsReward
from harness_fenics.sample import Drive, Puzzle


def drive_log(drive: Drive, off: float = 0.0, over: float = -5.0, overload: float = -0.01, **fields: Any) -> Log:
    metrics = {
        "monitors": [monitor.target + off for monitor in drive.monitors],
        "hottest": drive.hottest + over,
        "bond": drive.bond + over,
        "load": drive.load * (1 + overload),
    }
    return Log(answer={"controls": list(drive.answer)}, metrics=metrics, **fields)


@pytest.fixture
def drive(flux: Task) -> Drive:
    found: Drive = flux.decode_identity(flux.sample(0).identity)
    return found


@pytest.fixture
def puzzle(identify: Task) -> Puzzle:
    found: Puzzle = identify.decode_identity(identify.sample(0).identity)
    return found


def test_success_needs_every_requirement(flux: Task, drive: Drive) -> None:
    reward = FenicsReward(flux.options)
    assert reward.score(drive, drive_log(drive)).success
    assert reward.score(drive, drive_log(drive, off=0.99 * drive.tolerance)).success
    for broken in (
        {"off": 1.01 * drive.tolerance},
        {"off": -1.01 * drive.tolerance},
        {"over": 0.01},
        {"overload": 0.001},
    ):
        score = reward.score(drive, drive_log(drive, **broken))
        assert not score.success
        assert score.margin is not None
        assert score.margin < 0
        assert score.total <= 0.6


def test_a_broken_limit_is_named_unsafe(flux: Task, drive: Drive) -> None:
    score = FenicsReward(flux.options).score(drive, drive_log(drive, over=2.5))
    assert score.reason == "unsafe_action"
    assert "over-temperature: hottest point 2.50 K above its limit" in score.detail
    assert "overload: 3.00 %" in FenicsReward(flux.options).score(drive, drive_log(drive, overload=0.03)).detail


@pytest.mark.parametrize("what", ["off", "over", "overload"])
def test_partial_credit_falls_with_the_distance(flux: Task, drive: Drive, what: str) -> None:
    steps = [0.05, 0.2, 0.4] if what == "overload" else [2.0, 10.0, 30.0, 100.0]
    totals = [FenicsReward(flux.options).score(drive, drive_log(drive, **{what: step})).total for step in steps]
    assert totals == sorted(totals, reverse=True)
    assert totals[0] > totals[-1]
    assert max(totals) <= 0.6


def test_precision_and_unused_calls_are_worth_more(flux: Task, drive: Drive) -> None:
    from harness import Action

    reward = FenicsReward(flux.options)
    spent = tuple(Action(1, "solve", {}, "ok", budget="solves") for _ in range(5))
    exact, off = reward.score(drive, drive_log(drive)), reward.score(drive, drive_log(drive, off=0.6 * drive.tolerance))
    assert exact.total == 1.0
    assert 0.8 <= off.total < exact.total
    assert 0.8 <= reward.score(drive, drive_log(drive, actions=spent)).total < exact.total


def test_nothing_handed_in_earns_nothing(flux: Task, identify: Task, drive: Drive, puzzle: Puzzle) -> None:
    assert FenicsReward(flux.options).score(drive, Log()).total == 0.0
    assert FenicsReward(identify.options).score(puzzle, Log(metrics={"truth": [1.0, 2.0, 3.0]})).total == 0.0


def test_predictions_are_held_against_the_truth(identify: Task, puzzle: Puzzle) -> None:
    reward, truth = FenicsReward(identify.options), [500.0, 510.0, 520.0]

    def score(*off: float) -> Any:
        given = [value + each for value, each in zip(truth, off, strict=True)]
        return reward.score(puzzle, Log(answer={"predictions": given}, metrics={"truth": truth}))

    assert score(0.0, 0.0, 0.0).total == 1.0
    assert score(0.9 * puzzle.tolerance, 0.0, 0.0).success
    assert not score(1.1 * puzzle.tolerance, 0.0, 0.0).success
    assert score(10.0, 0.0, 0.0).total > score(20.0, 0.0, 0.0).total > score(20.0, 20.0, 0.0).total
