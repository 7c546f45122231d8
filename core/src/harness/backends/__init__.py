"""Where world code runs: in this process, or in a pool of worker processes that can be killed one by one."""

from harness.backends._call import Backend, Job
from harness.backends._errors import BackendLost, CallFailed, WorkerDied, WorldRaised, WorldTimeout
from harness.backends._inline import InlineBackend
from harness.backends._process import ProcessBackend

__all__ = [
    "Backend",
    "BackendLost",
    "CallFailed",
    "InlineBackend",
    "Job",
    "ProcessBackend",
    "WorkerDied",
    "WorldRaised",
    "WorldTimeout",
]
