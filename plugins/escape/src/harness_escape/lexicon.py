"""Names of everything in a house, in both languages.

An identity stores words as `bank.index` (`key.3`), never as text, so that one house can be told in English or
Chinese. The banks lie in `lexicon.json`; an entry's position is part of stored identities, so entries are only ever
appended.
"""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import Final

import orjson

LANGUAGES: Final = ("en", "zh")


@cache
def banks() -> dict[str, list[tuple[str, str]]]:
    """Return every bank: name → list of (English, Chinese)."""
    text = files("harness_escape").joinpath("lexicon.json").read_bytes()
    return {bank: [(en, zh) for en, zh in entries] for bank, entries in orjson.loads(text).items()}


@cache
def name(word: str, language: str) -> str:
    """Return the text of a word such as `key.3`."""
    bank, index = word.split(".")
    return banks()[bank][int(index)][LANGUAGES.index(language)]


@cache
def words(bank: str) -> tuple[str, ...]:
    """Return all words of a bank in order."""
    return tuple(f"{bank}.{i}" for i in range(len(banks()[bank])))


@cache
def word_of(bank: str, text: str, language: str) -> str | None:
    """Return the word of a bank that reads as `text`, or None."""
    column = LANGUAGES.index(language)
    return next((f"{bank}.{i}" for i, entry in enumerate(banks()[bank]) if entry[column] == text), None)
