"""The company: how one year follows from the last, and how a seeded company is drawn.

A plan says what management intends for a year (growth, prices, costs, investment, debt, tax, dividends, days of
working capital); `advance` turns last year and a plan into the next year's statements, with small noise on what no
management controls. History and the held-out year come from the same function. All numbers are integers: growth and
rates in basis points, amounts in thousands, days in tenths, noise in parts per million.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

from attrs import frozen

from harness_finance.accounts import BASIS, Balance, CashFlow, Entries, Income, Statements, close_books, divide, ebitda

if TYPE_CHECKING:
    import numpy as np

MILLION: Final = 1_000_000
STEP: Final = 100
"""Amounts of plans are multiples of this many thousands, so that they can be told as 12.4 million."""

NOISE: Final[Mapping[str, int]] = {
    "volume": 2_500,
    "unit_cost": 1_500,
    "opex": 3_000,
    "capex": 15_000,
    "receivable_days": 5_000,
    "inventory_days": 5_000,
    "payable_days": 5_000,
}
"""Largest deviation of the actual year from its plan, in parts per million of the quantity."""

OPTIONAL: Final = (
    "savings",
    "new_site",
    "impairment",
    "new_loan",
    "early_repayment",
    "share_issue",
    "special_dividend",
    "settlement",
    "restructuring",
)
"""Matters that happen in some years only."""

Plan = Mapping[str, int]
"""Matter → value; matters of a segment are named `volume.Aqua`. A matter that is absent does not occur."""

Noise = Mapping[str, int]
"""Quantity → deviation in parts per million, within `NOISE`."""


@frozen
class Year:
    """A year of a company: its statements and the revenue of its segments, in whole thousands."""

    year: int
    statements: Statements
    segments: Mapping[str, int]


def advance(last: Year, plan: Plan, noise: Noise | None = None) -> Year:
    """Return the year that follows `last` under a plan; the noise deviates from it, none by default."""
    off = {} if noise is None else noise
    segments = {name: _segment_revenue(revenue, name, plan, off) for name, revenue in last.segments.items()}
    entries = _entries(last, plan, off, sum(segments.values()))
    return Year(last.year + 1, close_books(last.statements.balance, entries), segments)


def _scaled(value: int, noise: Noise, name: str) -> int:
    return divide(value * (MILLION + noise.get(name, 0)), MILLION)


def _segment_revenue(revenue: int, name: str, plan: Plan, noise: Noise) -> int:
    volume = (BASIS + plan.get(f"volume.{name}", 0)) * (MILLION + noise.get(f"volume.{name}", 0))
    return divide(revenue * volume * (BASIS + plan.get(f"price.{name}", 0)), BASIS * BASIS * MILLION)


def _cost_of_sales(last: Year, plan: Plan, noise: Noise) -> int:
    moved = sum(
        revenue * (BASIS + plan.get(f"volume.{name}", 0)) * (MILLION + noise.get(f"volume.{name}", 0))
        for name, revenue in last.segments.items()
    )
    cost = last.statements.income.cost_of_sales * moved * (BASIS + plan.get("unit_cost", 0))
    before = divide(cost, sum(last.segments.values()) * BASIS * BASIS * MILLION)
    return _scaled(before, noise, "unit_cost") - plan.get("savings", 0)


def _entries(last: Year, plan: Plan, noise: Noise, revenue: int) -> Entries:
    income, balance = last.statements.income, last.statements.balance
    cost = _cost_of_sales(last, plan, noise)
    capex = _scaled(plan.get("capex", 0), noise, "capex")
    loan, early = plan.get("new_loan", 0), plan.get("early_repayment", 0)
    expenses = divide(income.operating_expenses * (BASIS + plan.get("opex", 0)), BASIS)
    return Entries(
        revenue=revenue,
        cost_of_sales=cost,
        operating_expenses=_scaled(expenses, noise, "opex") + plan.get("new_site", 0),
        depreciation=divide(plan.get("depreciation", 0) * (2 * balance.fixed_assets + capex), 2 * BASIS),
        one_off_items=plan.get("settlement", 0) - plan.get("restructuring", 0),
        impairment=plan.get("impairment", 0),
        interest=divide(plan.get("interest", 0) * (2 * balance.debt + loan - early), 2 * BASIS),
        tax_rate_bp=plan.get("tax", 0),
        tax_payable_bp=plan.get("tax_unpaid", 0),
        payout_bp=plan.get("payout", 0),
        special_dividend=plan.get("special_dividend", 0),
        receivables=_scaled(_days(plan, "receivable_days", revenue), noise, "receivable_days"),
        inventory=_scaled(_days(plan, "inventory_days", cost), noise, "inventory_days"),
        payables=_scaled(_days(plan, "payable_days", cost), noise, "payable_days"),
        capex=capex,
        debt_issued=loan,
        debt_repaid=balance.short_term_debt + early,
        short_term_debt=plan.get("current_portion", 0),
        shares_issued=plan.get("share_issue", 0),
    )


def _days(plan: Plan, name: str, turnover: int) -> int:
    return divide(turnover * plan.get(name, 0), 3650)


@frozen
class Traits:
    """What stays characteristic of a company over the years; shares in basis points, days in tenths."""

    margin: int
    expenses: int
    renewal: int
    leverage: int
    depreciation: int
    interest: int
    tax: int
    payout: int
    days: Mapping[str, int]


def draw_traits(rng: np.random.Generator) -> Traits:
    """Draw a company: EBITDA margin 14 to 22 %, debt of 1.5 to 2.8 times EBITDA, ordinary days of working capital."""
    return Traits(
        margin=_whole(rng, 1400, 2200),
        expenses=_whole(rng, 1300, 2200),
        renewal=_whole(rng, 10500, 14500),
        leverage=_whole(rng, 150, 280),
        depreciation=_whole(rng, 700, 1200, 10),
        interest=_whole(rng, 350, 700, 10),
        tax=_whole(rng, 2000, 3000, 50),
        payout=_whole(rng, 2500, 5500, 100),
        days={
            "receivable_days": _whole(rng, 420, 750, 5),
            "inventory_days": _whole(rng, 450, 900, 5),
            "payable_days": _whole(rng, 350, 700, 5),
        },
    )


def _whole(rng: np.random.Generator, low: int, high: int, step: int = 1) -> int:
    """Draw a multiple of `step` between two multiples of it, both included."""
    return step * int(rng.integers(low // step, high // step + 1))


def found(traits: Traits, year: int, shares: Mapping[str, int], rng: np.random.Generator) -> Year:
    """Found a company: a balance sheet in keeping with its traits, before the first year that is shown.

    Args:
        traits: The company.
        year: The founding year.
        shares: Segment → weight in revenue.
        rng: Generator of the size.
    """
    size = _whole(rng, 1_200_000, 5_000_000)
    total = sum(shares.values())
    segments = {name: divide(size * weight, total) for name, weight in shares.items()}
    revenue = sum(segments.values())
    costs = divide(revenue * (BASIS - traits.margin - traits.expenses), BASIS)
    income = _first_income(revenue, costs, divide(revenue * traits.expenses, BASIS))
    balance = _first_balance(traits, income, rng)
    return Year(year, Statements(income, balance, CashFlow(0, 0, 0, 0, 0, 0, 0)), segments)


def _first_income(revenue: int, costs: int, expenses: int) -> Income:
    profit = revenue - costs - expenses
    return Income(revenue, costs, revenue - costs, expenses, 0, 0, 0, profit, 0, profit, 0, 0, profit)


def _first_balance(traits: Traits, income: Income, rng: np.random.Generator) -> Balance:
    receivables = _days(traits.days, "receivable_days", income.revenue)
    inventory = _days(traits.days, "inventory_days", income.cost_of_sales)
    payables = _days(traits.days, "payable_days", income.cost_of_sales)
    cash = divide(income.revenue * _whole(rng, 600, 1200), BASIS)
    fixed = divide(income.revenue * _whole(rng, 4500, 7000), BASIS)
    debt = STEP * divide(ebitda(income) * traits.leverage, 100 * STEP)
    due = STEP * divide(debt * _whole(rng, 1000, 3000), BASIS * STEP)
    tax = divide(income.revenue * 50, BASIS)
    equity = cash + receivables + inventory + fixed - payables - tax - debt
    capital = divide(equity, 4)
    assets = cash + receivables + inventory + fixed
    return Balance(
        cash, receivables, inventory, fixed, assets, payables, tax, due, debt - due, capital, equity - capital
    )


def draw_noise(segments: Mapping[str, int], rng: np.random.Generator) -> dict[str, int]:
    """Draw the deviation of the actual year from its plan."""
    names = [f"volume.{name}" for name in segments] + [name for name in NOISE if name != "volume"]
    return {name: _whole(rng, -NOISE[name.split(".")[0]], NOISE[name.split(".")[0]]) for name in names}


def draw_plan(last: Year, traits: Traits, occurring: tuple[str, ...], rng: np.random.Generator) -> dict[str, int]:
    """Draw what management plans for the year after `last`, with enough cash to carry it out.

    Args:
        last: The year before.
        traits: The company.
        occurring: Which of `OPTIONAL` happen; a loan or a special dividend may come on top.
        rng: Generator.
    """
    plan = _trading(last, rng) | _policies(last, traits, rng)
    revenue = last.statements.income.revenue
    for matter in occurring:
        plan[matter] = _amount(revenue, _whole(rng, 60, 180))
    plan["unit_cost"] = _unit_cost(last, plan, traits.margin + _whole(rng, -250, 250))
    return _with_liquidity(last, plan, traits.leverage + _whole(rng, -50, 50))


def _trading(last: Year, rng: np.random.Generator) -> dict[str, int]:
    plan = {}
    for name in last.segments:
        plan[f"volume.{name}"] = _whole(rng, -500, 900, 10)
        plan[f"price.{name}"] = _whole(rng, -250, 500, 10)
    return plan | {"opex": _whole(rng, -300, 800, 10)}


def _policies(last: Year, traits: Traits, rng: np.random.Generator) -> dict[str, int]:
    balance = last.statements.balance
    wear = divide(balance.fixed_assets * traits.depreciation, BASIS)
    plan = {
        "capex": STEP * divide(wear * traits.renewal * _whole(rng, 6, 15), BASIS * 10 * STEP),
        "depreciation": traits.depreciation + _whole(rng, -80, 80, 10),
        "interest": traits.interest + _whole(rng, -80, 80, 10),
        "current_portion": STEP * divide(balance.debt * _whole(rng, 1000, 3000), BASIS * STEP),
        "tax": traits.tax + _whole(rng, -150, 150, 50),
        "tax_unpaid": _whole(rng, 1500, 5000, 100),
        "payout": traits.payout + _whole(rng, -800, 800, 100),
    }
    return plan | {name: usual + _whole(rng, -60, 60, 5) for name, usual in traits.days.items()}


def _amount(revenue: int, share_bp: int) -> int:
    return STEP * max(1, divide(revenue * share_bp, BASIS * STEP))


def _unit_cost(last: Year, plan: Plan, margin: int) -> int:
    """Cost inflation, to a tenth of a per cent, at which the EBITDA margin comes out as wanted."""
    flat = advance(last, plan).statements.income
    wanted = flat.revenue - divide(flat.revenue * margin, BASIS) - flat.operating_expenses
    base = flat.cost_of_sales + plan.get("savings", 0)
    return max(-800, min(1200, 10 * divide((wanted + plan.get("savings", 0) - base) * BASIS, base * 10)))


def _with_liquidity(last: Year, plan: dict[str, int], leverage: int) -> dict[str, int]:
    """Borrow towards the leverage wanted (hundredths of EBITDA) or to stay liquid; pay out what would pile up."""
    trial = advance(last, plan).statements
    revenue, cash = trial.income.revenue, trial.balance.cash
    loan = divide(ebitda(trial.income) * leverage, 100) - trial.balance.debt
    loan = max(loan if loan > revenue // 100 else 0, divide(revenue * 6, 100) - cash if cash * 25 < revenue else 0)
    _add(plan, "new_loan", loan)
    spare = cash + loan - divide(revenue * 9, 100) if (cash + loan) * 8 > revenue else 0
    _add(plan, "special_dividend", min(spare, trial.balance.retained_earnings // 3))
    return plan


def _add(plan: dict[str, int], matter: str, amount: int) -> None:
    if amount >= STEP:
        plan[matter] = plan.get(matter, 0) + STEP * (amount // STEP)
