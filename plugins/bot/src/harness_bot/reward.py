"""The reward layer: a clear path to the goal is success; else credit for coming near it, most for staying clear."""

from __future__ import annotations

from collections.abc import Mapping

from harness import Json, Log, Score, Term
from harness_bot.sample import Instance, Options

_NOTHING = (Term("clear", 0.0, 2.0), Term("approach", 0.0, 1.0))


class PathReward:
    """Scores the submitted path from what was measured of it."""

    id = "bot-1"

    def __init__(self, options: Options) -> None:
        self._options = options

    def score(self, identity: Instance, log: Log) -> Score:
        """Score an episode from the evidence of its answer and the calls charged."""
        seen = log.metrics
        if log.answer is None or not seen:
            return Score(success=False, progress=_NOTHING)
        success = bool(seen["clear"] and seen["reached"])
        approach = float(seen["approach"])
        progress = (Term("clear", approach * seen["clear_share"], 2.0), Term("approach", approach, 1.0))
        return Score(
            success=success,
            progress=progress,
            efficiency=(_unused(identity, log), Term("directness", float(seen["directness"]))),
            reason="unsafe_action" if seen["collides"] else None,
            detail="" if success else _account(seen),
        )


def _unused(identity: Instance, log: Log) -> Term:
    """Share of checks and scans that were not used."""
    spent = log.spent("checks") + log.spent("scans")
    return Term("unused", 1 - min(1.0, spent / (identity.checks + identity.scans)))


def _account(seen: Mapping[str, Json]) -> str:
    state = "clear" if seen["clear"] else "collides" if seen["collides"] else "too close"
    return f"{state}, {seen['position_mm']:.0f} mm and {seen['rotation_deg']:.0f} degrees from the goal"
