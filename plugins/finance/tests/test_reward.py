"""The reward: success needs everything at once, partial credit is monotone and stays below it."""

from __future__ import annotations

from typing import Any

import pytest
from attrs import asdict, evolve

from harness import Action, Log, Score, Task
from harness_finance import company
from harness_finance.accounts import COVENANTS, Statements, breached, close_books
from harness_finance.reward import FinanceReward, mark, read_answer
from harness_finance.sample import Identity
from harness_finance.shortcuts import entries_of


def right_calls(identity: Identity) -> dict[str, str]:
    actual = identity.truth.statements
    return {n: "breach" if breached(actual, n, identity.limits[n]) else "ok" for n in COVENANTS}


def score(task: Task, identity: Identity, forecast: Statements, calls: dict[str, str], **extra: Any) -> Score:
    answer = {"forecast": asdict(forecast), "covenants": calls}
    return FinanceReward(task.options).score(identity, Log(answer=answer, turns=4, end="answered", **extra))


def test_the_actual_year_is_a_full_success(easy: Task, identity: Identity) -> None:
    perfect = score(easy, identity, identity.truth.statements, right_calls(identity))
    assert perfect.success
    assert perfect.margin == 1.0
    assert 0.9 < perfect.total <= 1.0


def test_checks_turns_and_imprecision_cost_within_the_upper_fifth(easy: Task, identity: Identity) -> None:
    plain = company.advance(identity.last, identity.plan).statements
    spent = tuple(Action(1, "check", {}, "ok", "checks") for _ in range(3))
    costly = score(easy, identity, plain, right_calls(identity), actions=spent)
    cheap = score(easy, identity, plain, right_calls(identity))
    assert costly.success
    assert 0.8 <= costly.total < cheap.total
    assert cheap.total < score(easy, identity, identity.truth.statements, right_calls(identity)).total


@pytest.mark.parametrize("covenant", COVENANTS)
def test_one_wrong_call_is_a_failure(easy: Task, identity: Identity, covenant: str) -> None:
    calls = right_calls(identity)
    calls[covenant] = "ok" if calls[covenant] == "breach" else "breach"
    failed = score(easy, identity, identity.truth.statements, calls)
    assert not failed.success
    assert failed.total <= 0.6
    assert failed.margin == -1.0


@pytest.mark.parametrize(("shift", "holds"), [(2, True), (-2, True), (3, False), (-3, False)])
def test_identities_must_hold_to_rounding(easy: Task, identity: Identity, shift: int, holds: bool) -> None:
    actual = identity.truth.statements
    off = evolve(actual, cash_flow=evolve(actual.cash_flow, tax_paid=actual.cash_flow.tax_paid + shift))
    assert score(easy, identity, off, right_calls(identity)).success is holds


@pytest.mark.parametrize(("beyond", "holds"), [(0, True), (1, False)])
def test_each_graded_line_has_its_own_tolerance(task: Task, beyond: int, holds: bool) -> None:
    """Grade one line at a time, with the identities left out of the question by grading the error alone."""
    identity = task.decode_identity(task.sample(0).identity)
    actual = identity.truth.statements
    calls = read_answer({"forecast": asdict(actual), "covenants": right_calls(identity)})[1]
    for item, size in identity.tolerances.items():
        part = next(p for p in ("income", "balance", "cash_flow") if hasattr(getattr(actual, p), item))
        lines = getattr(actual, part)
        off = evolve(actual, **{part: evolve(lines, **{item: getattr(lines, item) - size - beyond})})
        assert (mark(identity, off, calls).errors[item] <= 1) is holds, item


def test_partial_credit_never_rises_with_the_error(easy: Task, identity: Identity) -> None:
    opening, entries = identity.last.statements.balance, entries_of(identity.truth.statements)
    calls = right_calls(identity)
    totals = []
    for step in range(30):
        worse = evolve(entries, revenue=entries.revenue + step * identity.tolerances["revenue"] // 2)
        result = score(easy, identity, close_books(opening, worse), calls)
        assert result.success or result.total <= 0.6
        totals.append(result.total)
    assert totals == sorted(totals, reverse=True)
    assert totals[-1] < 0.5 < totals[0]


def test_nothing_submitted_earns_nothing(easy: Task, identity: Identity) -> None:
    empty = FinanceReward(easy.options).score(identity, Log(turns=24, end="budget_exhausted"))
    assert not empty.success
    assert empty.total == 0.0


def test_zeros_earn_little(easy: Task, identity: Identity) -> None:
    actual = asdict(identity.truth.statements)
    zeros = {part: dict.fromkeys(lines, 0) for part, lines in actual.items()}
    answer = {"forecast": zeros, "covenants": dict.fromkeys(COVENANTS, "ok")}
    assert FinanceReward(easy.options).score(identity, Log(answer=answer)).total < 0.2


@pytest.mark.parametrize("size", [10**19, int(1e308), -int(1e308)])
def test_absurd_numbers_are_scored_low_and_finite(easy: Task, identity: Identity, size: int) -> None:
    huge = {part: dict.fromkeys(lines, size) for part, lines in asdict(identity.truth.statements).items()}
    huge["income"]["tax_rate_bp"] = 10_000
    answer = {"forecast": huge, "covenants": right_calls(identity)}
    result = FinanceReward(easy.options).score(identity, Log(answer=answer))
    assert not result.success
    assert result.margin == -1.0
    assert result.total < 0.3


def test_scoring_is_repeatable_and_reads_whole_floats(easy: Task, identity: Identity) -> None:
    answer = {"forecast": asdict(identity.truth.statements), "covenants": right_calls(identity)}
    floats = {part: {k: float(v) for k, v in lines.items()} for part, lines in answer["forecast"].items()}
    reward = FinanceReward(easy.options)
    first = reward.score(identity, Log(answer=answer, turns=3))
    assert reward.score(identity, Log(answer=answer, turns=3)) == first
    assert reward.score(identity, Log(answer=answer | {"forecast": floats}, turns=3)) == first


def test_the_detail_names_counts_and_no_actual_number(easy: Task, identity: Identity) -> None:
    result = score(easy, identity, identity.last.statements, right_calls(identity))
    assert "identities failing" in result.detail
    assert not any(number in result.detail for number in easy.secrets(identity))
