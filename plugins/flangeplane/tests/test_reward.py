"""Scoring: pure, bounded, monotone; success asks for design and reading at once."""

from __future__ import annotations

import pytest
from attrs import evolve
from flange_cases import instance

from harness import Action, Log
from harness_flangeplane.options import Options
from harness_flangeplane.reading import LENGTH, reading_margins
from harness_flangeplane.reward import FlangeReward

IDENTITY = instance("medium", 0)
READ = {"bore": 1.0, "gasket_outer": 1.0, "bolt_circle": 1.0, "thickness": 1.0, "bolts": 1.0, "pressure": 1.0}
MET = {"safety": 0.02, "rotation": 0.03, "bolt_stress": 0.1, "blank": 0.04, "cost": 0.05}


def scored(readings: dict[str, float], margins: dict[str, float], spent: int = 2, unsafe: str = ""):  # type: ignore[no-untyped-def]
    actions = tuple(Action(turn, "analyse", {}, "ok", "analyses") for turn in range(spent))
    metrics = {"readings": readings, "margins": margins, "unsafe": unsafe}
    return FlangeReward(Options()).score(IDENTITY, Log(actions, {"design": {}, "read": {}}, metrics))


def test_a_right_reading_of_a_sound_design_is_a_success() -> None:
    score = scored(READ, MET)
    assert score.success
    assert score.margin == pytest.approx(0.02)
    assert score.total == pytest.approx(0.8 + 0.2 * (0.5 * (1 - 2 / IDENTITY.budgets[0]) + 0.5 * 0.5))


def test_one_wrong_value_or_one_missed_requirement_is_a_failure() -> None:
    for name in READ:
        score = scored(READ | {name: -0.5}, MET)
        assert not score.success
        assert name in score.detail
        assert score.total == pytest.approx(0.6 * (2 * 5 / 6 + 3) / 5)
    for name in MET:
        score = scored(READ, MET | {name: -0.001})
        assert not score.success
        assert score.margin == pytest.approx(-0.001)


def test_partial_credit_rises_with_quality() -> None:
    totals = [scored(READ, MET | {"rotation": margin}).total for margin in (-2.0, -0.4, -0.2, -0.01)]
    assert totals == sorted(totals)
    assert totals[0] < totals[1] < totals[3] <= 0.6
    wrong = [scored(dict.fromkeys(READ, -1.0) | dict(list(READ.items())[:right]), MET).total for right in range(6)]
    assert wrong == sorted(set(wrong))


def test_fewer_analyses_and_a_lower_cost_are_worth_more() -> None:
    assert scored(READ, MET, spent=1).total > scored(READ, MET, spent=5).total
    assert scored(READ, MET | {"cost": 0.09}).total > scored(READ, MET).total
    assert scored(READ, dict.fromkeys(MET, 0.2), spent=0).total == pytest.approx(1.0)


def test_a_clash_earns_the_reading_only_and_yielding_is_named() -> None:
    clash = scored(READ, {})
    assert not clash.success
    assert clash.total == pytest.approx(0.6 * 2 / 5)
    assert "gasket" in clash.detail
    assert scored(READ, MET | {"safety": -0.6}, unsafe="the flange yields").reason == "unsafe_action"


def test_nothing_handed_in_earns_nothing() -> None:
    score = FlangeReward(Options()).score(IDENTITY, Log())
    assert score.total == 0
    assert score.margin == -1


def test_readings_are_graded_by_what_is_told() -> None:
    said = IDENTITY.reading
    assert min(reading_margins(said, said, False).values()) == 1
    assert reading_margins(evolve(said, bore=said.bore + LENGTH), said, False)["bore"] == pytest.approx(0)
    assert reading_margins(evolve(said, bore=said.bore + 1), said, False)["bore"] < 0
    assert reading_margins(evolve(said, bolts=said.bolts + 1), said, False)["bolts"] < 0
    assert reading_margins(evolve(said, pressure=said.pressure + 1), said, False)["pressure"] < 0
    off = evolve(said, thickness=1.075 * said.thickness)
    assert reading_margins(off, said, True)["thickness"] > 0
    assert reading_margins(evolve(off, thickness=1.09 * said.thickness), said, True)["thickness"] < 0
