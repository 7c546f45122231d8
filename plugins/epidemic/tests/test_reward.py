"""Scoring: the worst quantity decides, partial credit grows as the burden falls, a success earns by sparing."""

from __future__ import annotations

import pytest
from attrs import asdict, evolve
from epidemic_cases import country

from harness.records import Log
from harness_epidemic.country import Bar, Identity, Targets
from harness_epidemic.options import Options
from harness_epidemic.reward import EpidemicReward
from harness_epidemic.score import QUANTITIES, burden, targets_for
from harness_epidemic.world import Result

REACHED = Result(100.0, 50.0, 20_000.0, 9_000.0)
REWARD = EpidemicReward(Options(level="easy"))


@pytest.fixture
def identity() -> Identity:
    bar = Bar(naive=2 * burden(REACHED), planner=burden(REACHED))
    return evolve(country("easy", 0), targets=targets_for(REACHED, 0.25), bar=bar)


def log(result: Result) -> Log:
    return Log(metrics=asdict(result))


def test_the_planners_result_is_a_success_by_its_slack(identity: Identity) -> None:
    score = REWARD.score(identity, log(REACHED))
    assert score.success
    assert 0.18 < (score.margin or 0) < 0.25
    assert 0.8 < score.total < 1.0


@pytest.mark.parametrize("name", QUANTITIES)
def test_one_quantity_over_its_target_fails(identity: Identity, name: str) -> None:
    limit = getattr(identity.targets, name)
    assert REWARD.score(identity, log(evolve(REACHED, **{name: float(limit)}))).success
    failed = REWARD.score(identity, log(evolve(REACHED, **{name: limit + 1.0})))
    assert not failed.success
    assert failed.total <= 0.6
    assert (failed.margin or 0) < 0


def test_partial_credit_falls_with_the_burden(identity: Identity) -> None:
    totals = [
        REWARD.score(identity, log(evolve(REACHED, deaths=deaths))).total
        for deaths in (140.0, 200.0, 300.0, 400.0, 900.0)
    ]
    assert totals == sorted(totals, reverse=True)
    assert totals[0] > totals[3] > 0
    assert totals[-1] == 0


def test_a_cheaper_success_earns_more(identity: Identity) -> None:
    better = REWARD.score(identity, log(evolve(REACHED, deaths=50.0)))
    assert better.total > REWARD.score(identity, log(REACHED)).total


def test_nothing_at_all_earns_at_most_the_top() -> None:
    identity = evolve(country("easy", 0), targets=Targets(3, 20, 50, 50), bar=Bar(2.0, 1.0))
    assert REWARD.score(identity, log(Result(0.0, 0.0, 0.0, 0.0))).total == pytest.approx(1.0)
