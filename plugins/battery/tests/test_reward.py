"""The reward: pure, monotone, on one scale."""

import pytest

from harness import Action, Log
from harness_battery.requirements import Requirements
from harness_battery.reward import DesignReward
from harness_battery.sample import Identity
from harness_battery.world import Deviation, Duty

NEED = Requirements(capacity_ah=5.0, energy_wh_per_kg=250.0, peak_c=50.0)
IDENTITY = Identity("Chen2020", Duty(1.0, 298.15, 20.0), Deviation(), NEED, 10)
GOOD = {"n_to_p": 1.1, "capacity_ah": 5.0, "energy_wh_per_kg": 250.0, "peak_c": 50.0, "mean_v": 3.6}


def score(simulations: int = 0, **values: float):
    actions = tuple(Action(i, "simulate", {}, "ok", budget="simulations") for i in range(simulations))
    metrics = {"feasible": True, "quantities": GOOD | values}
    return DesignReward().score(IDENTITY, Log(actions, answer={"design": {}}, metrics=metrics))


def test_all_met_is_a_success_at_the_boundary() -> None:
    assert score().success
    assert score().margin == 0.0
    assert score().total == 1.0


def test_simulations_cost_within_the_success_band() -> None:
    totals = [score(n).total for n in range(11)]
    assert totals == sorted(totals, reverse=True)
    assert totals[-1] == pytest.approx(0.8)


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("capacity_ah", (4.999, 4.9, 4.5, 3.0, 0.1)),
        ("energy_wh_per_kg", (249.9, 245.0, 200.0, 50.0)),
        ("peak_c", (50.01, 52.0, 60.0, 79.0)),
        ("n_to_p", (0.999, 0.95, 0.8, 0.4)),
        ("n_to_p", (1.301, 1.35, 1.6, 2.5)),
    ],
)
def test_partial_credit_falls_with_distance(name: str, values: tuple[float, ...]) -> None:
    scores = [score(**{name: value}) for value in values]
    assert not any(s.success for s in scores)
    totals = [s.total for s in scores]
    assert totals == sorted(totals, reverse=True)
    assert len(set(totals)) == len(totals)
    assert max(totals) <= 0.6
    assert all(s.margin is not None and s.margin < 0 for s in scores)


def test_no_answer_earns_nothing() -> None:
    got = DesignReward().score(IDENTITY, Log(metrics={}))
    assert (got.total, got.success) == (0.0, False)


def test_no_solution_earns_next_to_nothing() -> None:
    got = DesignReward().score(IDENTITY, Log(answer={"design": {}}, metrics={"feasible": False}))
    assert 0 < got.total < 0.06
    assert got.reason == "infeasible_state"


def test_dangerous_submission_is_named() -> None:
    assert score(peak_c=81.0).reason == "unsafe_action"
    assert score(peak_c=79.0).reason is None


def test_scoring_is_repeatable() -> None:
    assert score(3, capacity_ah=4.7) == score(3, capacity_ah=4.7)
