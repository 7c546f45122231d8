"""Sixty-four episodes at once on worker processes leave the traces that they leave one at a time."""

from __future__ import annotations

from typing import Any

import anyio
import pytest

from harness import Sample, Task, load_task
from harness.backends import Backend, ProcessBackend
from harness.check import _subject
from harness.episode import Episode
from harness.policies._scripted import make_view, play_inline, shown
from harness.scripted import Script
from harness_mole.torsion_policies import minimised_start

EPISODES = 64


async def played(task: Task, sample: Sample, backend: Backend) -> Any:
    """Play a script over a backend."""
    script = task.policies["minimised-start" if task.options.variant == "conformer" else "one-random"]
    episode = Episode(task, sample, backend)
    await episode.open()
    assert script.play is not None
    driver = Script(script.play, make_view(task, sample, episode.messages, episode.tools, script, ("many",)))
    new: Any = ()
    while not episode.done:
        new = shown((await episode.step(driver.reply(new))).messages, script)
    await episode.close()
    return _subject.transcript(episode)


@pytest.mark.slow
def test_concurrent_episodes_are_what_they_are_alone() -> None:
    tasks = [load_task("mole", group=group) for group in ("conformer-easy", "lead-hard")]
    places = [(tasks[i % 2], tasks[i % 2].sample(i // 2, seed=31)) for i in range(EPISODES)]
    together: dict[int, Any] = {}

    async def main() -> None:
        async with ProcessBackend(2) as backend, anyio.create_task_group() as group:

            async def one(number: int) -> None:
                together[number] = await played(*places[number], backend)

            for number in range(EPISODES):
                group.start_soon(one, number)

    anyio.run(main)
    for number, (task, sample) in enumerate(places):
        name = "minimised-start" if task.options.variant == "conformer" else "one-random"
        alone = play_inline(task, sample, task.policies[name], "many")
        assert together[number] == _subject.transcript(alone)
    assert minimised_start is tasks[0].policies["minimised-start"].play
