"""The episode: one sample played by one policy, without model I/O of its own.

    episode = Episode(task, sample, backend)
    await episode.open()                       # episode.messages and episode.tools are ready
    turn = await episode.step(completion)      # new messages, done, reason
    outcome = await episode.close()            # scores, then releases, always

`Episode` carries world code over a backend; `InlineEpisode` is the same without `await`, in this process. Both are
thin shells around one state machine and know nothing of HTTP, tokens or trainers: every consumer is a driver over
these three calls.
"""

from __future__ import annotations

import time
from functools import cached_property, lru_cache
from typing import TypeVar

import anyio

from harness._machine import Feedback, Machine, Request, Work
from harness.backends import Backend, BackendLost, InlineBackend, Job
from harness.errors import BackendFault
from harness.records import Completion, Log, Message, Outcome, Sample, ToolSchema, TurnResult
from harness.task import Task
from harness.world import TARGET, Reply, pack, perform_here, read_reply

T = TypeVar("T")


class _Shell:
    """What both kinds of episode share: views of the machine.

    Attributes:
        machine: Actions, feedback, usage and timings, for whoever writes the trace.
    """

    def __init__(self, task: Task, sample: Sample) -> None:
        self.task, self.sample = task, sample
        self.machine = Machine(task, sample)
        self.begun = time.perf_counter()

    @property
    def messages(self) -> list[Message]:
        """The conversation so far; the prompt after `open`."""
        return self.machine.messages

    @property
    def blobs(self) -> dict[str, bytes]:
        """Bytes of all images seen so far, by SHA-256."""
        return self.machine.blobs

    @property
    def feedback(self) -> list[Feedback]:
        """What the interaction layer said, turn by turn."""
        return self.machine.feedback

    @cached_property
    def tools(self) -> tuple[ToolSchema, ...]:
        """Schemas of the callable tools, in order."""
        return tuple(spec.schema for spec in self.task.specs.values())

    @property
    def done(self) -> bool:
        """Whether the episode takes no further turn."""
        return self.machine.done

    @property
    def log(self) -> Log:
        """The typed log so far; with the metrics of the final world after `close`."""
        return self.machine.log()

    @property
    def outcome(self) -> Outcome | None:
        """The outcome, after `close`."""
        return self.machine.outcome

    def end(self, reason: str, detail: str = "") -> None:
        """End the conversation for something the policy answers for, such as `context_overflow`."""
        self.machine.finish(reason, detail)

    def abort(self, reason: str, detail: str, evidence: str = "") -> None:
        """Make the episode invalid, for something that the policy does not answer for."""
        self.machine.abort(reason, detail, evidence)

    def _drive_here(self, work: Work[T], backend: InlineBackend) -> T:
        """Carry out requests in this process, one after the other."""
        try:
            request = next(work)
            while True:
                try:
                    reply = self._carry_out(request, backend)
                except BackendFault as error:
                    request = work.throw(error)
                else:
                    request = work.send(reply)
        except StopIteration as stop:
            return stop.value  # type: ignore[no-any-return]

    def _carry_out(self, request: Request, backend: InlineBackend) -> Reply:
        frames = self.machine.frames
        return backend.attempt(lambda: perform_here(request.head, frames), request.idempotent)


class Episode(_Shell):
    """One sample played by one policy over a backend."""

    def __init__(self, task: Task, sample: Sample, backend: Backend) -> None:
        super().__init__(task, sample)
        self.backend = backend
        self._here = backend if type(backend) is InlineBackend else None  # one that overrides `call` wants its jobs

    async def open(self) -> None:
        """Create the world; afterwards messages and tools are ready. Workers are readied first, outside all limits."""
        try:
            await self.backend.warm(warm_job(self.task))
        except BackendLost as error:
            self.abort("backend_lost", str(error))
        except BackendFault as error:
            self.abort("task_error", f"the task could not be loaded: {error}")
        else:
            await self._drive(self.machine.open())

    async def step(self, completion: Completion) -> TurnResult:
        """Take the policy's turn and return the world's."""
        return await self._drive(self.machine.step(completion))

    async def close(self) -> Outcome:
        """Score the episode and release its world, also when the surrounding scope is cancelled."""
        work = self.machine.close()
        if self._here is not None:
            self._drive_here(work, self._here)
        else:
            with anyio.CancelScope(shield=True):
                await self._drive(work)
        assert self.outcome is not None
        return self.outcome

    async def _drive(self, work: Work[T]) -> T:
        try:
            request = next(work)
            while True:
                try:
                    if self._here is None:
                        reply = read_reply(await self.backend.call(self.machine.job(request)))
                    else:
                        if self._here.due:
                            await self._here.give_way()
                        reply = self._carry_out(request, self._here)
                except BackendFault as error:
                    request = work.throw(error)
                else:
                    request = work.send(reply)
        except StopIteration as stop:
            return stop.value  # type: ignore[no-any-return]


class InlineEpisode(_Shell):
    """One sample played in this process, without an event loop and without time limits on world code."""

    def __init__(self, task: Task, sample: Sample) -> None:
        super().__init__(task, sample)
        self._backend = InlineBackend()

    def open(self) -> None:
        """Create the world; afterwards messages and tools are ready."""
        self._drive_here(self.machine.open(), self._backend)

    def step(self, completion: Completion) -> TurnResult:
        """Take the policy's turn and return the world's."""
        return self._drive_here(self.machine.step(completion), self._backend)

    def close(self) -> Outcome:
        """Score the episode and release its world."""
        return self._drive_here(self.machine.close(), self._backend)


def warm_job(task: Task) -> Job:
    """The call that readies a worker for a task."""
    return _warm_job(task.encoded, task.name)


@lru_cache(maxsize=256)
def _warm_job(ref: bytes, name: str) -> Job:
    return Job(TARGET, pack({"op": "warm"}, ref), 120.0, label=f"warm {name}")
