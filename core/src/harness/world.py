"""The worker's end of an episode: open, execute, respond, close, as one function from bytes to bytes.

Everything that touches a task's world runs here, whichever backend carries the call. A request is a JSON head and
opaque frames: task reference, identity, limits, world. Nothing is kept between calls except what can be rebuilt: tasks
by reference, identities and limits by their bytes. Errors that tools raise on purpose are answers; anything else is
raised to the backend.
"""

from __future__ import annotations

import struct
import time
from collections.abc import Callable, Mapping
from functools import cache, lru_cache
from types import MappingProxyType
from typing import Any, get_args, get_origin

import attrs
import cattrs
from attrs import define

from harness import seeds
from harness.errors import CallError, TaskError
from harness.images import Image, split_parts
from harness.jsonio import dumps, loads
from harness.layers import Clock, Response, Result, Toolset, Turn
from harness.records import Action, ImagePart, Json, Limits, Log, Message, Part, Score, Term, TextPart
from harness.schema import conform_fields
from harness.task import Task, TaskRef, task_of
from harness.trace import require_finite

MAX_WORLD = 64 * 1024
"""Largest encoded world in bytes; what can be rebuilt from the identity does not belong in it."""

TARGET = "harness.world:perform"

_converter = cattrs.Converter(detailed_validation=False)


def _same_in_json(kind: Any) -> bool:
    """Whether values of a container type are what their JSON reads as: lists and string-keyed dicts of plain values."""
    origin, args = get_origin(kind), get_args(kind)
    if origin is list:
        inner = args[0]
    elif origin is dict and args[0] is str:
        inner = args[1]
    else:
        return False
    return inner in (bool, int, float, str) or _same_in_json(inner)


_converter.register_structure_hook_func(_same_in_json, lambda value, _: value)
_converter.register_unstructure_hook_func(_same_in_json, lambda value: value)


@define
class Reply:
    """What a call of world code came back with."""

    head: dict[str, Json]
    world: bytes
    blobs: dict[str, bytes]


_SIZES = tuple(struct.Struct(f"<I{count}I") for count in range(16))


def pack(head: Mapping[str, Json], *frames: bytes) -> bytes:
    """Write a JSON head and byte frames into one message."""
    first = finite(head)
    count = len(frames) + 1
    layout = _SIZES[count] if count < len(_SIZES) else struct.Struct(f"<I{count}I")
    return b"".join((layout.pack(count, len(first), *map(len, frames)), first, *frames))


def finite(value: Json, what: str = "") -> bytes:
    """Write a JSON value; refuse a NaN or an infinity, which JSON would turn into a null in silence."""
    data = dumps(value)
    if b"null" in data:
        require_finite(value, what)
    return data


def unpack(message: bytes) -> tuple[dict[str, Json], list[bytes]]:
    """Read what `pack` wrote."""
    count = int.from_bytes(message[:4], "little")
    layout = _SIZES[count] if count < len(_SIZES) else struct.Struct(f"<I{count}I")
    sizes = layout.unpack_from(message)[1:]
    at, frames = layout.size, []
    for size in sizes:
        frames.append(message[at : at + size])
        at += size
    return loads(frames[0]), frames[1:]


def perform(request: bytes) -> bytes:
    """Carry out one request of an episode; the target of every backend call."""
    head, frames = unpack(request)
    started = time.perf_counter()
    answer, frames_out = _OPERATIONS[head["op"]](head, frames)
    answer["seconds"] = round(time.perf_counter() - started, 6)
    return pack(answer, *frames_out)


def perform_here(head: Mapping[str, Json], frames: list[bytes]) -> Reply:
    """Do the same for a caller in this process, who is spared the framing.

    The world travels as bytes all the same, and nothing mutable is shared with task code.
    """
    started = time.perf_counter()
    answer, frames_out = _OPERATIONS[head["op"]](_own_request(head), frames)
    told = answer if _is_plain_result(answer) else loads(finite(answer))
    told["seconds"] = round(time.perf_counter() - started, 6)
    return _reply(told, frames_out)


_ATOMS = frozenset((str, int, bool, float, type(None)))


def _own_request(head: Mapping[str, Json]) -> dict[str, Json]:
    """Copy a request; calls with plain arguments, which are nearly all, are spared the way through text."""
    if head["op"] == "execute" and _ATOMS.issuperset(map(type, head["arguments"].values())):
        return {**head, "spent": head["spent"].copy()}
    return loads(finite(head))  # type: ignore[no-any-return]


def _is_plain_result(answer: Mapping[str, Json]) -> bool:
    """Whether an answer is one text of a tool and nothing that task code may hold or JSON would read otherwise."""
    if answer.get("metrics", True) or answer.get("blobs", True) or "reward" in answer:
        return False
    content = answer.get("content", ())
    return len(content) == 1 and type(content[0].get("text")) is str and type(answer["done"]) is bool


def read_reply(message: bytes) -> Reply:
    """Read the answer of `perform`: the world stays opaque, images are keyed by hash."""
    return _reply(*unpack(message))


def _reply(head: dict[str, Json], frames: list[bytes]) -> Reply:
    if not frames:
        return Reply(head, b"", {})
    return Reply(head, frames[0], dict(zip(head.get("blobs", ()), frames[1:], strict=True)))


# ---- the operations: (head, frames) → (answer, frames)

_Answer = tuple[dict[str, Json], list[bytes]]


def _warm(head: dict[str, Json], frames: list[bytes]) -> _Answer:
    """Load the task, and let its toolset class prepare what is cached per worker."""
    task = _task(frames[0])
    prepare = getattr(task.toolset, "warm", None)
    if prepare is not None:
        prepare(task.options)
    return {}, []


def _open(head: dict[str, Json], frames: list[bytes]) -> _Answer:
    task, identity = _task(frames[0]), _identity(frames[0], frames[1])
    world = task.toolset.create(identity, task.options)
    messages, blobs = task.render(identity, head["wording"], head["language"])
    shown = [{"role": m.role, "content": _parts_out(m.content)} for m in messages]
    return {"messages": shown, "blobs": list(blobs)}, [encode_world(task, world), *blobs.values()]


def _execute(head: dict[str, Json], frames: list[bytes]) -> _Answer:
    task, toolset = _toolset(head, frames)
    spec = task.specs[head["tool"]]
    arguments = conform_fields(head["arguments"], spec.hints, spec.required)
    try:
        result = _result(getattr(toolset, spec.name)(**arguments), spec.name)
    except CallError as error:
        return _refusal(error, toolset.clock, spec.budget), [frames[3]]
    content = _with_budget(result.content, toolset.clock, spec.budget)
    shown: list[Json] = [{"text": content}]
    blobs: dict[str, bytes] = {}
    if result.images:
        parts, blobs = split_parts(result.images)
        shown += _parts_out(parts)
    answer = {"content": shown, "done": result.done, "metrics": dict(result.metrics), "blobs": list(blobs)}
    if result.reward is not None:  # a null would have the answer searched for numbers that JSON has no form for
        answer["reward"] = result.reward
    return answer, [encode_world(task, toolset.world), *blobs.values()]


def _respond(head: dict[str, Json], frames: list[bytes]) -> _Answer:
    task, toolset = _toolset(head, frames)
    response = task.interaction.respond(toolset, Turn(**head["turn_record"]))
    world = encode_world(task, toolset.world)
    if response is None:
        return {"silent": True}, [world]
    said = (response.content,) if isinstance(response.content, str) else response.content
    parts, blobs = split_parts([p for p in said if p != ""])
    return _response_out(response, parts, blobs), [world, *blobs.values()]


def _close(head: dict[str, Json], frames: list[bytes]) -> _Answer:
    """Measure, score and release; release happens whatever else fails."""
    task, toolset = _toolset(head, frames)
    try:
        if not head["scored"]:
            return {}, []
        log = log_in(head["log"])
        metrics = dict(toolset.calc_reward() or {})
        measured = Log(log.actions, log.answer, metrics, log.turns, log.nudges, log.end)
        return {"metrics": metrics} | score_out(task, toolset.identity, measured), []
    finally:
        toolset.release()


def score_out(task: Task, identity: Any, log: Log) -> dict[str, Json]:
    """Score a log and return the score as JSON; checks what the reward layer returned.

    Raises:
        TaskError: The reward layer returned something else than a `Score`; the message names it.
    """
    place = f"{type(task.reward).__name__}.score of {task.card.task_id}"
    try:
        score = task.reward.score(identity, log)
    except ValueError as error:
        raise TaskError(f"{place}: {error}") from error
    if not isinstance(score, Score):
        raise TaskError(f"{place} returned {type(score).__name__}, expected a Score")
    shaped = task.training.shape(identity, log, score) if task.training else None
    return {"score": _score_json(score)} | ({} if shaped is None else {"training": shaped})


def _score_json(score: Score) -> dict[str, Json]:
    told: dict[str, Json] = {"success": score.success, "detail": score.detail}
    told |= {"progress": _terms_json(score.progress), "efficiency": _terms_json(score.efficiency)}
    return told | {k: v for k, v in (("margin", score.margin), ("reason", score.reason)) if v is not None}


def _terms_json(terms: tuple[Term, ...]) -> list[Json]:
    return [{"name": term.name, "value": term.value, "weight": term.weight} for term in terms]


def score_in(value: Mapping[str, Json]) -> Score:
    """Read a score from JSON."""
    progress, efficiency = (tuple(Term(**term) for term in value[kind]) for kind in ("progress", "efficiency"))
    return Score(value["success"], progress, efficiency, value.get("margin"), value.get("reason"), value["detail"])


_OPERATIONS: dict[str, Callable[[dict[str, Json], list[bytes]], _Answer]] = {
    "warm": _warm,
    "open": _open,
    "execute": _execute,
    "respond": _respond,
    "close": _close,
}


# ---- parts of the operations


def _task(ref: bytes) -> Task:
    return _task_by_ref(ref)


@lru_cache(maxsize=256)
def _task_by_ref(ref: bytes) -> Task:
    return task_of(TaskRef.decode(ref))


@lru_cache(maxsize=512)
def _identity(ref: bytes, identity: bytes) -> Any:
    return _task(ref).decode_identity(identity)


@lru_cache(maxsize=512)
def _noise_key(identity: bytes) -> str:
    return seeds.hexdigest(identity.decode())


@lru_cache(maxsize=512)
def _limits(limits: bytes) -> Limits:
    value = loads(limits)
    return Limits(**value | {"budgets": MappingProxyType(value["budgets"])})  # shared by calls, so read-only


def limits_out(limits: Limits) -> bytes:
    """Write what the clock of a call tells of the limits: the same bytes for all calls of an episode."""
    return dumps({"turns": limits.turns, "budgets": dict(limits.budgets), "nudges": limits.nudges})


@cache
def _reader(world: type) -> Callable[[Any, Any], Any]:
    return _converter.get_structure_hook(world)


@cache
def _writer(world: type) -> Callable[[Any], Any]:
    return _converter.get_unstructure_hook(world)


def _toolset(head: dict[str, Json], frames: list[bytes]) -> tuple[Task, Toolset]:
    ref, identity, limits, world = frames
    task = _task(ref)
    kind = task.toolset.World
    state = _reader(kind)(loads(world), kind)
    clock = Clock(head["turn"], head["call"], head["spent"], _limits(limits), head["language"])
    made = task.toolset(_identity(ref, identity), task.options, state, clock, _noise_key(identity))
    return task, made


def encode_world(task: Task, world: Any) -> bytes:
    """Write a world record; refuses one that is too large or of another class."""
    expected = task.toolset.World
    if not isinstance(world, expected):
        raise TaskError(f"{task.toolset.__name__}: the world is a {type(world).__name__}, expected {expected.__name__}")
    kind: Any = type(world)
    data = finite(_writer(kind)(world), "world")
    if len(data) > MAX_WORLD:
        raise TaskError(f"{task.toolset.__name__}: the world takes {len(data)} bytes, at most {MAX_WORLD} are allowed")
    return data


def _result(value: Any, tool: str) -> Result:
    if isinstance(value, Result):
        return value
    if isinstance(value, dict) or isinstance(value, str | Mapping):  # noqa: SIM101 - dict first, a Mapping costs more
        return Result(value)
    raise TaskError(f"tool {tool} returned {type(value).__name__}, expected a str, a mapping or a Result")


def _with_budget(content: str | Mapping[str, Json], clock: Clock, budget: str | None) -> str:
    note = budget_note(clock, budget, charged=True)
    if isinstance(content, str):
        return f"{content}\n{note}" if note else content
    return finite(dict(content) | ({"budget": note} if note else {}), "result").decode()


def budget_note(clock: Clock, budget: str | None, *, charged: bool) -> str:
    """Say what is left of a budget after this call: `3 of 8 simulations left`."""
    if budget is None:
        return ""
    left, total = clock.left(budget) - charged, clock.limits.budgets.get(budget, 0)
    return f"剩余 {left}/{total} {budget}" if clock.language == "zh" else f"{left} of {total} {budget} left"


def _refusal(error: CallError, clock: Clock, budget: str | None) -> dict[str, Json]:
    note = budget_note(clock, budget, charged=error.charged)
    told = {"error": error.reason, "message": error.message}
    told |= {"argument": error.argument} if error.argument else {}
    told |= {"budget": note} if note else {}
    return {"refused": error.reason, "charged": error.charged, "told": told, "blobs": []}


def _response_out(response: Response, parts: tuple[Part, ...], blobs: dict[str, bytes]) -> dict[str, Json]:
    return {
        "content": _parts_out(parts),
        "done": response.done,
        "answer": None if response.answer is None else dict(response.answer),
        "score": response.score,
        "extra": dict(response.extra),
        "nudge": response.nudge,
        "reason": response.reason,
        "blobs": list(blobs),
    }


def _parts_out(parts: tuple[Part, ...]) -> list[Json]:
    return [
        {"text": p.text}
        if isinstance(p, TextPart)
        else {
            "sha256": p.sha256,
            "media_type": p.media_type,
            "width": p.width,
            "height": p.height,
            "facts": dict(p.facts),
        }
        for p in parts
    ]


def parts_in(parts: list[Json]) -> tuple[Part, ...]:
    """Read message parts from a reply."""
    return tuple(TextPart(p["text"]) if "text" in p else ImagePart(**p) for p in parts)


def messages_in(messages: list[Json]) -> tuple[Message, ...]:
    """Read prompt messages from a reply."""
    return tuple(Message(m["role"], parts_in(m["content"])) for m in messages)


def log_out(log: Log) -> dict[str, Json]:
    """Write a log as JSON."""
    return _values(log) | {"actions": [_values(action) for action in log.actions]}


def _values(record: Log | Action) -> dict[str, Json]:
    """Return the fields that are not None; nulls would have the text searched for numbers that JSON cannot write."""
    values = ((name, getattr(record, name)) for name in _FIELDS[type(record)])
    return {name: value for name, value in values if value is not None}


_FIELDS = {kind: tuple(a.name for a in attrs.fields(kind)) for kind in (Log, Action)}


def log_in(value: Mapping[str, Json]) -> Log:
    """Read a log from JSON."""
    actions = tuple(Action(**a) for a in value["actions"])
    return Log(actions, value.get("answer"), value["metrics"], value["turns"], value["nudges"], value["end"])


__all__ = [
    "TARGET",
    "Image",
    "Reply",
    "encode_world",
    "pack",
    "perform",
    "perform_here",
    "read_reply",
    "score_in",
    "score_out",
    "unpack",
]
