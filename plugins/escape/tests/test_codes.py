"""Codes: each style is solvable from its facts, not from fewer, and by the arithmetic the locks describe."""

from __future__ import annotations

import numpy as np
import pytest

from harness_escape.codes import free_colours, make_riddle, solve_riddle, split_facts
from harness_escape.house import Fact

STYLES = ("digits", "colours", "pad", "word")


@pytest.mark.parametrize("style", STYLES)
def test_all_facts_together_give_the_code(style: str) -> None:
    for seed in range(100):
        rng = np.random.default_rng(seed)
        riddle = make_riddle(style, "emblem.1", rng, free_colours(rng))
        assert solve_riddle(style, "emblem.1", riddle.facts) == riddle.code


@pytest.mark.parametrize("style", STYLES)
def test_every_fact_is_needed(style: str) -> None:
    rng = np.random.default_rng(1)
    riddle = make_riddle(style, "emblem.1", rng, free_colours(rng))
    for left_out in riddle.facts:
        assert solve_riddle(style, "emblem.1", [f for f in riddle.facts if f is not left_out]) is None


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("pieces", [2, 3, 4])
def test_no_clue_holds_a_whole_code_or_key(style: str, pieces: int) -> None:
    for seed in range(50):
        rng = np.random.default_rng(seed)
        riddle = make_riddle(style, "emblem.1", rng, free_colours(rng))
        clues = split_facts(riddle.facts, pieces, rng)
        assert sorted((f for clue in clues for f in clue), key=repr) == sorted(riddle.facts, key=repr)
        for clue in clues:
            assert solve_riddle(style, "emblem.1", clue) is None
            assert len([f for f in clue if f.kind == "key"]) < 4


def test_a_pad_is_added_digit_by_digit_without_carrying() -> None:
    key = [Fact("key", "m", place, sign) for place, sign in enumerate("4756", start=1)]
    assert solve_riddle("pad", "m", [Fact("engraved", "m", 0, "9085"), *key]) == "3731"


def test_a_keyword_is_subtracted_letter_by_letter() -> None:
    """The textbook table: HELLO under the key LOVE (repeated) is SSGPZ."""
    key = [Fact("key", "m", place, sign) for place, sign in enumerate("LOVE", start=1)]
    assert solve_riddle("word", "m", [Fact("engraved", "m", 0, "SSGPZ"), *key]) == "HELLO"


def test_facts_of_another_emblem_do_not_count() -> None:
    facts = [Fact("digit", "other", place, sign) for place, sign in enumerate("1234", start=1)]
    assert solve_riddle("digits", "m", facts) is None
