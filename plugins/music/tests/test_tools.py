"""Through an episode, as a policy sees them: results, budgets, refusals."""

from __future__ import annotations

from typing import Any

import orjson
import pytest

from harness import Completion, InlineEpisode, Sample, Task, ToolCall, load_task
from harness_music.brief import names_json
from harness_music.pitch import VOICES


def opened(group: str = "repair-medium", language: str = "en", index: int = 0) -> tuple[Task, Sample, InlineEpisode]:
    task = load_task("music", group)
    sample = task.sample(index, language=language)
    episode = InlineEpisode(task, sample)
    episode.open()
    return task, sample, episode


def ask(episode: InlineEpisode, name: str, arguments: Any) -> dict[str, Any]:
    raw = arguments if isinstance(arguments, str) else orjson.dumps(arguments).decode()
    turn = episode.step(Completion(content=None, tool_calls=(ToolCall("c", name, raw),), finish_reason="tool_calls"))
    answer: dict[str, Any] = orjson.loads(turn.messages[0].text)
    return answer


def model_answer(sample: Sample) -> dict[str, Any]:
    return names_json(sample.identity["model"])


def test_check_lists_every_fault_with_place_and_voices() -> None:
    _, sample, episode = opened()
    told = ask(episode, "check", {"passage": names_json(sample.identity["start"])})
    assert told["clean"] is False
    assert told["count"] == len(told["faults"]) >= 3
    for fault in told["faults"]:
        assert set(fault) - {"detail"} == {"rule", "chord", "bar", "beat", "voices", "notes"}
        assert (fault["bar"] - 1) * sample.identity["metre"] + fault["beat"] == fault["chord"]
        assert set(fault["voices"]) <= set(VOICES)
    assert told["budget"] == "6 of 7 checks left"


def test_faults_are_named_in_chinese_too() -> None:
    _, sample, episode = opened(language="zh")
    told = ask(episode, "check", {"passage": names_json(sample.identity["start"])})
    assert all(fault["name"] != fault["rule"] for fault in told["faults"])
    passage = names_json(sample.identity["start"])
    passage["bass"][0] = "C7"
    high = ask(episode, "check", {"passage": passage})["faults"]
    assert any("半音" in fault.get("detail", "") for fault in high if fault["rule"] == "range")


def test_the_model_answer_succeeds_and_unused_checks_count() -> None:
    _, sample, episode = opened()
    assert ask(episode, "submit", {"passage": model_answer(sample)})["clean"] is True
    outcome = episode.close()
    assert (outcome.success, outcome.reward) == (True, 1.0)
    _, sample, episode = opened()
    ask(episode, "check", {"passage": model_answer(sample)})
    ask(episode, "submit", {"passage": model_answer(sample)})
    assert episode.close().reward == pytest.approx(0.8 + 0.2 * 6 / 7)


def test_ranges_are_free_and_hold_the_model_answer() -> None:
    _, sample, episode = opened("harmonise-hard")
    told = ask(episode, "ranges", {})
    assert "budget" not in told
    for voice, line in zip(VOICES, sample.identity["model"], strict=True):
        assert all(note in options.split() for note, options in zip(line, told[voice]["notes"], strict=True))


def test_checks_run_out_and_submitting_is_still_possible() -> None:
    _, sample, episode = opened()
    start = {"passage": names_json(sample.identity["start"])}
    for _ in range(7):
        assert "faults" in ask(episode, "check", start)
    refused = ask(episode, "check", start)
    assert refused["error"] == "budget_exhausted"
    assert ask(episode, "submit", {"passage": model_answer(sample)})["clean"] is True


@pytest.mark.parametrize(
    ("spoil", "place"),
    [
        (lambda p: p["soprano"].__setitem__(1, "H4"), "passage.soprano[1]"),
        (lambda p: p["tenor"].__setitem__(0, "rest"), "passage.tenor[0]"),
        (lambda p: p["alto"].pop(), "passage.alto"),
        (lambda p: p["bass"].append("C3"), "passage.bass"),
        (lambda p: p.pop("bass"), "bass"),
        (lambda p: p.__setitem__("bass", "C3 G3"), "passage.bass"),
        (lambda p: p["soprano"].__setitem__(0, 60), "passage.soprano"),
        (lambda p: p["soprano"].__setitem__(0, None), "passage.soprano"),
        (lambda p: p.__setitem__("sopran", []), "sopran"),
        (lambda p: p["soprano"].clear(), "passage.soprano"),
        (lambda p: p["alto"].extend(["C4"] * 10_000), "passage.alto"),
    ],
)
@pytest.mark.parametrize("tool", ["check", "submit"])
def test_bad_passages_are_answered_with_their_place_and_cost_no_check(tool: str, spoil: Any, place: str) -> None:
    _, sample, episode = opened()
    passage = model_answer(sample)
    spoil(passage)
    told = ask(episode, tool, {"passage": passage})
    assert told["error"] == "invalid_arguments"
    assert place in told["message"] + told.get("argument", "")
    assert not episode.done
    after = ask(episode, "check", {"passage": names_json(sample.identity["start"])})
    assert after["budget"] == "6 of 7 checks left"


@pytest.mark.parametrize("raw", ["", "{", "[1]", "null", '{"passage": 3}', '{"voices": {}}'])
def test_broken_arguments_never_end_the_episode(raw: str) -> None:
    _, sample, episode = opened()
    assert ask(episode, "check", raw)["error"] in ("malformed_call", "invalid_arguments")
    assert ask(episode, "submit", {"passage": model_answer(sample)})["clean"] is True
    assert episode.close().success


def test_a_changed_octave_of_the_bass_is_a_changed_note() -> None:
    _, sample, episode = opened("harmonise-easy")
    passage = model_answer(sample)
    voice = sample.identity["line"]
    passage[voice][1] = passage[voice][1][:-1] + str(int(passage[voice][1][-1]) + 1)
    told = ask(episode, "submit", {"passage": passage})
    assert "given-changed" in {fault["rule"] for fault in told["faults"]}
    assert not episode.close().success


def test_a_plain_json_answer_is_taken_and_chatter_is_nudged_with_the_last_count() -> None:
    _, sample, episode = opened()
    ask(episode, "check", {"passage": names_json(sample.identity["start"])})
    turn = episode.step(Completion(content="Let me think."))
    assert "weighted fault count of" in turn.messages[0].text
    answer = orjson.dumps({"passage": model_answer(sample)}).decode()
    assert episode.step(Completion(content=f"```json\n{answer}\n```")).done
    assert episode.close().success


def test_silence_ends_as_no_answer_with_reward_zero() -> None:
    _, _, episode = opened()
    while not episode.done:
        episode.step(Completion(content="hm"))
    outcome = episode.close()
    assert (outcome.reason, outcome.reward) == ("no_answer", 0.0)
