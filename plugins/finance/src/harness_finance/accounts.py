"""The accounts: three linked statements in whole thousands, their identities, and the covenants on them.

Everything is integer arithmetic, so an identity holds or it does not; there is no rounding drift between platforms.
`close_books` turns the entries of a year into statements that satisfy all identities by construction; `residuals`
says by how much any other statements miss them. Neither knows where the numbers came from: a simulated year, a
forecast and an invention are treated alike.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Annotated, Final, Literal

from attrs import asdict, frozen

from harness.schema import Range

Call = Literal["breach", "ok"]

BASIS: Final = 10_000
"""Basis points in one."""


@frozen
class Income:
    """Profit chain of a year, whole thousands; costs are positive.

    Attributes:
        cost_of_sales: Without depreciation.
        operating_expenses: Without depreciation.
        one_off_items: Gains minus charges, in cash.
        impairment: Write-down of fixed assets, not in cash.
        tax_rate_bp: Tax rate in basis points (25.5 % is 2550).
    """

    revenue: int
    cost_of_sales: int
    gross_profit: int
    operating_expenses: int
    depreciation: int
    one_off_items: int
    impairment: int
    operating_profit: int
    interest: int
    pre_tax_profit: int
    tax_rate_bp: Annotated[int, Range(0, BASIS)]
    tax: int
    net_income: int


@frozen
class Balance:
    """Balance sheet at the end of a year, whole thousands.

    Attributes:
        short_term_debt: Debt due within twelve months of the date of the balance sheet.
    """

    cash: int
    receivables: int
    inventory: int
    fixed_assets: int
    total_assets: int
    payables: int
    tax_payable: int
    short_term_debt: int
    long_term_debt: int
    share_capital: int
    retained_earnings: int

    @property
    def debt(self) -> int:
        """Short-term and long-term debt together."""
        return self.short_term_debt + self.long_term_debt


@frozen
class CashFlow:
    """Movements of a year, whole thousands; all but operating_cash_flow are told as positive amounts."""

    operating_cash_flow: int
    capex: int
    debt_issued: int
    debt_repaid: int
    shares_issued: int
    dividends: int
    tax_paid: int


@frozen
class Statements:
    """The three statements of a year."""

    income: Income
    balance: Balance
    cash_flow: CashFlow

    def lines(self) -> dict[str, int]:
        """All lines by name; names are unique over the three statements."""
        return {**asdict(self.income), **asdict(self.balance), **asdict(self.cash_flow)}


@frozen
class Entries:
    """What is free in a year, given the opening balance; everything else follows from the identities.

    Amounts in whole thousands, shares in basis points. `tax_payable_bp` is the share of the year's tax charge that is
    unpaid at its end, `payout_bp` the share of a positive net income that is paid out.
    """

    revenue: int
    cost_of_sales: int
    operating_expenses: int
    depreciation: int
    one_off_items: int
    impairment: int
    interest: int
    tax_rate_bp: int
    tax_payable_bp: int
    payout_bp: int
    special_dividend: int
    receivables: int
    inventory: int
    payables: int
    capex: int
    debt_issued: int
    debt_repaid: int
    short_term_debt: int
    shares_issued: int


def divide(numerator: int, denominator: int) -> int:
    """Divide by a positive integer, rounded half up."""
    return (2 * numerator + denominator) // (2 * denominator)


def close_books(opening: Balance, entries: Entries) -> Statements:
    """Make the statements of a year from its entries; every identity holds exactly, cash is what remains."""
    income = _income(entries)
    dividends = divide(entries.payout_bp * max(0, income.net_income), BASIS) + entries.special_dividend
    tax_payable = divide(entries.tax_payable_bp * income.tax, BASIS)
    flow = _cash_flow(opening, entries, income, dividends, tax_payable)
    return Statements(income, _balance(opening, entries, income, flow, tax_payable), flow)


def _income(entries: Entries) -> Income:
    gross = entries.revenue - entries.cost_of_sales
    profit = gross - entries.operating_expenses - entries.depreciation + entries.one_off_items - entries.impairment
    before_tax = profit - entries.interest
    tax = tax_charge(before_tax, entries.impairment, entries.tax_rate_bp)
    return Income(
        revenue=entries.revenue,
        cost_of_sales=entries.cost_of_sales,
        gross_profit=gross,
        operating_expenses=entries.operating_expenses,
        depreciation=entries.depreciation,
        one_off_items=entries.one_off_items,
        impairment=entries.impairment,
        operating_profit=profit,
        interest=entries.interest,
        pre_tax_profit=before_tax,
        tax_rate_bp=entries.tax_rate_bp,
        tax=tax,
        net_income=before_tax - tax,
    )


def tax_charge(pre_tax_profit: int, impairment: int, rate_bp: int) -> int:
    """Tax of a year: an impairment is not deductible, a loss gives no refund."""
    return divide(rate_bp * max(0, pre_tax_profit + impairment), BASIS)


def _cash_flow(opening: Balance, entries: Entries, income: Income, dividends: int, tax_payable: int) -> CashFlow:
    released = (opening.receivables - entries.receivables) + (opening.inventory - entries.inventory)
    owed = (entries.payables - opening.payables) + (tax_payable - opening.tax_payable)
    return CashFlow(
        operating_cash_flow=income.net_income + entries.depreciation + entries.impairment + released + owed,
        capex=entries.capex,
        debt_issued=entries.debt_issued,
        debt_repaid=entries.debt_repaid,
        shares_issued=entries.shares_issued,
        dividends=dividends,
        tax_paid=opening.tax_payable + income.tax - tax_payable,
    )


def _balance(opening: Balance, entries: Entries, income: Income, flow: CashFlow, tax_payable: int) -> Balance:
    financing = flow.debt_issued - flow.debt_repaid + flow.shares_issued - flow.dividends
    cash = opening.cash + flow.operating_cash_flow - flow.capex + financing
    fixed = opening.fixed_assets + flow.capex - income.depreciation - income.impairment
    return Balance(
        cash=cash,
        receivables=entries.receivables,
        inventory=entries.inventory,
        fixed_assets=fixed,
        total_assets=cash + entries.receivables + entries.inventory + fixed,
        payables=entries.payables,
        tax_payable=tax_payable,
        short_term_debt=entries.short_term_debt,
        long_term_debt=opening.debt + flow.debt_issued - flow.debt_repaid - entries.short_term_debt,
        share_capital=opening.share_capital + flow.shares_issued,
        retained_earnings=opening.retained_earnings + income.net_income - flow.dividends,
    )


Identity = Callable[[Balance, Income, Balance, CashFlow], int]

IDENTITIES: Final[Mapping[str, tuple[str, Identity]]] = {
    "gross_profit": (
        "gross_profit = revenue - cost_of_sales",
        lambda o, i, b, c: i.gross_profit - (i.revenue - i.cost_of_sales),
    ),
    "operating_profit": (
        "operating_profit = gross_profit - operating_expenses - depreciation + one_off_items - impairment",
        lambda o, i, b, c: (
            i.operating_profit
            - (i.gross_profit - i.operating_expenses - i.depreciation + i.one_off_items - i.impairment)
        ),
    ),
    "pre_tax_profit": (
        "pre_tax_profit = operating_profit - interest",
        lambda o, i, b, c: i.pre_tax_profit - (i.operating_profit - i.interest),
    ),
    "tax": (
        "tax = tax_rate_bp / 10000 * max(0, pre_tax_profit + impairment)",
        lambda o, i, b, c: i.tax - tax_charge(i.pre_tax_profit, i.impairment, i.tax_rate_bp),
    ),
    "net_income": (
        "net_income = pre_tax_profit - tax",
        lambda o, i, b, c: i.net_income - (i.pre_tax_profit - i.tax),
    ),
    "total_assets": (
        "total_assets = cash + receivables + inventory + fixed_assets",
        lambda o, i, b, c: b.total_assets - (b.cash + b.receivables + b.inventory + b.fixed_assets),
    ),
    "balance_sheet": (
        "total_assets = payables + tax_payable + short_term_debt + long_term_debt + share_capital + retained_earnings",
        lambda o, i, b, c: (
            b.total_assets - (b.payables + b.tax_payable + b.debt + b.share_capital + b.retained_earnings)
        ),
    ),
    "retained_earnings": (
        "retained_earnings = opening + net_income - dividends",
        lambda o, i, b, c: b.retained_earnings - (o.retained_earnings + i.net_income - c.dividends),
    ),
    "fixed_assets": (
        "fixed_assets = opening + capex - depreciation - impairment",
        lambda o, i, b, c: b.fixed_assets - (o.fixed_assets + c.capex - i.depreciation - i.impairment),
    ),
    "debt": (
        "short_term_debt + long_term_debt = opening total + debt_issued - debt_repaid",
        lambda o, i, b, c: b.debt - (o.debt + c.debt_issued - c.debt_repaid),
    ),
    "share_capital": (
        "share_capital = opening + shares_issued",
        lambda o, i, b, c: b.share_capital - (o.share_capital + c.shares_issued),
    ),
    "tax_payable": (
        "tax_payable = opening + tax - tax_paid",
        lambda o, i, b, c: b.tax_payable - (o.tax_payable + i.tax - c.tax_paid),
    ),
    "operating_cash_flow": (
        "operating_cash_flow = net_income + depreciation + impairment - rise in receivables - rise in inventory"
        " + rise in payables + rise in tax_payable",
        lambda o, i, b, c: (
            c.operating_cash_flow
            - (i.net_income + i.depreciation + i.impairment)
            + (b.receivables - o.receivables)
            + (b.inventory - o.inventory)
            - (b.payables - o.payables)
            - (b.tax_payable - o.tax_payable)
        ),
    ),
    "cash": (
        "cash = opening + operating_cash_flow - capex + debt_issued - debt_repaid + shares_issued - dividends",
        lambda o, i, b, c: (
            b.cash
            - (o.cash + c.operating_cash_flow - c.capex + c.debt_issued - c.debt_repaid + c.shares_issued - c.dividends)
        ),
    ),
}
"""Name → formula as told, and stated value minus the value that the formula gives."""


def residuals(opening: Balance, statements: Statements) -> dict[str, int]:
    """By how much each identity fails: stated value minus what its formula gives, in thousands."""
    income, balance, flow = statements.income, statements.balance, statements.cash_flow
    return {name: gap(opening, income, balance, flow) for name, (_, gap) in IDENTITIES.items()}


def ebit(income: Income) -> int:
    """Operating profit before one-off items and impairment."""
    return income.operating_profit - income.one_off_items + income.impairment


def ebitda(income: Income) -> int:
    """Operating profit before one-off items, impairment and depreciation."""
    return ebit(income) + income.depreciation


def current_assets(balance: Balance) -> int:
    """Cash, receivables and inventory."""
    return balance.cash + balance.receivables + balance.inventory


def current_liabilities(balance: Balance) -> int:
    """Payables, tax payable and short-term debt."""
    return balance.payables + balance.tax_payable + balance.short_term_debt


def covenant_terms(statements: Statements) -> dict[str, tuple[int, int]]:
    """Covenant → numerator and denominator of its ratio."""
    income, balance = statements.income, statements.balance
    return {
        "leverage": (balance.debt, ebitda(income)),
        "interest_cover": (ebit(income), income.interest),
        "current_ratio": (current_assets(balance), current_liabilities(balance)),
    }


COVENANTS: Final = ("leverage", "interest_cover", "current_ratio")
CEILINGS: Final = frozenset({"leverage"})
"""Covenants whose limit is a maximum; the others are minima."""


def breached(statements: Statements, covenant: str, limit_hundredths: int) -> bool:
    """Whether a covenant is breached, exactly; the limit is in hundredths.

    Debt without positive EBITDA breaches the leverage covenant; where nothing is owed there is nothing to cover.
    """
    numerator, denominator = covenant_terms(statements)[covenant]
    if denominator <= 0:
        return covenant in CEILINGS and numerator > 0
    if covenant in CEILINGS:
        return numerator * 100 > limit_hundredths * denominator
    return numerator * 100 < limit_hundredths * denominator


def ratios(statements: Statements) -> dict[str, float | None]:
    """Ratios of a year to four decimals; None where the denominator is not positive."""
    income, balance, flow = statements.income, statements.balance, statements.cash_flow
    equity = balance.share_capital + balance.retained_earnings
    terms = covenant_terms(statements) | {
        "gross_margin": (income.gross_profit, income.revenue),
        "ebitda_margin": (ebitda(income), income.revenue),
        "net_margin": (income.net_income, income.revenue),
        "return_on_equity": (income.net_income, equity),
        "receivable_days": (365 * balance.receivables, income.revenue),
        "inventory_days": (365 * balance.inventory, income.cost_of_sales),
        "payable_days": (365 * balance.payables, income.cost_of_sales),
        "payout": (flow.dividends, income.net_income),
    }
    return {name: round(top / bottom, 4) if bottom > 0 else None for name, (top, bottom) in terms.items()}
