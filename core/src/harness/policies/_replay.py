"""`replay:RUN`: plays the assistant turns of a recorded run again, against the world as it is now."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from harness.errors import PolicyFault, UserError
from harness.policies import Context, Setup
from harness.records import Completion, Message, ToolSchema
from harness.report import episode_name


def replay_policy(argument: str, setup: Setup) -> ReplayPolicy:
    """Make `replay:RUN`, from a run folder or a trace file."""
    if not argument:
        raise UserError("policy 'replay' needs a run: replay:FOLDER")
    return ReplayPolicy(Path(argument))


class ReplayPolicy:
    """The assistant messages of a recorded run, by instance and repetition."""

    view = "observation"

    def __init__(self, path: Path) -> None:
        from harness.trace import episodes

        self.name = f"replay:{path.name}"
        trace = path / "traces.jsonl.zst" if path.is_dir() else path
        if not trace.is_file():
            raise UserError(f"{path} is neither a run folder nor a trace file")
        self._turns: dict[Any, tuple[str, list[Completion]]] = {}
        for record in episodes(trace, torn="recover"):
            self._turns[episode_name(record)] = record["sample"]["key"], completions_of(record)

    async def start(self, context: Context) -> ReplayPlayer:
        """Make the player of one episode."""
        sample = context.sample
        name = (sample.task, sample.split, sample.group, sample.index, context.repetition)
        if name not in self._turns:
            raise PolicyFault(f"the recorded run has no episode {sample.task} {sample.group} #{sample.index}")
        key, turns = self._turns[name]
        if key != sample.key:
            raise PolicyFault(
                f"{sample.task} {sample.group} #{sample.index} was another instance in the recorded run "
                f"(key {key}, now {sample.key}): play it with the same seed and options"
            )
        return ReplayPlayer(turns)

    async def close(self) -> None:
        """Hold nothing."""


class ReplayPlayer:
    """Recorded turns, one after the other; an empty message when they are over."""

    def __init__(self, turns: Sequence[Completion]) -> None:
        self._turns = iter(turns)

    async def reply(self, messages: Sequence[Message], tools: Sequence[ToolSchema]) -> Completion:
        """Return the next recorded turn."""
        return next(self._turns, Completion(content=""))

    async def close(self) -> None:
        """Hold nothing."""


def completions_of(record: Mapping[str, Any]) -> list[Completion]:
    """Rebuild the completions of a recorded episode from its assistant messages."""
    from harness.trace import messages_from

    messages = messages_from(record)
    made = [
        Completion(
            m.text or None, m.reasoning, m.tool_calls, "tool_calls" if m.tool_calls else "stop", None, m.evidence
        )
        for m in messages
        if m.role == "assistant"
    ]
    log = record.get("log") or {}
    if made and log.get("end") == "length_truncated":
        last = made[-1]
        made[-1] = Completion(last.content, last.reasoning, last.tool_calls, "length", None, last.evidence)
    return made
