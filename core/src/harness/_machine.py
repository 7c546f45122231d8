"""The rules of an episode, as a synchronous state machine without I/O.

Steps are generators: they yield requests for world code and are sent the replies; whoever drives them decides where
the code runs. Faults of the environment are caught here, in one place, and make the episode invalid; whatever the
policy does is answered and scored.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator, Mapping
from itertools import count
from typing import TypeVar

from attrs import define, evolve, field

from harness.backends import BackendLost, CallFailed, Job, WorldRaised, WorldTimeout
from harness.errors import BackendFault, TaskError, nearest
from harness.jsonio import dumps
from harness.layers import Clock
from harness.records import (
    Action,
    Completion,
    Json,
    Log,
    Message,
    Outcome,
    Sample,
    TextPart,
    ToolCall,
    TurnResult,
    Usage,
    text_message,
)
from harness.task import Task
from harness.tools import Arguments, BadCall, ToolSpec, parse_arguments
from harness.world import TARGET, Reply, budget_note, limits_out, log_out, messages_in, pack, parts_in, score_in

OPEN_SECONDS = 120.0
"""Limit of creating a world, which may include the first build of a simulator."""

CLOSE_SECONDS = 60.0
"""Limit of measuring and scoring the final world."""

T = TypeVar("T")


@define
class Request:
    """World code that the machine wants to be run."""

    op: str
    head: dict[str, Json]
    limit: float
    idempotent: bool = True


Work = Generator[Request, Reply, T]


@define
class Feedback:
    """What the interaction layer said after a turn, for the trace."""

    turn: int
    text: str
    score: float | None = None
    extra: Mapping[str, Json] = field(factory=dict)


class _Lost(Exception):
    """The episode cannot go on through no fault of the policy."""

    def __init__(self, reason: str, detail: str, evidence: str = "") -> None:
        super().__init__(detail)
        self.reason, self.detail, self.evidence = reason, detail, evidence


class Machine:
    """One episode: what has been said, done and spent, and what comes next.

    Attributes:
        messages: The conversation so far.
        blobs: Bytes of all images seen so far, by SHA-256.
        feedback: What the interaction layer said.
        training: Shaped training reward, if a plugin gives one.
        world_seconds: Time spent in world code.
    """

    def __init__(self, task: Task, sample: Sample) -> None:
        self.task, self.sample, self.limits = task, sample, sample.limits
        self.messages: list[Message] = []
        self.actions: list[Action] = []
        self.feedback: list[Feedback] = []
        self.blobs: dict[str, bytes] = {}
        self.world = b""
        self.spent: dict[str, int] = {}
        self.turns = self.nudges = self.executed = 0
        self.answer: dict[str, Json] | None = None
        self.done, self.end = False, ""
        self.metrics: Mapping[str, Json] = {}
        self.training: float | None = None
        self.world_seconds = 0.0
        self.usage = Usage()
        self.attempts: list[Mapping[str, Json]] = []
        self.outcome: Outcome | None = None
        self._lost: _Lost | None = None
        self._opened = False
        self._detail = ""
        self._frames = (task.encoded, dumps(dict(sample.identity)), limits_out(self.limits))
        self._label = f"{sample.task_id} {sample.group} #{sample.index}"

    # ---- what drivers call

    def open(self) -> Work[None]:
        """Create the world and render the prompt."""
        yield from self._guard(self._open())

    def step(self, completion: Completion) -> Work[TurnResult]:
        """Take the policy's turn and return the world's."""
        result = None if self._lost else (yield from self._guard(self._step(completion)))
        return result or TurnResult((), True, self._lost.reason if self._lost else self.end)

    def close(self) -> Work[Outcome]:
        """Score, then release, always; later calls return the same outcome."""
        if self.outcome is None:
            scored = None if self._lost else (yield from self._guard(self._close()))
            if scored is None and self._opened:
                yield from self._release()
            self.outcome = scored or self._invalid()
        return self.outcome

    def finish(self, end: str, detail: str = "") -> None:
        """End the conversation; the first reason stays."""
        if not self.done:
            self.done, self.end, self._detail = True, end, detail

    def abort(self, reason: str, detail: str, evidence: str = "") -> None:
        """Make the episode invalid, for something that the policy does not answer for."""
        self._lost = self._lost or _Lost(reason, detail, evidence)
        self.done = True

    @property
    def frames(self) -> list[bytes]:
        """What a request carries beside its head: task reference, identity, limits, world."""
        return [*self._frames, self.world]

    def job(self, request: Request) -> Job:
        """Return the backend call that carries a request."""
        payload = pack(request.head, *self.frames)
        label = f"{self._label} {request.head.get('tool', request.op)}"
        return Job(TARGET, payload, request.limit, request.idempotent, label)

    def _guard(self, work: Work[T]) -> Work[T | None]:
        """Let faults of the environment end the episode as invalid."""
        try:
            return (yield from work)
        except _Lost as lost:
            self.abort(lost.reason, lost.detail, lost.evidence)
        except BackendLost as error:
            self.abort("backend_lost", str(error))
        except WorldRaised as error:
            self.abort("task_error", str(error), error.traceback_text)
        except CallFailed as error:
            self.abort("task_error", str(error), error.output)
        return None

    def _invalid(self) -> Outcome:
        lost = self._lost or _Lost("task_error", "the episode ended without an outcome")
        return Outcome("invalid", lost.reason, lost.detail, evidence=lost.evidence)

    def _release(self) -> Work[None]:
        """Let the world be released without scoring; what fails here changes nothing any more."""
        try:
            yield from self._ask("close", {"scored": False}, CLOSE_SECONDS)
        except BackendFault:
            return

    # ---- open

    def _open(self) -> Work[None]:
        head = {"wording": self.sample.wording, "language": self.sample.language}
        reply = yield from self._ask("open", head, OPEN_SECONDS)
        self.messages = list(messages_in(reply.head["messages"]))
        self._opened = True

    # ---- one turn

    def _step(self, completion: Completion) -> Work[TurnResult]:
        if self.done:
            raise TaskError(f"the episode has ended ({self.end}); it takes no further turn")
        self.turns += 1
        calls = _identified(completion.tool_calls, self.turns)
        if calls is not completion.tool_calls:
            completion = evolve(completion, tool_calls=calls)
        self._take(completion)
        start = len(self.messages)
        if completion.finish_reason == "length":
            self._refuse_all(
                completion.tool_calls, "length_truncated", "not executed: the message was cut at its token limit"
            )
            self.finish("length_truncated")
        else:
            yield from self._calls(completion.tool_calls)
            if not self.done and (not completion.tool_calls or self.task.interaction.every_turn):
                yield from self._respond(completion)
        if not self.done and self.turns >= self.limits.turns:
            self.finish("budget_exhausted")
        return TurnResult(tuple(self.messages[start:]), self.done, self.end if self.done else "")

    def _take(self, completion: Completion) -> None:
        content = (TextPart(completion.content),) if completion.content else ()
        self.messages.append(
            Message("assistant", content, completion.tool_calls, None, completion.reasoning, completion.evidence)
        )
        if completion.usage is not None:
            self.usage = self.usage + completion.usage
        self.attempts += [{"turn": self.turns, **a} for a in completion.attempts]

    def _calls(self, calls: tuple[ToolCall, ...]) -> Work[None]:
        allowed = self.limits.calls_per_turn
        for position, call in enumerate(calls):
            if self.done:
                self._refuse_all((call,), "not_executed", "not executed: the episode had ended with an earlier call")
            elif allowed is not None and position >= allowed:
                self._refuse_all((call,), "not_executed", f"not executed: at most {allowed} calls are allowed a turn")
            else:
                yield from self._call(call)

    def _call(self, call: ToolCall) -> Work[None]:
        try:
            spec = self._spec(call.name)
            arguments = parse_arguments(call.arguments, spec)
        except BadCall as error:
            self._answer_error(call, error.reason, error.message, argument=error.argument)
            return
        total = self.limits.budgets.get(spec.budget, 0) if spec.budget is not None else 0
        if spec.budget is not None and self.spent.get(spec.budget, 0) >= total:
            self._answer_error(
                call, "budget_exhausted", f"not executed: all {total} {spec.budget} are used", arguments.json
            )
            return
        yield from self._execute(call, spec, arguments)

    def _spec(self, name: str) -> ToolSpec:
        specs = self.task.specs
        if name not in specs:
            raise BadCall("unknown_tool", f"there is no tool {name[:80]!r}{nearest(name, specs)}")
        return specs[name]

    def _execute(self, call: ToolCall, spec: ToolSpec, arguments: Arguments) -> Work[None]:
        asked = {"tool": spec.name, "arguments": arguments.json}
        try:
            reply = self._took((yield self._request("execute", asked, self.limits.call_seconds, spec.idempotent)))
        except CallFailed as error:
            self._blame_call(call, spec, arguments, error)
            return
        if "refused" in reply.head:
            self._refused(call, spec, arguments, reply)
            return
        charged = self._charge(spec.budget)
        detail = "arguments were encoded twice" if arguments.twice else ""
        head = reply.head
        self.actions.append(
            Action(
                self.turns,
                spec.name,
                arguments.json,
                "ok",
                charged,
                head["metrics"],
                head.get("reward"),
                call.id,
                detail,
            )
        )
        self.messages.append(Message("tool", parts_in(head["content"]), tool_call_id=call.id))
        if spec.final:
            self.answer = arguments.json
            self.finish("answered")
        elif head["done"]:
            self.finish("done")

    def _refused(self, call: ToolCall, spec: ToolSpec, arguments: Arguments, reply: Reply) -> None:
        charged = self._charge(spec.budget) if reply.head["charged"] else None
        told = reply.head["told"]
        self._record(call, spec.name, arguments.json, reply.head["refused"], charged, told["message"])
        self.messages.append(_tool_message(call, told))

    def _blame_call(self, call: ToolCall, spec: ToolSpec, arguments: Arguments, error: CallFailed) -> None:
        """Answer a call that failed twice and so is itself to blame; one that cannot be repeated is nobody's fault."""
        if not error.reproduced and not isinstance(error, WorldTimeout):
            raise _Lost("tool_crash", f"{spec.name}: {error}", error.output)
        timeout = isinstance(error, WorldTimeout)
        reason = "tool_timeout" if timeout else "infeasible_state"
        message = (
            f"the call was stopped after {self.limits.call_seconds:g} s"
            if timeout
            else "the environment could not carry out this call"
        )
        charged = self._charge(spec.budget)
        note = budget_note(self._clock(), spec.budget, charged=False)
        self._record(call, spec.name, arguments.json, reason, charged, str(error))
        self.messages.append(
            _tool_message(call, {"error": reason, "message": message} | ({"budget": note} if note else {}))
        )

    def _respond(self, completion: Completion) -> Work[None]:
        record = {
            "number": self.turns,
            "text": completion.content or "",
            "called": bool(completion.tool_calls),
            "nudges": self.nudges,
        }
        try:
            reply = yield from self._ask("respond", {"turn_record": record}, self.limits.call_seconds)
        except CallFailed as error:
            if not error.reproduced:
                raise _Lost("tool_crash", f"the interaction failed: {error}", error.output) from error
            reason = "tool_timeout" if isinstance(error, WorldTimeout) else "infeasible_state"
            self.finish(reason, f"the interaction failed on this turn, twice: {error}")
            return
        head = reply.head
        if head.get("silent"):
            return
        self.nudges += bool(head["nudge"])
        text = "\n".join(p["text"] for p in head["content"] if "text" in p)
        self.feedback.append(Feedback(self.turns, text, head["score"], head["extra"]))
        if head["content"]:
            self.messages.append(Message("user", parts_in(head["content"])))
        if head["answer"] is not None:
            yield from self._typed_answer(head["answer"])
        if head["done"] and not self.done:
            self.finish(head["reason"] or "done")

    def _typed_answer(self, answer: dict[str, Json]) -> Work[None]:
        """Execute an answer found in the text as the final call; what it returns is told as a user message."""
        final = next(spec for spec in self.task.specs.values() if spec.final)
        before = len(self.messages)
        yield from self._call(ToolCall(f"answer_{self.turns}", final.name, dumps(answer).decode()))
        self.messages[before:] = [text_message("user", m.text) for m in self.messages[before:]]
        self.nudges += not self.done
        if not self.done and self.nudges > self.limits.nudges:
            self.finish("bad_answer_format")

    # ---- close

    def _close(self) -> Work[Outcome]:
        self.finish("premature_end")
        head = {"scored": True, "log": log_out(self.log())}
        try:
            reply = yield from self._ask("close", head, CLOSE_SECONDS)
        except WorldRaised as error:
            raise _Lost("task_error", f"scoring failed: {error}", error.traceback_text) from error
        except CallFailed as error:
            if not error.reproduced:
                raise _Lost("tool_crash", f"scoring failed: {error}", error.output) from error
            reason = "tool_timeout" if isinstance(error, WorldTimeout) else "infeasible_state"
            return Outcome("scored", reason, f"scoring: {error}", 0.0, reward_id=self.task.reward.id)
        self.metrics, self.training = reply.head["metrics"], reply.head.get("training")
        score = score_in(reply.head["score"])
        reason = "solved" if score.success else self._reason(score.reason)
        return Outcome(
            "scored", reason, score.detail or self._detail, score.total, score.success, score, self.task.reward.id
        )

    def _reason(self, named: str | None) -> str:
        if named:
            return named
        if self.end in ("answered", "done"):
            return "wrong_answer"
        return self.end

    def log(self) -> Log:
        """The typed log so far."""
        return Log(tuple(self.actions), self.answer, self.metrics, self.turns, self.nudges, self.end)

    # ---- small things

    def _clock(self) -> Clock:
        return Clock(self.turns, self.executed, self.spent, self.limits, self.sample.language)

    def _charge(self, budget: str | None) -> str | None:
        self.executed += 1
        if budget is not None:
            self.spent[budget] = self.spent.get(budget, 0) + 1
        return budget

    def _ask(self, op: str, head: dict[str, Json], limit: float) -> Work[Reply]:
        return self._took((yield self._request(op, head, limit)))

    def _request(self, op: str, head: dict[str, Json], limit: float, idempotent: bool = True) -> Request:
        told = {
            "op": op,
            "turn": self.turns,
            "call": self.executed,
            "spent": self.spent,
            "language": self.sample.language,
            **head,
        }
        return Request(op, told, limit, idempotent)

    def _took(self, reply: Reply) -> Reply:
        self.world = reply.world or self.world
        if reply.blobs:
            self.blobs |= reply.blobs
        self.world_seconds += reply.head["seconds"]
        return reply

    def _record(
        self, call: ToolCall, name: str, arguments: Mapping[str, Json], status: str, charged: str | None, detail: str
    ) -> None:
        self.actions.append(Action(self.turns, name, arguments, status, charged, call_id=call.id, detail=detail))

    def _answer_error(
        self,
        call: ToolCall,
        reason: str,
        message: str,
        arguments: Mapping[str, Json] | None = None,
        argument: str | None = None,
    ) -> None:
        self._record(call, call.name, arguments or {}, reason, None, message)
        told = {"error": reason, "message": message} | ({"argument": argument} if argument else {})
        self.messages.append(_tool_message(call, told))

    def _refuse_all(self, calls: tuple[ToolCall, ...], reason: str, message: str) -> None:
        for call in calls:
            self._answer_error(call, reason, message)


def _tool_message(call: ToolCall, told: Mapping[str, Json]) -> Message:
    return Message("tool", (TextPart(dumps(told).decode()),), tool_call_id=call.id)


def _identified(calls: tuple[ToolCall, ...], turn: int) -> tuple[ToolCall, ...]:
    """Give calls without an id, or with one used before in the turn, an id of their own."""
    if len(calls) == 1 and calls[0].id:
        return calls
    taken = {call.id for call in calls}
    if len(taken) == len(calls) and "" not in taken:
        return calls
    seen: set[str] = set()
    made = []
    for position, call in enumerate(calls):
        name = call.id
        if not name or name in seen:
            name = next(n for n in _fresh_ids(turn, position + 1) if n not in taken and n not in seen)
        seen.add(name)
        made.append(call if name == call.id else evolve(call, id=name))
    return tuple(made)


def _fresh_ids(turn: int, position: int) -> Iterator[str]:
    yield f"call_{turn}_{position}"
    yield from (f"call_{turn}_{position}_{n}" for n in count(2))
