"""The pool of worker processes: who gets which worker when, and what happens when one is lost.

Callers are served first come, first served, except that a call which failed once gets the next worker it may use:
after a crash or a time-out one that has never run anything, after an exception any but the one it was raised on.
A worker that is killed or dies is replaced at once. The pool has no task of its own, so it may be opened and closed
by different tasks of one event loop, and runs the same under plain asyncio, a blocking portal or a Ray actor.
"""

from __future__ import annotations

import asyncio
import os
from collections import deque
from functools import partial
from types import TracebackType
from typing import Self

import anyio
import attrs

from harness.backends._call import Job
from harness.backends._errors import BackendLost, CallFailed, WorldRaised
from harness.backends._worker import Unread, Warden, Worker

START_TRIES = 3  # failed starts in a row, then the pool rests
START_PAUSE = 0.1  # seconds before a second try; doubled before each further one
REST_SECONDS = 5.0  # how long it then leaves the machine alone
CLOSE_SECONDS = 10.0


@attrs.define(eq=False)
class _Waiter:
    """A caller that waits for a worker; on its second try, the worker that failed it and what it needs instead."""

    future: asyncio.Future[Worker]
    failed: Worker | None = None
    fresh: bool = False

    def suits(self, worker: Worker) -> bool:
        return worker.calls == 0 if self.fresh else worker is not self.failed


class ProcessBackend:
    """Runs calls in `size` worker processes, one for each usable CPU by default."""

    def __init__(self, size: int | None = None) -> None:
        if size is not None and size < 1:
            raise ValueError(f"a pool has at least one worker, not {size}")
        self.size = size or _usable_cpus()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._closed: BackendLost | None = None
        self._emptied = anyio.Event()
        self._workers: set[Worker] = set()
        self._ending: set[Worker] = set()
        self._idle: deque[Worker] = deque()
        self._retrying: deque[_Waiter] = deque()
        self._waiting: deque[_Waiter] = deque()
        self._warmups: dict[Job, asyncio.Future[None]] = {}
        self._mishaps: dict[Job, BaseException] = {}
        self._due = 0  # workers that start after a pause
        self._failures, self._trouble, self._rest_until = 0, "", 0.0

    @property
    def pids(self) -> tuple[int, ...]:
        """The process ids of the workers that run now."""
        return tuple(worker.pid for worker in self._workers if worker.alive)

    async def __aenter__(self) -> Self:
        if self._loop is not None:
            raise RuntimeError("a pool is opened once; make another")
        self._loop = asyncio.get_running_loop()
        self._warden = Warden()
        self._fill()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, where: TracebackType | None
    ) -> None:
        self._closed = BackendLost("the pool was closed")
        for worker in list(self._workers):
            worker.kill(self._closed)
        self._refuse([*self._retrying, *self._waiting], self._closed)
        self._drop_warmups(self._closed)
        with anyio.move_on_after(CLOSE_SECONDS, shield=True):
            if self._workers or self._ending:
                await self._emptied.wait()
        self._warden.close()

    async def warm(self, job: Job) -> None:
        """See `Backend.warm`."""
        self._muster()
        warmed = self._warmups.get(job)
        if warmed is None:
            warmed = self._warmups[job] = asyncio.get_running_loop().create_future()
            idle, self._idle = self._idle, deque()
            for worker in idle:
                self._settle(worker)
            self._refuse_hopeless()
        await asyncio.shield(warmed)

    async def call(self, job: Job) -> bytes:
        """See `Backend.call`."""
        worker, first = await self._run(await self._take(), job)
        if isinstance(first, bytes):
            return first
        if not job.idempotent:
            raise first
        _, second = await self._run(await self._take_another(worker, fresh=not isinstance(first, WorldRaised)), job)
        if isinstance(second, CallFailed):
            second.reproduced = True
            raise second from first
        self._suspect(worker)
        return second

    async def _run(self, worker: Worker, job: Job) -> tuple[Worker, bytes | CallFailed]:
        """Put `job` to `worker`, or to new ones as long as they die before they have read it."""
        while isinstance(outcome := await self._put(worker, job), Unread):
            worker = await self._queue(self._retrying, _Waiter(self._future(), fresh=True))
        return worker, outcome

    async def _put(self, worker: Worker, job: Job) -> bytes | CallFailed:
        reply = worker.run(job)
        try:
            return await reply
        except CallFailed as error:
            return error
        except asyncio.CancelledError:
            if reply.cancelled():
                worker.kill(BackendLost("its call was cancelled"))
            raise
        finally:
            self._settle(worker)

    # Who gets which worker.

    async def _take(self) -> Worker:
        self._muster()
        while self._idle:
            worker = self._idle.pop()
            if worker.alive:
                worker.calls += 1
                return worker
        return await self._queue(self._waiting, _Waiter(self._future()))

    async def _take_another(self, failed: Worker, fresh: bool) -> Worker:
        self._muster()
        if len(self._workers) == 1:
            self._suspect(failed)  # there is no other: have it replaced
        waiter = _Waiter(self._future(), failed, fresh)
        for worker in self._idle:
            if worker.alive and waiter.suits(worker):
                self._idle.remove(worker)
                worker.calls += 1
                return worker
        return await self._queue(self._retrying, waiter)

    async def _queue(self, queue: deque[_Waiter], waiter: _Waiter) -> Worker:
        worker = await self._turn(queue, waiter)
        while not worker.alive:  # it died between being given and being taken: the next one, then
            worker = await self._turn(self._retrying, attrs.evolve(waiter, future=self._future()))
        return worker

    async def _turn(self, queue: deque[_Waiter], waiter: _Waiter) -> Worker:
        queue.append(waiter)
        self._refuse_hopeless()
        try:
            return await waiter.future
        except asyncio.CancelledError:
            if not waiter.future.cancelled() and waiter.future.exception() is None:
                self._settle(waiter.future.result())  # it had been given one and will not use it
            raise
        finally:
            if waiter in queue:
                queue.remove(waiter)

    def _settle(self, worker: Worker) -> None:
        """Find the idle `worker` its next work: a warm-up it lacks, whoever waits for it, or none."""
        if not worker.alive:
            return
        if worker.suspect:
            worker.kill(BackendLost("it had become unreliable"))
            return
        if len(worker.warmed) < len(self._warmups):
            job = next(job for job in self._warmups if job not in worker.warmed)
            worker.run(job).add_done_callback(partial(self._warmed, worker, job))
            return
        for queue in (self._retrying, self._waiting):
            for waiter in queue:
                if waiter.suits(worker) and not waiter.future.done():
                    queue.remove(waiter)
                    worker.calls += 1
                    waiter.future.set_result(worker)
                    return
        self._idle.append(worker)

    def _suspect(self, worker: Worker) -> None:
        """Have `worker` replaced as soon as it is idle: a call failed on it that may well succeed elsewhere."""
        worker.suspect = True
        if worker in self._idle:
            self._settle(worker)

    def _warmed(self, worker: Worker, job: Job, reply: asyncio.Future[bytes]) -> None:
        error = reply.exception()
        if job in self._warmups and not isinstance(error, Unread):
            if error is None:
                self._warm_succeeded(worker, job)
            else:
                self._warm_failed(worker, job, error)
        self._settle(worker)

    def _warm_succeeded(self, worker: Worker, job: Job) -> None:
        self._mishaps.pop(job, None)
        worker.warmed.add(job)
        if not self._warmups[job].done():
            self._warmups[job].set_result(None)

    def _warm_failed(self, worker: Worker, job: Job, error: BaseException) -> None:
        first = self._mishaps.pop(job, None)
        if first is None:
            self._mishaps[job] = error
            worker.suspect = True
            return
        if isinstance(error, CallFailed):
            error.reproduced, error.__cause__ = True, first
        for other in self._workers:
            other.warmed.discard(job)
        _fail(self._warmups.pop(job), error)

    # Workers come and go.

    def _muster(self) -> None:
        """Check that calls can be served here and now; call for workers that are missing."""
        if self._closed is not None:
            raise BackendLost(self._closed.reason)
        if self._loop is not asyncio.get_running_loop():
            raise RuntimeError("open the pool with 'async with' and call it from the same event loop")
        if len(self._workers) + self._due < self.size and self._loop.time() >= self._rest_until:
            self._failures = 0
            self._fill()

    def _fill(self) -> None:
        for _ in range(self.size - len(self._workers) - self._due):
            self._start()

    def _start(self) -> None:
        try:
            self._workers.add(Worker(self._running_loop(), self._warden, self))
        except OSError as error:
            self._start_failed(f"a worker cannot be started: {error}")

    def _start_due(self) -> None:
        self._due -= 1
        if self._closed is None:
            self._start()

    def started(self, worker: Worker) -> None:
        """A worker answers for the first time."""
        self._failures = 0
        self._settle(worker)

    def gone(self, worker: Worker, reason: str) -> None:
        """A worker is no more: replace it."""
        self._workers.discard(worker)
        self._ending.add(worker)
        if worker in self._idle:
            self._idle.remove(worker)
        if self._closed is not None:
            return
        if worker.started:
            self._start()
        else:
            self._start_failed(f"before it was ready, {reason}")

    def reaped(self, worker: Worker) -> None:
        """Nothing is left of a worker that had gone."""
        self._ending.discard(worker)
        if self._closed is not None and not self._workers and not self._ending:
            self._emptied.set()

    def _start_failed(self, reason: str) -> None:
        self._failures += 1
        self._trouble = reason
        if self._failures < START_TRIES:
            self._due += 1
            self._running_loop().call_later(START_PAUSE * 2 ** (self._failures - 1), self._start_due)
            return
        self._rest_until = self._running_loop().time() + REST_SECONDS
        self._refuse_hopeless()

    def _refuse_hopeless(self) -> None:
        """Refuse the callers whom no worker, present or coming, will ever serve."""
        if self._due:
            return
        for queue in (self._retrying, self._waiting):
            hopeless = [
                waiter
                for waiter in queue
                if not any(waiter.suits(worker) or worker.suspect for worker in self._workers)
            ]
            self._refuse(hopeless, BackendLost(self._trouble))
        if not self._workers:
            self._drop_warmups(BackendLost(self._trouble))

    def _refuse(self, waiters: list[_Waiter], lost: BackendLost) -> None:
        for waiter in waiters:
            if not waiter.future.done():
                waiter.future.set_exception(BackendLost(lost.reason))

    def _drop_warmups(self, lost: BackendLost) -> None:
        for job in [job for job, future in self._warmups.items() if not future.done()]:
            _fail(self._warmups.pop(job), BackendLost(lost.reason))

    def _future(self) -> asyncio.Future[Worker]:
        return self._running_loop().create_future()

    def _running_loop(self) -> asyncio.AbstractEventLoop:
        assert self._loop is not None
        return self._loop


def _fail(future: asyncio.Future[None], error: BaseException) -> None:
    """Fail a future that may have nobody waiting for it any more."""
    if not future.done():
        future.set_exception(error)
        future.exception()


def _usable_cpus() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
