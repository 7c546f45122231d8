"""Shortcuts: policies that must not succeed, and unfiltered ones whose rates are published.

All but `copy` close the books properly, so their forecasts satisfy every identity; what they lack is the information
in the notes, or part of it. `outdated`, `no-breach` and `breach` even read the whole data room, to show that
overlooking updates or guessing the covenants alone costs the success.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from statistics import median
from typing import TYPE_CHECKING, Any, Final

from attrs import asdict, evolve, fields

from harness import Move, Observation, Scripted, View, call, calls
from harness_finance.accounts import BASIS, COVENANTS, Entries, Statements, breached, close_books, divide
from harness_finance.company import MILLION, Year, advance
from harness_finance.policies import Steps, brief, forecast_call, studied
from harness_finance.reading import plan_of, years_of
from harness_finance.sample import Identity

if TYPE_CHECKING:
    import numpy as np

Guess = Callable[[list[Year]], Entries]

ENTRIES: Final = tuple(field.name for field in fields(Entries))
RATES: Final = frozenset({"tax_rate_bp", "tax_payable_bp", "payout_bp"})
ALL_OK: Final = dict.fromkeys(COVENANTS, "ok")
ALL_BREACH: Final = dict.fromkeys(COVENANTS, "breach")


def entries_of(statements: Statements) -> Entries:
    """Take the entries of a past year from its statements; dividends become a payout ratio."""
    income, balance, flow = statements.income, statements.balance, statements.cash_flow
    free = {name: value for name, value in statements.lines().items() if name in ENTRIES}
    paid_from_profit = income.net_income > 0
    return Entries(
        **free,
        tax_payable_bp=divide(BASIS * balance.tax_payable, income.tax) if income.tax > 0 else 0,
        payout_bp=divide(BASIS * flow.dividends, income.net_income) if paid_from_profit else 0,
        special_dividend=0 if paid_from_profit else flow.dividends,
    )


def scaled(entries: Entries, factor: Callable[[str, int], int]) -> Entries:
    """Change each amount of the entries by a function of its name and value; rates stay."""
    return Entries(**{k: v if k in RATES else factor(k, v) for k, v in asdict(entries).items()})


# ---- guesses from the history alone


def as_last_year(years: list[Year]) -> Entries:
    """Every entry as last year."""
    return entries_of(years[-1].statements)


def by_drift(years: list[Year]) -> Entries:
    """Every amount moves on by last year's change."""
    before = asdict(entries_of(years[-2].statements))
    return scaled(entries_of(years[-1].statements), lambda name, value: 2 * value - before[name])


def by_mean_growth(years: list[Year]) -> Entries:
    """Every amount grows at its mean rate over the history."""
    past = [asdict(entries_of(year.statements)) for year in years]

    def grow(name: str, value: int) -> int:
        first, steps = past[0][name], len(past) - 1
        return round(value * (value / first) ** (1 / steps)) if first > 0 and value > 0 else value

    return scaled(entries_of(years[-1].statements), grow)


def satisfying(years: list[Year]) -> Entries:
    """Invented numbers: all debt paid back with fresh capital, so that no covenant can be in breach."""
    balance = years[-1].statements.balance
    entries = as_last_year(years)
    capital = balance.debt + entries.revenue // 2
    return evolve(
        entries, debt_issued=0, debt_repaid=balance.debt, short_term_debt=0, interest=0, shares_issued=capital
    )


# ---- ways to play


def history(view: View) -> Generator[Move, Observation, list[Year]]:
    """Look up the whole history in one call."""
    told = brief(view)
    seen = yield call("statements", years=list(range(told.first, told.last + 1)))
    return years_of(seen.data)


def guessing(guess: Guess, covenants: Mapping[str, str] | None = None) -> Callable[[View], Steps]:
    """Submit a guess from the history."""

    def play(view: View) -> Steps:
        years = yield from history(view)
        yield forecast_call(view, _closed(years, guess(years)), covenants)

    return play


def _closed(years: list[Year], entries: Entries) -> Statements:
    return close_books(years[-1].statements.balance, entries)


def copy(view: View) -> Steps:
    """Hand in last year's statements as they are."""
    years = yield from history(view)
    yield forecast_call(view, years[-1].statements)


def percent_of_sales(view: View) -> Steps:
    """Take revenue from the notes on sales, every other amount in last year's proportion to it."""
    told = brief(view)
    seen = yield calls(
        call("statements", years=[told.last]), call("notes", topic="sales"), call("notes", topic="events")
    )
    years = years_of(seen.data)
    last = years[-1]
    plan = plan_of([*seen.item(1)["notes"], *seen.item(2)["notes"]], last.segments, told.coming)
    revenue = advance(last, plan).statements.income.revenue
    entries = scaled(as_last_year(years), lambda _, value: divide(value * revenue, last.statements.income.revenue))
    yield forecast_call(view, _closed(years, entries))


def constant_calls(covenants: Mapping[str, str]) -> Callable[[View], Steps]:
    """Forecast as well as the reference, but call all covenants alike."""

    def play(view: View) -> Steps:
        forecast = yield from studied(view)
        yield forecast_call(view, forecast, covenants)

    return play


def outdated(view: View) -> Steps:
    """Read all notes, but believe the first one on each matter."""
    forecast = yield from studied(view, latest=False)
    yield forecast_call(view, forecast)


def perturbed(guess: Guess) -> Callable[[View], Steps]:
    """Submit a guess with every amount off by about three per cent."""

    def play(view: View) -> Steps:
        years = yield from history(view)
        yield forecast_call(view, _closed(years, _shaken(guess(years), view.rng)))

    return play


def _shaken(entries: Entries, rng: np.random.Generator) -> Entries:
    return scaled(entries, lambda _, value: value + divide(value * int(rng.integers(-30_000, 30_001)), MILLION))


def search(view: View) -> Steps:
    """Draw forecasts around the drift, spend every check on one, submit the one that ties out best."""
    years = yield from history(view)
    trials: list[tuple[int, Statements]] = []
    for _ in range(max(1, view.limits.budgets["checks"])):
        draft = _closed(years, _shaken(by_drift(years), view.rng))
        seen = yield call("check", draft=asdict(draft))
        failing = seen.data.get("failing", [None]) if isinstance(seen.data, dict) else [None]
        trials.append((len(failing), draft))
    yield forecast_call(view, min(trials, key=lambda trial: trial[0])[1])


def fit_constant(identities: Sequence[Identity], options: Any) -> Callable[[View], Steps]:
    """Fit the best constant answer: every entry as a share of last year's revenue, and one call per covenant."""
    shares: dict[str, float] = {}
    made = [(asdict(entries_of(i.truth.statements)), i.last.statements.income.revenue) for i in identities]
    for name in ENTRIES:
        shares[name] = median(entries[name] / (1 if name in RATES else revenue) for entries, revenue in made)
    usual = {name: _usual_call(identities, name) for name in COVENANTS}

    def answer(years: list[Year]) -> Entries:
        revenue = years[-1].statements.income.revenue
        return Entries(**{k: round(v if k in RATES else v * revenue) for k, v in shares.items()})

    return guessing(answer, usual)


def _usual_call(identities: Sequence[Identity], covenant: str) -> str:
    count = sum(breached(i.truth.statements, covenant, i.limits[covenant]) for i in identities)
    return "breach" if 2 * count > len(identities) else "ok"


def policies() -> dict[str, Scripted]:
    """Return lazy policies and adversaries by name."""
    return {
        "copy": Scripted(copy, summary="last year's statements as they are"),
        "last-year": Scripted(guessing(as_last_year), summary="last year's entries, books closed"),
        "drift": Scripted(guessing(by_drift), summary="last year's change once more"),
        "mean-growth": Scripted(guessing(by_mean_growth), summary="mean growth of the history"),
        "percent-of-sales": Scripted(percent_of_sales, summary="revenue from guidance, the rest in proportion"),
        "no-breach": Scripted(constant_calls(ALL_OK), summary="as the reference, but no covenant is in breach"),
        "breach": Scripted(constant_calls(ALL_BREACH), summary="as the reference, but every covenant is in breach"),
        "fabricate": Scripted(guessing(satisfying), summary="numbers invented to satisfy every ratio"),
        "outdated": Scripted(outdated, summary="all notes, but the first on each matter is believed"),
        "perturbed-last-year": Scripted(perturbed(as_last_year), "adversary", summary="last year, 3 % off"),
        "perturbed-drift": Scripted(perturbed(by_drift), "adversary", summary="drift, 3 % off"),
        "constant": Scripted(
            kind="adversary", fit=fit_constant, ceiling=0.10, summary="best constant of 500 instances"
        ),
        "search": Scripted(search, "adversary", ceiling={"hard": 0.25}, summary="random search, all checks spent"),
    }
