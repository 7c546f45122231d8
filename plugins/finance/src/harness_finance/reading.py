"""Reading what tools answer: from the text that a policy is shown back to the plan that it discloses.

Only scripted policies use this; it knows nothing of how notes are written. It looks for the matter by its words, for
numbers with their units, and for the words that make a note an update, a cancellation or nothing at all. Notes are
then applied in the order of their dates.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from decimal import Decimal
from typing import Any, Final, Literal

from attrs import frozen

from harness_finance.accounts import Balance, CashFlow, Income, Statements
from harness_finance.company import MILLION, Year

Act = Literal["set", "shift", "ignore"]

_WORDS: Final[tuple[tuple[str, str], ...]] = (
    ("new_site", r"new site|新基地"),
    ("savings", r"savings|降本"),
    ("volume", r"volumes?\b|销量"),
    ("price", r"prices?\b|售价"),
    ("unit_cost", r"unit costs?|单位成本"),
    ("opex", r"operating expenses|运营费用"),
    ("capex", r"capital expenditure|资本支出"),
    ("impairment", r"impairment|减值"),
    ("depreciation", r"depreciat|折旧"),
    ("interest", r"interest rate|利率"),
    ("early_repayment", r"early repayment|提前还款"),
    ("new_loan", r"new loan|新增贷款"),
    ("current_portion", r"current portion|一年内到期"),
    ("share_issue", r"share issue|增发"),
    ("tax_unpaid", r"unpaid|尚未缴纳"),
    ("tax", r"tax rate|税率"),
    ("special_dividend", r"special dividend|特别股息"),
    ("payout", r"payout|派息率"),
    ("receivable_days", r"receivables|应收账款"),
    ("inventory_days", r"inventory|存货"),
    ("payable_days", r"payables|应付账款"),
    ("settlement", r"settlement|和解"),
    ("restructuring", r"restructuring|重组"),
)
_MATTERS: Final = tuple((name, re.compile(words, re.IGNORECASE)) for name, words in _WORDS)
_PER_SEGMENT: Final = frozenset({"volume", "price"})

_DATE: Final = re.compile(r"\d{4}-\d{2}-\d{2}")
_YEAR: Final = re.compile(r"FY(\d{4})|(\d{4})财年")
_EMPTY: Final = re.compile(r"without basis|did not adopt|did not endorse|毫无根据|未予采纳|并未认可")
_CANCELLED: Final = re.compile(r"cancelled|取消")
_RAISED: Final = re.compile(r"is raised by|上调")
_LOWERED: Final = re.compile(r"is lowered by|下调")
_FALLS: Final = re.compile(r"\bfall by|下降")
_FLAT: Final = re.compile(r"stay unchanged|保持不变")

_NUMBER: Final = r"([\d,]+(?:\.\d+)?)"
_SHARE: Final = re.compile(_NUMBER + r"\s*(?:%|percentage points|个百分点)")
_DAYS: Final = re.compile(_NUMBER + r"\s*(?:days|天)")
_AMOUNT: Final = re.compile(_NUMBER + r"\s*(million|thousand|万|千|亿)")
_SCALE: Final[Mapping[str, int]] = {"million": 1_000, "thousand": 1, "万": 10, "千": 1, "亿": MILLION // 10}


@frozen
class Reading:
    """What a note says: the matter, what to do with its value, and the year that it is about."""

    matter: str
    act: Act
    value: int
    year: int


def read_note(text: str, segments: Iterable[str]) -> Reading | None:
    """Understand the text of a note; None when it is about nothing that is known.

    Args:
        text: As shown to the policy, in English or Chinese.
        segments: Names of the company's segments, from its statements.
    """
    bare = _DATE.sub("", text)
    year = _YEAR.search(bare)
    matter = next((name for name, words in _MATTERS if words.search(bare)), None)
    if matter is None or year is None:
        return None
    if matter in _PER_SEGMENT:
        matter = f"{matter}.{next((s for s in segments if s in bare), '')}"
    act, value = _value(_YEAR.sub("", bare))
    return Reading(matter, act, value, int(year.group(1) or year.group(2)))


def _value(text: str) -> tuple[Act, int]:
    if _EMPTY.search(text):
        return "ignore", 0
    if _CANCELLED.search(text) or _FLAT.search(text):
        return "set", 0
    size = _size(text)
    if _RAISED.search(text):
        return "shift", size
    if _LOWERED.search(text):
        return "shift", -size
    return "set", -size if _FALLS.search(text) else size


def _size(text: str) -> int:
    amount = _AMOUNT.search(text)
    if amount:
        return int(_decimal(amount.group(1)) * _SCALE[amount.group(2)])
    days = _DAYS.search(text)
    if days:
        return int(_decimal(days.group(1)) * 10)
    shares = [_decimal(number) for number in _SHARE.findall(text)]
    return int(sum(shares) * 100 / len(shares)) if shares else 0


def _decimal(number: str) -> Decimal:
    return Decimal(number.replace(",", ""))


def plan_of(
    notes: Iterable[Mapping[str, Any]], segments: Iterable[str], year: int, *, latest: bool = True
) -> dict[str, int]:
    """Apply notes in the order of their dates; return matter → value for a year.

    Args:
        notes: Objects with `date` and `text`, as the tool returns them.
        segments: Names of the company's segments.
        year: The year to plan.
        latest: Whether later notes override earlier ones; False keeps the first value of each matter.
    """
    names = tuple(segments)
    plan: dict[str, int] = {}
    for note in sorted(notes, key=lambda n: str(n["date"])):
        reading = read_note(str(note["text"]), names)
        if reading is None or reading.act == "ignore" or reading.year != year:
            continue
        if reading.matter in plan and not latest:
            continue
        before = plan.get(reading.matter, 0) if reading.act == "shift" else 0
        plan[reading.matter] = before + reading.value
    return plan


def years_of(answer: Mapping[str, Any]) -> list[Year]:
    """Turn an answer of the tool `statements` into years."""
    parts = {"income": Income, "balance": Balance, "cash_flow": CashFlow}
    found = []
    for place, year in enumerate(answer["years"]):
        rows = {part: {name: column[place] for name, column in answer[part].items()} for part in parts}
        statements = Statements(Income(**rows["income"]), Balance(**rows["balance"]), CashFlow(**rows["cash_flow"]))
        found.append(
            Year(year, statements, {name: column[place] for name, column in answer["segment_revenue"].items()})
        )
    return found
