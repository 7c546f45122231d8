"""The desk: what is refused, what it costs, what is unsafe, and that time only moves by `advance`."""

from __future__ import annotations

import json
from typing import Any

import pytest
from epidemic_cases import opened

from harness import Completion, Sample, Task, ToolCall, load_task


@pytest.mark.parametrize(
    ("tool", "arguments", "argument", "said"),
    [
        ("set_policy", {"region": "all", "distancing": 5}, "distancing", "got 5, allowed 0 to 4"),
        ("set_policy", {"region": "all", "distancing": "2"}, "distancing", "got '2', expected an integer"),
        ("set_policy", {"region": "all", "testing": -1}, "testing", "got -1, allowed 0 to 2"),
        (
            "set_policy",
            {"region": "all", "schools": "shut"},
            "schools",
            "got 'shut', allowed 'open', 'hybrid', 'closed'",
        ),
        ("set_policy", {"region": "Atlantis", "masks": True}, "region", "got 'Atlantis', allowed "),
        ("set_policy", {"region": "all"}, "distancing", "allowed at least one"),
        ("set_policy", {"region": "all", "mask": True}, "mask", "did you mean 'masks'?"),
        ("allocate", {"region": "all", "doses": -1}, "doses", "got -1, allowed 0 to"),
        ("allocate", {"region": "all", "doses": 10**30}, "doses", "allowed 0 to"),
        ("allocate", {"region": "all", "tests": 9_999_999}, "tests", "got 9999999, allowed 0 to"),
        ("allocate", {"region": "all", "beds": 1.5}, "beds", "got 1.5, expected an integer"),
        ("allocate", {"region": "all"}, "doses", "allowed at least 1"),
        ("advance", {"weeks": 0}, "weeks", "got 0, allowed 1 to 4"),
        ("advance", {"weeks": 9}, "weeks", "got 9, allowed 1 to 4"),
        ("advance", '{"weeks": NaN}', "", "not valid JSON"),
        ("advance", '{"weeks": 1e999}', "", ""),
    ],
)
def test_bad_arguments_name_argument_got_and_allowed_and_cost_the_turn_only(
    medium: Task, medium_sample: Sample, tool: str, arguments: Any, argument: str, said: str
) -> None:
    episode, ask = opened(medium, medium_sample)
    told = ask(tool, arguments)
    assert told["error"] in ("invalid_arguments", "malformed_call")
    assert said in told["message"]
    assert told.get("argument", "") == argument
    assert episode.log.turns == 1
    assert not episode.log.spent("orders")
    assert not episode.log.spent("bulletins")
    assert ask("bulletin")["week"] == 0


def test_a_misspelt_region_is_told_the_nearest(medium: Task, medium_sample: Sample) -> None:
    name = medium_sample.identity["regions"][0]["name"]
    _, ask = opened(medium, medium_sample)
    assert f"did you mean '{name}'?" in ask("set_policy", {"region": name + "e", "masks": True})["message"]


def test_more_than_the_store_holds_is_refused_with_what_it_holds(medium: Task, medium_sample: Sample) -> None:
    _, ask = opened(medium, medium_sample)
    held = medium_sample.identity["supply"]["beds"]
    assert f"got {held + 1}, allowed 0 to {held}" in ask("allocate", {"region": "all", "beds": held + 1})["message"]
    answer = ask("allocate", {"region": "all", "beds": held})
    assert sum(answer["sent"]["beds"].values()) == held
    assert answer["store"]["beds"] == 0


def poor(task: Task, sample: Sample, treasury: int) -> Sample:
    from attrs import evolve

    identity = json.loads(json.dumps(sample.identity))
    identity["supply"]["treasury"] = treasury
    return evolve(sample, identity=identity)


def test_overspending_on_beds_is_unsafe_and_charged(medium: Task, medium_sample: Sample) -> None:
    episode, ask = opened(medium, poor(medium, medium_sample, 100))
    told = ask("allocate", {"region": "all", "beds": 20})
    assert told["error"] == "unsafe_action"
    assert told["argument"] == "beds"
    assert "got 20 at 12 credits each, allowed 8 with 100 credits left" in told["message"]
    assert episode.log.spent("orders") == 1


def test_measures_that_cannot_be_paid_are_not_in_force(medium: Task, medium_sample: Sample) -> None:
    _, ask = opened(medium, poor(medium, medium_sample, 100))
    ask("set_policy", {"region": "all", "distancing": 4})
    told = ask("advance", {"weeks": 2})
    assert told["credits_used"] == 0
    assert "overspent: in 2 weeks" in told["warning"]


def test_only_advance_moves_time_and_beds_come_two_weeks_later(medium: Task, medium_sample: Sample) -> None:
    name, place = medium_sample.identity["regions"][0]["name"], medium_sample.identity["regions"][0]
    _, ask = opened(medium, medium_sample)
    ask("allocate", {"region": name, "beds": 10})
    weeks = [ask("bulletin")["regions"][name]]
    for _ in range(2):
        ask("advance", {"weeks": 1})
        weeks.append(ask("bulletin")["regions"][name])
    assert [week["beds"] for week in weeks] == [place["beds"]] * 2 + [place["beds"] + 10]
    assert [week["beds_coming"] for week in weeks] == [10, 10, 0]


def test_all_splits_by_population_and_loses_nothing(medium: Task, medium_sample: Sample) -> None:
    _, ask = opened(medium, medium_sample)
    sent = ask("allocate", {"region": "all", "tests": 1001})["sent"]["tests"]
    people = {region["name"]: region["population"] for region in medium_sample.identity["regions"]}
    assert sum(sent.values()) == 1001
    for name, amount in sent.items():
        assert amount == pytest.approx(1001 * people[name] / sum(people.values()), abs=len(people))


def test_bulletins_run_out(medium: Task, medium_sample: Sample) -> None:
    episode, ask = opened(medium, medium_sample)
    granted = medium_sample.limits.budgets["bulletins"]
    for left in reversed(range(granted)):
        assert ask("bulletin")["budget"] == f"{left} of {granted} bulletins left"
    assert ask("bulletin")["error"] == "budget_exhausted"
    assert episode.log.spent("bulletins") == granted


def test_advance_stops_at_the_horizon(easy: Task) -> None:
    sample = easy.sample(0, seed=3)
    episode, ask = opened(easy, sample)
    weeks = sample.identity["weeks"]
    for _ in range((weeks - 2) // 4):
        ask("advance", {"weeks": 4})
    left = weeks - 4 * ((weeks - 2) // 4)
    if left < 4:
        assert f"allowed 1 to {left} (weeks left)" in ask("advance", {"weeks": 4})["message"]
    ask("advance", {"weeks": left})
    assert episode.done
    assert episode.close().status == "scored"


def test_silence_ends_the_episode_and_the_rest_runs_out(easy: Task) -> None:
    episode, _ = opened(easy, easy.sample(1, seed=3))
    for _ in range(3):
        episode.step(Completion("I wait."))
    assert episode.done
    outcome = episode.close()
    assert outcome.reason == "no_answer"
    assert outcome.reward == 0.0


def test_dense_tells_how_the_targets_stand_and_sparse_does_not(easy: Task) -> None:
    dense = load_task("epidemic", group="easy", options={"dense": True})
    assert dense.options_digest == easy.options_digest
    for task, told in ((easy, False), (dense, True)):
        _, ask = opened(task, task.sample(2, seed=3))
        answer = ask("advance", {"weeks": 1})
        assert ("standing" in answer) is told
    assert set(answer["standing"]) == {"deaths", "overflow", "cost", "aftermath"}


def test_calls_of_one_turn_are_carried_out_in_order(medium: Task, medium_sample: Sample) -> None:
    episode, _ask = opened(medium, medium_sample)
    calls = [("set_policy", {"region": "all", "distancing": 1}), ("advance", {"weeks": 1}), ("bulletin", {})]
    made = tuple(ToolCall(f"c{i}", name, json.dumps(given)) for i, (name, given) in enumerate(calls))
    turn = episode.step(Completion(tool_calls=made, finish_reason="tool_calls"))
    last = json.loads(turn.messages[-1].text)
    assert last["week"] == 1
    assert last["credits_spent"] > 0
