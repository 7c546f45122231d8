"""A tiny process beside the pool that outlives it by a moment and ends what it leaves behind.

Linux kills a worker whose parent is gone, but not the programs that the worker had started, and other systems kill
neither. The warden knows every worker's process group; when the pool's process ends, however it ends, the warden
kills the groups and itself. It never runs world code, so nothing can keep it from doing so.
"""

from __future__ import annotations

import contextlib
import os
import select
import signal
import struct
import sys

# One record on the pipe: a process group to watch, or its negative to forget it. Small enough to be written at once.
RECORD = struct.Struct("!q")
POLL_SECONDS = 0.5


def watch(pipe: int, parent: int) -> None:
    """Follow the records on `pipe` until it closes or `parent` is gone, then kill every group still watched."""
    groups: set[int] = set()
    while True:
        if not select.select([pipe], [], [], POLL_SECONDS)[0]:
            # The pipe alone is not enough: a copy of its other end may live on in a process that the parent forked.
            if os.getppid() != parent:
                break
            continue
        record = os.read(pipe, RECORD.size)
        if not record:
            break
        (group,) = RECORD.unpack(record)
        if group > 0:
            groups.add(group)
        else:
            groups.discard(-group)
    for group in groups:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(group, signal.SIGKILL)


if __name__ == "__main__":
    watch(*map(int, sys.argv[1:]))
