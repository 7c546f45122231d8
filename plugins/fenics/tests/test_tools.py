"""The tools: what they answer, what they refuse and how, and what nothing can be got out of."""

from __future__ import annotations

import json
from typing import Any

import pytest

from harness import Completion, InlineEpisode, Task, ToolCall
from harness_fenics.sample import Drive, Puzzle


def drive_of(task: Task) -> Drive:
    found: Drive = task.decode_identity(task.sample(0).identity)
    return found


def puzzle_of(task: Task) -> Puzzle:
    found: Puzzle = task.decode_identity(task.sample(0).identity)
    return found


def test_solve_tells_the_signed_distance_of_every_requirement(flux: Task, ask_flux: Any) -> None:
    _, ask = ask_flux
    drive = drive_of(flux)
    cold = ask("solve", {"controls": [0.0] * len(drive.answer)})
    for monitor, told in zip(drive.monitors, cold["monitors"].values(), strict=True):
        assert told["off_K"] == pytest.approx(told["T_K"] - monitor.target, abs=0.011)
        assert told["off_K"] < 0
        assert not told["met"]
    assert cold["hottest"]["above_limit_K"] < 0
    assert cold["hottest"]["met"]
    assert cold["load"]["above_limit"] == pytest.approx(-drive.load)
    assert cold["budget"] == "6 of 7 solves left"


def test_an_unsafe_state_is_named_in_feedback_and_trace(flux: Task, ask_flux: Any) -> None:
    episode, ask = ask_flux
    drive = drive_of(flux)
    hot = ask("solve", {"controls": [drive.ceiling] * len(drive.answer)})
    assert hot["hottest"]["unsafe"].startswith("over-temperature: ")
    assert hot["load"]["unsafe"].startswith("overload: ")
    assert episode.log.actions[-1].metrics["over_temperature"] > 0


def test_the_hidden_solution_meets_everything(task: Task) -> None:
    """The requirements come from it, and the true temperatures are their own predictions."""
    from harness_fenics.tools import verdict
    from harness_fenics.world import read, temperatures

    identity = task.decode_identity(task.sample(3).identity)
    if isinstance(identity, Puzzle):
        assert len(temperatures(identity, identity.values, identity.held)) == 3
        return
    told = verdict(identity, read(identity, identity.answer))
    parts = [*told["monitors"].values(), told["hottest"], told["bond"], told["load"]]
    assert all(part["met"] for part in parts)


BAD_CONTROLS = [
    ({"controls": [1.0, 2.0]}, "controls", "length 2"),
    ({"controls": [1.0, 2.0, 3.0, 4.0]}, "controls", "exactly 3"),
    ({"controls": [1.0, -2.0, 3.0]}, "controls[1]", "allowed 0 to"),
    ({"controls": [1.0, 2.0, 1e9]}, "controls[2]", "allowed 0 to"),
    ({"controls": [1.0, 2.0, "3"]}, "controls[2]", "expected a number"),
    ({"controls": 5}, "controls", "expected an array"),
    ({"control": [1.0, 2.0, 3.0]}, "control", "did you mean"),
    ({}, "controls", "is missing"),
]


@pytest.mark.parametrize("tool", ["solve", "submit"])
@pytest.mark.parametrize(("arguments", "argument", "phrase"), BAD_CONTROLS)
def test_bad_controls_are_refused_by_name_and_cost_no_solve(
    ask_flux: Any, tool: str, arguments: Any, argument: str, phrase: str
) -> None:
    episode, ask = ask_flux
    answer = ask(tool, arguments)
    assert answer["error"] == "invalid_arguments"
    assert answer["argument"] == argument
    assert phrase in answer["message"]
    assert episode.log.spent("solves") == 0
    assert not episode.done


@pytest.mark.parametrize(("x", "y", "argument"), [(-1, 5, "x"), (5, 1e6, "y")])
def test_a_point_beside_the_plate_is_refused(ask_flux: Any, x: float, y: float, argument: str) -> None:
    _, ask = ask_flux
    ask("solve", {"controls": [10.0, 10.0, 10.0]})
    answer = ask("probe", {"x": x, "y": y})
    assert (answer["error"], answer["argument"]) == ("invalid_arguments", argument)
    assert "allowed 0 to" in answer["message"]


def test_probe_reads_the_last_solved_plate(flux: Task, ask_flux: Any) -> None:
    episode, ask = ask_flux
    assert "solve first" in ask("probe", {"x": 10, "y": 10})["message"]
    assert episode.log.spent("probes") == 0
    drive = drive_of(flux)
    solved = ask("solve", {"controls": [10.0, 20.0, 30.0]})
    monitor, told = drive.monitors[0], next(iter(solved["monitors"].values()))
    assert ask("probe", {"x": monitor.x, "y": monitor.y})["T_K"] == told["T_K"]
    assert ask("probe", {"x": monitor.x, "y": monitor.y})["budget"] == "1 of 3 probes left"


def test_budgets_end_and_say_so(ask_flux: Any) -> None:
    _, ask = ask_flux
    answers = [ask("solve", {"controls": [10.0, 10.0, 10.0]}) for _ in range(8)]
    assert answers[6]["budget"] == "0 of 7 solves left"
    assert answers[7]["error"] == "budget_exhausted"


def test_the_sealed_zone_cannot_be_measured(identify: Task, ask_identify: Any) -> None:
    episode, ask = ask_identify
    zone = puzzle_of(identify).zone
    for x, y in ((zone.left, zone.low), (zone.right, zone.high), ((zone.left + zone.right) / 2, zone.low + 1)):
        answer = ask("probe", {"x": x, "y": y})
        assert answer["error"] == "invalid_arguments"
        assert "sealed zone" in answer["message"]
    assert episode.log.spent("probes") == 0
    assert "T_K" in ask("probe", {"x": zone.left - 1, "y": zone.low})


def test_noise_is_that_of_the_call_and_has_the_told_size(identify: Task) -> None:
    from harness_fenics.world import temperatures

    puzzle, off = puzzle_of(identify), []
    for number in range(12):
        episode = InlineEpisode(identify, identify.sample(number))
        episode.open()
        mine = identify.decode_identity(identify.sample(number).identity)
        raw = json.dumps({"x": 1.0, "y": 2.0})
        calls = tuple(ToolCall(f"c{i}", "probe", raw) for i in range(8))
        seen = [json.loads(m.text)["T_K"] for m in episode.step(Completion(tool_calls=calls)).messages]
        episode.close()
        assert len(set(seen)) > 1
        off += [value - temperatures(mine, mine.values, ((1.0, 2.0),))[0] for value in seen]
    spread = (sum(value**2 for value in off) / len(off)) ** 0.5
    assert spread == pytest.approx(puzzle.noise, rel=0.25)


def test_the_model_with_true_parameters_predicts_the_truth(identify: Task, ask_identify: Any) -> None:
    _, ask = ask_identify
    puzzle = puzzle_of(identify)
    ask("probe", {"x": 1.0, "y": 2.0})
    answer = ask("solve", {"parameters": list(puzzle.values)})
    assert abs(answer["measurements"][0]["model_minus_measured_K"]) < 5 * puzzle.noise
    assert answer["rms_misfit_K"] < 5 * puzzle.noise


def test_bad_parameters_are_refused_with_name_and_unit(identify: Task, ask_identify: Any) -> None:
    _, ask = ask_identify
    values = list(puzzle_of(identify).values)
    answer = ask("solve", {"parameters": [*values[:2], -1.0]})
    assert answer["argument"] == "parameters[2]"
    assert "source_peak" in answer["message"]
    assert "MW/m3" in answer["message"]
    assert "exactly 3" in ask("solve", {"parameters": values[:2]})["message"]


def test_bad_predictions_are_refused(ask_identify: Any) -> None:
    _, ask = ask_identify
    assert ask("submit", {"predictions": [400.0, 400.0, -1.0]})["argument"] == "predictions[2]"
    assert "length 2" in ask("submit", {"predictions": [400.0, 400.0]})["message"]


def test_every_control_in_range_can_be_solved(task: Task) -> None:
    """Corners and middles of the ranges never crash the engine."""
    from harness_fenics.world import read, temperatures

    for number in range(2):
        identity = task.decode_identity(task.sample(number).identity)
        for share in (0.0, 0.5, 1.0):
            if isinstance(identity, Puzzle):
                values = tuple(u.low + share * (u.high - u.low) for u in identity.unknowns)
                assert all(250 < t < 3000 for t in temperatures(identity, values, identity.held))
            else:
                controls = (share * identity.ceiling,) * len(identity.answer)
                assert 250 < read(identity, controls).hottest < 2500


def test_a_state_beyond_the_model_is_answered_not_raised(flux: Task, monkeypatch: pytest.MonkeyPatch) -> None:
    from harness_fenics.engine import NoConvergence

    def lost(*asked: Any) -> Any:
        raise NoConvergence("no field")

    monkeypatch.setattr("harness_fenics.tools.read", lost)
    episode = InlineEpisode(flux, flux.sample(0))
    episode.open()
    call = ToolCall("c", "solve", '{"controls": [1.0, 1.0, 1.0]}')
    answer = json.loads(episode.step(Completion(tool_calls=(call,))).messages[0].text)
    assert answer["error"] == "infeasible_state"
    assert episode.log.spent("solves") == 1
    episode.step(Completion(tool_calls=(ToolCall("d", "submit", '{"controls": [1.0, 1.0, 1.0]}'),)))
    outcome = episode.close()
    assert (outcome.status, outcome.reward) == ("scored", 0.0)
