"""The tool layer: the data room and the desk of the analyst.

`statements`, `notes` and `ratios` look things up, `check` ties out a draft against the last balance sheet, `submit`
hands in. No tool compares anything with the year to be forecast: `check` sees the draft and the opening balance only,
`ratios` computes what it is given, so neither can be used to feel for the answer.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Literal

from attrs import Factory, asdict, define, frozen

from harness.errors import Refused
from harness.layers import Toolset
from harness.schema import Length
from harness.tools import tool
from harness_finance import accounts
from harness_finance.accounts import CEILINGS, COVENANTS, IDENTITIES, Call, Statements
from harness_finance.notes import CURRENCIES, write
from harness_finance.sample import Identity

ROUNDING = 2
"""By how many thousands an identity may be off and still hold."""

LARGEST = 10**10
"""Largest amount, in thousands, that a draft may hold; kept out of the schema, where it would stand ninety times."""

Topic = Literal[
    "sales", "costs", "investment", "financing", "tax", "dividends", "working_capital", "one_offs", "events"
]


@define
class Desk:
    """The world of an episode: what has been looked at; everything else is in the identity."""

    topics: list[str] = Factory(list)
    years: list[int] = Factory(list)


@frozen
class Calls:
    """For each covenant, whether the coming year will be in breach of it."""

    leverage: Call
    interest_cover: Call
    current_ratio: Call


class FinanceTools(Toolset):
    """The callable affordances of one episode."""

    World: ClassVar[type] = Desk
    identity: Identity
    world: Desk

    @tool(budget="lookups")
    def statements(self, years: Annotated[list[int], Length(1, 10)]) -> Mapping[str, Any]:
        """Return the statements of past years, with the revenue of each segment.

        Args:
            years: Financial years, such as [2021, 2022]; each must belong to the history.
        """
        chosen = [self._year(year, f"years[{place}]") for place, year in enumerate(years)]
        self.world.years = sorted({*self.world.years, *years})
        parts = ("income", "balance", "cash_flow")
        tables = {part: _columns([asdict(getattr(year.statements, part)) for year in chosen]) for part in parts}
        segments = _columns([dict(year.segments) for year in chosen])
        currency = CURRENCIES[self.identity.currency]["en"]
        return {"unit": f"thousand {currency}", "years": list(years), **tables, "segment_revenue": segments}

    @tool(budget="lookups")
    def notes(self, topic: Topic) -> Mapping[str, Any]:
        """Return the notes that management filed under a topic, in no particular order.

        Args:
            topic: Where the notes are filed; `events` holds later announcements on any matter.
        """
        if topic not in self.world.topics:
            self.world.topics.append(topic)
        found = [note for note in self.identity.notes if note.topic == topic]
        told = [{"date": note.date, "text": self._text(note)} for note in found]
        return {"topic": topic, "notes": told}

    @tool(budget="lookups")
    def ratios(self, year: int | None = None, draft: Statements | None = None) -> Mapping[str, Any]:
        """Return covenant and other ratios of a past year or of a draft; give exactly one of the two.

        Args:
            year: A financial year of the history.
            draft: Statements of your own, whole thousands between -10 and 10 billion.
        """
        if (year is None) == (draft is None):
            got = "neither" if year is None else "both"
            raise Refused(f"arguments year and draft: got {got}, allowed exactly one of them", argument="year")
        figures = _bounded(draft, "draft") if draft is not None else self._year(year or 0, "year").statements
        return {
            "of": "draft" if year is None else f"FY{year}",
            "ratios": accounts.ratios(figures),
            "covenant_limits": {name: _limit(name, self.identity.limits[name]) for name in COVENANTS},
        }

    @tool(budget="checks")
    def check(self, draft: Statements) -> Mapping[str, Any]:
        """Check which accounting identities a draft of the coming year fails against the last balance sheet.

        Args:
            draft: Statements of the coming year, whole thousands between -10 and 10 billion.
        """
        gaps = accounts.residuals(self.identity.last.statements.balance, _bounded(draft, "draft"))
        failing = [
            {"identity": name, "formula": IDENTITIES[name][0], "stated_minus_formula": gap}
            for name, gap in gaps.items()
            if abs(gap) > ROUNDING
        ]
        return {"holding": len(gaps) - len(failing), "failing": failing, "allowed_difference": ROUNDING}

    @tool(final=True)
    def submit(self, forecast: Statements, covenants: Calls) -> str:
        """Hand in the forecast. This ends the task.

        Args:
            forecast: Statements of the coming year, whole thousands between -10 and 10 billion.
            covenants: For each covenant, breach or ok.
        """
        _bounded(forecast, "forecast")
        return "The forecast is handed in."

    def calc_reward(self) -> Mapping[str, Any]:
        """Report which part of the data room was looked at."""
        filed = {note.topic for note in self.identity.notes}
        read = len(filed & set(self.world.topics))
        return {"topics_read": read, "topics_filed": len(filed), "years_read": len(self.world.years)}

    def _year(self, year: int, argument: str) -> Any:
        for known in self.identity.history:
            if known.year == year:
                return known
        first, last = self.identity.history[0].year, self.identity.last.year
        raise Refused(f"argument {argument}: got {year}, allowed {first} to {last}", argument=argument)

    def _text(self, note: Any) -> str:
        return write(note, self.identity.coming, self.identity.currency, self.clock.language)


def _bounded(statements: Statements, argument: str) -> Statements:
    """Refuse amounts beyond `LARGEST`, by their full path."""
    for part in ("income", "balance", "cash_flow"):
        for line, value in asdict(getattr(statements, part)).items():
            if abs(value) > LARGEST:
                path = f"{argument}.{part}.{line}"
                raise Refused(f"argument {path}: got {value}, allowed {-LARGEST} to {LARGEST}", argument=path)
    return statements


def _columns(rows: list[dict[str, int]]) -> dict[str, list[int]]:
    return {name: [row[name] for row in rows] for name in rows[0]}


def _limit(covenant: str, hundredths: int) -> str:
    return f"{'at most' if covenant in CEILINGS else 'at least'} {hundredths / 100:.2f}"
