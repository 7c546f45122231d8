"""The scripted policies: the reference, and the registry of all.

The reference does what the prompt asks: it reads the last two years and every topic that its lookups allow,
understands the notes, applies them in the order of their dates, computes the year by the told rules, ties it out with
one check and submits. It sees nothing but the prompt and what the tools answer.
"""

from __future__ import annotations

import re
from collections.abc import Generator, Mapping
from typing import Any, Final

from attrs import asdict, frozen

from harness import Move, Observation, Scripted, View, call, calls
from harness_finance.accounts import BASIS, COVENANTS, Statements, breached, divide
from harness_finance.company import Plan, Year, advance
from harness_finance.reading import plan_of, years_of

Steps = Generator[Move, Observation, None]

BY_WEIGHT: Final = (
    "events",
    "costs",
    "sales",
    "working_capital",
    "investment",
    "financing",
    "dividends",
    "tax",
    "one_offs",
)
"""Topics, those that move the forecast most first."""


@frozen
class Brief:
    """What a script takes from its prompt."""

    first: int
    last: int
    limits: Mapping[str, int]

    @property
    def coming(self) -> int:
        """The year to be forecast."""
        return self.last + 1


def brief(view: View) -> Brief:
    """Read years and covenant limits from the facts of the prompt."""
    first, last = (int(year) for year in re.findall(r"\d{4}", view.facts["history"]))
    limits = {name: _hundredths(view.facts[f"limit of {name}"]) for name in COVENANTS}
    return Brief(first, last, limits)


def _hundredths(text: str) -> int:
    number = re.findall(r"\d+\.\d{2}", text)[-1]
    return int(number.replace(".", ""))


def forecast_call(view: View, forecast: Statements, covenants: Mapping[str, str] | None = None) -> Move:
    """Submit a forecast; covenants are called by its own ratios unless given."""
    limits = brief(view).limits
    own = {name: "breach" if breached(forecast, name, limits[name]) else "ok" for name in COVENANTS}
    return call("submit", forecast=asdict(forecast), covenants=dict(covenants or own))


def read_room(view: View, topics: tuple[str, ...]) -> Generator[Move, Observation, tuple[list[Year], list[Any]]]:
    """Look up the last two years and as many topics as lookups allow, in one turn; return years and notes."""
    told = brief(view)
    allowed = topics[: max(0, view.limits.budgets["lookups"] - 1)]
    seen = yield calls(call("statements", years=[told.last - 1, told.last]), *(call("notes", topic=t) for t in allowed))
    answers = [seen.item(place) for place in range(1, 1 + len(allowed))]
    return years_of(seen.data), [note for answer in answers for note in answer["notes"]]


def customary(years: list[Year]) -> dict[str, int]:
    """The standing matters as they were last year: a guess for what has not been read."""
    before, last = years[-2].statements, years[-1].statements
    income, balance, flow = last.income, last.balance, last.cash_flow
    mean_debt = 2 * before.balance.debt + flow.debt_issued - flow.debt_repaid + before.balance.short_term_debt
    return {
        "capex": flow.capex,
        "depreciation": _share(2 * income.depreciation, 2 * before.balance.fixed_assets + flow.capex),
        "interest": _share(2 * income.interest, mean_debt),
        "current_portion": balance.short_term_debt,
        "tax": income.tax_rate_bp,
        "tax_unpaid": _share(balance.tax_payable, income.tax),
        "payout": min(BASIS, _share(flow.dividends, income.net_income)),
        "receivable_days": divide(3650 * balance.receivables, income.revenue),
        "inventory_days": divide(3650 * balance.inventory, income.cost_of_sales),
        "payable_days": divide(3650 * balance.payables, income.cost_of_sales),
    }


def _share(part: int, whole: int) -> int:
    return divide(BASIS * part, whole) if whole > 0 else 0


def studied(view: View, *, latest: bool = True) -> Generator[Move, Observation, Statements]:
    """Read everything and compute the year; `latest=False` believes the first note on each matter."""
    years, notes = yield from read_room(view, BY_WEIGHT)
    plan: Plan = customary(years) | plan_of(notes, years[-1].segments, brief(view).coming, latest=latest)
    return advance(years[-1], plan).statements


def reference(view: View) -> Steps:
    """Follow the valid notes, tie out once, submit."""
    forecast = yield from studied(view)
    if view.limits.budgets["checks"] > 0:
        yield call("check", draft=asdict(forecast))
    yield forecast_call(view, forecast)


def policies() -> dict[str, Scripted]:
    """Return all scripted policies of the task by name."""
    from harness_finance import shortcuts

    return {
        "reference": Scripted(reference, "reference", summary="reads all notes, applies the valid ones, ties out"),
        **shortcuts.policies(),
    }
