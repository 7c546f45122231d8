"""The prompt: it tells all but what the drawing tells, in both languages, and shows the drawing."""

from __future__ import annotations

import re

import pytest
from attrs import evolve
from flange_cases import instance

from harness import ImagePart, Task, load_task
from harness_flangeplane.design import Design
from harness_flangeplane.joint import Joint
from harness_flangeplane.sample import Identity

PLACES = [(wording, language) for wording in range(3) for language in ("en", "zh")]


def text_of(task: Task, identity: Identity, wording: int, language: str) -> str:
    return "\n".join(message.text for message in task.render(identity, wording, language)[0])


@pytest.mark.parametrize(("wording", "language"), PLACES)
def test_nothing_that_stands_in_the_drawing_is_in_the_text(task: Task, wording: int, language: str) -> None:
    """The text stays the same when everything that the drawing shows is exchanged."""
    identity = task.decode_identity(task.sample(0, seed=2).identity)
    joint = Joint(77.0, 91.0, 111.0, 3.5, 63 if identity.joint.pressure != 63 else 16, identity.joint.gasket)
    drawn = Design("AW-7075", "M20", 6, 151.0, 223.0, 37.5)
    other = evolve(identity, joint=joint, pictured=drawn, angle=12.0, look=1)
    assert text_of(task, other, wording, language) == text_of(task, identity, wording, language)


@pytest.mark.parametrize(("wording", "language"), PLACES)
def test_the_drawing_comes_with_the_text(task: Task, wording: int, language: str) -> None:
    identity = task.decode_identity(task.sample(1, seed=2).identity)
    messages, blobs = task.render(identity, wording, language)
    pictures = [part for message in messages for part in message.content if isinstance(part, ImagePart)]
    assert len(pictures) == len(blobs) == 1
    assert "bolt_holes" in pictures[0].facts


def test_what_is_drawn_to_scale_is_said_to_be() -> None:
    for level, said in (("easy", False), ("medium", False), ("hard", True)):
        task = load_task("flangeplane", group=level)
        for wording, language in PLACES:
            text = text_of(task, instance(level, 1), wording, language)
            assert (("drawn to scale" in text) or ("按比例画出" in text)) == said
            assert (("jacking" in text) or ("顶丝孔" in text)) == (level != "easy")


def test_requirements_are_told_to_the_last_digit(task: Task) -> None:
    identity = task.decode_identity(task.sample(2, seed=2).identity)
    text = text_of(task, identity, 0, "en")
    required = identity.required
    for value in (required.safety, required.rotation, required.bolt_stress, required.blank, required.cost):
        assert re.search(rf"at (least|most) {re.escape(f'{value:g}')}\b", text)
        assert float(f"{value:g}") == value


def test_no_secret_is_short_enough_to_occur_by_chance(task: Task) -> None:
    identity = task.decode_identity(task.sample(3, seed=2).identity)
    found = task.prompt.secrets(identity)
    assert len(found) >= 12
    assert min(map(len, found)) >= 6
