"""The accounts against independent truths: a double-entry ledger, and ratios computed by hand."""

from __future__ import annotations

import tomllib
from collections import defaultdict
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from attrs import evolve
from hypothesis import given, settings
from hypothesis import strategies as st

from harness import Reject
from harness_finance import company
from harness_finance.accounts import (
    BASIS,
    IDENTITIES,
    Balance,
    CashFlow,
    Entries,
    Income,
    Statements,
    breached,
    close_books,
    divide,
    ratios,
    residuals,
    tax_charge,
)
from harness_finance.sample import Identity, Options, propose

COMPANIES = 1_000


class Ledger:
    """Double-entry books by the direct method: knows postings, and nothing of the package's formulas."""

    def __init__(self, opening: Balance) -> None:
        self.debit: dict[str, int] = defaultdict(int)
        for account in ("cash", "receivables", "inventory", "fixed_assets"):
            self.debit[account] = getattr(opening, account)
        for account in ("payables", "tax_payable", "share_capital", "retained_earnings"):
            self.debit[account] = -getattr(opening, account)
        self.debit["debt"] = -(opening.short_term_debt + opening.long_term_debt)

    def post(self, debit: str, credit: str, amount: int) -> None:
        self.debit[debit] += amount
        self.debit[credit] -= amount

    def run(self, year: Statements) -> None:
        """Post a year from its revenue, costs, payments and closing stocks."""
        self._trade(year)
        income, flow = year.income, year.cash_flow
        self.post("operating_expenses", "cash", income.operating_expenses)
        self.post("depreciation", "fixed_assets", income.depreciation)
        self.post("impairment", "fixed_assets", income.impairment)
        self.post("cash", "one_off_items", income.one_off_items)
        self.post("interest", "cash", income.interest)
        self.post("tax", "tax_payable", income.tax)
        self.post("tax_payable", "cash", flow.tax_paid)
        self.post("fixed_assets", "cash", flow.capex)
        self.post("cash", "debt", flow.debt_issued)
        self.post("debt", "cash", flow.debt_repaid)
        self.post("cash", "share_capital", flow.shares_issued)

    def _trade(self, year: Statements) -> None:
        income, balance = year.income, year.balance
        self.post("receivables", "revenue", income.revenue)
        self.post("cash", "receivables", self.debit["receivables"] - balance.receivables)
        self.post("cost_of_sales", "inventory", income.cost_of_sales)
        self.post("inventory", "payables", balance.inventory - self.debit["inventory"])
        self.post("payables", "cash", -self.debit["payables"] - balance.payables)

    def close(self, dividends: int) -> int:
        """Close the profit accounts into retained earnings; return the profit."""
        flows = ("revenue", "cost_of_sales", "operating_expenses", "depreciation", "impairment", "one_off_items")
        profit = 0
        for account in (*flows, "interest", "tax"):
            amount = -self.debit[account]
            profit += amount
            self.post(account, "retained_earnings", amount)
        self.post("retained_earnings", "cash", dividends)
        return profit


def same_by_ledger(opening: Balance, year: Statements) -> list[str]:
    """Names of the lines in which an independent ledger and the statements differ."""
    ledger = Ledger(opening)
    before = ledger.debit["cash"]
    ledger.run(year)
    profit = ledger.close(year.cash_flow.dividends)
    balance, flow = year.balance, year.cash_flow
    found = {account: ledger.debit[account] for account in ("cash", "receivables", "inventory", "fixed_assets")}
    found["total_assets"] = sum(found.values())
    for account in ("payables", "tax_payable", "share_capital", "retained_earnings"):
        found[account] = -ledger.debit[account]
    wrong = [name for name, value in found.items() if getattr(balance, name) != value]
    outside = -flow.capex + flow.debt_issued - flow.debt_repaid + flow.shares_issued - flow.dividends
    checks = {
        "debt": -ledger.debit["debt"] == balance.short_term_debt + balance.long_term_debt,
        "net_income": profit == year.income.net_income,
        "operating_cash_flow": ledger.debit["cash"] - before - outside == flow.operating_cash_flow,
        "balance_sheet": sum(ledger.debit.values()) == 0,
        "tax": abs(BASIS * year.income.tax - year.income.tax_rate_bp * max(0, _taxable(year.income))) * 2 <= BASIS,
    }
    return wrong + [name for name, ok in checks.items() if not ok]


def _taxable(income: Income) -> int:
    """Profit before tax, built from the top of the chain, without the impairment that is not deductible."""
    costs = income.cost_of_sales + income.operating_expenses + income.depreciation + income.interest
    return income.revenue - costs + income.one_off_items


def proposals(count: int) -> Iterator[Identity]:
    """Yield instances of one seed after another, leaving out those that the sampler rejects."""
    number = 0
    while count:
        try:
            yield propose(Options(years=3, segments=2), np.random.default_rng(number))
            count -= 1
        except Reject:
            pass
        number += 1


@pytest.mark.slow
def test_a_thousand_companies_tie_out_in_an_independent_ledger() -> None:
    for identity in proposals(COMPANIES):
        for before, after in pairwise([*identity.history, identity.truth]):
            assert same_by_ledger(before.statements.balance, after.statements) == [], identity.name
            assert not any(residuals(before.statements.balance, after.statements).values()), identity.name
            assert sum(after.segments.values()) == after.statements.income.revenue, identity.name


@pytest.mark.parametrize("part", ["income", "balance", "cash_flow"])
def test_every_changed_line_is_seen_by_both_checkers(part: str) -> None:
    identity = propose(Options(), np.random.default_rng(3))
    opening, year = identity.last.statements.balance, identity.truth.statements
    for line in getattr(year, part).__attrs_attrs__:
        bad = evolve(
            year, **{part: evolve(getattr(year, part), **{line.name: getattr(getattr(year, part), line.name) + 40})}
        )
        assert any(residuals(opening, bad).values()), line.name
        assert same_by_ledger(opening, bad) or line.name in _SUBTOTALS, line.name


_SUBTOTALS = {"gross_profit", "operating_profit", "pre_tax_profit"}
"""Lines that the ledger does not keep; the package's own checker must see them."""

MONEY = st.integers(-(10**9), 10**9)
SHARE = st.integers(0, BASIS)


@settings(deadline=None)
@given(st.lists(MONEY, min_size=11, max_size=11), st.lists(MONEY, min_size=16, max_size=16), SHARE, SHARE, SHARE)
def test_closing_the_books_keeps_every_identity_for_any_entries(
    opening: list[int], amounts: list[int], tax: int, unpaid: int, payout: int
) -> None:
    start = _balanced(Balance(*opening))
    a = iter(amounts)
    lines = (f.name for f in Entries.__attrs_attrs__ if not f.name.endswith("_bp"))
    entries = Entries(tax_rate_bp=tax, tax_payable_bp=unpaid, payout_bp=payout, **{name: next(a) for name in lines})
    year = close_books(start, entries)
    assert not any(residuals(start, year).values())
    assert same_by_ledger(start, year) == []


def _balanced(balance: Balance) -> Balance:
    assets = balance.cash + balance.receivables + balance.inventory + balance.fixed_assets
    owed = balance.payables + balance.tax_payable + balance.debt + balance.share_capital
    return evolve(balance, total_assets=assets, retained_earnings=assets - owed)


def test_residuals_say_by_how_much_and_in_which_direction() -> None:
    identity = propose(Options(), np.random.default_rng(5))
    opening, year = identity.last.statements.balance, identity.truth.statements
    high = evolve(year, income=evolve(year.income, gross_profit=year.income.gross_profit + 7))
    gaps = {name: gap for name, gap in residuals(opening, high).items() if gap}
    assert gaps == {"gross_profit": 7, "operating_profit": -7}
    assert set(residuals(opening, year)) == set(IDENTITIES)


HAND: list[dict[str, Any]] = tomllib.loads(Path(__file__).with_name("ratios_by_hand.toml").read_text())["company"]


def _by_hand(row: dict[str, Any]) -> Statements:
    gross = row["income"]["revenue"] - row["income"]["cost_of_sales"]
    income = Income(**row["income"], gross_profit=gross, pre_tax_profit=0, tax_rate_bp=0, tax=0)
    return Statements(income, Balance(**row["balance"], total_assets=0), CashFlow(0, 0, 0, 0, 0, row["dividends"], 0))


@pytest.mark.parametrize("row", HAND, ids=lambda row: row["name"])
def test_ratios_equal_the_table_computed_by_hand(row: dict[str, Any]) -> None:
    found = ratios(_by_hand(row))
    assert {name: value for name, value in found.items() if value is not None} == row["ratios"]
    assert len(found) == 11


@pytest.mark.parametrize(
    ("covenant", "limit", "expected"),
    [
        ("leverage", 200, False),
        ("leverage", 199, True),
        ("interest_cover", 500, False),
        ("interest_cover", 501, True),
        ("current_ratio", 150, False),
        ("current_ratio", 151, True),
    ],
)
def test_a_ratio_exactly_at_its_limit_is_no_breach(covenant: str, limit: int, expected: bool) -> None:
    assert breached(_by_hand(HAND[0]), covenant, limit) is expected


def test_debt_without_profit_breaches_and_nothing_owed_does_not() -> None:
    poor = _by_hand(HAND[2])
    assert breached(poor, "leverage", 400)
    assert not breached(poor, "interest_cover", 400)
    assert not breached(poor, "current_ratio", 400)


@pytest.mark.parametrize(
    ("profit", "impairment", "rate", "tax"),
    [(90, 20, 2500, 28), (-50, 0, 2500, 0), (-50, 90, 2500, 10), (0, 0, 3000, 0)],
)
def test_tax_knows_losses_and_impairments(profit: int, impairment: int, rate: int, tax: int) -> None:
    assert tax_charge(profit, impairment, rate) == tax


@settings(deadline=None)
@given(st.integers(-(10**18), 10**18), st.integers(1, 10**9))
def test_division_rounds_half_up(top: int, bottom: int) -> None:
    assert -bottom < 2 * (divide(top, bottom) * bottom - top) <= bottom


def test_a_plan_without_noise_is_reached_exactly_and_noise_is_bounded() -> None:
    identity = propose(Options(), np.random.default_rng(11))
    plain = company.advance(identity.last, identity.plan).statements.lines()
    actual = identity.truth.statements.lines()
    assert plain["share_capital"] == actual["share_capital"]
    assert plain["short_term_debt"] == actual["short_term_debt"]
    assert 0 < abs(plain["revenue"] / actual["revenue"] - 1) < 0.0026
    assert abs(plain["operating_expenses"] / actual["operating_expenses"] - 1) < 0.0031
