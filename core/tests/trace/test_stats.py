"""Counting says over how many of how many; choosing takes what was asked for."""

from __future__ import annotations

from typing import Any

import pytest
from rich.console import Console

from harness.trace import Choice, select, stats
from harness.trace._render import plain, render_episode, render_stats

from .samples import episode

RECORDS: list[dict[str, Any]] = [
    {"type": "header", "schema": 1},
    episode(0, reward=0.9),
    episode(1, reason="wrong_answer", reward=0.3),
    episode(2, group="hard", reason="length_truncated", reward=0.0),
    episode(3, group="hard", invalid=True, reason="backend_lost"),
    episode(4, task="other", invalid=True, reason="tool_crash"),
    episode(4, task="other", reward=1.0),
    {"type": "footer"},
]


def shown(thing: Any) -> str:
    console = Console(width=200, color_system=None)
    with console.capture() as capture:
        console.print(thing)
    return capture.get()


def test_means_are_over_the_scored_ones() -> None:
    result = stats(RECORDS).as_json()
    total = result["total"]
    assert (total["episodes"], total["scored"], total["invalid"], total["truncated"]) == (5, 4, 1, 1)
    assert total["success"] == 0.5
    assert total["mean_reward"] == pytest.approx((0.9 + 0.3 + 0.0 + 1.0) / 4)
    assert total["reasons"] == {"solved": 2, "wrong_answer": 1, "length_truncated": 1, "backend_lost": 1}
    assert total["counts"] == {
        "prompt_tokens": 500,
        "completion_tokens": 50,
        "reasoning_tokens": 20,
        "turns": 5,
        "calls": 5,
    }
    assert total["seconds"] == {"total": 10.0, "world": 2.5}
    assert result["replayed"] == 1
    hard = result["tasks"]["toy"]["groups"]["hard"]
    assert (hard["scored"], hard["mean_reward"]) == (1, 0.0)


def test_nothing_scored_has_no_mean() -> None:
    result = stats([episode(invalid=True, reason="backend_lost")]).as_json()["total"]
    assert (result["success"], result["mean_reward"]) == (None, None)


def test_the_table_says_over_how_many() -> None:
    text = shown(render_stats(stats(RECORDS)))
    assert "0.550 over 4 of 5" in text
    assert "0.000 over 1 of 2" in text
    assert "truncated 1 of 5" in text
    assert "1 earlier plays of them left out" in text


@pytest.mark.parametrize(
    ("choice", "expected"),
    [
        (Choice(), [0, 1, 2, 3, 4, 5]),
        (Choice(tasks=frozenset({"other"})), [4, 5]),
        (Choice(groups=frozenset({"hard"})), [2, 3]),
        (Choice(reasons=frozenset({"solved", "backend_lost"})), [0, 3, 5]),
        (Choice(success=True), [0, 5]),
        (Choice(success=False), [1, 2, 3, 4]),
        (Choice(indices=frozenset({1, 5, 9})), [1, 5]),
        (Choice(groups=frozenset({"hard"}), success=True), []),
    ],
)
def test_choices(choice: Choice, expected: list[int]) -> None:
    episodes = [record for record in RECORDS if record["type"] == "episode"]
    assert list(select(RECORDS, choice)) == [episodes[number] for number in expected]
    kept = list(select(RECORDS, choice, others=True))
    assert (kept[0]["type"], kept[-1]["type"], len(kept)) == ("header", "footer", len(expected) + 2)


def test_an_episode_is_shown_whole() -> None:
    text = shown(render_episode(episode(7)))
    for part in ("toy-v1", "easy · test #7 · repetition 0", "script:demo (view observation)", "key k7"):
        assert part in text
    assert "[bold]7[/bold]" in text  # a model's text is no markup
    assert "→ ask({" in text
    assert "tool · ask · ok" in text
    assert "scored · solved · reward 1.000 · success True" in text
    assert "progress distance: 0.500 × 1" in text
    assert 'answer {"value":7}' in text


def test_an_invalid_episode_and_an_image_are_shown() -> None:
    record = episode(invalid=True, reason="backend_lost")
    record["messages"][0]["content"].append({"type": "image", "sha256": "ab" * 32, "width": 4, "height": 3})
    text = shown(render_episode(record))
    assert "invalid · backend_lost · no reward" in text
    assert f"[image 4×3 {'ab' * 32}]" in text


def test_no_text_steers_the_terminal() -> None:
    record = episode()
    record["messages"][0]["content"][0]["text"] = "\x1b[2J\x9b31m\x07 \ud835 tab\tline\n"
    record["actions"][0]["name"] = "\x1b]0;title\x07"
    text = shown(render_episode(record))
    assert not any(ord(c) < 32 and c != "\n" for c in text)
    assert "\x9b" not in text
    assert plain("a\tb\n") == "a\tb\n"
