"""Tools in real episodes: what they tell, what they cost, what they refuse, and what they never say."""

from __future__ import annotations

import json
from typing import Any

import pytest
from flange_cases import known, opened, step

from harness import ImagePart, InlineEpisode, Sample, Task
from harness_flangeplane.brief import pictured
from harness_flangeplane.design import slimmest

BAD: list[tuple[str, dict[str, Any], str]] = [
    ("material", {"material": "steel"}, "design.material"),
    ("bolt", {"bolt": "M14"}, "design.bolt"),
    ("odd", {"bolts": 7}, "design.bolts"),
    ("few", {"bolts": 2}, "design.bolts"),
    ("fraction", {"bolts": 8.5}, "design.bolts"),
    ("text", {"thickness": "20"}, "design.thickness"),
    ("thin", {"thickness": 5.9}, "design.thickness"),
    ("thick", {"thickness": 121}, "design.thickness"),
    ("rim", {"outer_diameter": 90}, "design.outer_diameter"),
    ("huge", {"outer_diameter": 1e9}, "design.outer_diameter"),
    ("nothing", {"bolt_circle": None}, "design.bolt_circle"),
    ("extra", {"colour": "red"}, "design.colour"),
]


@pytest.mark.parametrize("tool", ["analyse", "cost", "draw", "submit"])
@pytest.mark.parametrize(("changes", "argument"), [case[1:] for case in BAD], ids=[case[0] for case in BAD])
def test_bad_designs_are_refused_by_name_and_cost_no_budget(
    medium: Task, tool: str, changes: dict[str, Any], argument: str
) -> None:
    sample = medium.sample(0, seed=3)
    _, design, read = known(medium, sample)
    episode, ask = opened(medium, sample)
    more = {"read": read} if tool == "submit" else {}
    answer = ask(tool, design=design | changes, **more)
    assert answer["error"] == "invalid_arguments"
    assert answer["argument"] == argument
    assert "got" in answer["message"] or "unknown name" in answer["message"]
    assert episode.log.actions[-1].budget is None
    assert not episode.done
    left = ask("analyse", design=design)["budget"]
    assert left == f"{sample.limits.budgets['analyses'] - 1} of {sample.limits.budgets['analyses']} analyses left"
    episode.close()


@pytest.mark.parametrize("raw", ["", "{", "[]", '"x"', "{}", '{"design": 3}', '{"design": {}}', '{"design": null}'])
@pytest.mark.parametrize("tool", ["analyse", "cost", "draw", "submit"])
def test_arguments_that_are_none_are_refused(medium: Task, tool: str, raw: str) -> None:
    episode = InlineEpisode(medium, medium.sample(0, seed=3))
    episode.open()
    answer = json.loads(step(episode, tool, raw).messages[0].text.split("\n", 1)[0])
    assert answer["error"] in ("malformed_call", "invalid_arguments")
    assert episode.log.actions[-1].budget is None
    episode.close()


@pytest.mark.parametrize("tool", ["analyse", "draw"])
def test_a_clash_with_the_gasket_is_charged_and_tells_no_size(medium: Task, tool: str) -> None:
    sample = medium.sample(1, seed=3)
    identity, design, _ = known(medium, sample)
    circle = identity.joint.gasket_outer - 5
    episode, ask = opened(medium, sample)
    answer = ask(tool, design=design | {"bolt_circle": circle, "bolt": "M10", "bolts": _bolts(circle), "thickness": 60})
    assert answer["error"] == "infeasible_state"
    assert answer["argument"] == "design.bolt_circle"
    assert f"{identity.joint.gasket_outer:g}" not in json.dumps(answer)
    assert episode.log.actions[-1].budget == {"analyse": "analyses", "draw": "drawings"}[tool]
    episode.close()


def _bolts(circle: float) -> int:
    return 2 * int(3.14 * circle / 26 / 2)


def test_an_analysis_tells_every_requirement_with_value_spare_and_sign(task: Task) -> None:
    sample = task.sample(0, seed=3)
    identity, design, _ = known(task, sample)
    episode, ask = opened(task, sample)
    told = ask("analyse", design=design)
    assert told["safety"]["spare"] == pytest.approx(told["safety"]["value"] - identity.required.safety, abs=2e-4)
    required = identity.required
    limits = {"rotation_mrad": required.rotation, "bolt_stress_MPa": required.bolt_stress}
    for name, asked in (limits | {"blank_kg": required.blank, "cost_EUR": required.cost}).items():
        assert told[name]["value"] + told[name]["spare"] == pytest.approx(asked, abs=2e-4)
        assert told[name]["met"] is True
    slim = ask("analyse", design=design | {"thickness": 0.9 * design["thickness"]})
    if "error" not in slim:
        assert slim["rotation_mrad"]["spare"] < 0
        assert slim["rotation_mrad"]["met"] is False
    episode.close()


def test_pricing_is_free_and_agrees_with_the_analysis(medium: Task) -> None:
    sample = medium.sample(2, seed=3)
    _, design, _ = known(medium, sample)
    episode, ask = opened(medium, sample)
    priced, told = ask("cost", design=design), ask("analyse", design=design)
    assert priced["cost_EUR"] == told["cost_EUR"]
    assert priced["blank_kg"] == told["blank_kg"]
    assert [action.budget for action in episode.log.actions] == [None, "analyses"]
    episode.close()


def test_the_price_depends_on_nothing_that_stands_in_the_drawing_only(medium: Task) -> None:
    answers = []
    for index in (3, 4):
        sample = medium.sample(index, seed=3)
        episode, ask = opened(medium, sample)
        design = {"material": "S355", "bolt": "M20", "bolts": 12, "bolt_circle": 300, "outer_diameter": 380,
                  "thickness": 60}  # fmt: skip
        answers.append(ask("cost", design=design))
        episode.close()
    assert answers[0]["cost_EUR"]["value"] == answers[1]["cost_EUR"]["value"]
    assert answers[0]["blank_kg"]["value"] == answers[1]["blank_kg"]["value"]


def test_a_design_is_drawn_like_the_given_flange(task: Task) -> None:
    sample = task.sample(5, seed=3)
    identity, design, _ = known(task, sample)
    episode = InlineEpisode(task, sample)
    episode.open()
    turn = step(episode, "draw", {"design": design})
    pictures = [part for message in turn.messages for part in message.content if isinstance(part, ImagePart)]
    assert len(pictures) == 1
    seen = pictured(pictures[0].facts)
    assert (seen.bolts, seen.bolt, seen.material) == (design["bolts"], design["bolt"], design["material"])
    assert seen.bolt_circle == pytest.approx(identity.known.bolt_circle, abs=0.01)
    assert seen.thickness == pytest.approx(identity.known.thickness, rel=0.03)
    for _ in range(2):
        turn = step(episode, "draw", {"design": design})
    assert "budget_exhausted" in turn.messages[0].text
    episode.close()


def test_a_flange_that_yields_is_called_unsafe(medium: Task) -> None:
    sample = next(s for s in (medium.sample(i, seed=3) for i in range(60)) if _heavy(medium, s))
    identity, design, read = known(medium, sample)
    size, circle = identity.known.size, design["bolt_circle"]
    bolts = min(40, 2 * int(3.1415 * circle / size.pitch / 2))
    thin = max(6.0, slimmest(size, 3.1416 * circle / bolts, identity.joint.gasket))
    slim = design | {"material": "GJS-400", "bolts": bolts, "thickness": thin}
    episode, ask = opened(medium, sample)
    told = ask("analyse", design=slim)
    assert told["safety"]["value"] < 1
    assert "yields" in told["unsafe"]
    assert "yields" in episode.log.actions[-1].metrics["unsafe"]
    step(episode, "submit", {"design": slim, "read": read})
    outcome = episode.close()
    assert outcome.reason == "unsafe_action"


def _heavy(task: Task, sample: Sample) -> bool:
    identity = known(task, sample)[0]
    return bool(identity.joint.pressure == 63 and identity.joint.gasket_outer > 170)


def test_the_known_design_with_a_right_reading_succeeds_and_with_a_wrong_one_does_not(task: Task) -> None:
    sample = task.sample(7, seed=3)
    _, design, read = known(task, sample)
    for given, success in ((read, True), (read | {"bolts": read["bolts"] + 2}, False)):
        episode = InlineEpisode(task, sample)
        episode.open()
        turn = step(episode, "submit", {"design": design, "read": given})
        assert turn.done
        assert str(read["bore"]) not in turn.messages[0].text
        outcome = episode.close()
        assert outcome.success is success, outcome.detail
        assert outcome.reward >= 0.8 if success else outcome.reward <= 0.6


def test_a_clash_can_be_handed_in_and_fails(medium: Task) -> None:
    sample = medium.sample(8, seed=3)
    identity, design, read = known(medium, sample)
    circle = identity.joint.gasket_outer - 5
    clash = design | {"bolt_circle": circle, "bolt": "M10", "bolts": _bolts(circle), "thickness": 60.0}
    episode = InlineEpisode(medium, sample)
    episode.open()
    assert step(episode, "submit", {"design": clash, "read": read}).done
    outcome = episode.close()
    assert outcome.status == "scored"
    assert not outcome.success
    assert "gasket" in outcome.detail
