"""The prompt: what a policy reads from it is what the planner was told when the targets were set."""

from __future__ import annotations

import re

import numpy as np
import pytest

from harness import Task, View
from harness_epidemic.policies import read_brief
from harness_epidemic.prompt import rules
from harness_epidemic.sample import brief_of


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("group", ["easy", "medium", "hard"])
def test_the_brief_reads_the_same_from_the_prompt_and_from_the_identity(group: str, language: str) -> None:
    from harness import load_task

    task: Task = load_task("epidemic", group=group)
    sample = task.sample(4, seed=2, language=language)
    identity = task.decode_identity(sample.identity)
    facts = task.prompt.facts(identity, language)
    view = View("", facts, (), sample.limits, language, np.random.default_rng(0))
    assert read_brief(view) == brief_of(identity, group)


def test_the_rules_say_the_same_in_both_languages() -> None:
    for english, chinese in zip(rules("en"), rules("zh"), strict=True):
        assert "{" not in english + chinese
        assert set(re.findall(r"\d+", english)) - set(re.findall(r"\d+", chinese)) <= {"1000"}  # said in words
