"""Proposing instances: a company with a history, what it discloses of the coming year, and that year itself.

The coming year is drawn first as a plan; disclosures are then written backwards from it, so that whoever follows them
correctly arrives at the plan exactly, and only the small noise of `company.NOISE` remains. Covenant limits are set
beside the actual ratios last: each covenant is breached in half of all instances, and in none are all three calls
alike, so that no constant call is ever right.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import date, timedelta
from typing import TYPE_CHECKING, Any, Final

from attrs import field, frozen

from harness.errors import Reject
from harness.layers import option
from harness_finance import company
from harness_finance.accounts import CEILINGS, COVENANTS, covenant_terms, divide, ebit
from harness_finance.company import OPTIONAL, STEP, Year
from harness_finance.notes import CURRENCIES, SPREAD, STANDING, Mode, Note, matter_of

if TYPE_CHECKING:
    import numpy as np

ITEMS: Final[Mapping[str, int]] = {
    "revenue": 4_000,
    "operating_profit": 3_500,
    "net_income": 2_500,
    "cash": 5_000,
    "long_term_debt": 500,
    "retained_earnings": 2_000,
    "fixed_assets": 3_500,
    "receivables": 2_000,
    "tax_rate_bp": 0,
    "payables": 1_500,
    "operating_cash_flow": 4_500,
    "dividends": 1_500,
}
"""Graded lines in the order in which levels add them, with tolerances in parts per million of last year's revenue."""

COMPANIES: Final = (
    "Aldermark",
    "Brunel Werke",
    "Castanea",
    "Dovrefjord",
    "Eichenau",
    "Farrow & Sons",
    "Gandhara",
    "Hollinger",
    "Istria Marine",
    "Jadeport",
    "Kestrel",
    "Lumenor",
)
SEGMENTS: Final = ("Aqua", "Helio", "Terra", "Vento", "Nova", "Ferro")

DECISIVE: Final = frozenset({"volume", "price", "unit_cost", "opex"})
"""Matters whose outdated value alone puts a forecast outside its tolerances."""

REVISED_BY: Final[Mapping[str, tuple[int, int, int]]] = {
    "volume": (250, 450, 10),
    "price": (250, 450, 10),
    "unit_cost": (200, 400, 10),
    "opex": (500, 900, 10),
    "depreciation": (100, 250, 10),
    "interest": (60, 150, 10),
    "tax": (200, 500, 50),
    "tax_unpaid": (800, 2000, 100),
    "payout": (800, 2000, 100),
}
"""By how much an outdated value differs: smallest, largest, step; days by 5 to 12, amounts by a quarter to a half."""


@frozen
class Options:
    """Parameters of the task; the groups are presets of them."""

    years: int = option(5, "years of history shown", choices=(3, 4, 5, 6, 7))
    segments: int = option(2, "business segments", choices=(1, 2, 3))
    occurring: int = option(3, "uncommon matters that happen in the coming year", choices=(0, 1, 2, 3, 4, 5))
    updates: int = option(6, "notes that replace, shift or cancel earlier ones", choices=tuple(range(1, 13)))
    astray: int = option(50, "per cent of updates filed under `events`", choices=(0, 25, 50, 75, 100))
    distractors: int = option(3, "notes on later years, rumours and rejected proposals", choices=tuple(range(9)))
    items: int = option(9, "graded lines", choices=(6, 9, 12))
    lookups: int = option(20, "calls of statements, notes and ratios", seeded=False, choices=tuple(range(10, 41)))
    checks: int = option(3, "calls of check", seeded=False, choices=tuple(range(7)))
    turns: int = option(20, "assistant turns", seeded=False, choices=tuple(range(10, 41)))


@frozen
class Identity:
    """The hidden parameters of one instance.

    Attributes:
        history: Years that can be looked up, oldest first.
        notes: Disclosures in the order in which they are shown.
        limits: Covenant → limit in hundredths.
        tolerances: Graded line → largest error that counts as right, in thousands (basis points for the tax rate).
        plan: What the disclosures come to.
        truth: The year to be forecast.
    """

    name: str
    currency: str
    history: tuple[Year, ...]
    notes: tuple[Note, ...]
    limits: dict[str, int]
    tolerances: dict[str, int]
    plan: dict[str, int]
    truth: Year = field(repr=False)

    @property
    def last(self) -> Year:
        """The last year of the history."""
        return self.history[-1]

    @property
    def coming(self) -> int:
        """The year to be forecast."""
        return self.last.year + 1


def propose(options: Options, rng: np.random.Generator) -> Identity:
    """Draw an instance.

    Raises:
        Reject: The company is unsound in some year, or a hidden number happens to be printed in its history.
    """
    history, traits = _history(options, rng)
    last = history[-1]
    plan = company.draw_plan(last, traits, _some(OPTIONAL, options.occurring, rng), rng)
    truth = company.advance(last, plan, company.draw_noise(last.segments, rng))
    expected = company.advance(last, plan)
    if not _sound((*history, truth)):
        raise Reject("the company is over-indebted, short of cash or unprofitable")
    if _coincides(history, truth):
        raise Reject("a hidden number happens to be printed in the history")
    return Identity(
        name=str(rng.choice(COMPANIES)),
        currency=str(rng.choice(sorted(CURRENCIES))),
        history=history,
        notes=_Disclosure(plan, last, options, rng).notes(),
        limits=_limits(truth, expected, rng),
        tolerances=_tolerances(last, options),
        plan=plan,
        truth=truth,
    )


def _history(options: Options, rng: np.random.Generator) -> tuple[tuple[Year, ...], company.Traits]:
    traits = company.draw_traits(rng)
    names = _some(SEGMENTS, options.segments, rng)
    start = int(rng.integers(2008, 2018))
    year = company.found(traits, start, {name: int(rng.integers(2, 7)) for name in names}, rng)
    shown = []
    for _ in range(options.years):
        occurring = tuple(m for m in OPTIONAL if rng.random() < options.occurring / len(OPTIONAL))
        plan = company.draw_plan(year, traits, occurring, rng)
        year = company.advance(year, plan, company.draw_noise(year.segments, rng))
        shown.append(year)
    return tuple(shown), traits


def _some(names: Iterable[str], count: int, rng: np.random.Generator) -> tuple[str, ...]:
    return tuple(str(name) for name in rng.permutation(list(names))[:count])


def _sound(years: tuple[Year, ...]) -> bool:
    return all(
        year.statements.balance.retained_earnings > 0
        and year.statements.balance.long_term_debt > 0
        and 40 * year.statements.balance.cash > year.statements.income.revenue
        and 40 * ebit(year.statements.income) > year.statements.income.revenue
        for year in years
    )


def hidden_numbers(truth: Year) -> tuple[str, ...]:
    """Numbers of the coming year that no disclosure determines exactly, long enough not to occur by chance."""
    lines = truth.statements.lines()
    uncertain = ("revenue", "cost_of_sales", "gross_profit", "total_assets", "fixed_assets", "retained_earnings")
    return tuple(str(lines[name]) for name in uncertain if lines[name] >= 1_000_000)


def _coincides(history: tuple[Year, ...], truth: Year) -> bool:
    shown = {str(v) for y in history for v in (*y.statements.lines().values(), *y.segments.values())}
    return any(number in text for number in hidden_numbers(truth) for text in shown)


def _tolerances(last: Year, options: Options) -> dict[str, int]:
    revenue = last.statements.income.revenue
    chosen = list(ITEMS.items())[: options.items]
    return {name: 100 * divide(revenue * share, 100 * company.MILLION) for name, share in chosen}


def _limits(truth: Year, expected: Year, rng: np.random.Generator) -> dict[str, int]:
    """Set each limit 5 to 16 per cent beyond the actual and the expected ratio, on the side that was drawn."""
    order = rng.permutation(3)
    breaches = {COVENANTS[order[k]] for k in range(1 + int(rng.integers(2)))}
    limits = {}
    for covenant in COVENANTS:
        ratios = [top / bottom for top, bottom in (_terms(year, covenant) for year in (truth, expected))]
        gap = 1 + float(rng.uniform(0.05, 0.16))
        above = (covenant in CEILINGS) != (covenant in breaches)
        limits[covenant] = round(100 * (max(ratios) * gap if above else min(ratios) / gap))
    return limits


def _terms(year: Year, covenant: str) -> tuple[int, int]:
    return covenant_terms(year.statements)[covenant]


class _Disclosure:
    """Writes the notes of a company, backwards from its plan."""

    def __init__(self, plan: Mapping[str, int], last: Year, options: Options, rng: np.random.Generator) -> None:
        self._plan, self._options, self._rng = plan, options, rng
        self._revenue = last.statements.income.revenue
        self._first_day = date(last.year, 12, 1)
        self._early = list(rng.permutation(60))
        self._late = list(rng.permutation(range(60, 200)))
        self._notes: list[Note] = []

    def notes(self) -> tuple[Note, ...]:
        """Return all notes in random order."""
        cancelled = _some(self._absent(), self._options.updates // 3, self._rng)
        chains = self._chains(self._options.updates - len(cancelled))
        for key, value in self._plan.items():
            self._tell(key, value, chains.get(key, 0))
        for key in cancelled:
            self._tell(key, 0, 1)
        for _ in range(self._options.distractors):
            self._distract(cancelled)
        return tuple(self._notes[i] for i in self._rng.permutation(len(self._notes)))

    def _absent(self) -> list[str]:
        return [key for key in OPTIONAL if key not in self._plan]

    def _chains(self, updates: int) -> dict[str, int]:
        """Matter → number of updates; decisive matters come first, a quarter of the updates are second ones."""
        keys = self._rng.permutation(list(self._plan))
        first = [str(k) for k in keys if str(k).partition(".")[0] in DECISIVE][: max(1, updates // 2)]
        order = first + [str(k) for k in keys if str(k) not in first]
        twice = updates // 4
        return {key: 2 if i < twice else 1 for i, key in enumerate(order[: updates - twice])}

    def _tell(self, key: str, value: int, updates: int) -> None:
        """Write the first note of a matter and the updates that lead to its value."""
        values = [value]
        for _ in range(updates):
            values.insert(0, self._outdated(key, values[0]))
        days = [self._early.pop(), *sorted(self._late.pop() for _ in range(updates))]
        self._add(key, self._first_mode(key, values[0]), values[0], days[0])
        for before, after, then, day in zip(values, values[1:], days, days[1:], strict=False):
            mode: Mode = "replace" if self._rng.random() < 0.5 else "shift"
            if after == 0 and key not in STANDING and matter_of(key).kind == "amount":
                mode = "cancel"
            self._add(key, mode, after - before if mode == "shift" else after, day, then)

    def _first_mode(self, key: str, value: int) -> Mode:
        wide = matter_of(key).kind == "growth" and abs(value) > SPREAD and self._rng.random() < 0.25
        return "between" if wide else "set"

    def _outdated(self, key: str, value: int) -> int:
        kind, name = matter_of(key).kind, key.partition(".")[0]
        sign = 1 if self._rng.random() < 0.5 else -1
        if kind == "amount":
            size = value if value else 2 * self._amount()
            change = STEP * max(1, divide(size * int(self._rng.integers(25, 51)), 100 * STEP))
        elif kind == "days":
            change = 5 * int(self._rng.integers(10, 25))
        else:
            low, high, step = REVISED_BY[name]
            change = step * int(self._rng.integers(low // step, high // step + 1))
        return value + sign * change if kind == "growth" or value > change else value + change

    def _amount(self) -> int:
        return STEP * divide(self._revenue * int(self._rng.integers(60, 181)), 10_000 * STEP)

    def _distract(self, cancelled: tuple[str, ...]) -> None:
        """Write a note that changes nothing: on the year after, a rumour, or a proposal that was not adopted."""
        spare = [key for key in self._absent() if key not in cancelled]
        key = str(self._rng.choice([*self._plan, *spare, *spare]))
        mode: Mode = "later" if self._rng.random() < 0.5 else "denied"
        value = self._outdated(key, self._plan.get(key, 0))
        self._add(key, mode, value, self._late.pop())

    def _add(self, key: str, mode: Mode, value: int, day: int, earlier: int | None = None) -> None:
        update = mode in ("replace", "shift", "cancel", "later", "denied")
        astray = update and int(self._rng.integers(100)) < self._options.astray
        self._notes.append(
            Note(
                date=self._date(day),
                topic="events" if astray else matter_of(key).topic,
                matter=key,
                mode=mode,
                value=value,
                earlier="" if earlier is None else self._date(earlier),
                phrasing=int(self._rng.integers(9)),
                filler=int(self._rng.integers(12)),
            )
        )

    def _date(self, day: int) -> str:
        return (self._first_day + timedelta(days=int(day))).isoformat()


class Proposer:
    """The sampling half of the prompt layer."""

    identity: Any = Identity

    def __init__(self, options: Options) -> None:
        self.options = options

    def sample(self, rng: np.random.Generator) -> Identity:
        """Propose an instance."""
        return propose(self.options, rng)

    def key(self, identity: Identity) -> list[Any]:
        """The instance by its history and its notes: integers, so there is nothing to quantise."""
        years = [list(year.statements.lines().values()) for year in identity.history]
        notes = [[note.date, note.matter, note.mode, note.value] for note in identity.notes]
        return [identity.name, years, notes]

    def secrets(self, identity: Identity) -> tuple[str, ...]:
        """Numbers of the coming year that would give it away."""
        return hidden_numbers(identity.truth)
