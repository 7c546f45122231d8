"""Many episodes at once on worker processes beside the same ones played one at a time in this process."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import anyio

from harness.backends import Backend, ProcessBackend
from harness.check._subject import transcript
from harness.episode import Episode
from harness.policies._scripted import make_view, play_inline, scripts_of, shown
from harness.records import Sample
from harness.scripted import Script
from harness.task import Task

WORDS = ("together",)


def play_alone_and_together(plan: Sequence[tuple[Task, Sample, str]], workers: int = 2) -> tuple[list[Any], list[Any]]:
    """Play each (task, sample, name of a scripted policy) twice; return what was seen alone and what was seen together.

    The two lists are equal for a task whose episodes are isolated and repeatable.
    """
    alone = [transcript(play_inline(task, sample, scripts_of(task)[name], *WORDS)) for task, sample, name in plan]
    together: list[Any] = [None] * len(plan)

    async def at_once() -> None:
        async def one(number: int) -> None:
            together[number] = await _play(*plan[number], backend)

        async with ProcessBackend(workers) as backend, anyio.create_task_group() as group:
            for number in range(len(plan)):
                group.start_soon(one, number)

    anyio.run(at_once)
    return alone, together


async def _play(task: Task, sample: Sample, name: str, backend: Backend) -> Any:
    script = scripts_of(task)[name]
    if script.play is None:
        raise ValueError(f"{name} has to be fitted before it can play")
    episode = Episode(task, sample, backend)
    await episode.open()
    driver = Script(script.play, make_view(task, sample, episode.messages, episode.tools, script, WORDS))
    turn = await episode.step(driver.reply(()))
    while not turn.done:
        turn = await episode.step(driver.reply(shown(turn.messages, script)))
    driver.close()
    await episode.close()
    return transcript(episode)
