"""Wordings: three in each language, each with every fact and every rule."""

from __future__ import annotations

import pytest

from harness import load_task

RULES = {
    "en": ("`look`", "`inspect`", "exact", "emblem", "lever", "parts", "socket", "clues", "step"),
    "zh": ("`look`", "`inspect`", "完全一致|确切", "图案", "拉杆", "零件", "插座", "线索", "步"),
}
EVENTS = {
    "en": ("barred", "light", "guard", "ahead", "One call a turn"),
    "zh": ("封死", "灯", "守卫", "预告", "一次工具"),
}


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("level", ["easy", "medium", "hard", "tiny"])
def test_every_wording_carries_every_fact(level: str, language: str) -> None:
    task = load_task("escape", level)
    for index in range(5):
        identity = task.decode_identity(task.sample(index).identity)
        texts = [task.render(identity, wording, language)[0][0].text for wording in range(3)]
        assert len(set(texts)) == 3
        for text in texts:
            assert "{" not in text
            for fact in task.prompt.facts(identity, language).values():
                assert fact in text


@pytest.mark.parametrize("language", ["en", "zh"])
def test_every_wording_carries_every_rule(language: str) -> None:
    task = load_task("escape", "hard")
    identity = task.decode_identity(task.sample(0).identity)
    for wording in range(3):
        text = task.render(identity, wording, language)[0][0].text
        for rule in (*RULES[language], *EVENTS[language]):
            assert any(form in text for form in rule.split("|")), f"wording {wording} lacks {rule}"


def test_wrong_codes_follow_the_option() -> None:
    task = load_task("escape", "easy", {"wrong_codes": 5})
    sample = task.sample(0)
    assert task.prompt.facts(task.decode_identity(sample.identity), "en")["wrong_codes"] == "5"
    assert sample.identity == load_task("escape", "easy").sample(0).identity


@pytest.mark.parametrize("bad", [{"slack": 1.4}, {"slack": 1.0}, {"wrong_codes": 0}, {"level": "huge"}])
def test_options_out_of_bounds_are_refused(bad: dict) -> None:
    from harness import UserError

    with pytest.raises(UserError, match=next(iter(bad))):
        load_task("escape", "", bad)
