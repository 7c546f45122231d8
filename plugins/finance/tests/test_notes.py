"""Notes say what they mean: every wording of every matter is read back, and only valid notes count."""

from __future__ import annotations

import re
from itertools import product

import pytest

from harness_finance.company import OPTIONAL
from harness_finance.notes import MATTERS, TOPICS, Mode, Note, phrases, write
from harness_finance.reading import plan_of, read_note

LANGUAGES = ("en", "zh")
SEGMENTS = ("Aqua", "Terra")
VALUES = {"growth": (420, -310, 50, -1), "rate": (2550, 60), "amount": (12_400, 1_234_500, 100), "days": (525, 60)}


def keys(name: str) -> str:
    return f"{name}.Terra" if name in ("volume", "price") else name


@pytest.mark.parametrize(("language", "name"), list(product(LANGUAGES, MATTERS)))
def test_every_wording_of_every_matter_is_read_back(language: str, name: str) -> None:
    for value, wording, filler in product(VALUES[MATTERS[name].kind], range(9), range(6)):
        for mode in ("set", "replace", "shift"):
            note = Note("2025-02-01", "events", keys(name), mode, value, "2024-12-05", wording, filler)
            text = write(note, 2025, "EUR", language)
            reading = read_note(text, SEGMENTS)
            assert reading is not None, text
            act = "shift" if mode == "shift" else "set"
            assert (reading.matter, reading.act, reading.value, reading.year) == (keys(name), act, value, 2025), text


@pytest.mark.parametrize("language", LANGUAGES)
def test_lowered_ranged_and_flat_values_are_read_back(language: str) -> None:
    cases: list[tuple[str, Mode, int]] = [
        ("capex", "shift", -40_100),
        ("payout", "shift", -900),
        ("inventory_days", "shift", -55),
        ("volume.Aqua", "between", 320),
        ("unit_cost", "between", -250),
        ("price.Aqua", "set", 0),
    ]
    for (matter, mode, value), wording in product(cases, range(9)):
        text = write(Note("2025-02-01", "sales", matter, mode, value, "2024-12-05", wording), 2025, "CNY", language)
        reading = read_note(text, SEGMENTS)
        assert reading is not None, text
        assert (reading.matter, reading.value) == (matter, value), text


@pytest.mark.parametrize(("language", "currency"), list(product(LANGUAGES, ("EUR", "USD", "CNY", "CHF"))))
def test_amounts_are_exact_in_every_unit_and_currency(language: str, currency: str) -> None:
    for wording, value in product(range(9), (100, 99_900, 1_000_000, 12_345_600)):
        text = write(Note("2025-01-02", "investment", "capex", "set", value, "", wording), 2025, currency, language)
        reading = read_note(text, ())
        assert reading is not None, text
        assert reading.value == value, text


@pytest.mark.parametrize("language", LANGUAGES)
def test_notes_that_change_nothing_are_left_out(language: str) -> None:
    for name, wording in product(MATTERS, range(9)):
        value = VALUES[MATTERS[name].kind][0]
        notes = [
            Note("2025-03-01", "events", keys(name), "later", value, "", wording),
            Note("2025-03-02", "events", keys(name), "denied", value, "", wording),
        ]
        told = [{"date": n.date, "text": write(n, 2025, "EUR", language)} for n in notes]
        assert plan_of(told, SEGMENTS, 2025) == {}, told
        assert plan_of(told, SEGMENTS, 2026) == {keys(name): value}, told


@pytest.mark.parametrize("language", LANGUAGES)
def test_later_notes_override_in_the_order_of_dates_not_of_display(language: str) -> None:
    notes = [
        Note("2025-03-10", "events", "capex", "shift", -5_000, "2025-02-01", 4),
        Note("2024-12-10", "investment", "capex", "set", 90_000, "", 1),
        Note("2025-02-01", "events", "capex", "replace", 70_000, "2024-12-10", 2),
        Note("2024-12-11", "dividends", "special_dividend", "set", 8_000, "", 0),
        Note("2025-01-11", "events", "special_dividend", "cancel", 0, "2024-12-11", 1),
    ]
    told = [{"date": n.date, "text": write(n, 2025, "EUR", language)} for n in notes]
    assert plan_of(told, (), 2025) == {"capex": 65_000, "special_dividend": 0}
    assert plan_of(told, (), 2025, latest=False) == {"capex": 90_000, "special_dividend": 8_000}


@pytest.mark.parametrize("name", OPTIONAL)
@pytest.mark.parametrize("language", LANGUAGES)
def test_cancellations_are_read_in_every_wording(language: str, name: str) -> None:
    for wording in range(9):
        text = write(Note("2025-02-01", "events", name, "cancel", 0, "2024-12-05", wording), 2025, "EUR", language)
        reading = read_note(text, ())
        assert reading is not None, text
        assert (reading.matter, reading.act, reading.value) == (name, "set", 0), text


def test_text_about_nothing_known_is_not_read() -> None:
    assert read_note("The canteen has a new cook in FY2025.", SEGMENTS) is None
    assert read_note("Capital expenditure of EUR 3 million.", SEGMENTS) is None


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_matter_has_three_wordings_with_all_their_parts(language: str) -> None:
    book = phrases(language)["matter"]
    assert set(book) == set(MATTERS)
    for name, words in book.items():
        part = "{move}" if MATTERS[name].kind == "growth" else "{value}"
        needed = {part, "{year}"} | ({"{segment}"} if name in ("volume", "price") else set())
        assert len(set(words["set"])) == 3
        assert all(needed <= set(re.findall(r"\{\w+\}", sentence)) for sentence in words["set"]), name
    assert {matter.topic for matter in MATTERS.values()} == set(TOPICS) - {"events"}
