"""Counting a trace: every mean says over how many of how many.

Invalid episodes have no reward and are in no mean; they are counted and named by their reason. An episode that was
played again counts once, as it ended last.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from attrs import define, field, frozen

_TRUNCATED = ("length_truncated", "context_overflow")


@frozen
class _Play:
    """What counts of one episode; `reward` is None for an invalid one."""

    task: str
    group: str
    reason: str
    success: bool
    reward: float | None
    counts: dict[str, int]
    seconds: dict[str, float]


@define
class Tally:
    """Sums over some episodes."""

    episodes: int = 0
    scored: int = 0
    solved: int = 0
    reward: float = 0.0
    reasons: Counter[str] = field(factory=Counter)
    counts: Counter[str] = field(factory=Counter)
    seconds: dict[str, float] = field(factory=dict)

    def add(self, play: _Play) -> None:
        """Count one episode."""
        self.episodes += 1
        self.reasons[play.reason] += 1
        if play.reward is not None:
            self.scored += 1
            self.solved += play.success
            self.reward += play.reward
        for name, count in play.counts.items():
            self.counts[name] += count
        for name, seconds in play.seconds.items():
            self.seconds[name] = self.seconds.get(name, 0.0) + seconds

    @property
    def success(self) -> float | None:
        """Share of the scored episodes that succeeded."""
        return self.solved / self.scored if self.scored else None

    @property
    def mean_reward(self) -> float | None:
        """Mean reward of the scored episodes."""
        return self.reward / self.scored if self.scored else None

    def as_json(self) -> dict[str, Any]:
        """Return the numbers as JSON data; sums are of all episodes, rates of the scored ones."""
        return {
            "episodes": self.episodes,
            "scored": self.scored,
            "invalid": self.episodes - self.scored,
            "success": self.success,
            "mean_reward": self.mean_reward,
            "truncated": sum(self.reasons[name] for name in _TRUNCATED),
            "reasons": dict(self.reasons.most_common()),
            "counts": dict(self.counts),
            "seconds": dict(self.seconds),
        }


@frozen
class Stats:
    """Tallies of a trace: of all of it, by task, by (task, group).

    Attributes:
        replayed: Episodes left out because they were played again later.
    """

    total: Tally = field(factory=Tally)
    tasks: dict[str, Tally] = field(factory=dict)
    groups: dict[tuple[str, str], Tally] = field(factory=dict)
    replayed: int = 0

    def as_json(self) -> dict[str, Any]:
        """Return the numbers as JSON data."""
        tasks: dict[str, Any] = {name: {**tally.as_json(), "groups": {}} for name, tally in self.tasks.items()}
        for (task, group), tally in self.groups.items():
            tasks[task]["groups"][group] = tally.as_json()
        return {"total": self.total.as_json(), "tasks": tasks, "replayed": self.replayed}


def stats(records: Iterable[Mapping[str, Any]]) -> Stats:
    """Count the episodes among some records."""
    plays: dict[tuple[Any, ...], _Play] = {}
    episodes = 0
    for record in records:
        if record["type"] == "episode":
            episodes += 1
            plays[episode_name(record)] = _play(record)
    result = Stats(replayed=episodes - len(plays))
    for play in plays.values():
        result.total.add(play)
        result.tasks.setdefault(play.task, Tally()).add(play)
        result.groups.setdefault((play.task, play.group), Tally()).add(play)
    return result


def episode_name(episode: Mapping[str, Any]) -> tuple[Any, ...]:
    """Return what names an episode within a run; a second record with this name is the same episode played again."""
    sample = episode["sample"]
    return (*(sample[part] for part in ("task", "split", "group", "index", "key")), episode["repetition"])


def _play(episode: Mapping[str, Any]) -> _Play:
    sample, outcome, messages = episode["sample"], episode["outcome"], episode["messages"]
    counts = dict(episode["usage"])
    counts["turns"] = sum(message["role"] == "assistant" for message in messages)
    counts["calls"] = len(episode["actions"])
    seconds = {name: value for name, value in episode["timing"].items() if name != "began"}
    reward = outcome["reward"] if outcome["status"] == "scored" else None
    return _Play(sample["task"], sample["group"], outcome["reason"], outcome["success"], reward, counts, seconds)


@frozen
class Choice:
    """Which episodes are wanted; an empty field asks for nothing.

    Attributes:
        success: True: the successes; False: the scored failures and the invalid.
        indices: Positions among all episodes of the file, counted from 0.
    """

    tasks: frozenset[str] = frozenset()
    groups: frozenset[str] = frozenset()
    reasons: frozenset[str] = frozenset()
    success: bool | None = None
    indices: frozenset[int] = frozenset()

    def takes(self, episode: Mapping[str, Any], number: int) -> bool:
        """Whether an episode, the number-th of its file, is wanted."""
        sample, outcome = episode["sample"], episode["outcome"]
        return (
            (not self.tasks or sample["task"] in self.tasks)
            and (not self.groups or sample["group"] in self.groups)
            and (not self.reasons or outcome["reason"] in self.reasons)
            and (self.success is None or outcome["success"] == self.success)
            and (not self.indices or number in self.indices)
        )


def select(records: Iterable[dict[str, Any]], choice: Choice, *, others: bool = False) -> Iterator[dict[str, Any]]:
    """Yield the chosen episodes, and with `others` also the records of other types, so that the result is a trace."""
    number = 0
    for record in records:
        if record["type"] == "episode":
            if choice.takes(record, number):
                yield record
            number += 1
        elif others:
            yield record
