"""What plugins return to take part in a run: observers, metric sinks and the shaping of training rewards."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Protocol

from attrs import frozen

from harness.records import Json, Log, Score


@frozen
class RunInfo:
    """What is being run.

    Attributes:
        folder: Where the run is written; None for a run that is not kept.
        total: Number of episodes asked for.
    """

    tasks: tuple[str, ...]
    policy: str
    digest: str
    total: int
    folder: Path | None = None


class Observer(Protocol):
    """Told of every finished episode; must be quick, since it runs on the event loop."""

    def episode(self, record: Mapping[str, Json]) -> None:
        """Take the trace record of a finished episode."""


class Logger(Protocol):
    """Sink for metrics of a run."""

    def log(self, metrics: Mapping[str, float], step: int) -> None:
        """Take metrics after `step` finished episodes."""

    def close(self) -> None:
        """Flush; called once when the run ends."""


class Training(Protocol):
    """Shaping of the reward that trainers get."""

    def shape(self, identity: Any, log: Log, score: Score) -> float:
        """Return the training reward of a scored episode (any finite number)."""
