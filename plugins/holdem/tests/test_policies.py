"""Scripted policies through the framework: the reference learns and succeeds, lazy ones play legally and fail."""

from __future__ import annotations

import numpy as np
import pytest

from harness import load_task
from harness.testing import play_inline, scripts_of
from harness_holdem.chart import Chart, fitted
from harness_holdem.options import Options
from harness_holdem.sample import propose


@pytest.mark.parametrize("group", ["image-easy", "text-easy"])
def test_reference_beats_its_allowance_on_most_fresh_instances(group: str) -> None:
    task = load_task("holdem", group)
    outcomes = [
        play_inline(task, task.sample(i, seed=21), scripts_of(task)["reference"], "t").outcome for i in range(5)
    ]
    assert sum(outcome.success for outcome in outcomes) >= 4


@pytest.mark.parametrize("group", ["image-easy", "text-easy"])
def test_lazy_policies_never_make_an_illegal_call_and_play_to_the_end(group: str) -> None:
    task = load_task("holdem", group)
    sample = task.sample(3, seed=22)
    for name, script in scripts_of(task).items():
        if script.play is not None:
            episode = play_inline(task, sample, script, "t")
            assert {action.status for action in episode.log.actions} == {"ok"}, name
            assert episode.log.metrics["hands_ended"] == 6, name


def test_reference_is_the_same_in_both_variants_given_the_same_draws() -> None:
    image, text = (load_task("holdem", f"{variant}-easy") for variant in ("image", "text"))
    sample = text.sample(0, seed=23)
    one, other = (play_inline(task, sample, scripts_of(task)["reference"], "t") for task in (image, text))
    assert one.log.metrics == other.log.metrics


def test_fitting_a_chart_is_repeatable_and_beats_a_bad_one() -> None:
    identities = [propose(Options(hands=1), np.random.default_rng(seed)) for seed in range(6)]
    best = fitted(identities)
    assert best == fitted(identities)
    from harness_holdem.chart import _loss

    assert _loss(best, identities) <= _loss(Chart(0.0, 1.0, 0.0, 5.0, 1.5), identities)


def test_the_reference_plays_an_instance_the_same_in_every_run() -> None:
    task = load_task("holdem", "text-hard")
    sample = task.sample(1, seed=24)
    one, other = (play_inline(task, sample, scripts_of(task)["reference"], run) for run in ("a", "b"))
    assert one.log.metrics == other.log.metrics
    assert [action.arguments for action in one.log.actions] == [action.arguments for action in other.log.actions]
