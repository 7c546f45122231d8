"""What can go wrong between a call and its answer, named so that an episode can say who is to blame.

Every failure of one call carries `reproduced`: true when the same call had already failed on another worker, which
makes it the call's doing rather than the worker's; false when it failed once and was not tried again. The first
failure is then its `__cause__`. All of them survive pickling, so a remote backend can hand them on.
"""

from __future__ import annotations

import signal

from harness.errors import BackendFault


class CallFailed(BackendFault):
    """One call had no answer. `output` holds the last lines that the worker printed, as evidence."""

    reproduced = False
    output = ""


class WorldRaised(CallFailed):
    """The called function raised: `kind` is the exception's type, `traceback_text` where it happened."""

    def __init__(self, kind: str, message: str, traceback_text: str = "") -> None:
        super().__init__(kind, message, traceback_text)
        self.kind, self.message, self.traceback_text = kind, message, traceback_text

    def __str__(self) -> str:
        return f"world code raised {self.kind}: {self.message}"


class WorldTimeout(CallFailed):
    """The called function did not return within `seconds` and was killed with its process group."""

    def __init__(self, seconds: float) -> None:
        super().__init__(seconds)
        self.seconds = seconds

    def __str__(self) -> str:
        return f"world code was still running after {self.seconds:g} s and was stopped"


class WorkerDied(CallFailed):
    """The worker ended under the call: `status` is its exit status, negative for the signal that ended it."""

    def __init__(self, status: int) -> None:
        super().__init__(status)
        self.status = status

    def __str__(self) -> str:
        return f"the worker {describe_status(self.status)} during the call"


class BackendLost(BackendFault):
    """No worker can be had: the call was not run to an end, through no fault of its own."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason

    def __str__(self) -> str:
        return f"no worker can be had: {self.reason}"


def describe_status(status: int) -> str:
    """Return how a process ended in words: `exited with status 3` or `was killed by SIGSEGV`."""
    if status >= 0:
        return f"exited with status {status}"
    try:
        return f"was killed by {signal.Signals(-status).name}"
    except ValueError:
        return f"was killed by signal {-status}"
