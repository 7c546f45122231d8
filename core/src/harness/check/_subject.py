"""What is checked: a task in each of its groups, with instances and played episodes that the checks share."""

from __future__ import annotations

from functools import cached_property
from typing import Any

from harness import certify
from harness.policies._scripted import play_inline, scripts_of
from harness.records import Outcome, Sample
from harness.task import Task, TaskRef, load_task, task_of

SEED = 7
"""Seed of the instances that checks draw."""


class Broken(Exception):
    """A check failed; the message gives the likely cause."""


def require(condition: bool, message: str) -> None:
    """Raise `Broken` unless the condition holds."""
    if not condition:
        raise Broken(message)


class Subject:
    """A task under check.

    Attributes:
        count: Instances per group for the checks that play many episodes.
    """

    def __init__(self, name: str, count: int = 20, groups: tuple[str, ...] = ()) -> None:
        self.name, self.count, self._groups = name, count, groups
        self._certified: dict[str, list[Sample]] = {}
        self._episodes: dict[tuple[str, int, str], Any] = {}

    @cached_property
    def tasks(self) -> dict[str, Task]:
        """The task in each group."""
        card = load_task(self.name).card
        return {g: task_of(TaskRef(card.name, g)) for g in self._groups or tuple(card.groups) or ("",)}

    @property
    def first(self) -> Task:
        """The task in its first group."""
        return next(iter(self.tasks.values()))

    def certified(self, group: str) -> list[Sample]:
        """Certified instances of a group (plain ones for a task that is not certified)."""
        if group not in self._certified:
            task = self.tasks[group]
            draw = certify.certified_sample if task.card.certified else Task.sample
            self._certified[group] = [draw(task, i, seed=SEED, split="validation") for i in range(self.count)]
        return self._certified[group]

    def few(self, count: int = 3) -> list[tuple[Task, Sample]]:
        """A few instances of each group."""
        return [(task, sample) for group, task in self.tasks.items() for sample in self.certified(group)[:count]]

    def episode(self, task: Task, sample: Sample, policy: str) -> Any:
        """One episode of a script on an instance, played once and looked at by several checks."""
        name = (task.ref.group, sample.index, policy)
        if name not in self._episodes:
            self._episodes[name] = played(task, sample, policy, "check")
        return self._episodes[name]


def played(task: Task, sample: Sample, policy: str, *words: Any) -> Any:
    """Play one of the task's scripts and require that the episode is scored."""
    episode = play_inline(task, sample, scripts_of(task)[policy], *words)
    scored(episode.outcome, f"{policy} on {task.ref.group} #{sample.index}")
    return episode


def scored(outcome: Outcome, what: str) -> Outcome:
    """Require that an episode was scored."""
    require(outcome.status == "scored", f"{what} ended invalid: {outcome.reason}: {outcome.detail}\n{outcome.evidence}")
    return outcome


def transcript(episode: Any) -> list[Any]:
    """Everything that a policy saw in an episode, and how it ended, without times."""
    from harness.trace import messages_record, outcome_record

    return [messages_record(episode.messages), outcome_record(episode.outcome), sorted(episode.blobs)]
