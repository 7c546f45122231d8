"""The contract between an episode and the place where its world code runs.

A call names a plain function `bytes -> bytes` and carries its argument; nobody between the two ends looks inside.
That is what lets any worker serve any call, keeps the event loop free of decoding, and lets a killed worker lose
nothing: all state travels with the call.
"""

from __future__ import annotations

import math
import re
from functools import lru_cache
from types import TracebackType
from typing import Any, Protocol, Self

import attrs

TARGET = re.compile(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)*:[A-Za-z_]\w*(\.[A-Za-z_]\w*)*")


def _check_target(job: Job, field: attrs.Attribute[str], target: str) -> None:
    _require_target(target)


@lru_cache(maxsize=64)
def _require_target(target: str) -> None:
    if not TARGET.fullmatch(target):
        raise ValueError(f"target {target!r} is not of the form 'package.module:function'")
    if target.startswith("__main__:"):
        raise ValueError(f"target {target!r}: a worker cannot import __main__; move the function into a module")


def _check_limit(job: Job, field: attrs.Attribute[float], limit: float) -> None:
    if not (math.isfinite(limit) and limit > 0):
        raise ValueError(f"limit is a finite number of seconds above 0, not {limit!r}")


@attrs.frozen
class Job:
    """One call of world code.

    Attributes:
        target: The function to call, `package.module:function`; it takes bytes and returns bytes.
        payload: Its argument, opaque to every backend.
        limit: Seconds the function may run, counted from its start in a warm worker.
        idempotent: Whether the call may be tried a second time; false for effects outside the world.
        label: Who asks and for what, for messages and logs.
    """

    target: str = attrs.field(validator=_check_target)
    payload: bytes = attrs.field(repr=lambda payload: f"<{len(payload)} bytes>")
    limit: float = attrs.field(validator=_check_limit)
    idempotent: bool = True
    label: str = ""


class Backend(Protocol):
    """Where world code runs. Open it with `async with`; calls may come from any number of tasks of that loop."""

    async def warm(self, job: Job) -> None:
        """Have every worker, present and future, run `job` before it serves calls; asking twice does nothing.

        Returns once a worker has run it. Raises what it raised when it fails twice: it is then forgotten, so that
        one task's broken set-up leaves the others their workers.
        """
        ...

    async def call(self, job: Job) -> bytes:
        """Return what the job's function answers.

        A failed call is tried once more elsewhere if it is idempotent.

        Raises:
            CallFailed: The function raised, ran over its limit or took its worker down.
            BackendLost: No worker could be had to run it.
        """
        ...

    async def __aenter__(self) -> Self: ...

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, where: TracebackType | None
    ) -> Any: ...
