"""Through an episode, as a policy sees them: results, budgets, refusals."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from harness import Completion, Sample
from harness_bot.paths import cut
from harness_bot.sample import SCAN_RADIUS


def detour(sample: Sample) -> list[list[float]]:
    identity = sample.identity
    path = cut(np.radians(np.array((identity["start"], *identity["detour"]))))
    return np.round(np.degrees(path), 3).tolist()  # type: ignore[no-any-return]


def direct(sample: Sample) -> list[list[float]]:
    identity = sample.identity
    path = cut(np.radians(np.array((identity["start"], identity["detour"][-1]))))
    return np.round(np.degrees(path), 3).tolist()  # type: ignore[no-any-return]


def test_the_detour_succeeds_and_unused_budgets_and_directness_count(opened, ask) -> None:  # type: ignore[no-untyped-def]
    _, sample, episode = opened()
    told = ask(episode, "submit", {"waypoints": detour(sample)})
    assert told["valid"]
    assert told["goal"]["reached"]
    assert told["worst"]["margin_mm"] >= 0
    outcome = episode.close()
    assert outcome.success
    assert 0.9 < outcome.reward < 1.0
    _, sample, episode = opened()
    ask(episode, "check_path", {"waypoints": detour(sample)})
    ask(episode, "submit", {"waypoints": detour(sample)})
    assert episode.close().reward < outcome.reward


def test_a_blocked_path_is_named_with_place_link_body_and_margin(opened, ask) -> None:  # type: ignore[no-untyped-def]
    task, sample, episode = opened()
    told = ask(episode, "check_path", {"waypoints": direct(sample)})
    assert (told["valid"], told["clear"]) == (False, False)
    first = told["first_break"]
    arm_links = {
        "base",
        "shoulder",
        "upper arm",
        "upper elbow",
        "elbow",
        "lower elbow",
        "forearm",
        "wrist",
        "wrist bend",
        "hand",
    }
    assert first["link"] in arm_links
    assert first["against"] in {o["name"] for o in sample.identity["obstacles"]} | {"floor"} | arm_links
    assert 1 <= first["segment"] < len(direct(sample))
    assert 0 <= first["share"] <= 1
    assert first["margin_mm"] <= 0 < first["required_mm"]
    assert told["worst"]["margin_mm"] < 0
    assert 0 < told["clear_share"] < 1
    assert told["budget"] == "7 of 8 checks left"
    assert told["goal"]["reached"]
    assert task.card.task_id == "bot-v1"


def test_a_collision_is_named_unsafe_in_feedback_and_outcome(opened, ask) -> None:  # type: ignore[no-untyped-def]
    for index in range(8):
        _, sample, episode = opened(index=index)
        told = ask(episode, "submit", {"waypoints": direct(sample)})
        outcome = episode.close()
        assert not outcome.success
        assert outcome.reward <= 0.6
        if "unsafe" in told:
            assert told["breaks"] == "collision"
            assert outcome.reason == "unsafe_action"
            return
    raise AssertionError("no straight line of eight collides")


def test_staying_earns_nothing(opened, ask) -> None:  # type: ignore[no-untyped-def]
    _, sample, episode = opened("easy")
    start = sample.identity["start"]
    told = ask(episode, "submit", {"waypoints": [start, start]})
    assert told["clear"]
    assert not told["goal"]["reached"]
    outcome = episode.close()
    assert (outcome.reward, outcome.reason) == (0.0, "wrong_answer")


def test_kinematics_are_free_and_inverse_to_each_other(opened, ask) -> None:  # type: ignore[no-untyped-def]
    _, sample, episode = opened("easy")
    start = sample.identity["start"]
    at = ask(episode, "forward", {"joints": start})
    assert "budget" not in at
    assert at["goal_position_error_mm"] > 10
    assert len(at["capsules"]) == 8
    seed = [v + 4 for v in start]
    back = ask(episode, "inverse", {"position": at["position"], "rotation": at["rotation"], "seed": seed})
    assert back["reached"]
    again = ask(episode, "forward", {"joints": back["joints"]})
    assert again["position"] == pytest.approx(at["position"], abs=2e-3)
    far = ask(episode, "inverse", {"position": [2, 0, 1], "rotation": [1, 0, 0, 0], "seed": start})
    assert not far["reached"]
    assert far["position_error_mm"] > 500


def test_clearance_has_a_sign(opened, ask) -> None:  # type: ignore[no-untyped-def]
    _, sample, episode = opened("easy")
    told = ask(episode, "clearance", {"joints": sample.identity["start"]})
    assert told["clear"]
    assert told["margin_mm"] >= 0
    assert told["budget"] == "39 of 40 clearances left"
    path = direct(sample)
    contact = ask(episode, "check_path", {"waypoints": path})["worst"]
    inside = ask(episode, "clearance", {"joints": contact["joints"]})
    assert not inside["clear"]
    assert inside["margin_mm"] == pytest.approx(contact["margin_mm"], abs=0.5)


def test_scans_find_hidden_bodies_within_their_radius_only(opened, ask) -> None:  # type: ignore[no-untyped-def]
    _, sample, episode = opened("hard")
    body = sample.identity["obstacles"][0]
    told = ask(episode, "scan", {"point": body["centre"]})
    assert body["name"] in told["new"]
    found = next(b for b in told["bodies"] if b["name"] == body["name"])
    assert found["centre"] == list(body["centre"])
    assert told["not_found_yet"] == len(sample.identity["obstacles"]) - len(told["new"])
    assert told["budget"] == "9 of 10 scans left"
    again = ask(episode, "scan", {"point": body["centre"]})
    assert again["new"] == []
    assert ask(episode, "scan", {"point": [2.5, 2.5, 2.5]})["bodies"] == []


def test_the_schema_of_scan_tells_its_radius(opened) -> None:  # type: ignore[no-untyped-def]
    _, _, episode = opened("hard")
    (scan,) = (schema for schema in episode.tools if schema.name == "scan")
    assert f"within {SCAN_RADIUS:g} m" in scan.description


def test_there_is_nothing_to_scan_where_all_is_told(opened, ask) -> None:  # type: ignore[no-untyped-def]
    _, _, episode = opened("easy")
    assert "scan" not in {schema.name for schema in episode.tools}
    assert ask(episode, "scan", {"point": [0, 0, 1]})["error"] == "unknown_tool"


@pytest.mark.parametrize(
    ("spoil", "place", "expected"),
    [
        (lambda p: p[1].__setitem__(3, 10.0), "waypoints[1][3]", "-176 to -4 degrees"),
        (lambda p: p[1].pop(), "waypoints[1]", "the arm has 7 joints"),
        (lambda p: p[1].append(0.0), "waypoints[1]", "length 8"),
        (lambda p: p.__delitem__(slice(1, None)), "waypoints", "length 1"),
        (lambda p: p.extend([p[-1]] * 12), "waypoints", "allowed 2 to 12"),
        (lambda p: p.extend([p[-1]] * 500), "waypoints", "length"),
        (lambda p: p[0].__setitem__(0, p[0][0] + 0.2), "waypoints[0]", "off the start"),
        (lambda p: p[1].__setitem__(0, p[0][0] - 91 if p[0][0] > 0 else p[0][0] + 91), "waypoints[1]", "at most 90"),
        (lambda p: p[1].__setitem__(2, "30"), "waypoints[1][2]", "expected a number"),
        (lambda p: p[1].__setitem__(2, None), "waypoints[1][2]", "expected a number"),
        (lambda p: p[1].__setitem__(2, True), "waypoints[1][2]", "expected a number"),
        (lambda p: p[1].__setitem__(2, 1e308), "waypoints[1][2]", "allowed"),
        (lambda p: p.__setitem__(1, 3.0), "waypoints[1]", "expected an array"),
    ],
)
@pytest.mark.parametrize("tool", ["check_path", "submit"])
def test_bad_paths_are_answered_with_their_place_and_cost_no_check(  # type: ignore[no-untyped-def]
    opened, ask, tool: str, spoil: Any, place: str, expected: str
) -> None:
    _, sample, episode = opened()
    path = detour(sample)
    spoil(path)
    told = ask(episode, tool, {"waypoints": path})
    assert told["error"] == "invalid_arguments"
    assert place in told["message"]
    assert expected in told["message"]
    assert not episode.done
    assert ask(episode, "check_path", {"waypoints": detour(sample)})["budget"] == "7 of 8 checks left"


def test_refusals_say_what_they_cost(opened, ask) -> None:  # type: ignore[no-untyped-def]
    _, sample, episode = opened()
    path = detour(sample)
    path[1][3] = 10.0
    assert "costs the turn and no budget" in ask(episode, "check_path", {"waypoints": path})["message"]
    bent = {"position": [0.3, 0, 0.5], "rotation": [1, 1, 0, 0], "seed": sample.identity["start"]}
    told = ask(episode, "inverse", bent)
    assert "length 1.414" in told["message"]
    assert "costs the turn and no budget" in told["message"]


@pytest.mark.parametrize("raw", ["", "{", "[1]", "null", '{"waypoints": NaN}', '{"waypoints": [[NaN]]}', '{"path": 1}'])
def test_broken_arguments_never_end_the_episode(opened, ask, raw: str) -> None:  # type: ignore[no-untyped-def]
    _, sample, episode = opened("easy")
    assert ask(episode, "check_path", raw)["error"] in ("malformed_call", "invalid_arguments")
    assert ask(episode, "submit", {"waypoints": detour(sample)})["valid"]
    assert episode.close().success


@pytest.mark.parametrize("name", ["forward", "clearance"])
@pytest.mark.parametrize("joints", [[0] * 5, [0] * 7, [400] + [0] * 5, [0, 0, 181, 0, 0, 0], "home", [[0] * 6]])
def test_bad_postures_are_answered(opened, ask, name: str, joints: Any) -> None:  # type: ignore[no-untyped-def]
    _, _, episode = opened("easy")
    assert ask(episode, name, {"joints": joints})["error"] == "invalid_arguments"
    assert not episode.done


def test_checks_run_out_and_submitting_is_still_possible(opened, ask) -> None:  # type: ignore[no-untyped-def]
    _, sample, episode = opened("easy")
    for _ in range(6):
        assert "clear" in ask(episode, "check_path", {"waypoints": direct(sample)})
    refused = ask(episode, "check_path", {"waypoints": direct(sample)})
    assert refused["error"] == "budget_exhausted"
    assert ask(episode, "submit", {"waypoints": detour(sample)})["valid"]


@pytest.mark.parametrize("language", ["en", "zh"])
def test_chatter_is_nudged_with_where_the_last_path_stands(opened, ask, language: str) -> None:  # type: ignore[no-untyped-def]
    _, sample, episode = opened("easy", language)
    ask(episode, "check_path", {"waypoints": direct(sample)})
    turn = episode.step(Completion(content="Let me think."))
    assert "%" in turn.messages[0].text
    assert "5" in turn.messages[0].text
    while not episode.done:
        episode.step(Completion(content="hm"))
    outcome = episode.close()
    assert (outcome.reason, outcome.reward) == ("no_answer", 0.0)
