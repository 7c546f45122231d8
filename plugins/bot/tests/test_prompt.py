from __future__ import annotations

import numpy as np
import pytest
from attrs import evolve

from harness_bot.brief import read_brief
from harness_bot.prompt import PathPrompt
from harness_bot.sample import LEVELS, Options
from harness_bot.wordings import texts


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("level", LEVELS)
def test_every_wording_carries_every_fact(instance_of, level: str, language: str) -> None:  # type: ignore[no-untyped-def]
    prompt = PathPrompt(Options(level))
    for number in range(3):
        instance = instance_of(level, number)
        worded = [prompt.messages(instance, wording, language)[0].parts[0] for wording in range(3)]
        assert len(set(worded)) == 3
        for text in worded:
            assert isinstance(text, str)
            assert [n for n, fact in prompt.facts(instance, language).items() if fact not in text] == []


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("level", LEVELS)
def test_the_facts_tell_the_cell_and_nothing_that_is_hidden(instance_of, level: str, language: str) -> None:  # type: ignore[no-untyped-def]
    prompt = PathPrompt(Options(level))
    for number in range(4):
        instance = instance_of(level, number)
        brief = read_brief(prompt.facts(instance, language))
        assert brief.arm.name == instance.arm
        assert np.degrees(brief.start) == pytest.approx(np.array(instance.start))
        assert brief.goal == instance.goal
        assert brief.clearance == instance.clearance / 1000
        assert brief.waypoints == instance.waypoints
        assert [(b.name, b.centre, b.size) for b in brief.known] == [(b.name, b.centre, b.size) for b in instance.told]
        text = prompt.messages(instance, 0, language)[0].parts[0]
        assert not [o.name for o in instance.obstacles if o.name in instance.hidden and str(list(o.centre)) in text]
        assert not [o.name for o in instance.obstacles if o.name in instance.hidden and f'"{o.name}"' in text]


def test_secrets_are_the_via_points_of_the_detour(instance_of) -> None:  # type: ignore[no-untyped-def]
    instance = instance_of("hard", 2)
    secrets = PathPrompt(Options("hard")).secrets(instance)
    assert len(secrets) == 2 * (len(instance.detour) - 1)
    assert all(secret.count(",") == len(instance.start) - 1 for secret in secrets)
    text = PathPrompt(Options("hard")).messages(instance, 0, "en")[0].parts[0]
    assert not [secret for secret in secrets if secret in text]


def test_the_detour_is_no_part_of_the_key(instance_of) -> None:  # type: ignore[no-untyped-def]
    prompt, instance = PathPrompt(Options()), instance_of()
    assert prompt.key(instance) == prompt.key(evolve(instance, detour=instance.detour[:1]))
    assert prompt.key(instance) != prompt.key(evolve(instance, start=instance.start[::-1]))


def test_both_languages_have_the_same_phrases() -> None:
    one, other = texts("en"), texts("zh")
    assert set(one) == set(other)
    assert [set(w) for w in one["wording"]] == [set(w) for w in other["wording"]]
