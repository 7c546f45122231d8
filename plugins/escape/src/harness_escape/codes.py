"""Codes that must be assembled: how each style is made, split over clues and worked out again.

`digits` are told place by place; `colours` give an order of colours and a number painted in each; `pad` is an
engraved number to which a key is added digit by digit without carrying; `word` is an engraved word from which a
keyword, repeated, is subtracted letter by letter (A = 0). Code and cipher key are secrets: no single fact holds
either.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from attrs import frozen

from harness_escape.house import Fact, Style
from harness_escape.lexicon import words

if TYPE_CHECKING:
    import numpy as np

LENGTH = {"digits": 4, "colours": 4, "pad": 4, "word": 5}
KEYWORD_LENGTH = 4


@frozen
class Riddle:
    """A code with the facts that give it away together."""

    style: Style
    code: str
    cipher: str
    facts: tuple[Fact, ...]


def make_riddle(style: Style, emblem: str, rng: np.random.Generator, colours: list[str]) -> Riddle:
    """Make a code of a style; `colours` are those still free in the house and are used up."""
    if style == "digits":
        return _digits(emblem, rng)
    if style == "colours":
        return _colours(emblem, rng, [colours.pop() for _ in range(LENGTH["colours"])])
    if style == "pad":
        return _pad(emblem, rng)
    return _word(emblem, rng)


def solve_riddle(style: str, emblem: str, facts: Iterable[Fact]) -> str | None:
    """Work a code out from facts, or return None while one is missing. Marks may be words or names."""
    known = list(facts)
    if style == "digits":
        return _joined(_placed(known, "digit", emblem), LENGTH["digits"])
    if style == "colours":
        order = _placed(known, "colour", emblem)
        plates = {fact.mark: fact.value for fact in known if fact.kind == "plate"}
        return _joined({p: plates[c] for p, c in order.items() if c in plates}, LENGTH["colours"])
    key = _joined(_placed(known, "key", emblem), LENGTH["pad"] if style == "pad" else KEYWORD_LENGTH)
    engraved = next((f.value for f in known if f.kind == "engraved" and f.mark == emblem), None)
    if key is None or engraved is None:
        return None
    return _add(engraved, key) if style == "pad" else _shift(engraved, key, -1)


def split_facts(facts: Sequence[Fact], pieces: int, rng: np.random.Generator) -> list[tuple[Fact, ...]]:
    """Deal facts into so many non-empty clues; an engraving stays alone."""
    alone = [(fact,) for fact in facts if fact.kind == "engraved"]
    rest = [fact for fact in facts if fact.kind != "engraved"]
    count = max(2, min(pieces - len(alone), len(rest)))
    order = [rest[i] for i in rng.permutation(len(rest))]
    return [*alone, *(tuple(sorted(order[i::count], key=lambda f: (f.kind, f.place))) for i in range(count))]


def _digits(emblem: str, rng: np.random.Generator) -> Riddle:
    code = _number(rng, LENGTH["digits"])
    return Riddle("digits", code, "", tuple(Fact("digit", emblem, i + 1, c) for i, c in enumerate(code)))


def _colours(emblem: str, rng: np.random.Generator, colours: list[str]) -> Riddle:
    code = _number(rng, len(colours))
    order = tuple(Fact("colour", emblem, i + 1, colour) for i, colour in enumerate(colours))
    plates = tuple(Fact("plate", colour, 0, c) for colour, c in zip(colours, code, strict=True))
    return Riddle("colours", code, "", order + plates)


def _pad(emblem: str, rng: np.random.Generator) -> Riddle:
    engraved, key = _number(rng, LENGTH["pad"]), "".join(str(d) for d in rng.integers(1, 10, LENGTH["pad"]))
    return Riddle("pad", _add(engraved, key), key, (Fact("engraved", emblem, 0, engraved), *_key_facts(emblem, key)))


def _word(emblem: str, rng: np.random.Generator) -> Riddle:
    code, key = _letters(rng, LENGTH["word"]), _letters(rng, KEYWORD_LENGTH)
    engraved = _shift(code, key, 1)
    return Riddle("word", code, key, (Fact("engraved", emblem, 0, engraved), *_key_facts(emblem, key)))


def _key_facts(emblem: str, key: str) -> tuple[Fact, ...]:
    return tuple(Fact("key", emblem, i + 1, c) for i, c in enumerate(key))


def _number(rng: np.random.Generator, length: int) -> str:
    return "".join(str(d) for d in rng.integers(0, 10, length))


def _letters(rng: np.random.Generator, length: int) -> str:
    return "".join(chr(ord("A") + int(d)) for d in rng.integers(1, 26, length))


def _add(number: str, key: str) -> str:
    return "".join(str((int(a) + int(b)) % 10) for a, b in zip(number, key, strict=True))


def _shift(text: str, key: str, sign: int) -> str:
    shifts = (ord(key[i % len(key)]) - ord("A") for i in range(len(text)))
    return "".join(chr((ord(c) - ord("A") + sign * s) % 26 + ord("A")) for c, s in zip(text, shifts, strict=True))


def _placed(facts: Iterable[Fact], kind: str, emblem: str) -> dict[int, str]:
    return {fact.place: fact.value for fact in facts if fact.kind == kind and fact.mark == emblem}


def _joined(signs: dict[int, str], length: int) -> str | None:
    if any(place not in signs for place in range(1, length + 1)):
        return None
    return "".join(signs[place] for place in range(1, length + 1))


def free_colours(rng: np.random.Generator) -> list[str]:
    """Return all colour words in a drawn order."""
    colours = words("colour")
    return [colours[i] for i in rng.permutation(len(colours))]
