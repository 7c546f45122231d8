"""Scores: milestones add up, success beats everything else, efficiency is measured against the explorer."""

from __future__ import annotations

import pytest

from harness import Action, Log
from harness_escape.graph import required
from harness_escape.house import House
from harness_escape.reward import FlatReward, HouseReward
from harness_escape.tiny import Flat

LEVELS = ("easy", "medium", "hard")


def log_of(steps: int, acts: list[list[object]], out: bool, caught: int = 0) -> Log:
    actions = tuple(Action(i, "look", {}, "ok", "steps") for i in range(steps))
    return Log(actions, None, {"acts": acts, "out": out, "wrong": 0, "caught": caught}, steps, 0, "done")


def all_acts(house: House) -> list[list[object]]:
    return [[act.verb, act.target] for act in required(house)]


@pytest.mark.parametrize("level", LEVELS)
def test_more_milestones_are_worth_more(houses: dict[str, list[House]], level: str) -> None:
    for house in houses[level][:10]:
        acts = all_acts(house)
        totals = [HouseReward().score(house, log_of(5, acts[:n], False)).total for n in range(len(acts) + 1)]
        assert totals == sorted(totals)
        assert len(set(totals)) == len(totals)
        assert totals[0] == 0.0
        assert totals[-1] == pytest.approx(0.6)


@pytest.mark.parametrize("level", LEVELS)
def test_fewer_steps_are_worth_more(houses: dict[str, list[House]], level: str) -> None:
    for house in houses[level][:10]:
        acts = all_acts(house)
        score = {
            n: HouseReward().score(house, log_of(n, acts, True)).total for n in range(house.optimum, house.budget + 1)
        }
        ordered = [score[n] for n in sorted(score)]
        assert ordered == sorted(ordered, reverse=True)
        assert score[house.optimum] == pytest.approx(1.0)
        assert score[house.budget] == pytest.approx(0.84 if house.events else 0.8)
        assert score[house.need] == pytest.approx(0.92 if house.events else 0.9)
        assert score[house.optimum] > score[house.need] > score[house.budget]


def test_invented_milestones_count_for_nothing(houses: dict[str, list[House]]) -> None:
    house = houses["easy"][0]
    assert HouseReward().score(house, log_of(5, [["open", 999], ["hold", 999]], False)).total == 0.0


def test_being_caught_costs(houses: dict[str, list[House]]) -> None:
    house = houses["hard"][0]
    free, caught = (HouseReward().score(house, log_of(house.need, all_acts(house), True, n)).total for n in (0, 2))
    assert 0.8 <= caught < free


def test_margin_has_the_sign_of_success(houses: dict[str, list[House]]) -> None:
    house = houses["medium"][0]
    acts = all_acts(house)
    assert HouseReward().score(house, log_of(house.budget, acts, True)).margin == 0.0
    assert HouseReward().score(house, log_of(house.budget, acts, False)).margin < 0.0


def test_a_flat_is_scored_by_rooms_and_presses() -> None:
    flat = Flat(("room.0", "room.1", "room.2"), (0, 1, 0), (2, 5), False)
    totals = []
    for room, pressed, out in ((0, 0, False), (1, 0, False), (2, 0, False), (2, 1, False), (2, 2, False), (3, 2, True)):
        log = Log((), None, {"room": room, "pressed": pressed, "out": out}, 6, 0, "done")
        totals.append(FlatReward().score(flat, log).total)
    assert totals == sorted(totals)
    assert len(set(totals)) == len(totals)
    assert max(totals[:-1]) <= 0.6 <= 0.8 <= totals[-1]
