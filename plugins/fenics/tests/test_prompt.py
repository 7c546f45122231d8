"""The prompt: every told number is the world's, in both languages, and the scripts read the same from either."""

from __future__ import annotations

import re

import numpy as np
import pytest

from harness import Task, View
from harness_fenics.reading import conductivity_integral, drive_brief, numbers, puzzle_brief
from harness_fenics.sample import Puzzle
from harness_fenics.world import load_weights


def view(task: Task, language: str, number: int = 0) -> View:
    sample = task.sample(number, language=language)
    identity = task.decode_identity(sample.identity)
    return View(
        prompt=sample.messages[0].text,
        facts=task.prompt.facts(identity, language),
        tools=(),
        limits=sample.limits,
        language=language,
        rng=np.random.default_rng(0),
        options=task.options,
    )


def test_both_languages_tell_the_same_numbers(task: Task) -> None:
    english, chinese = view(task, "en").facts, view(task, "zh").facts
    assert list(english) == list(chinese)
    for name in english:
        assert numbers(english[name]) == numbers(chinese[name]), name


def test_chinese_prompts_hold_chinese(task: Task) -> None:
    assert len(re.findall(r"[\u4e00-\u9fff]", view(task, "zh").prompt)) > 100
    assert not re.findall(r"[\u4e00-\u9fff]", view(task, "en").prompt)


@pytest.mark.parametrize("language", ["en", "zh"])
def test_scripts_read_the_identity_from_the_prompt(task: Task, language: str) -> None:
    for number in range(3):
        identity = task.decode_identity(task.sample(number).identity)
        seen = view(task, language, number)
        if isinstance(identity, Puzzle):
            _compare_puzzle(identity, seen)
            continue
        brief = drive_brief(seen)
        assert brief.ceiling == identity.ceiling
        assert list(brief.targets) == [monitor.target for monitor in identity.monitors]
        assert (brief.hottest, brief.bond, brief.load) == (identity.hottest, identity.bond, identity.load)
        assert brief.tolerance == identity.tolerance
        assert np.allclose(brief.weights, load_weights(identity.told))


def _compare_puzzle(puzzle: Puzzle, seen: View) -> None:
    brief = puzzle_brief(seen)
    assert brief.names == tuple(unknown.name for unknown in puzzle.unknowns)
    assert np.allclose(brief.low, [unknown.low for unknown in puzzle.unknowns])
    assert np.allclose(brief.high, [unknown.high for unknown in puzzle.unknowns])
    assert brief.held.astype(int).tolist() == [list(point) for point in puzzle.held]
    assert brief.zone == (puzzle.zone.left, puzzle.zone.right, puzzle.zone.low, puzzle.zone.high)
    assert (brief.tolerance, brief.noise) == (puzzle.tolerance, puzzle.noise)
    for (x, y), segment in zip(brief.heaters, puzzle.steady.segments, strict=True):
        middle = 500 * (segment.start + segment.stop)
        expected = {"bottom": (middle, 0.0), "top": (middle, brief.height), "right": (brief.width, middle)}
        assert (x, y) == pytest.approx(expected[segment.edge])


def test_shapes_and_limits_are_told(task: Task) -> None:
    """The law, the source's shape and every limit stand in the prompt."""
    text = view(task, "en").prompt
    if task.options.variant == "transient":
        assert "per second" in text
        assert "per K of its mean temperature" in text
    else:
        assert "k(T) =" in text
        assert "exp(-r^2 / (2 w^2))" in text
    if task.options.variant != "identify":
        for phrase in ("hotter than", "the bond of heater", "at most", "within"):
            assert phrase in text


def test_secrets_are_in_no_prompt(task: Task) -> None:
    for number in range(5):
        sample = task.sample(number)
        hidden = task.secrets(task.decode_identity(sample.identity))
        assert hidden
        assert not any(secret in sample.messages[0].text for secret in hidden)


@pytest.mark.parametrize(
    ("law", "value"),
    [
        ("conductivity k(T) = 12 (1 + 0.2 t) W/(m K) with t = (T - 300 K) / 100 K", 2 + 0.1 * 4),
        ("conductivity k(T) = 12 / (1 + 0.2 t) W/(m K) with t = (T - 300 K) / 100 K", np.log(1.4) / 0.2),
        ("conductivity k(T) = 12 (1 - 0.2 t + 0.06 t^2) W/(m K) with t = (T - 300 K) / 100 K", 2 - 0.4 + 0.02 * 8),
    ],
)
def test_the_integral_of_a_told_law(law: str, value: float) -> None:
    assert float(conductivity_integral(law)(np.array([500.0]))[0]) == pytest.approx(value)
