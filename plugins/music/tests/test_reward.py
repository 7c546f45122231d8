from __future__ import annotations

import pytest

from harness import Action, Log
from harness_music.brief import names_json
from harness_music.pitch import read_passage
from harness_music.reward import PartWritingReward, allowance
from harness_music.rules import find_faults, weigh
from harness_music.sample import Options, plan_of


def score(exercise, names, checks: int = 0):  # type: ignore[no-untyped-def]
    spent = tuple(Action(i + 1, "check", {}, "ok", budget="checks") for i in range(checks))
    return PartWritingReward(Options()).score(exercise, Log(spent, {"passage": names_json(names)}))


@pytest.mark.parametrize("variant", ["repair", "harmonise"])
def test_the_scale(exercise_of, variant: str) -> None:  # type: ignore[no-untyped-def]
    exercise = exercise_of(variant)
    assert score(exercise, exercise.model).total == 1.0
    assert score(exercise, exercise.model, checks=exercise.checks).total == pytest.approx(0.8)
    assert PartWritingReward(Options()).score(exercise, Log()).total == 0.0


def test_handing_back_the_faulty_passage_earns_nothing(exercise_of) -> None:  # type: ignore[no-untyped-def]
    for number in range(10):
        exercise = exercise_of("repair", "hard", number)
        assert score(exercise, exercise.start).total == 0.0


def test_credit_is_monotone_in_the_weighted_fault_count(exercise_of) -> None:  # type: ignore[no-untyped-def]
    exercise = exercise_of("repair", "hard", 1)
    plan = plan_of(exercise)
    seen = []
    for keep in range(len(exercise.symbols) + 1):
        names = tuple((*m[:keep], *s[keep:]) for m, s in zip(exercise.model, exercise.start, strict=True))
        seen.append((weigh(find_faults(read_passage(names), plan)), score(exercise, names).total))
    ordered = sorted(seen)
    assert [reward for _, reward in ordered] == sorted((reward for _, reward in ordered), reverse=True)
    assert all(reward <= 0.6 for weighted, reward in seen if weighted)


def test_what_earns_nothing_is_positive(exercise_of) -> None:  # type: ignore[no-untyped-def]
    assert all(
        allowance(exercise_of(variant, "easy", n)) >= 3 for variant in ("repair", "harmonise") for n in range(10)
    )
