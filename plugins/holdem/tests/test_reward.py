"""Scoring is pure, monotone in regret, and counts only whole matches as success."""

from __future__ import annotations

import numpy as np
import pytest

from harness import Log
from harness_holdem.options import Options
from harness_holdem.reward import DecisionReward
from harness_holdem.sample import propose

OPTIONS = Options(hands=4, allowance=0.2)
IDENTITY = propose(OPTIONS, np.random.default_rng(0))


def score(regret: list[float], ended: int = 4, won: float = 0.0):
    metrics = {"regret_bb": regret, "hands_ended": ended, "won_bb": won, "decisions": 9}
    return DecisionReward(OPTIONS).score(IDENTITY, Log(metrics=metrics))


def test_success_is_a_mean_regret_within_the_allowance() -> None:
    assert score([0.2, 0.2, 0.2, 0.2]).success
    assert not score([0.2, 0.2, 0.2, 0.21]).success
    assert score([0.0, 0.0, 0.0, 0.0]).total == pytest.approx(1.0)
    assert score([0.8, 0.0, 0.0, 0.0]).total == pytest.approx(0.8)


def test_a_match_that_was_not_finished_is_no_success() -> None:
    result = score([0.0, 0.0], ended=2)
    assert not result.success
    assert result.margin == -1
    assert result.reason == "no_answer"
    assert result.total < score([0.21] * 4).total <= 0.6


def test_total_falls_with_regret() -> None:
    totals = [score([regret] * 4).total for regret in (0, 0.1, 0.2, 0.25, 0.4, 0.7, 1.0, 2.0)]
    assert totals == sorted(totals, reverse=True)
    assert totals[-1] == totals[-2] == pytest.approx(0.12)


def test_chips_won_do_not_count() -> None:
    assert score([0.3] * 4, won=50).total == score([0.3] * 4, won=-50).total
    assert "won +50.0 bb" in score([0.3] * 4, won=50).detail


def test_margin_is_the_distance_from_the_allowance() -> None:
    assert score([0.1] * 4).margin == pytest.approx(0.5)
    assert score([0.3] * 4).margin == pytest.approx(-0.5)


def test_a_log_without_metrics_is_scored() -> None:
    assert (
        DecisionReward(OPTIONS).score(IDENTITY, Log()).total == 0.0
        or not DecisionReward(OPTIONS).score(IDENTITY, Log()).success
    )
