"""The reward layer: scores the submitted forecast against the actual year, from identity and typed answer alone.

Success asks for three things at once: every accounting identity to rounding, every graded line within its told
tolerance, every covenant called as the actual year shows it. Partial credit is the mean closeness of the lines, the
share of identities that hold and the share of right calls; the rest of a success rewards precision, unused checks and
unused turns.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from attrs import frozen

from harness.records import Log, Score, Term
from harness.schema import conform
from harness_finance import accounts
from harness_finance.accounts import COVENANTS, Statements
from harness_finance.sample import Identity, Options
from harness_finance.tools import ROUNDING, Calls

REACH = 10
"""Multiple of its tolerance at which a line earns nothing."""


@frozen
class Marks:
    """A marked forecast.

    Attributes:
        errors: Graded line → absolute error in units of its tolerance (an exact line: in halves of a unit).
        gaps: Identity → absolute difference, in thousands.
        right: Covenant → whether it was called right.
    """

    errors: Mapping[str, float]
    gaps: Mapping[str, int]
    right: Mapping[str, bool]

    @property
    def margin(self) -> float:
        """Distance of the weakest requirement from its boundary, between -1 and 1; at least 0 if all are met."""
        lines = [1 - error for error in self.errors.values()]
        ties = [1 - gap / (ROUNDING + 0.5) for gap in self.gaps.values()]
        calls = [1.0 if right else -1.0 for right in self.right.values()]
        return max(-1.0, min(1.0, *lines, *ties, *calls))

    @property
    def detail(self) -> str:
        """One line for the trace, without any number of the actual year."""
        lines = sum(error > 1 for error in self.errors.values())
        ties = sum(gap > ROUNDING for gap in self.gaps.values())
        calls = sum(not right for right in self.right.values())
        return (
            f"{lines} graded lines outside their tolerance, {ties} identities failing, {calls} covenants called wrongly"
        )


def mark(identity: Identity, forecast: Statements, calls: Calls) -> Marks:
    """Compare a forecast with the actual year."""
    lines, actual = forecast.lines(), identity.truth.statements
    true = actual.lines()
    gaps = accounts.residuals(identity.last.statements.balance, forecast)
    right = {
        name: (getattr(calls, name) == "breach") == accounts.breached(actual, name, identity.limits[name])
        for name in COVENANTS
    }
    errors = {item: _size(lines[item] - true[item]) / max(size, 0.5) for item, size in identity.tolerances.items()}
    return Marks(errors, {name: _size(gap) for name, gap in gaps.items()}, right)


def _size(gap: int) -> int:
    """Absolute value, cut where it has long ceased to matter, so that no absurd number overflows a float."""
    return min(abs(gap), 10**12)


class FinanceReward:
    """Scores an episode."""

    id = "finance-1"

    def __init__(self, options: Options) -> None:
        self.options = options

    def score(self, identity: Identity, log: Log) -> Score:
        """Score the submitted forecast; without one nothing is earned."""
        if log.answer is None:
            return Score(False, _progress(0.0, 0.0, 0.0), margin=-1.0, detail="nothing was submitted")
        marks = mark(identity, *read_answer(log.answer))
        closeness = _mean([_closeness(error) for error in marks.errors.values()])
        ties = _mean([float(gap <= ROUNDING) for gap in marks.gaps.values()])
        calls = _mean([float(right) for right in marks.right.values()])
        return Score(
            success=marks.margin >= 0,
            progress=_progress(closeness, ties, calls),
            efficiency=self._efficiency(marks, log),
            margin=marks.margin,
            detail=marks.detail,
        )

    def _efficiency(self, marks: Marks, log: Log) -> tuple[Term, ...]:
        precision = _mean([max(0.0, 1 - error) for error in marks.errors.values()])
        checks = 1 - log.spent("checks") / self.options.checks if self.options.checks else 1.0
        turns = 1 - log.turns / self.options.turns
        return (
            Term("precision", precision, 2),
            Term("checks_unused", min(1.0, max(0.0, checks))),
            Term("turns_unused", min(1.0, max(0.0, turns))),
        )


def read_answer(answer: Mapping[str, Any]) -> tuple[Statements, Calls]:
    """Turn the arguments of `submit` into records."""
    return conform(answer["forecast"], Statements), conform(answer["covenants"], Calls)


def _progress(closeness: float, ties: float, calls: float) -> tuple[Term, ...]:
    return (Term("lines", closeness, 3), Term("identities", ties, 1), Term("covenants", calls, 1))


def _closeness(error: float) -> float:
    return 1.0 if error <= 1 else max(0.0, (REACH - error) / (REACH - 1))


def _mean(values: list[float]) -> float:
    return sum(values) / len(values)
