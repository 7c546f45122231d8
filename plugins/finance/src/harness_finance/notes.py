"""The notes: what management discloses, as records and as sentences in English and Chinese.

A note concerns one matter of the plan for the coming year. It sets a value, replaces, shifts or cancels an earlier
one, or only looks relevant: an indication for a later year, a rumour, a proposal that was not adopted. The record is
part of the hidden identity; the policy gets the sentence. Wordings live in `phrases.<language>.toml`.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any, Final, Literal

from attrs import frozen

from harness_finance.company import OPTIONAL

Mode = Literal["set", "between", "replace", "shift", "cancel", "later", "denied"]
Kind = Literal["growth", "rate", "amount", "days"]

SPREAD: Final = 100
"""Half the width of a guided range, in basis points."""


@frozen
class Matter:
    """What a note can be about: where it is filed and how its value is told."""

    topic: str
    kind: Kind


MATTERS: Final[Mapping[str, Matter]] = {
    "volume": Matter("sales", "growth"),
    "price": Matter("sales", "growth"),
    "unit_cost": Matter("costs", "growth"),
    "savings": Matter("costs", "amount"),
    "opex": Matter("costs", "growth"),
    "new_site": Matter("costs", "amount"),
    "capex": Matter("investment", "amount"),
    "depreciation": Matter("investment", "rate"),
    "impairment": Matter("investment", "amount"),
    "interest": Matter("financing", "rate"),
    "new_loan": Matter("financing", "amount"),
    "early_repayment": Matter("financing", "amount"),
    "current_portion": Matter("financing", "amount"),
    "share_issue": Matter("financing", "amount"),
    "tax": Matter("tax", "rate"),
    "tax_unpaid": Matter("tax", "rate"),
    "payout": Matter("dividends", "rate"),
    "special_dividend": Matter("dividends", "amount"),
    "receivable_days": Matter("working_capital", "days"),
    "inventory_days": Matter("working_capital", "days"),
    "payable_days": Matter("working_capital", "days"),
    "settlement": Matter("one_offs", "amount"),
    "restructuring": Matter("one_offs", "amount"),
}

TOPICS: Final = (
    "sales",
    "costs",
    "investment",
    "financing",
    "tax",
    "dividends",
    "working_capital",
    "one_offs",
    "events",
)
"""Where notes are filed; under `events` stand later announcements on any matter."""

STANDING: Final = frozenset(MATTERS) - frozenset(OPTIONAL)
"""Matters of which every year has a value."""

CURRENCIES: Final[Mapping[str, Mapping[str, str]]] = {
    "EUR": {"en": "EUR", "zh": "欧元"},
    "USD": {"en": "USD", "zh": "美元"},
    "CNY": {"en": "CNY", "zh": "元人民币"},
    "CHF": {"en": "CHF", "zh": "瑞士法郎"},
}


@frozen
class Note:
    """A disclosure.

    Attributes:
        date: Date of publication, ISO format; no two notes of a company share one.
        topic: Where it is filed.
        matter: Key of the plan, such as `volume.Aqua` or `tax`.
        mode: What it does to what was known before.
        value: The value set, or the change of a `shift`; in the units of the plan.
        earlier: Date of the note that it refers to, if it does.
        phrasing: Number of the wording.
        filler: Number of a sentence put before it.
    """

    date: str
    topic: str
    matter: str
    mode: Mode
    value: int
    earlier: str = ""
    phrasing: int = 0
    filler: int = 0


def matter_of(key: str) -> Matter:
    """Return the matter of a plan key."""
    return MATTERS[key.partition(".")[0]]


@cache
def phrases(language: str) -> Mapping[str, Any]:
    """Read the wordings of a language."""
    return tomllib.loads(files("harness_finance").joinpath(f"phrases.{language}.toml").read_text(encoding="utf-8"))


def write(note: Note, coming: int, currency: str, language: str) -> str:
    """Write a note as natural text.

    Args:
        note: The disclosure.
        coming: The year that is to be forecast.
        currency: Code from `CURRENCIES`.
        language: `en` or `zh`.
    """
    return _Writer(note, coming, currency, language).text()


class _Writer:
    """Words one note in one language."""

    def __init__(self, note: Note, coming: int, currency: str, language: str) -> None:
        self._note, self._matter = note, matter_of(note.matter)
        self._book = phrases(language)
        self._form: Mapping[str, Any] = self._book["form"]
        self._year = coming + 1 if note.mode == "later" else coming
        self._currency = CURRENCIES[currency][language]
        self._gap = " " if language == "en" else ""

    def text(self) -> str:
        """Return the whole note."""
        before = self._choose(self._book["filler"]["before"], self._note.filler)
        return f"{before}{self._gap if before else ''}{self._capital(self._body())}"

    def _body(self) -> str:
        note = self._note
        if note.mode in ("set", "between"):
            return self._sentence()
        words = {"date": note.earlier, "year": self._label(), "subject": self._subject()}
        template = self._choose(self._book["update"][note.mode], note.phrasing)
        if note.mode in ("replace", "later"):
            return template.format(sentence=self._sentence(), **words)
        if note.mode == "shift":
            raised = self._form["raised" if note.value > 0 else "lowered"]
            return template.format(direction=raised, delta=self._change(abs(note.value)), **words)
        return template.format(value=self._signed(), **words)

    def _sentence(self) -> str:
        name, _, segment = self._note.matter.partition(".")
        template = self._choose(self._book["matter"][name]["set"], self._note.phrasing // 3)
        growth = self._matter.kind == "growth"
        told = {"move": self._move()} if growth else {"value": self._quantity(self._note.value)}
        return template.format(year=self._label(), segment=segment, **told)

    def _subject(self) -> str:
        name, _, segment = self._note.matter.partition(".")
        return str(self._book["matter"][name]["subject"]).format(segment=segment)

    def _label(self) -> str:
        return str(self._form["year"]).format(year=self._year)

    def _move(self) -> str:
        value = self._note.value
        if value == 0:
            return str(self._form["flat"])
        size = self._percent(abs(value))
        if self._note.mode == "between":
            low, high = self._percent(abs(value) - SPREAD), self._percent(abs(value) + SPREAD)
            size = self._form["between"].format(low=low, high=high)
        return str(self._form["up" if value > 0 else "down"]).format(size=size)

    def _quantity(self, value: int) -> str:
        if self._matter.kind == "amount":
            return self._amount(value)
        if self._matter.kind == "days":
            return str(self._form["days"]).format(number=_decimal(value, 1))
        return self._percent(value)

    def _change(self, value: int) -> str:
        if self._matter.kind in ("growth", "rate"):
            return str(self._form["points"]).format(number=_decimal(value, 2))
        return self._quantity(value)

    def _signed(self) -> str:
        if self._matter.kind != "growth":
            return self._quantity(self._note.value)
        sign = "-" if self._note.value < 0 else "+"
        return str(self._form["signed"]).format(sign=sign, number=_decimal(abs(self._note.value), 2))

    def _percent(self, value: int) -> str:
        return str(self._form["percent"]).format(number=_decimal(value, 2))

    def _amount(self, value: int) -> str:
        template = self._choose(self._form["amounts"], self._note.phrasing)
        return template.format(
            currency=self._currency,
            millions=_decimal(value, 3),
            thousands=f"{value:,}",
            wan=_decimal(value, 1),
            yi=_decimal(value, 5),
        )

    @staticmethod
    def _choose(wordings: list[str], number: int) -> str:
        return str(wordings[number % len(wordings)])

    @staticmethod
    def _capital(sentence: str) -> str:
        return sentence[:1].upper() + sentence[1:]


def _decimal(value: int, places: int) -> str:
    """Write a non-negative integer as a decimal number, without trailing zeros: 1240 with two places is 12.4."""
    whole, part = divmod(value, 10**places)
    digits = f"{part:0{places}d}".rstrip("0")
    return f"{whole:,}.{digits}" if digits else f"{whole:,}"
