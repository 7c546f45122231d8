"""Exercises and episodes that several tests play with."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from harness import InlineEpisode, Outcome, Reject, Sample, Scripted, Task, View, generator
from harness.scripted import Script
from harness_music.sample import Exercise, Options, propose

Make = Callable[..., Exercise]


@pytest.fixture
def exercise_of() -> Make:
    """Make the first usable exercise of a number, variant and level."""

    def make(variant: str = "repair", level: str = "medium", number: int = 0, line: str = "any") -> Exercise:
        for attempt in range(50):
            try:
                return propose(generator("test", number, attempt), Options(variant, level, line))
            except Reject:
                continue
        raise AssertionError("fifty draws rejected")

    return make


@pytest.fixture
def play() -> Callable[[Task, Sample, Scripted], Outcome]:
    """Play a scripted policy through an episode in this process."""

    def run(task: Task, sample: Sample, scripted: Scripted) -> Outcome:
        episode = InlineEpisode(task, sample)
        episode.open()
        facts = task.prompt.facts(task.decode_identity(sample.identity), sample.language)
        prompt = "\n".join(message.text for message in episode.messages)
        view = View(prompt, facts, episode.tools, sample.limits, sample.language, generator("play", sample.key))
        assert scripted.play is not None
        script, new = Script(scripted.play, view), tuple(episode.messages)
        while not episode.done:
            new = tuple(episode.step(script.reply(new)).messages)
        return episode.close()

    return run
