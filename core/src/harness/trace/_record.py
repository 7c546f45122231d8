"""Between the records of an episode and the JSON of a trace line, by hand: fast, strict, and nothing twice.

What is absent is left out and not written as null, except where null says something (the reward of an invalid episode).
The prompt stands once, at the beginning of `messages`; what the interaction said is referred to by the number of its
message. Reading refuses what it does not understand and names the field.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar, get_args

from harness.records import (
    Action,
    Evidence,
    ImagePart,
    Limits,
    Log,
    Message,
    Outcome,
    Part,
    Role,
    Sample,
    Score,
    Term,
    TextPart,
    ToolCall,
    ToolSchema,
    Usage,
)
from harness.trace._lines import require_finite
from harness.trace.errors import RecordError

if TYPE_CHECKING:
    from harness._machine import Feedback
    from harness.episode import Episode, InlineEpisode

Record: TypeAlias = dict[str, Any]
T = TypeVar("T")

_ROLES = frozenset(get_args(Role))
_NUMBERED = (
    "sample",
    "identity",
    "policy",
    "actions",
    "log",
    "interaction",
    "outcome",
    "attempts",
    "training",
    "timing",
)


def episode_record(
    episode: Episode | InlineEpisode,
    policy: Mapping[str, Any],
    *,
    repetition: int = 0,
    timing: Mapping[str, Any] | None = None,
) -> Record:
    """Return the trace record of a closed episode.

    Args:
        episode: After `close()`.
        policy: Who played: `name` and `view`, and whatever else describes it.
        repetition: Which of the k plays of this sample.
        timing: What the driver measured, in seconds; `world` (time in world code) is added.

    Raises:
        NonFinite: A number is NaN or infinite; the message names the field.
        RecordError: The episode is not closed, the policy has no name or view, or two terms of a score share a name.
    """
    if episode.outcome is None:
        raise RecordError("outcome", "the episode is not closed")
    if missing := {"name", "view"} - policy.keys():
        raise RecordError("policy", f"has no {' and no '.join(sorted(missing))}")
    machine, sample, messages = episode.machine, episode.sample, episode.messages
    record: Record = {
        "type": "episode",
        "sample": sample_record(sample),
        "repetition": repetition,
        "identity": dict(sample.identity),
        "policy": dict(policy),
        "tools": [tool.openai() for tool in episode.tools],
        "messages": messages_record(messages),
        **log_record(episode.log),
        "interaction": _interaction_record(episode.feedback, messages),
        "outcome": outcome_record(episode.outcome),
        "usage": usage_record(machine.usage),
        "timing": {"world": machine.world_seconds, **(timing or {})},
    }
    if machine.attempts:
        record["attempts"] = [dict(attempt) for attempt in machine.attempts]
    if machine.training is not None:
        record["training"] = machine.training
    require_finite({name: record[name] for name in _NUMBERED if name in record})
    return record


# ---- writing


def sample_record(sample: Sample) -> Record:
    """Return the reference to a sample; identity and messages stand elsewhere in the record."""
    return {
        "task": sample.task,
        "version": sample.version,
        "options": dict(sample.options),
        "options_digest": sample.options_digest,
        "seed": sample.seed,
        "split": sample.split,
        "group": sample.group,
        "index": sample.index,
        "key": sample.key,
        "attempts": sample.attempts,
        "wording": sample.wording,
        "language": sample.language,
        "limits": _limits_record(sample.limits),
        "prompt": len(sample.messages),
    }


def _limits_record(limits: Limits) -> Record:
    record: Record = {
        "turns": limits.turns,
        "budgets": dict(limits.budgets),
        "nudges": limits.nudges,
        "call_seconds": limits.call_seconds,
    }
    if limits.calls_per_turn is not None:
        record["calls_per_turn"] = limits.calls_per_turn
    return record


def messages_record(messages: Iterable[Message]) -> list[Record]:
    """Return a conversation, in the roles and shapes of the chat-completions protocol."""
    return [_message_record(message, number) for number, message in enumerate(messages)]


def _message_record(message: Message, number: int) -> Record:
    record: Record = {"role": message.role, "content": [_part_record(part) for part in message.content]}
    if message.tool_calls:
        record["tool_calls"] = [{"id": c.id, "name": c.name, "arguments": c.arguments} for c in message.tool_calls]
    if message.tool_call_id is not None:
        record["tool_call_id"] = message.tool_call_id
    if message.reasoning is not None:
        record["reasoning"] = message.reasoning
    if message.evidence is not None:
        record["evidence"] = _evidence_record(message.evidence, f"messages[{number}].evidence")
    return record


def _part_record(part: Part) -> Record:
    if isinstance(part, TextPart):
        return {"type": "text", "text": part.text}
    return {
        "type": "image",
        "sha256": part.sha256,
        "media_type": part.media_type,
        "width": part.width,
        "height": part.height,
    }


def _evidence_record(evidence: Evidence, path: str) -> Record:
    record: Record = {}
    if evidence.prompt_ids is not None:
        record["prompt_ids"] = list(evidence.prompt_ids)
    if evidence.token_ids is not None:
        record["token_ids"] = list(evidence.token_ids)
    if evidence.logprobs is not None:
        record["logprobs"] = list(evidence.logprobs)
        if not math.isfinite(sum(evidence.logprobs)):  # at C speed; which one it is is looked for only then
            require_finite(record["logprobs"], f"{path}.logprobs")
    return record


def log_record(log: Log) -> Record:
    """Return the keys `actions` and `log` of an episode."""
    rest: Record = {"metrics": dict(log.metrics), "turns": log.turns, "nudges": log.nudges, "end": log.end}
    if log.answer is not None:
        rest["answer"] = dict(log.answer)
    return {"actions": [_action_record(action) for action in log.actions], "log": rest}


def _action_record(action: Action) -> Record:
    record: Record = {
        "turn": action.turn,
        "call_id": action.call_id,
        "name": action.name,
        "arguments": dict(action.arguments),
        "status": action.status,
    }
    if action.budget is not None:
        record["budget"] = action.budget
    if action.metrics:
        record["metrics"] = dict(action.metrics)
    if action.reward is not None:
        record["reward"] = action.reward
    if action.detail:
        record["detail"] = action.detail
    return record


def _interaction_record(feedback: Sequence[Feedback], messages: Sequence[Message]) -> list[Record]:
    records, at = [], 0
    for said in feedback:
        record: Record = {"turn": said.turn}
        number = _find_said(said.text, messages, at)
        if number is not None:
            record["message"], at = number, number + 1
        elif said.text:
            record["text"] = said.text
        if said.score is not None:
            record["score"] = said.score
        if said.extra:
            record["extra"] = dict(said.extra)
        records.append(record)
    return records


def _find_said(text: str, messages: Sequence[Message], start: int) -> int | None:
    if not text:
        return None
    for number in range(start, len(messages)):
        if messages[number].role == "user" and messages[number].text == text:
            return number
    return None


def outcome_record(outcome: Outcome) -> Record:
    """Return an outcome with its terms by name.

    Raises:
        RecordError: Two terms share a name.
    """
    record: Record = {
        "status": outcome.status,
        "reason": outcome.reason,
        "detail": outcome.detail,
        "reward": outcome.reward,
        "success": outcome.success,
        "reward_id": outcome.reward_id,
        "terms": _terms_record(outcome.score) if outcome.score is not None else {},
    }
    if outcome.score is not None and outcome.score.margin is not None:
        record["margin"] = outcome.score.margin
    if outcome.evidence:
        record["evidence"] = outcome.evidence
    return record


def _terms_record(score: Score) -> Record:
    terms: Record = {}
    for kind, group in (("progress", score.progress), ("efficiency", score.efficiency)):
        for term in group:
            if term.name in terms:
                raise RecordError(f"outcome.terms.{term.name}", "two terms of the score have this name")
            terms[term.name] = {"value": term.value, "weight": term.weight, "kind": kind}
    return terms


def usage_record(usage: Usage) -> Record:
    """Return the tokens that the endpoint counted."""
    return {
        "prompt_tokens": usage.prompt_tokens,
        "completion_tokens": usage.completion_tokens,
        "reasoning_tokens": usage.reasoning_tokens,
    }


# ---- reading


def sample_from(record: Mapping[str, Any]) -> Sample:
    """Return the sample of an episode record, with identity and prompt.

    Raises:
        RecordError: A field is missing or not what it should be.
    """
    return _strictly("sample", lambda: _sample(record))


def messages_from(record: Mapping[str, Any]) -> tuple[Message, ...]:
    """Return the conversation of an episode record.

    Raises:
        RecordError: A field is missing or not what it should be.
    """
    messages = _strictly("messages", lambda: record["messages"])
    return tuple(_strictly(f"messages[{number}]", _message, value) for number, value in enumerate(messages))


def log_from(record: Mapping[str, Any]) -> Log:
    """Return the typed log of an episode record.

    Raises:
        RecordError: A field is missing or not what it should be.
    """
    actions = tuple(
        _strictly(f"actions[{number}]", _action, value)
        for number, value in enumerate(_strictly("actions", lambda: record["actions"]))
    )
    return _strictly("log", lambda: _log(actions, record["log"]))


def tools_from(record: Mapping[str, Any]) -> tuple[ToolSchema, ...]:
    """Return the tool schemas of an episode record that has its `tools` (see `harness.trace.episodes`)."""
    return _strictly(
        "tools",
        lambda: tuple(
            ToolSchema(f["name"], f["description"], f["parameters"]) for f in (t["function"] for t in record["tools"])
        ),
    )


def outcome_from(record: Mapping[str, Any]) -> Outcome:
    """Return the outcome of an episode record; its score has no reason of its own, since the outcome has it.

    Raises:
        RecordError: A field is missing or not what it should be.
    """
    return _strictly("outcome", lambda: _outcome(record["outcome"]))


def _strictly(path: str, make: Callable[..., T], *values: Any) -> T:
    """Run a conversion and say where in the record it met what it cannot read."""
    try:
        return make(*values)
    except KeyError as error:
        raise RecordError(path, f"the field {error.args[0]!r} is missing") from error
    except (TypeError, ValueError, AttributeError) as error:
        raise RecordError(path, f"cannot be read: {error}") from error


def _sample(record: Mapping[str, Any]) -> Sample:
    fields = dict(record["sample"])
    prompt, limits = fields.pop("prompt"), Limits(**fields.pop("limits"))
    messages = messages_from(record)[:prompt]
    if len(messages) != prompt:
        raise ValueError(f"the prompt has {prompt} messages, the record holds {len(messages)}")
    return Sample(**fields, limits=limits, identity=record["identity"], messages=messages)


def _message(value: Mapping[str, Any]) -> Message:
    fields = dict(value)
    role = fields.pop("role")
    if role not in _ROLES:
        raise ValueError(f"unknown role {role!r}")
    content = tuple(_part(part) for part in fields.pop("content"))
    calls = tuple(ToolCall(c["id"], c["name"], c["arguments"]) for c in fields.pop("tool_calls", ()))
    evidence = fields.pop("evidence", None)
    return Message(role, content, calls, evidence=None if evidence is None else _evidence(evidence), **fields)


def _part(value: Mapping[str, Any]) -> Part:
    kind = value["type"]
    if kind == "text":
        return TextPart(value["text"])
    if kind == "image":
        return ImagePart(value["sha256"], value["media_type"], value["width"], value["height"])
    raise ValueError(f"unknown part {kind!r}")


def _evidence(value: Mapping[str, Any]) -> Evidence:
    return Evidence(**{name: tuple(numbers) for name, numbers in value.items()})


def _action(value: Mapping[str, Any]) -> Action:
    return Action(**value)


def _log(actions: tuple[Action, ...], value: Mapping[str, Any]) -> Log:
    return Log(actions, value.get("answer"), value["metrics"], value["turns"], value["nudges"], value["end"])


def _outcome(value: Mapping[str, Any]) -> Outcome:
    detail, success, terms = value["detail"], value["success"], value["terms"]
    score = None
    if terms or "margin" in value:
        kinds: dict[str, list[Term]] = {"progress": [], "efficiency": []}
        for name, term in terms.items():
            kinds[term["kind"]].append(Term(name, term["value"], term["weight"]))
        margin = value.get("margin")
        score = Score(success, tuple(kinds["progress"]), tuple(kinds["efficiency"]), margin, detail=detail)
    evidence = value.get("evidence", "")
    return Outcome(
        value["status"], value["reason"], detail, value["reward"], success, score, value["reward_id"], evidence
    )
