"""Sentences: both languages say the same, and what is said can be read back."""

from __future__ import annotations

import re
from importlib.resources import files

import orjson
import pytest

from harness_escape.house import Fact
from harness_escape.lexicon import LANGUAGES, banks, name, words
from harness_escape.texts import LOCK_KEYS, MARK_KEYS, read, read_fact, say, say_fact

TEMPLATES = orjson.loads(files("harness_escape").joinpath("texts.json").read_bytes())


@pytest.mark.parametrize("key", sorted(TEMPLATES))
def test_both_languages_have_the_same_gaps(key: str) -> None:
    english, chinese = (set(re.findall(r"\{(\w+)", text)) for text in TEMPLATES[key])
    assert english == chinese


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("key", [*LOCK_KEYS, *MARK_KEYS])
def test_marks_are_read_back(key: str, language: str) -> None:
    for word in words("emblem"):
        mark = name(word, language)
        sentences = list(read(say(key, language, mark=mark) + " " + say("exit", language), language))
        assert [(s.kind, s.gaps) for s in sentences] == [(key, {"mark": mark})]


@pytest.mark.parametrize("language", LANGUAGES)
def test_facts_are_read_back_from_a_clue_that_holds_many(language: str) -> None:
    facts = [
        Fact("digit", "emblem.3", 2, "7"),
        Fact("colour", "emblem.3", 4, "colour.5"),
        Fact("plate", "colour.5", 0, "0"),
        Fact("engraved", "emblem.9", 0, "4719"),
        Fact("key", "emblem.9", 1, "Q"),
    ]
    text = (" " if language == "en" else "").join(say_fact(fact, language) for fact in facts)
    found = [read_fact(sentence) for sentence in read(text, language)]
    assert found == [named(fact, language) for fact in facts]


@pytest.mark.parametrize("language", LANGUAGES)
def test_notices_are_read_back(language: str) -> None:
    text = say("warn_guard", language, place="A", start=31, end=34, home="B")
    (sentence,) = read(text, language)
    assert sentence.kind == "warn_guard"
    assert sentence.gaps == {"place": "A", "start": "31", "end": "34", "home": "B"}


def named(fact: Fact, language: str) -> Fact:
    value = name(fact.value, language) if fact.kind == "colour" else fact.value
    return Fact(fact.kind, name(fact.mark, language), fact.place, value)


@pytest.mark.parametrize("column", [0, 1])
def test_no_name_is_used_twice(column: int) -> None:
    places = ("room", "door", "furniture", "container", "lever", "key", "part", "tool", "note", "sign", "junk")
    names = [entry[column] for bank in places for entry in banks()[bank]]
    assert len(set(names)) == len(names)


@pytest.mark.parametrize("bank", ["emblem", "colour", "room", "door"])
def test_no_name_breaks_a_sentence(bank: str) -> None:
    for entry in banks()[bank]:
        assert not set("".join(entry)) & set(".:。：{}")
