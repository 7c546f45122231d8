from __future__ import annotations

import pytest
from attrs import evolve

from harness_music.brief import read_brief
from harness_music.notation import grid, read_grid
from harness_music.pitch import read_passage
from harness_music.prompt import PartWritingPrompt
from harness_music.rules import WEIGHTS
from harness_music.sample import VARIANTS, Options, plan_of
from harness_music.wordings import rule_name, texts


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("variant", VARIANTS)
def test_every_wording_carries_every_fact(exercise_of, variant: str, language: str) -> None:  # type: ignore[no-untyped-def]
    prompt = PartWritingPrompt(Options(variant))
    for number in range(4):
        exercise = exercise_of(variant, "hard", number)
        worded = [prompt.messages(exercise, wording, language) for wording in range(3)]
        assert len(set(worded)) == 3
        for text in worded:
            missing = [name for name, fact in prompt.facts(exercise, language).items() if fact not in text]
            assert missing == []
            assert "{" not in text


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("variant", VARIANTS)
def test_the_facts_tell_the_whole_exercise(exercise_of, variant: str, language: str) -> None:  # type: ignore[no-untyped-def]
    for number in range(6):
        exercise = exercise_of(variant, "hard", number)
        brief = read_brief(PartWritingPrompt(Options(variant)).facts(exercise, language))
        assert brief.plan == plan_of(exercise)
        assert brief.start == exercise.start
        assert brief.repair == (variant == "repair")


def test_secrets_are_the_hidden_lines_only(exercise_of) -> None:  # type: ignore[no-untyped-def]
    exercise = exercise_of("harmonise", "medium", 1, "bass")
    secrets = PartWritingPrompt(Options("harmonise")).secrets(exercise)
    assert " ".join(exercise.model[0]) in secrets
    assert " ".join(exercise.model[3]) not in secrets


def test_the_model_answer_is_no_part_of_the_key(exercise_of) -> None:  # type: ignore[no-untyped-def]
    prompt, exercise = PartWritingPrompt(Options()), exercise_of()
    other = evolve(exercise, model=exercise.start)
    assert prompt.key(exercise) == prompt.key(other)
    assert prompt.key(exercise) != prompt.key(evolve(exercise, tonic="B"))


def test_grids_are_read_back(exercise_of) -> None:  # type: ignore[no-untyped-def]
    for variant in VARIANTS:
        exercise = exercise_of(variant, "medium", 2)
        names, given = read_grid(grid(exercise.start, plan_of(exercise)))
        assert names == exercise.start
        assert given == tuple(tuple(note is not None for note in voice) for voice in plan_of(exercise).given)
    assert "*" not in grid(exercise.model, all_given(exercise))


def all_given(exercise):  # type: ignore[no-untyped-def]
    return evolve(plan_of(exercise), given=read_passage(exercise.model))


def test_every_rule_has_a_chinese_name() -> None:
    names = {rule_name(rule, "zh") for rule in WEIGHTS}
    assert len(names) == len(WEIGHTS)
    assert names.isdisjoint(WEIGHTS)
    assert set(texts("en")) | {"rules"} == set(texts("zh"))
    assert set(texts("en")["details"]) == set(texts("zh")["details"])
