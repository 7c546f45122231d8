"""Another reward: only an exact answer with questions left counts."""

from __future__ import annotations

from typing import Any

from harness import Log, Score, Term, hookimpl


class Strict:
    id = "toy-strict-1"

    def score(self, identity: Any, log: Log) -> Score:
        frugal = log.spent("questions") < identity.questions
        success = frugal and log.answer is not None and log.answer["value"] == identity.target
        return Score(success, (Term("frugal", float(frugal)),), (), 1.0 if success else -1.0)


@hookimpl
def harness_reward(options: Any) -> Strict:
    return Strict()
