"""The tools: what they answer, how they refuse, and that none of them knows the coming year."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from attrs import asdict, evolve

from harness import Clock, Completion, InlineEpisode, Refused, Task, ToolCall
from harness_finance import company
from harness_finance.accounts import ratios
from harness_finance.notes import TOPICS
from harness_finance.sample import Identity
from harness_finance.tools import LARGEST, Desk, FinanceTools

Ask = Callable[..., dict[str, Any]]


def tools(identity: Identity, language: str = "en") -> FinanceTools:
    return FinanceTools(identity, None, Desk(), Clock(language=language))


def draft_of(identity: Identity) -> dict[str, Any]:
    return asdict(company.advance(identity.last, identity.plan).statements)


def test_statements_give_the_years_in_the_order_asked_for(identity: Identity) -> None:
    years = [identity.last.year, identity.history[0].year]
    answer = tools(identity).statements(years)
    assert answer["years"] == years
    assert answer["income"]["revenue"][0] == identity.last.statements.income.revenue
    assert answer["balance"]["cash"][1] == identity.history[0].statements.balance.cash
    assert list(answer["segment_revenue"]) == list(identity.last.segments)


def test_all_notes_are_found_under_their_topics(identity: Identity) -> None:
    desk = tools(identity)
    told = [note for topic in TOPICS for note in desk.notes(topic)["notes"]]
    assert len(told) == len(identity.notes)
    assert desk.world.topics == list(TOPICS)
    assert desk.calc_reward()["topics_read"] == desk.calc_reward()["topics_filed"]


def test_notes_are_told_in_the_language_of_the_episode(identity: Identity) -> None:
    english, chinese = (tools(identity, language).notes("sales")["notes"][0]["text"] for language in ("en", "zh"))
    assert english.isascii()
    assert not chinese.isascii()


def test_ratios_of_a_year_and_of_a_draft(identity: Identity) -> None:
    desk, last = tools(identity), identity.last
    past = desk.ratios(year=last.year)
    assert past["ratios"] == ratios(last.statements)
    assert past["covenant_limits"]["leverage"] == f"at most {identity.limits['leverage'] / 100:.2f}"
    assert desk.ratios(draft=last.statements)["ratios"] == past["ratios"]
    with pytest.raises(Refused, match="neither, allowed exactly one"):
        desk.ratios()
    with pytest.raises(Refused, match="both, allowed exactly one"):
        desk.ratios(year=last.year, draft=last.statements)


def test_check_names_what_fails_and_by_how_much(identity: Identity) -> None:
    desk, year = tools(identity), company.advance(identity.last, identity.plan).statements
    assert desk.check(year)["failing"] == []
    assert desk.check(evolve(year, balance=evolve(year.balance, cash=year.balance.cash + 2)))["failing"] == []
    answer = desk.check(evolve(year, balance=evolve(year.balance, cash=year.balance.cash - 9)))
    assert {f["identity"]: f["stated_minus_formula"] for f in answer["failing"]} == {"cash": -9, "total_assets": 9}
    assert answer["holding"] == 12


def test_no_tool_depends_on_the_coming_year(identity: Identity) -> None:
    """Canary: with another actual year and plan, every answer is the same."""
    other = evolve(identity, truth=identity.history[0], plan={})
    draft = company.advance(identity.last, identity.plan).statements
    for one, two in ((tools(identity), tools(other)),):
        assert one.statements([identity.last.year]) == two.statements([identity.last.year])
        assert [one.notes(t) for t in TOPICS] == [two.notes(t) for t in TOPICS]
        assert one.check(draft) == two.check(draft)
        assert one.ratios(draft=draft) == two.ratios(draft=draft)
        assert one.calc_reward() == two.calc_reward()


def test_secrets_are_in_no_byte_that_a_policy_sees(task: Task) -> None:
    for number in range(15):
        sample = task.sample(number)
        identity = task.decode_identity(sample.identity)
        desk = tools(identity)
        seen = [m.text for m in sample.messages]
        seen.append(json.dumps([spec.schema.openai() for spec in task.specs.values()]))
        seen.append(json.dumps(desk.statements([year.year for year in identity.history])))
        seen += [json.dumps(desk.notes(topic)) for topic in TOPICS]
        seen.append(json.dumps(desk.ratios(draft=company.advance(identity.last, identity.plan).statements)))
        assert not any(secret in text for secret in task.secrets(identity) for text in seen)


def _with(draft: dict[str, Any], part: str, line: str, value: Any) -> dict[str, Any]:
    return draft | {part: draft[part] | {line: value}}


BAD_CALLS = [
    ("statements", {"years": [1900]}, "invalid_arguments", ["years[0]", "1900", " to "]),
    ("statements", {"years": []}, "invalid_arguments", ["years", "0", "1 to 10"]),
    ("statements", {"years": [2000] * 11}, "invalid_arguments", ["years", "11", "1 to 10"]),
    ("statements", {"years": ["2020"]}, "invalid_arguments", ["years[0]", "'2020'", "integer"]),
    ("statements", {"years": [2020.5]}, "invalid_arguments", ["years[0]", "2020.5", "integer"]),
    ("statements", {"years": 2020}, "invalid_arguments", ["years", "2020", "array"]),
    ("statements", {}, "invalid_arguments", ["years", "missing", "array"]),
    ("statements", {"years": [10**30]}, "invalid_arguments", ["years[0]", "allowed"]),
    ("statements", '{"years": [NaN]}', "malformed_call", ["JSON"]),
    ("statements", '{"years": [1e999]}', None, ["years"]),
    ("notes", {"topic": "salse"}, "invalid_arguments", ["topic", "'salse'", "'sales'"]),
    ("notes", {"topic": ""}, "invalid_arguments", ["topic", "'costs'"]),
    ("notes", {"subject": "sales"}, "invalid_arguments", ["subject", "unknown name"]),
    ("notes", {"topic": ["sales"]}, "invalid_arguments", ["topic", "allowed"]),
    ("ratios", {}, "invalid_arguments", ["year", "neither", "exactly one"]),
    ("ratios", {"year": 3000}, "invalid_arguments", ["year", "3000", " to "]),
    ("ratios", {"year": True}, "invalid_arguments", ["year", "True", "integer"]),
    ("ratios", {"draft": {}}, "invalid_arguments", ["draft", "missing"]),
    ("check", {"draft": None}, "invalid_arguments", ["draft", "None", "object"]),
    ("check", "[1]", "invalid_arguments", ["JSON object"]),
    ("check", '{"draft": {"income"', "malformed_call", ["JSON"]),
    ("submit", {"forecast": {}}, "invalid_arguments", ["covenants", "missing"]),
    ("audit", {}, "unknown_tool", ["audit"]),
]


@pytest.mark.parametrize(("tool", "arguments", "reason", "words"), BAD_CALLS)
def test_bad_calls_are_refused_by_name(
    ask: Ask, tool: str, arguments: Any, reason: str | None, words: list[str]
) -> None:
    answer = ask(tool, arguments)
    assert answer["error"] == reason or (reason is None and answer["error"] in ("invalid_arguments", "malformed_call"))
    assert all(word in answer["message"] for word in words if reason is not None), answer
    log = ask.episode.log  # type: ignore[attr-defined]
    assert log.spent("lookups") == 0
    assert log.spent("checks") == 0
    assert log.turns == 1


@pytest.mark.parametrize(
    ("part", "line", "value", "words"),
    [
        ("balance", "cash", LARGEST + 1, ["draft.balance.cash", str(LARGEST + 1), str(LARGEST)]),
        ("cash_flow", "capex", -(10**30), ["draft.cash_flow.capex", str(-LARGEST)]),
        ("balance", "cash", 12.5, ["draft.balance.cash", "12.5", "integer"]),
        ("balance", "cash", "12", ["draft.balance.cash", "'12'", "integer"]),
        ("balance", "cash", None, ["draft.balance.cash", "None", "integer"]),
        ("income", "tax_rate_bp", 10_001, ["draft.income.tax_rate_bp", "10001", "0 to 10000"]),
        ("income", "tax_rate_bp", -1, ["draft.income.tax_rate_bp", "-1", "0 to 10000"]),
        ("cash_flow", "capexx", 5, ["draft.cash_flow.capexx", "'capex'"]),
    ],
)
def test_bad_lines_of_a_draft_are_named(
    ask: Ask, identity: Identity, part: str, line: str, value: Any, words: list[str]
) -> None:
    answer = ask("check", {"draft": _with(draft_of(identity), part, line, value)})
    assert answer["error"] == "invalid_arguments"
    assert all(word in answer["message"] for word in words), answer["message"]


def test_bad_covenant_calls_are_named_and_do_not_end_the_episode(ask: Ask, identity: Identity) -> None:
    calls = {"leverage": "ok", "interest_cover": "Breach", "current_ratio": "ok"}
    answer = ask("submit", {"forecast": draft_of(identity), "covenants": calls})
    assert answer["error"] == "invalid_arguments"
    assert all(word in answer["message"] for word in ("covenants.interest_cover", "'Breach'", "'breach'"))
    assert not ask.episode.done  # type: ignore[attr-defined]


def test_budgets_are_told_and_enforced(task: Task) -> None:
    sample = task.sample(0)
    episode = InlineEpisode(task, sample)
    episode.open()
    lookups = sample.limits.budgets["lookups"]
    many = tuple(ToolCall(f"c{i}", "notes", '{"topic": "sales"}') for i in range(lookups + 1))
    answers = [json.loads(m.text) for m in episode.step(Completion(tool_calls=many)).messages]
    assert answers[0]["budget"] == f"{lookups - 1} of {lookups} lookups left"
    assert answers[-2]["budget"] == f"0 of {lookups} lookups left"
    assert answers[-1]["error"] == "budget_exhausted"
    identity = task.decode_identity(sample.identity)
    draft = json.dumps({"draft": draft_of(identity)})
    checks = tuple(ToolCall(f"k{i}", "check", draft) for i in range(sample.limits.budgets["checks"] + 1))
    answers = [json.loads(m.text) for m in episode.step(Completion(tool_calls=checks)).messages]
    assert [a.get("error") for a in answers] == [None] * (len(checks) - 1) + ["budget_exhausted"]
    outcome = episode.close()
    assert outcome.status == "scored"
    assert outcome.reward == 0.0


def test_extreme_drafts_never_crash_a_tool(identity: Identity) -> None:
    rng, desk = np.random.default_rng(0), tools(identity)
    template = draft_of(identity)
    for value in (0, 1, -1, LARGEST, -LARGEST, *(int(v) for v in rng.integers(-LARGEST, LARGEST, 20))):
        filled = {part: dict.fromkeys(lines, value) for part, lines in template.items()}
        figures = company.advance(identity.last, {}).statements
        figures = type(figures)(
            *(type(getattr(figures, part))(**lines) for part, lines in filled.items()),
        )
        json.dumps(desk.check(figures), allow_nan=False)
        json.dumps(desk.ratios(draft=figures), allow_nan=False)
