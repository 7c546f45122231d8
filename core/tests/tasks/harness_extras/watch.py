"""An observer and a logger that keep what they are told."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from harness import hookimpl

EPISODES: list[Mapping[str, Any]] = []
METRICS: list[tuple[int, Mapping[str, float]]] = []
RUNS: list[Any] = []
CLOSED: list[bool] = []


class Watch:
    def episode(self, record: Mapping[str, Any]) -> None:
        EPISODES.append(record)


class Sink:
    def log(self, metrics: Mapping[str, float], step: int) -> None:
        METRICS.append((step, dict(metrics)))

    def close(self) -> None:
        CLOSED.append(True)


@hookimpl
def harness_rollout(run: Any) -> Watch:
    RUNS.append(run)
    return Watch()


@hookimpl
def harness_logger(run: Any) -> Sink:
    return Sink()
