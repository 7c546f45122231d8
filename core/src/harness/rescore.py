"""Scoring and executing recorded episodes again.

`score_record` scores from what the record holds; it must give the same reward exactly, since scoring is a pure
function. `replay_record` executes the recorded calls on the seeded world again and compares what was observed;
`recomputed` is the reward of that second execution. Both refuse, by name, records of another task or reward version.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from attrs import field, frozen

from harness.episode import InlineEpisode
from harness.errors import UserError
from harness.policies._replay import completions_of
from harness.records import Json, Message
from harness.task import Task, TaskRef, task_of
from harness.world import score_in, score_out


@frozen
class Rescored:
    """One episode scored again.

    Attributes:
        recorded: Reward in the record.
        reward: Reward now.
        differences: Observations that differ, as short texts (for a replay).
    """

    name: str
    recorded: float | None
    reward: float | None
    tolerance: float = 0.0
    differences: tuple[str, ...] = field(factory=tuple)

    @property
    def same(self) -> bool:
        """Whether nothing changed beyond the task's stated tolerance."""
        if self.differences:
            return False
        if self.recorded is None or self.reward is None:
            return self.recorded == self.reward
        return abs(self.recorded - self.reward) <= max(self.tolerance, 1e-12)


def task_for(record: Mapping[str, Any], plugins: tuple[str, ...] = ()) -> Task:
    """Load the task of a record and check that it is the one that was played.

    Raises:
        UserError: Another version of the task, its options or its reward is installed.
    """
    sample, outcome = record["sample"], record["outcome"]
    task = task_of(TaskRef(sample["task"], sample["group"], sample.get("options") or {}, plugins))
    if sample["version"] != task.card.version:
        raise UserError(f"the record is of {sample['task']}-v{sample['version']}; installed is {task.card.task_id}")
    if sample["options_digest"] != task.options_digest:
        raise UserError(f"the record was made under other options of {task.card.task_id} (group {sample['group']!r})")
    scored_by = outcome.get("reward_id")
    if scored_by and scored_by != task.reward.id:
        raise UserError(f"the record was scored by {scored_by!r}; installed is {task.reward.id!r}: not comparable")
    return task


def label_of(record: Mapping[str, Any]) -> str:
    """Short name of a recorded episode."""
    sample = record["sample"]
    return f"{sample['task']} {sample['group'] or 'default'} #{sample['index']} rep {record['repetition']}"


def score_record(record: Mapping[str, Any], plugins: tuple[str, ...] = ()) -> Rescored:
    """Score an episode from its record."""
    from harness.trace import log_from

    task = task_for(record, plugins)
    value = score_out(task, task.decode_identity(record["identity"]), log_from(record))
    return Rescored(label_of(record), record["outcome"]["reward"], score_in(value["score"]).total)


def replay_record(record: Mapping[str, Any], plugins: tuple[str, ...] = ()) -> Rescored:
    """Execute a recorded episode again in this process."""
    from harness.trace import messages_from, sample_from

    task = task_for(record, plugins)
    episode = InlineEpisode(task, sample_from(record))
    episode.open()
    for completion in completions_of(record):
        if episode.done:
            break
        episode.step(completion)
    if not episode.done and record["log"]["end"]:
        episode.end(record["log"]["end"])
    outcome = episode.close()
    found = compare_messages(messages_from(record), tuple(episode.messages), task.card.tolerance)
    return Rescored(label_of(record), record["outcome"]["reward"], outcome.reward, task.card.tolerance, found)


def compare_messages(was: tuple[Message, ...], now: tuple[Message, ...], tolerance: float) -> tuple[str, ...]:
    """Describe where two conversations differ; numbers may differ by the relative tolerance."""
    found = [] if len(was) == len(now) else [f"{len(was)} messages were recorded, now there are {len(now)}"]
    for position, (old, new) in enumerate(zip(was, now, strict=False)):
        if old.role != new.role or not _alike(_seen(old), _seen(new), tolerance):
            found.append(f"message {position} ({old.role}): recorded {old.text[:80]!r}, now {new.text[:80]!r}")
    return tuple(found)


def _seen(message: Message) -> list[Json]:
    from harness.jsonio import loads

    parts: list[Json] = []
    for part in message.content:
        text = getattr(part, "text", None)
        try:
            parts.append(getattr(part, "sha256", None) if text is None else loads(text))
        except ValueError:
            parts.append(text)
    return parts


def _alike(a: Json, b: Json, tolerance: float) -> bool:
    if isinstance(a, float) or isinstance(b, float):
        numbers = isinstance(a, int | float) and isinstance(b, int | float)
        return numbers and abs(a - b) <= tolerance * max(1.0, abs(a), abs(b))
    if isinstance(a, dict) and isinstance(b, dict):
        return a.keys() == b.keys() and all(_alike(v, b[k], tolerance) for k, v in a.items())
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(_alike(x, y, tolerance) for x, y in zip(a, b, strict=True))
    return bool(a == b)
