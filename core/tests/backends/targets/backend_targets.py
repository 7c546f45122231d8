"""World functions that the backend tests call: well-behaved, noisy, runaway and deadly ones.

Workers find this module because the tests put its folder on `sys.path`, as an installed task would be.
"""

import ctypes
import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path


def echo(payload: bytes) -> bytes:
    return payload


def pid(payload: bytes) -> bytes:
    return str(os.getpid()).encode()


def note(payload: bytes) -> bytes:
    """Append this process's id to the file named by the payload."""
    with open(payload, "ab") as log:
        log.write(b"%d\n" % os.getpid())
    return b""


def note_and_boom(payload: bytes) -> bytes:
    note(payload)
    raise KeyError("no such knob \ud835")


def boom_once(payload: bytes) -> bytes:
    return note(payload) if Path(os.fsdecode(payload)).exists() else note_and_boom(payload)


def note_and_die(payload: bytes) -> bytes:
    note(payload)
    print("last words")
    os.kill(os.getpid(), signal.SIGKILL)
    raise AssertionError("unreachable")


def die_once(payload: bytes) -> bytes:
    return note(payload) if Path(os.fsdecode(payload)).exists() else note_and_die(payload)


def hang_once(payload: bytes) -> bytes:
    if Path(os.fsdecode(payload)).exists():
        return note(payload)
    note(payload)
    return spin(payload)


def quit_with(payload: bytes) -> bytes:
    os._exit(int(payload))


def segfault(payload: bytes) -> bytes:
    return ctypes.string_at(0)


def leave(payload: bytes) -> bytes:
    sys.exit("enough")


def text(payload: bytes) -> bytes:
    return "text"  # type: ignore[return-value]


def spin(payload: bytes) -> bytes:
    while True:
        pass


def spin_in_c(payload: bytes) -> bytes:
    """Never return from C code that holds the GIL: a pattern with exponential backtracking."""
    return b"found" if re.match(r"(a+)+$", "a" * 64 + "b") else b""


def sleep_in_c(payload: bytes) -> bytes:
    """Sleep in C without letting go of the GIL."""
    ctypes.PyDLL(None).sleep(1000)
    return b""


def wait_for_file(payload: bytes) -> bytes:
    """Return once the file named by the payload exists."""
    while not Path(os.fsdecode(payload)).exists():
        time.sleep(0.005)
    return b""


def environment(payload: bytes) -> bytes:
    return json.dumps(dict(os.environ)).encode()


def path(payload: bytes) -> bytes:
    return json.dumps(sys.path).encode()


def noise(payload: bytes) -> bytes:
    """Print in every way there is, to both streams, more than a pipe holds."""
    for _ in range(200):
        print("python says hello", "x" * 500)
        print("and again", file=sys.stderr)
        os.write(1, b"\x00\x01\x02\x03\x04\x05\x06\x07 raw bytes\n" * 10)
    ctypes.CDLL(None).puts(b"from C")
    ctypes.CDLL(None).fflush(None)
    subprocess.run(["/bin/sh", "-c", "echo from a shell; echo to stderr >&2"], check=True)
    return payload


def close_streams(payload: bytes) -> bytes:
    os.close(1)
    os.close(2)
    return payload


def fork_and_spin(payload: bytes) -> bytes:
    """Leave a forked child that holds every open file, and return both process ids."""
    child = os.fork()
    if child == 0:
        time.sleep(1000)
        os._exit(0)
    return f"{os.getpid()} {child}".encode()


def start_program(payload: bytes) -> bytes:
    """Leave a running program behind and return its process id and this one's."""
    child = subprocess.Popen(["sleep", "1000"])
    child.returncode = 0  # it is meant to be left
    return f"{os.getpid()} {child.pid}".encode()


def program_then(payload: bytes) -> bytes:
    """Start a program, write its and this process's id to a file, then do what the payload says: `how file`."""
    how, _, file = payload.decode().partition(" ")
    whole = Path(file + ".part")
    whole.write_bytes(start_program(b""))
    whole.rename(file)
    return {"spin": spin, "sleep_in_c": sleep_in_c, "echo": echo, "quit_with": quit_with}[how](b"1")
