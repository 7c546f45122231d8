"""World code in this process: no start-up, no protection.

For light tasks and for debugging: a breakpoint works and a traceback is whole. Nothing can stop a call that does not
return, so `limit` is not enforced, the event loop stands still while a call runs, and a crash takes the process along.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from types import TracebackType
from typing import Self, TypeVar

from anyio.lowlevel import checkpoint

from harness.backends._call import Job
from harness.backends._child import World, describe, perform, resolve
from harness.backends._errors import WorldRaised

T = TypeVar("T")

HOLD_SECONDS = 0.002
"""How long calls may follow one another before other tasks of the loop get their turn."""


class InlineBackend:
    """Runs every call in place, giving other tasks their turn before a call when the last one was a while ago."""

    def __init__(self) -> None:
        self._functions: dict[str, World] = {}
        self._warmed: set[Job] = set()
        self._yielded = 0.0

    async def warm(self, job: Job) -> None:
        """Run `job` unless it has been run before."""
        if job not in self._warmed:
            await self.call(job)
            self._warmed.add(job)

    async def call(self, job: Job) -> bytes:
        """Return what the job's function answers; one that raises is tried once more if it is idempotent."""
        if self.due:
            await self.give_way()
        return self.run(job)

    def run(self, job: Job) -> bytes:
        """Do the same without an event loop."""
        return self.attempt(lambda: self._perform(job), job.idempotent)

    @property
    def due(self) -> bool:
        """Whether it is time to give way; doing so before every call would cost as much as a small one."""
        return time.perf_counter() - self._yielded > HOLD_SECONDS

    async def give_way(self) -> None:
        """Let other tasks of the loop have their turn."""
        await checkpoint()
        self._yielded = time.perf_counter()

    def attempt(self, work: Callable[[], T], idempotent: bool = True) -> T:
        """Return what world code answers; work that raises is tried once more if it is idempotent.

        Raises:
            WorldRaised: It raised, twice where it may be repeated.
        """
        try:
            return work()
        except (Exception, SystemExit) as error:  # noqa: BLE001 - the boundary between world code and the framework
            first = WorldRaised(*describe(error))
        if not idempotent:
            raise first
        try:
            return work()
        except (Exception, SystemExit) as error:  # noqa: BLE001 - as above
            second = WorldRaised(*describe(error))
        second.reproduced = True
        raise second from first

    def _perform(self, job: Job) -> bytes:
        function = self._functions.get(job.target)
        if function is None:
            function = self._functions[job.target] = resolve(job.target)
        return perform(function, job.payload)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, where: TracebackType | None
    ) -> None:
        pass
