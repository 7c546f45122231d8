"""Sentences of the house: written for the policy, and read back by the fair explorer.

Each sentence is a template in both languages in `texts.json`. `say` fills one in; `read` finds the sentences of
given kinds in a text and returns what they say, so that a scripted policy learns from the same words that a model
sees.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache
from importlib.resources import files
from typing import Final

import orjson
from attrs import frozen

from harness_escape.house import Fact, FactKind
from harness_escape.lexicon import LANGUAGES, name

FACT_KINDS: Final[tuple[FactKind, ...]] = ("digit", "colour", "plate", "engraved", "key")
LOCK_KEYS: Final = ("lock_key", "lock_gate", "lock_slot", "lock_digits", "lock_colours", "lock_pad", "lock_word")
MARK_KEYS: Final = ("key", "part", "tool", "lever")
NOTICE_KEYS: Final = ("warn_door", "warn_light", "warn_guard", "caught")
READABLE: Final = (*LOCK_KEYS, *MARK_KEYS, "dead_lever", *NOTICE_KEYS, *(f"fact_{kind}" for kind in FACT_KINDS))


@frozen
class Sentence:
    """A sentence that was read: its kind and what stood in its gaps."""

    kind: str
    gaps: Mapping[str, str]


@cache
def _templates() -> dict[str, list[str]]:
    loaded: dict[str, list[str]] = orjson.loads(files("harness_escape").joinpath("texts.json").read_bytes())
    return loaded


def say(key: str, language: str, **gaps: object) -> str:
    """Fill in a sentence."""
    return _templates()[key][LANGUAGES.index(language)].format(**gaps)


def say_fact(fact: Fact, language: str) -> str:
    """Write a fact as a sentence."""
    value = name(fact.value, language) if fact.kind == "colour" else fact.value
    return say(f"fact_{fact.kind}", language, mark=name(fact.mark, language), place=fact.place, value=value)


def read(text: str, language: str) -> Iterator[Sentence]:
    """Yield the readable sentences of a text in order."""
    for match in _reader(language).finditer(text):
        kind = str(match.lastgroup)
        yield Sentence(kind, _gaps(_pattern(kind, language).fullmatch(match.group())))


def read_fact(sentence: Sentence) -> Fact | None:
    """Return the fact that a sentence states, with names for marks, or None."""
    for kind in FACT_KINDS:
        if sentence.kind == f"fact_{kind}":
            return Fact(kind, sentence.gaps["mark"], int(sentence.gaps.get("place", 0)), sentence.gaps["value"])
    return None


def _gaps(match: re.Match[str] | None) -> dict[str, str]:
    return match.groupdict() if match else {}


@cache
def _reader(language: str) -> re.Pattern[str]:
    bare = ((kind, re.sub(r"\(\?P<\w+>", "(?:", _source(kind, language))) for kind in READABLE)
    return re.compile(
        "|".join(f"(?P<{kind}>{re.sub(r'[(][?]P=[a-z]+[)]', '[^.:。：]+?', source)})" for kind, source in bare)
    )


@cache
def _pattern(kind: str, language: str) -> re.Pattern[str]:
    return re.compile(_source(kind, language))


def _source(kind: str, language: str) -> str:
    """Turn a template into a pattern: a repeated gap must repeat what it held."""
    pieces, seen = re.split(r"\{(\w+)\}", _templates()[kind][LANGUAGES.index(language)]), set[str]()
    source = re.escape(pieces[0])
    for gap, literal in zip(pieces[1::2], pieces[2::2], strict=True):
        source += f"(?P={gap})" if gap in seen else f"(?P<{gap}>[^.:。：]+?)"
        source += re.escape(literal)
        seen.add(gap)
    return source
