"""The worker's half of the pool: a program that answers calls on one socket until the other end closes.

It is run by path in a fresh interpreter and imports only the standard library, so that a worker starts in a few
milliseconds and holds nothing that the world code does not import itself. Standard output and error are a pipe to
the parent; the socket is neither, and forked children close it, so nothing that world code prints can reach it.
"""

from __future__ import annotations

import contextlib
import ctypes
import faulthandler
import importlib
import json
import os
import signal
import socket
import struct
import sys
import traceback
from collections.abc import Callable, Iterator
from functools import partial
from typing import BinaryIO

World = Callable[[bytes], bytes]

# A frame is this header and then the body: kind, index of the target (for CALL), length of the body.
HEADER = struct.Struct("!BHI")
HELLO, RESOLVE, CALL, DONE, RAISED = range(5)

HERE = os.path.dirname(__file__)
PR_SET_PDEATHSIG = 1
MESSAGE_LIMIT, TRACEBACK_LIMIT = 2_000, 8_000


def main(fd: int, parent: int) -> None:
    """Serve the socket `fd` for the process `parent`, and die with it."""
    die_with_parent()
    if os.getppid() != parent:  # it was gone before the line above could arrange for that
        return
    with contextlib.suppress(OSError), open("/proc/self/oom_score_adj", "w") as score:
        score.write("500")  # when memory runs out, a worker goes and the run stays
    faulthandler.enable()
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(line_buffering=True, errors="backslashreplace")  # type: ignore[union-attr]
    channel = socket.socket(fileno=fd)
    channel.set_inheritable(False)
    os.register_at_fork(after_in_child=partial(_leave, fd))
    with contextlib.suppress(BrokenPipeError, ConnectionResetError):
        serve(channel)


def serve(channel: socket.socket) -> None:
    """Answer every frame that arrives on `channel`, in order, until it closes."""
    functions: list[World] = []
    with channel.makefile("rb") as stream:
        for kind, index, body in _frames(stream):
            try:
                answer, reply = DONE, _answer(functions, kind, index, body)
            except BaseException as error:  # noqa: BLE001 - the boundary: sys.exit() in world code is a failed call too
                answer, reply = RAISED, json.dumps(describe(error)).encode()
            channel.sendall(HEADER.pack(answer, index, len(reply)) + reply)


def _answer(functions: list[World], kind: int, index: int, body: bytes) -> bytes:
    if kind == CALL:
        return perform(functions[index], body)
    if kind == RESOLVE:
        functions.append(resolve(body.decode()))
    else:
        sys.path[:] = json.loads(body)
    return b""


def _frames(stream: BinaryIO) -> Iterator[tuple[int, int, bytes]]:
    while len(header := stream.read(HEADER.size)) == HEADER.size:
        kind, index, size = HEADER.unpack(header)
        body = stream.read(size)
        if len(body) < size:
            return
        yield kind, index, body


def resolve(target: str) -> World:
    """Import and return the function that `package.module:name` names."""
    module, _, path = target.partition(":")
    found: object = importlib.import_module(module)
    for name in path.split("."):
        found = getattr(found, name)
    if not callable(found):
        raise TypeError(f"{target} is a {type(found).__name__}, not a function")
    return found


def perform(function: World, payload: bytes) -> bytes:
    """Return `function(payload)`, checked to be bytes."""
    reply: object = function(payload)
    if not isinstance(reply, bytes):
        name = getattr(function, "__qualname__", repr(function))
        raise TypeError(f"{name} returned a {type(reply).__name__}; a world function returns bytes")
    return reply


def describe(error: BaseException) -> tuple[str, str, str]:
    """Return kind, message and traceback of an exception as plain text that any file can hold.

    The traceback begins where world code does: frames of this package are left out.
    """
    kind, where = type(error), error.__traceback__
    name = kind.__qualname__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__qualname__}"
    try:
        message = str(error)
    except Exception:  # noqa: BLE001 - an exception whose own __str__ fails
        message = "<its message cannot be printed>"
    while where is not None and os.path.dirname(where.tb_frame.f_code.co_filename) == HERE:
        where = where.tb_next
    lines = "".join(traceback.format_exception(kind, error, where))
    return name, _plain(message[:MESSAGE_LIMIT]), _plain(lines[-TRACEBACK_LIMIT:])


def _plain(text: str) -> str:
    return text.encode("utf-8", "backslashreplace").decode()


def die_with_parent() -> None:
    """Have Linux kill this process when the thread that started it ends, even inside C code that holds the GIL."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, int(signal.SIGKILL))


def _leave(fd: int) -> None:
    """In a forked child of a worker: let go of the socket, and die with the worker."""
    with contextlib.suppress(OSError):
        os.close(fd)
    die_with_parent()


if __name__ == "__main__":
    sys.argv[1:], arguments = [], sys.argv[1:]
    main(*map(int, arguments))
