from __future__ import annotations

from typing import Any

import pytest

from harness import Action, Log
from harness_bot.reward import PathReward
from harness_bot.sample import Options

GOOD = {
    "clear": True,
    "collides": False,
    "clear_share": 1.0,
    "reached": True,
    "position_mm": 0.1,
    "rotation_deg": 0.1,
    "approach": 1.0,
    "directness": 1.0,
}


def total(instance, checks: int = 0, scans: int = 0, **changed: Any) -> float:  # type: ignore[no-untyped-def]
    spent = [Action(1, "check_path", {}, "ok", budget="checks")] * checks
    spent += [Action(1, "scan", {}, "ok", budget="scans")] * scans
    log = Log(tuple(spent), {"waypoints": []}, {**GOOD, **changed})
    return PathReward(Options()).score(instance, log).total


def test_the_scale(instance_of) -> None:  # type: ignore[no-untyped-def]
    instance = instance_of("hard")
    assert total(instance) == 1.0
    assert total(instance, checks=instance.checks, scans=instance.scans, directness=0.0) == pytest.approx(0.8)
    assert PathReward(Options()).score(instance, Log()).total == 0.0


def test_credit_is_monotone_in_clear_share_and_approach(instance_of) -> None:  # type: ignore[no-untyped-def]
    instance = instance_of("hard")
    steps = [i / 10 for i in range(11)]
    for fixed in steps:
        shares = [total(instance, clear=False, clear_share=s, approach=fixed) for s in steps]
        nears = [total(instance, reached=False, clear_share=fixed, approach=a) for a in steps]
        assert shares == sorted(shares)
        assert nears == sorted(nears)
        assert max(*shares, *nears) <= 0.6


def test_success_falls_with_what_was_spent(instance_of) -> None:  # type: ignore[no-untyped-def]
    instance = instance_of("hard")
    spent = [total(instance, checks=n) for n in range(instance.checks + 1)]
    assert spent == sorted(spent, reverse=True)
    assert total(instance, directness=0.5) == pytest.approx(0.95)


def test_a_collision_is_the_reason_of_a_failure(instance_of) -> None:  # type: ignore[no-untyped-def]
    log = Log((), {"waypoints": []}, {**GOOD, "clear": False, "collides": True})
    score = PathReward(Options()).score(instance_of("easy"), log)
    assert (score.success, score.reason) == (False, "unsafe_action")
    assert "collides" in score.detail
