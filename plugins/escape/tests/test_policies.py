"""Success rates on fresh instances: the reference always, the lazy almost never; difficulty grows with the level."""

from __future__ import annotations

import pytest
from attrs import evolve

from harness import load_task
from harness.testing import play_inline, quartered, scripts_of
from harness_escape.policies import HOUSE_POLICIES
from harness_escape.tiny_policies import FLAT_POLICIES, read_notes, way_on

COUNT = 20
LAZY = {name for name, script in HOUSE_POLICIES.items() if script.kind == "lazy"}


@pytest.mark.parametrize("level", ["easy", "medium", "hard", "tiny"])
def test_rates(level: str) -> None:
    task = load_task("escape", level)
    samples = [task.sample(index, seed=51, split="validation") for index in range(COUNT)]
    for name, script in scripts_of(task).items():
        if script.kind == "adversary":
            continue
        wins = sum(play_inline(task, sample, script, "t").outcome.success for sample in samples)
        assert wins == COUNT if name == "reference" else wins <= 3, f"{name} at {level}: {wins} of {COUNT}"


def test_the_lazy_of_the_definition_are_there() -> None:
    assert {"random", "wander", "use_everything", "guess_codes"} <= LAZY
    assert {"random", "wander", "use_everything", "guess_codes"} <= set(FLAT_POLICIES)


def test_a_quarter_of_the_budget_reaches_less_the_harder_the_level() -> None:
    means = []
    for level in ("easy", "medium", "hard"):
        task = load_task("escape", level)
        script, total = scripts_of(task)["reference"], 0.0
        for index in range(30):
            sample = task.sample(index, seed=52)
            sample = evolve(sample, limits=quartered(sample.limits))
            total += play_inline(task, sample, script, "t").outcome.reward or 0.0
        means.append(total / 30)
    assert means == sorted(means, reverse=True)
    assert means[0] < 0.6


@pytest.mark.parametrize("level", ["easy", "tiny"])
def test_a_fixed_sequence_of_calls_fails(level: str) -> None:
    task = load_task("escape", level)
    script = scripts_of(task)["constant"]
    assert script.fit is not None
    training = [task.decode_identity(task.sample(index, seed=53).identity) for index in range(60)]
    play = evolve(script, play=script.fit(training, task.options))
    wins = sum(play_inline(task, task.sample(i, seed=53, split="test"), play, "t").outcome.success for i in range(30))
    assert wins <= 1


@pytest.mark.parametrize("name", ["perturbed_wander", "perturbed_guess", "search"])
def test_adversaries_stay_within_the_rules_of_the_house(name: str) -> None:
    task = load_task("escape", "hard")
    for index in range(5):
        outcome = play_inline(task, task.sample(index, seed=54), scripts_of(task)[name], "t").outcome
        assert outcome.status == "scored"
        assert not outcome.success


@pytest.mark.parametrize(
    ("text", "side", "notes"),
    [
        ("attic. Doors: east.", "east", {}),
        ("cellar. Doors: south, north. Note: press 2 is gold.", "north", {2: "gold"}),
        ("地窖。门：south, west。纸条：第1次按red。", "west", {1: "red"}),
    ],
)
def test_the_flats_explorer_reads_rooms(text: str, side: str, notes: dict[int, str]) -> None:
    assert way_on(text) == side
    assert dict(read_notes(text)) == notes
