"""The reference succeeds, the shortcuts fail, and 64 episodes at once are what they are one at a time."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from attrs import evolve

from harness import Task, certify
from harness.testing import play_alone_and_together, play_inline, quartered, scripts_of
from harness_fenics.secant import Affine, Goal, boxed, step
from harness_fenics.shortcuts import fit_controls, fit_predictions


def rows(task: Task, count: int, language: str = "en") -> list[Any]:
    found = certify.heldout_rows(task)[:count]
    assert len(found) == count
    return [certify.sample_of(task, row, seed=0, split="test", language=language) for row in found]


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_reference_succeeds_on_held_out_instances(task: Task, language: str) -> None:
    for sample in rows(task, 6, language):
        assert sample.language == language
        episode = play_inline(task, sample, task.policies["reference"], "test")
        assert episode.outcome.success, episode.outcome.detail
        assert all(action.status == "ok" for action in episode.log.actions)
        assert episode.outcome.reward > 0.85


def test_shortcuts_fail_on_held_out_instances(task: Task) -> None:
    for sample in rows(task, 4):
        for name, script in scripts_of(task).items():
            if script.kind == "lazy":
                outcome = play_inline(task, sample, script, "test").outcome
                assert outcome.status == "scored"
                assert not outcome.success, name
                assert outcome.reward <= 0.6


def test_every_variant_declares_the_named_shortcuts(task: Task) -> None:
    named = {
        "flux": {"zeros", "mid-range", "equal", "linear", "transformed", "targets-only"},
        "transient": {"zeros", "mid-range", "equal", "linear", "balance", "targets-only"},
        "identify": {"ambient", "nearest", "hottest", "plane", "harmonic", "mid-range", "linear"},
    }[task.options.variant]
    policies = task.policies
    assert {name for name, script in policies.items() if script.kind == "lazy"} == named | {"random"}
    assert {name for name, script in policies.items() if script.kind == "adversary"} == {
        "perturbed-linear",
        "constant",
        "search",
    }
    assert all(script.view == "observation" for script in policies.values())


def test_no_constant_answer_succeeds(task: Task) -> None:
    fit: Any = fit_predictions if task.options.variant == "identify" else fit_controls
    seen = [task.decode_identity(task.sample(number, split="train").identity) for number in range(20)]
    play = evolve(task.policies["constant"], play=fit(seen, task.options))
    assert not any(play_inline(task, sample, play, "test").outcome.success for sample in rows(task, 10))


def test_a_quarter_of_the_budget_is_kept_to(task: Task) -> None:
    (sample,) = rows(task, 1)
    episode = play_inline(task, evolve(sample, limits=quartered(sample.limits)), task.policies["reference"], "test")
    assert episode.outcome.status == "scored"
    assert all(action.status == "ok" for action in episode.log.actions)


# ---- concurrency


@pytest.mark.slow
def test_64_concurrent_episodes_are_the_same_as_one_at_a_time(flux: Task, identify: Task, transient: Task) -> None:
    plan = [(task, sample, "reference") for task in (flux, identify, transient) for sample in rows(task, 22)][:64]
    alone, together = play_alone_and_together(plan)
    assert together == alone
    assert len(plan) == 64


# ---- secants


def test_boxed_least_squares_keeps_to_the_box() -> None:
    rows_, aims = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]]), np.array([3.0, 0.2, 2.0])
    move = boxed(rows_, aims, np.zeros(2), np.ones(2))
    assert move[0] == 1.0
    assert move[1] == pytest.approx(0.6)


def test_a_step_on_a_linear_world_is_exact_and_respects_ceilings() -> None:
    matrix = np.array([[100.0, 20.0, 10.0], [10.0, 80.0, 30.0], [50.0, 50.0, 200.0]])
    base = np.full(3, 0.5)
    model = Affine(base, matrix @ base)
    for number in range(3):
        moved = base + 0.2 * np.eye(3)[number]
        model.difference(number, moved, matrix @ moved)
    free = Goal(np.array([70.0, 60.0]), np.ones(2))
    reached = matrix @ step(model, free, ridge=1e-6)
    assert np.allclose(reached[:2], [70.0, 60.0], atol=1e-3)
    bound = Goal(free.wanted, free.scale, np.array([reached[2] - 20.0]), np.ones(1))
    limited = matrix @ step(model, bound, ridge=1e-6)
    assert np.allclose(limited[:2], [70.0, 60.0], atol=0.1)
    assert limited[2] <= reached[2] - 19.9


def test_a_correction_agrees_with_the_new_call_and_keeps_the_rest() -> None:
    model = Affine(np.zeros(2), np.zeros(1))
    model.difference(0, np.array([1.0, 0.0]), np.array([2.0]))
    model.difference(1, np.array([0.0, 1.0]), np.array([3.0]))
    model.correct(np.array([0.5, 0.0]), np.array([1.5]))
    assert model.predict(np.array([0.5, 0.0]))[0] == 1.5
    assert model.slopes[0].tolist() == [3.0, 3.0]
