"""The parent's half of one worker: start it, put one call to it at a time, notice its end, kill it.

Everything here is a callback of the event loop and nothing waits, so a worker can be started, lost and replaced
without any task that would have to live as long as it does. Frames are those of `_child.py`.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import re
import signal
import socket
import subprocess
import sys
from pathlib import Path
from typing import Protocol

from harness.backends._call import Job
from harness.backends._child import CALL, DONE, HEADER, HELLO, RAISED, RESOLVE
from harness.backends._errors import BackendLost, WorkerDied, WorldRaised, WorldTimeout, describe_status
from harness.backends._warden import RECORD
from harness.errors import BackendFault

START_SECONDS = 120.0  # for a worker to start, and for it to import one target
END_SECONDS = 5.0  # for the system to tell how a worker ended
READ_BYTES = 1 << 18
OUTPUT_BYTES = 4096  # of what a worker printed last, kept as evidence
SECRET = re.compile(r"(^|_)(API)?(KEY|TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIAL)S?(_|$)", re.I)
ONE_THREAD = dict.fromkeys(
    ["OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMEXPR_NUM_THREADS", "VECLIB_MAXIMUM_THREADS"], "1"
)


class Unread(WorkerDied):
    """The worker died before it had read the whole call: nothing was run."""


class Owner(Protocol):
    """Who a worker reports to."""

    def started(self, worker: Worker) -> None:
        """The worker answers; it has run nothing yet."""
        ...

    def gone(self, worker: Worker, reason: str) -> None:
        """The worker has ended, or is being killed, and will not answer again. Called once."""
        ...

    def reaped(self, worker: Worker) -> None:
        """The system has let go of the process. Called once, after `gone`."""
        ...


class Worker:
    """One process that runs world code, one call at a time.

    Attributes:
        pid: Its process id, which is also the id of its process group and session.
        alive: Whether it can take calls.
        calls: How many callers have been given it; counted by the owner.
        warmed: The warm-ups it has run; kept by the owner.
        started: Whether it has ever answered.
        suspect: Set by the owner to have it replaced when it is idle.
    """

    def __init__(self, loop: asyncio.AbstractEventLoop, warden: Warden, owner: Owner) -> None:
        self.alive, self.started, self.suspect = True, False, False
        self._ended = self._unheard = False
        self.calls = 0
        self.warmed: set[Job] = set()
        self._loop, self._warden, self._owner = loop, warden, owner
        self._targets: dict[str, int] = {}
        self._reply: asyncio.Future[bytes] | None = None
        self._job: Job | None = None
        self._unread, self._unsent, self._output = bytearray(), memoryview(b""), bytearray()
        self._start()
        loop.add_reader(self._channel, self._read)
        loop.add_reader(self._pipe, self._listen)
        self._clock = loop.call_later(START_SECONDS, self._overdue, START_SECONDS)
        self._send(HELLO, 0, json.dumps([os.path.abspath(entry) for entry in sys.path]).encode())

    def _start(self) -> None:
        self._channel, theirs = socket.socketpair()
        self._pipe, printed = os.pipe()
        try:
            self._process = _launch("_child.py", ["-P"], theirs.fileno(), printed)
            self.pid = self._process.pid
            self._warden.watch(self.pid)
        except BaseException:  # a worker whose socket is closed ends by itself
            self._channel.close()
            os.close(self._pipe)
            raise
        finally:
            theirs.close()
            os.close(printed)
        self._channel.setblocking(False)
        os.set_blocking(self._pipe, False)

    def run(self, job: Job) -> asyncio.Future[bytes]:
        """Put `job` to the idle worker and return its coming answer, a `CallFailed` if there is none."""
        self._job, self._reply = job, self._loop.create_future()
        self._output.clear()
        if job.target in self._targets:
            self._execute(job)
        else:  # importing it is not part of running it
            self._clock = self._loop.call_later(START_SECONDS, self._overdue, START_SECONDS)
            self._send(RESOLVE, 0, job.target.encode())
        return self._reply

    def kill(self, error: BackendFault) -> None:
        """Kill the worker's process group now; a call under way fails with `error`."""
        if self.alive:
            self._stop()
            self._end(error, str(error))
            self._reap()

    @property
    def output(self) -> str:
        """The last lines printed since the current call began."""
        return self._output.decode("utf-8", "backslashreplace")

    # The conversation.

    def _execute(self, job: Job) -> None:
        self._clock = self._loop.call_later(job.limit, self._overdue, job.limit)
        self._send(CALL, self._targets[job.target], job.payload)

    def _send(self, kind: int, index: int, body: bytes) -> None:
        self._unsent = memoryview(HEADER.pack(kind, index, len(body)) + body)
        self._write()
        if self._unsent:
            self._loop.add_writer(self._channel, self._write)

    def _write(self) -> None:
        with contextlib.suppress(BlockingIOError):
            try:
                self._unsent = self._unsent[self._channel.send(self._unsent) :]
            except (BrokenPipeError, ConnectionResetError):  # its end is noticed where it is read
                self._unsent, self._unheard = memoryview(b""), True
        if not self._unsent:
            self._loop.remove_writer(self._channel)

    def _read(self) -> None:
        try:
            received = self._channel.recv(READ_BYTES)
        except BlockingIOError:
            return
        except ConnectionResetError:  # how Linux says that what we sent was still unread
            received, self._unheard = b"", True
        if not received:
            self._lost()
            return
        self._unread += received
        if len(self._unread) < HEADER.size:
            return
        kind, index, size = HEADER.unpack_from(self._unread)
        if len(self._unread) >= HEADER.size + size:
            body = bytes(self._unread[HEADER.size :])
            self._unread.clear()
            self._clock.cancel()
            self._hear(kind, index, body)

    def _hear(self, kind: int, index: int, body: bytes) -> None:
        job, reply = self._job, self._reply
        if job is None or reply is None:
            self._first_word()
        elif kind == RAISED:
            self._fail(WorldRaised(*json.loads(body)))
        elif kind == DONE and job.target in self._targets:
            self._job = self._reply = None
            if not reply.done():
                reply.set_result(body)
        else:
            self._targets[job.target] = len(self._targets)
            self._execute(job)

    def _first_word(self) -> None:
        if self.started:  # world code wrote to our socket
            self.kill(BackendLost("it sent what nobody had asked for"))
        else:
            self.started = True
            self._owner.started(self)

    def _fail(self, error: BackendFault) -> None:
        reply, self._job, self._reply = self._reply, None, None
        if reply is not None and not reply.done():
            error.output = self.output  # type: ignore[attr-defined]
            reply.set_exception(error)

    # Its end.

    def _overdue(self, seconds: float) -> None:
        unborn = BackendLost(f"it did not answer within {seconds:g} s")
        self.kill(WorldTimeout(seconds) if self.started else unborn)

    def _lost(self) -> None:
        """The worker closed its end: it is ending, and how is known once the system lets go of it."""
        self._stop()
        self._clock.cancel()
        self._clock = self._loop.call_later(END_SECONDS, self._died)
        self._reap()

    def _stop(self) -> None:
        self.alive = False
        self._loop.remove_reader(self._channel)
        self._loop.remove_writer(self._channel)
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self.pid, signal.SIGKILL)

    def _reap(self, delay: float = 0.001) -> None:
        if self._process.poll() is None:
            self._loop.call_later(delay, self._reap, min(2 * delay, 0.1))
            return
        self._died()
        self._warden.forget(self.pid)
        self._owner.reaped(self)

    def _died(self) -> None:
        if self._ended:
            return
        self._listen()
        status = -signal.SIGKILL if self._process.returncode is None else self._process.returncode
        said = f"; it printed: {self.output.strip()}" if self._output else ""
        error = Unread(status) if self._unheard else WorkerDied(status)
        self._end(error, f"a worker {describe_status(status)}{said}")

    def _end(self, error: BackendFault, reason: str) -> None:
        self._ended = True
        self._clock.cancel()
        self._loop.remove_reader(self._pipe)
        os.close(self._pipe)
        self._channel.close()
        self._fail(error)
        self._owner.gone(self, reason)

    def _listen(self) -> None:
        """Take in what the worker printed."""
        try:
            printed = os.read(self._pipe, READ_BYTES)
        except BlockingIOError:
            return
        self._output += printed
        del self._output[:-OUTPUT_BYTES]
        if not printed:
            self._loop.remove_reader(self._pipe)


class Warden:
    """The parent's end of the pool's warden, which is started again should it ever be missing."""

    def __init__(self) -> None:
        self._groups: set[int] = set()
        self._start()

    def _start(self) -> None:
        theirs, ours = os.pipe()
        os.set_blocking(ours, False)
        self._pipe = open(ours, "wb", buffering=0)  # noqa: SIM115 - it lives as long as the pool
        try:
            self._process = _launch("_warden.py", ["-I", "-S"], theirs, subprocess.DEVNULL)
        finally:
            os.close(theirs)

    @property
    def pid(self) -> int:
        """The process id of the warden that watches now."""
        return self._process.pid

    def watch(self, group: int) -> None:
        """Have `group` killed when this process ends."""
        self._groups.add(group)
        if not self._tell(group):
            self.close()
            self._start()
            for watched in self._groups:
                self._tell(watched)

    def forget(self, group: int) -> None:
        """Drop a group whose leader has been reaped: its number may come to mean another."""
        self._groups.discard(group)
        self._tell(-group)

    def _tell(self, group: int) -> bool:
        if self._pipe.closed:
            return False
        try:
            self._pipe.write(RECORD.pack(group))
        except BrokenPipeError:
            return False
        return True

    def close(self) -> None:
        """End the warden: nothing is left to watch, or another takes its place."""
        self._pipe.close()
        self._process.kill()
        self._process.wait()


def _launch(script: str, flags: list[str], fd: int, printed: int) -> subprocess.Popen[bytes]:
    """Start a script of this package as the leader of its own session.

    No code runs between fork and exec, so the system need not copy a large parent's page tables, and no terminal's
    Ctrl-C reaches it. It must be called by the event loop's own thread: workers live as long as the thread does.
    """
    return subprocess.Popen(
        [sys.executable, *flags, str(Path(__file__).with_name(script)), str(fd), str(os.getpid())],
        pass_fds=[fd],
        stdin=subprocess.DEVNULL,
        stdout=printed,
        stderr=printed,
        env=worker_environment(os.environ),
        start_new_session=True,
    )


def worker_environment(environment: os._Environ[str] | dict[str, str]) -> dict[str, str]:
    """Return what workers see of `environment`: no credentials, and numeric libraries held to one thread."""
    return {name: value for name, value in environment.items() if not SECRET.search(name)} | ONE_THREAD
