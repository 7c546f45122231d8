"""Instances: repeatable, well spread, and quick to propose; wordings carry the numbers and no secret."""

from __future__ import annotations

import time
from collections import Counter

import numpy as np
import pytest

from harness import UserError, load_task
from harness_holdem.cards import numbers
from harness_holdem.options import LEVELS, VARIANTS, Options
from harness_holdem.prompt import MatchPrompt
from harness_holdem.sample import DESIGNS, propose
from harness_holdem.styles import KINDS, SPANS


def test_golden_identity() -> None:
    identity = propose(Options(), np.random.default_rng(0))
    assert (identity.style.kind, identity.deals[0], identity.design) == GOLDEN


GOLDEN = ("equity", "6cTd9c4cQd9hAh3cQs", "four-colour")


def test_deals_have_nine_different_cards_and_styles_lie_in_their_spans() -> None:
    for seed in range(40):
        identity = propose(Options(), np.random.default_rng(seed))
        for deal in identity.deals:
            cards = numbers(" ".join(deal[i : i + 2] for i in range(0, 18, 2)))
            assert len(set(cards)) == 9
        for name, (low, high) in SPANS[identity.style.kind].items():
            assert low <= getattr(identity.style, name) <= high


def test_families_seats_and_designs_all_occur() -> None:
    drawn = [propose(Options(), np.random.default_rng(seed)) for seed in range(200)]
    assert min(Counter(i.style.kind for i in drawn)[kind] for kind in KINDS) > 20
    assert {i.first_button for i in drawn} == {0, 1}
    assert {i.design for i in drawn} == set(DESIGNS)


def test_proposing_takes_less_than_50_ms() -> None:
    begun = time.process_time()
    for seed in range(20):
        propose(Options(hands=40), np.random.default_rng(seed))
    assert (time.process_time() - begun) / 20 < 0.05


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("wording", [0, 1, 2])
def test_wordings_carry_every_fact_and_no_family_name(variant: str, language: str, wording: int) -> None:
    prompt = MatchPrompt(Options(variant=variant))
    identity = prompt.sample(np.random.default_rng(1))
    text = str(prompt.messages(identity, wording, language))
    for name, fact in prompt.facts(identity, language).items():
        assert fact in text, name
    assert "{" not in text
    assert not [kind for kind in KINDS if kind in text.lower()]


@pytest.mark.parametrize("option", [{"hands": 0}, {"stack": 4}, {"variant": "audio"}, {"allowance": 0}])
def test_options_out_of_range_are_refused_by_name(option: dict[str, object]) -> None:
    with pytest.raises(UserError, match=next(iter(option))):
        load_task("holdem", "text-easy", option)


def test_levels_get_harder() -> None:
    levels = list(LEVELS.values())
    assert [level["allowance"] for level in levels] == sorted((lv["allowance"] for lv in levels), reverse=True)
    records = [level["pages"] * level["page_hands"] for level in levels]
    assert records == sorted(records, reverse=True)
