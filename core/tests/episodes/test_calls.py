"""Tool calls as models really make them: cut, wrapped, doubled, misspelt. Each is answered, counted and never lost."""

from __future__ import annotations

from collections.abc import Callable

import orjson
import pytest

from harness import Completion, InlineEpisode, ToolCall

Begin = Callable[..., InlineEpisode]


def one(name: str, arguments: str, identifier: str = "c") -> Completion:
    return Completion(tool_calls=(ToolCall(identifier, name, arguments),))


def error_of(episode: InlineEpisode) -> dict[str, str]:
    value: dict[str, str] = orjson.loads(episode.messages[-1].text)
    return value


def test_cut_json_is_answered_and_the_episode_goes_on(begin: Begin) -> None:
    episode = begin()
    turn = episode.step(one("ask", '{"value": 3'))
    assert error_of(episode)["error"] == "malformed_call"
    assert (turn.done, episode.log.turns, episode.log.spent("questions")) == (False, 1, 0)
    assert not episode.step(one("ask", '{"value": 3}')).done


def test_arguments_encoded_twice_are_decoded_once_and_flagged(begin: Begin) -> None:
    episode = begin()
    episode.step(one("ask", '"{\\"value\\":3}"'))
    action = episode.log.actions[-1]
    assert (action.status, action.arguments, action.detail) == ("ok", {"value": 3}, "arguments were encoded twice")


@pytest.mark.parametrize("raw", ["[1]", "3", "null", "   ", '"text"', ""])
def test_what_is_no_object_is_a_schema_error(begin: Begin, raw: str) -> None:
    episode = begin()
    episode.step(one("ask", raw))
    assert error_of(episode)["error"] == "invalid_arguments"


def test_an_empty_string_is_no_arguments(begin: Begin) -> None:
    episode = begin("faulty")
    episode.step(one("nothing", ""))
    assert episode.log.actions[-1].status == "ok"


def test_a_complete_call_in_a_cut_message_is_not_executed(begin: Begin) -> None:
    episode = begin()
    turn = episode.step(Completion(tool_calls=(ToolCall("c", "submit", '{"value": 3}'),), finish_reason="length"))
    assert (turn.done, turn.reason) == (True, "length_truncated")
    assert [m.tool_call_id for m in turn.messages] == ["c"]
    outcome = episode.close()
    assert (outcome.status, outcome.reason, outcome.success) == ("scored", "length_truncated", False)
    assert episode.log.answer is None


def test_one_call_a_turn_answers_every_call(begin: Begin) -> None:
    episode = begin("faulty", calls_per_turn=1)
    turn = episode.step(Completion(tool_calls=tuple(ToolCall(f"c{i}", "increment", "{}") for i in range(3))))
    assert [m.tool_call_id for m in turn.messages] == ["c0", "c1", "c2"]
    assert [a.status for a in episode.log.actions] == ["ok", "not_executed", "not_executed"]


def test_calls_of_one_turn_run_in_order_on_shared_state(begin: Begin) -> None:
    episode = begin("faulty")
    episode.step(Completion(tool_calls=tuple(ToolCall(f"c{i}", "increment", "{}") for i in range(2))))
    assert [orjson.loads(m.text)["count"] for m in episode.messages[-2:]] == [1, 2]


def test_calls_after_the_answer_are_not_executed(begin: Begin) -> None:
    episode = begin("faulty")
    calls = (ToolCall("a", "submit", "{}"), ToolCall("b", "increment", "{}"))
    turn = episode.step(Completion(tool_calls=calls))
    assert [a.status for a in episode.log.actions] == ["ok", "not_executed"]
    assert (turn.done, turn.reason) == (True, "answered")
    assert episode.close().reason == "solved"


def test_null_stays_null_for_an_optional_integer(begin: Begin) -> None:
    episode = begin("faulty")
    episode.step(one("submit", '{"value": null}'))
    assert episode.log.answer == {"value": None}


@pytest.mark.parametrize("arguments", ['{"kind": "surrogate"}', '{"kind": "\\ud835"}'])
def test_lone_surrogates_harm_nobody(begin: Begin, arguments: str) -> None:
    episode = begin("faulty")
    turn = episode.step(Completion("text \ud835", None, (ToolCall("c", "act", arguments),)))
    assert not turn.done
    assert episode.close().status == "scored"


def test_unknown_names_name_the_nearest(begin: Begin) -> None:
    episode = begin()
    episode.step(one("submti", "{}"))
    assert "did you mean 'submit'" in error_of(episode)["message"]
    episode.step(one("ask", '{"vlue": 3}'))
    assert "did you mean 'value'" in error_of(episode)["message"]
    episode.step(one("ask", '{"value": "3"}'))
    assert error_of(episode) == {
        "error": "invalid_arguments",
        "message": "ask: argument value: got '3', expected an integer",
        "argument": "value",
    }


def test_doubled_and_missing_ids_get_their_own(begin: Begin) -> None:
    episode = begin("faulty")
    turn = episode.step(Completion(None, None, tuple(ToolCall(i, "increment", "{}") for i in ("x", "x", ""))))
    ids = [m.tool_call_id for m in turn.messages]
    assert len(set(ids)) == 3
    assert ids == [c.id for c in episode.messages[-4].tool_calls]


def test_a_tool_that_raises_is_one_failed_call_without_detail(begin: Begin) -> None:
    episode = begin("faulty")
    episode.step(one("act", '{"kind": "raise"}'))
    told = error_of(episode)
    assert told["error"] == "infeasible_state"
    assert "secret-key" not in episode.messages[-1].text
    assert "KeyError" in episode.log.actions[-1].detail
    assert told["budget"] == "2 of 3 breaks left"
    episode.step(one("act", '{"kind": "object"}'))
    assert error_of(episode)["error"] == "infeasible_state"
    episode.step(one("act", '{"kind": "nan"}'))
    assert "nan is not a finite number" in episode.log.actions[-1].detail
    assert episode.close().status == "scored"


def test_a_refused_call_costs_the_turn_only(begin: Begin) -> None:
    episode = begin()
    episode.step(one("ask", '{"value": 200}'))
    assert error_of(episode)["error"] == "invalid_arguments"
    assert error_of(episode)["budget"] == "5 of 5 questions left"
    assert episode.log.spent("questions") == 0


def test_an_exhausted_budget_is_answered_and_not_executed(begin: Begin) -> None:
    episode = begin()
    for _ in range(6):
        episode.step(one("ask", '{"value": 3}'))
    assert error_of(episode)["error"] == "budget_exhausted"
    assert episode.log.spent("questions") == 5


def test_integers_beyond_64_bits_are_refused_by_bounds(begin: Begin) -> None:
    episode = begin()
    episode.step(one("ask", '{"value": 1000000000000000000000000000000}'))
    assert error_of(episode)["error"] == "invalid_arguments"
