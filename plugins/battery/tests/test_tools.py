"""The tools in an episode: budgets, refusals, named dangers, feedback of each kind, nothing of the hidden cell."""

import json
from typing import Any

import pytest

from harness import Completion, InlineEpisode, ToolCall
from harness.layers import Clock
from harness.task import Task, load_task
from harness_battery.requirements import Requirements
from harness_battery.sample import Identity, Options
from harness_battery.tools import Electrodes, FourVariables, Submission
from harness_battery.world import Deviation, Duty

FOUR = {
    "negative_thickness_um": 85.2,
    "negative_porosity": 0.25,
    "positive_thickness_um": 75.6,
    "positive_porosity": 0.335,
}
THICK = {
    "negative_thickness_um": 130,
    "negative_porosity": 0.15,
    "positive_thickness_um": 130,
    "positive_porosity": 0.15,
}


@pytest.fixture(scope="module")
def medium() -> Task:
    return load_task("battery", group="medium", options={"chemistry": "Chen2020"})


def opened(task: Task, index: int = 0) -> InlineEpisode:
    episode = InlineEpisode(task, task.sample(index, seed=5))
    episode.open()
    return episode


def ask(episode: InlineEpisode, tool: str, design: Any) -> dict[str, Any]:
    raw = design if isinstance(design, str) else json.dumps({"design": design})
    turn = episode.step(Completion(tool_calls=(ToolCall("c1", tool, raw),), finish_reason="tool_calls"))
    return json.loads(turn.messages[0].text.split("\n")[0])


def test_simulation_tells_each_margin_with_unit_and_sign(medium: Task) -> None:
    told = ask(opened(medium), "simulate", FOUR)
    assert set(told["quantities"]) == {"n_to_p", "capacity_ah", "energy_wh_per_kg", "peak_c"}
    for name, quantity in told["quantities"].items():
        assert quantity["met"] == (quantity["margin"] >= 0)
        assert name == "n_to_p" or quantity["unit"]
    capacity = told["quantities"]["capacity_ah"]
    asked = float(capacity["required"].removeprefix(">= "))
    assert capacity["margin"] == pytest.approx(capacity["value"] - asked, abs=1e-9)
    assert told["budget"] == "9 of 10 simulations left"


def test_estimate_is_free_and_agrees_with_the_simulation(medium: Task) -> None:
    episode = opened(medium)
    estimate = ask(episode, "estimate", FOUR)
    told = ask(episode, "simulate", FOUR)
    assert estimate["n_to_p"] == told["quantities"]["n_to_p"]["value"]
    assert estimate["mass_g"] == told["mass_g"]
    assert told["budget"].startswith("9 of 10")


def test_out_of_bounds_is_refused_and_not_charged(medium: Task) -> None:
    episode = opened(medium)
    for design in (FOUR | {"negative_porosity": 0.8}, FOUR | {"positive_thickness_um": "75"}, FOUR | {"rate": 2.0}):
        assert ask(episode, "simulate", design)["error"] == "invalid_arguments"
    assert ask(episode, "simulate", '{"design": {"negative_porosity": NaN}}')["error"] in {
        "malformed_call",
        "invalid_arguments",
    }
    assert ask(episode, "simulate", FOUR)["budget"].startswith("9 of 10")


def test_budget_is_enforced(medium: Task) -> None:
    episode = opened(medium)
    for _ in range(10):
        ask(episode, "simulate", FOUR)
    assert ask(episode, "simulate", FOUR)["error"] == "budget_exhausted"


def test_particle_radius_is_free_in_hard_only(medium: Task) -> None:
    five = FOUR | {"negative_particle_um": 4.0}
    assert ask(opened(medium), "simulate", five)["error"] == "invalid_arguments"
    told = ask(opened(load_task("battery", group="hard")), "simulate", five)
    assert {"plating_mv", "charge_percent"} <= set(told.get("quantities", {"plating_mv": 0, "charge_percent": 0}))


@pytest.mark.parametrize(("cooling", "dangerous"), [(0.5, True), (60.0, False)])
def test_danger_is_named_in_feedback_and_metrics(cooling: float, dangerous: bool) -> None:
    """The same design in nearly still air and under forced cooling: only the first is unsafe, and is called so."""
    duty = Duty(c_rate=2.0, ambient_k=313.15, cooling=cooling)
    identity = Identity("Chen2020", duty, Deviation(), Requirements(4.0, 240.0, 55.0), 10)
    tools = FourVariables(identity, Options(), Submission(), Clock())
    result = tools.simulate(Electrodes(**FOUR))
    assert isinstance(result.content, dict)
    hot = result.content["quantities"]["peak_c"]["value"] > 80
    assert hot == dangerous == result.metrics["unsafe"] == ("unsafe" in result.content.get("warning", ""))


def test_verdicts_hide_the_numbers() -> None:
    episode = opened(load_task("battery", group="easy", options={"feedback": "verdicts"}))
    told = ask(episode, "simulate", FOUR)
    assert all(set(q) == {"required", "met"} for q in told["quantities"].values())
    assert "mass_g" not in told


def test_verdicts_do_not_change_the_instance() -> None:
    plain, sparse = (load_task("battery", group="easy", options={"feedback": f}) for f in ("margins", "verdicts"))
    assert plain.sample(0).key == sparse.sample(0).key


def test_no_solution_is_an_answer_not_a_crash() -> None:
    """A design that the model cannot solve is charged, named, and tells nothing of the cell."""
    task = load_task("battery", group="hard", options={"chemistry": "Ai2020"})
    for index in range(12):
        episode = opened(task, index)
        told = ask(episode, "simulate", THICK | {"negative_particle_um": 12.0})
        if told.get("error") == "infeasible_state":
            hidden = episode.sample.identity["deviation"]
            assert not any(repr(value) in json.dumps(told) for value in hidden.values())
            assert episode.log.spent("simulations") == 1
            return
    pytest.fail("every design had a solution: the test looks at nothing")


def test_episodes_do_not_share_a_world(medium: Task) -> None:
    one, two = opened(medium, 0), opened(medium, 1)
    first = ask(one, "simulate", FOUR)
    assert ask(two, "simulate", FOUR)["quantities"] != first["quantities"]
    one.step(
        Completion(tool_calls=(ToolCall("c2", "submit", json.dumps({"design": FOUR})),), finish_reason="tool_calls")
    )
    assert one.done
    assert not two.done
    assert one.close().reward is not None
    assert two.close().reward == 0.0


def test_answer_as_text_counts_as_submission(medium: Task) -> None:
    episode = opened(medium)
    episode.step(Completion(content="```json\n" + json.dumps({"design": FOUR}) + "\n```"))
    assert episode.done
    assert episode.close().status == "scored"
    assert episode.log.metrics["quantities"]["capacity_ah"] > 0
