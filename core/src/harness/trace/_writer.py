"""Writing a trace in one pass, so that a killed process loses no finished episode.

Every record is compressed, flushed and handed to the kernel before `write` returns; a frame ends every 64 records,
which is what random access and compression live on. A writer belongs to one asyncio task and never waits: with
`sync=True` the disk is asked to sync at each frame's end, in a thread. A file is written by one process at a time (a
lock says so), and a torn one is sealed before anything is appended.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
from collections.abc import Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Self

import zstandard

from harness.trace import _frames
from harness.trace._lines import decode, encode
from harness.trace._reader import read, zstd_lines
from harness.trace.errors import TraceError
from harness.trace.upgrades import SCHEMA

FRAME_RECORDS: Final = 64
FRAME_BYTES: Final = 4 << 20
LEVEL: Final = 3

_OURS: Final = ("type", "schema")
_VOLATILE: Final = ("created",)


class TraceWriter:
    """Appends records to one `.jsonl.zst` file.

    Attributes:
        path: The file.
        sealed: When a torn file is continued, what stood at its end; else None.
    """

    def __init__(
        self, path: str | os.PathLike[str], header: Mapping[str, Any], *, append: bool = False, sync: bool = False
    ) -> None:
        """Open the file and write the header.

        Args:
            path: Ends in `.jsonl.zst`; the folder exists.
            header: Fields of the header record; `type` and `schema` are added.
            append: Continue the file if it exists. Its header stays; one that says something else (other than
                `created`) is written again and holds from there on.
            sync: Ask the disk to sync at each frame's end (in a thread) and on closing.

        Raises:
            TraceError: The file exists (without `append`), is being written by another process, has another schema, or
                is damaged before its end; or the name has another ending.
        """
        self.path = Path(path)
        self.sealed: _frames.Tail | None = None
        self._zstd = zstandard.ZstdCompressor(level=LEVEL, write_checksum=False, write_content_size=False)
        self._frame: zstandard.ZstdCompressionObj | None = None
        self._records = self._bytes = 0
        self._unended = False
        self._toolsets: dict[bytes, str] = {}
        self._fd = _open(self.path, append)
        self._sync = _Syncer(self._fd) if sync else None
        try:
            self._begin({"type": "header", "schema": SCHEMA} | {k: v for k, v in header.items() if k not in _OURS})
        except BaseException:
            os.close(self._fd)
            raise

    def write(self, record: Mapping[str, Any]) -> None:
        """Write one record; when this returns, the kernel has it.

        An episode may hold its tools as `tools`: they are stored once, and the line refers to them as `toolset`.

        Raises:
            NonFinite: A number is NaN or infinite. Nothing was written.
            RecordError: A value has no JSON form. Nothing was written.
            OSError: The disk took no more. The file holds whole records still, and later writes may succeed.
        """
        if self._fd < 0:
            raise TraceError(f"{self.path}: the writer is closed")
        if "tools" in record and record.get("type") == "episode":
            self._write_with_tools(record)
        else:
            self._append(encode(record if type(record) is dict else dict(record)))

    def close(self, footer: Mapping[str, Any] | None = None) -> None:
        """Write the footer, when there is one, end the frame and close. Closing twice is no error."""
        if self._fd < 0:
            return
        try:
            if footer is not None:
                self.write({"type": "footer", **footer})
        finally:
            self._finish()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _begin(self, header: dict[str, Any]) -> None:
        line = encode(header)
        tail = _seal(self.path, self._fd)
        self.sealed = tail if tail.torn else None
        self._end = os.fstat(self._fd).st_size
        if self._end == 0 or not _same(_last_header(self.path), header):
            self._append(line)
            self._end_frame()  # a frame of its own: found at once, and whole whatever happens later

    def _write_with_tools(self, record: Mapping[str, Any]) -> None:
        rest = dict(record)
        tools = rest.pop("tools")
        shared = encode({"tools": tools})
        digest = self._toolsets.get(shared)  # by the text: hashing it every time would cost more than compressing it
        if digest is not None:
            rest["toolset"] = digest
            self._append(encode(rest))
            return
        rest["toolset"] = digest = toolset_digest(tools)
        self._append(encode({"type": "toolset", "digest": digest, "tools": tools}) + encode(rest))
        self._toolsets[shared] = digest

    def _append(self, lines: bytes) -> None:
        if self._frame is None:
            self._end_broken_frame()
            self._frame = self._zstd.compressobj()
        frame = self._frame
        try:
            self._put(frame.compress(lines) + frame.flush(zstandard.COMPRESSOBJ_FLUSH_BLOCK))
        except BaseException:
            self._abandon_frame()
            raise
        self._records += 1
        self._bytes += len(lines)
        if self._records >= FRAME_RECORDS or self._bytes >= FRAME_BYTES:
            self._end_frame()

    def _end_frame(self) -> None:
        if self._frame is not None:
            try:
                self._put(self._frame.flush(zstandard.COMPRESSOBJ_FLUSH_FINISH))
            except BaseException:
                self._abandon_frame()
                raise
            self._frame, self._records, self._bytes = None, 0, 0
            if self._sync is not None:
                self._sync.ask()

    def _abandon_frame(self) -> None:
        """Take back what was half written (a full disk, Ctrl-C): the compressor has gone on and the file has not."""
        os.ftruncate(self._fd, self._end)
        self._unended = self._unended or self._records > 0
        self._frame, self._records, self._bytes = None, 0, 0

    def _end_broken_frame(self) -> None:
        """End the frame that a failed write left open on the disk."""
        if self._unended:
            try:
                self._put(_frames.SEAL)
            except BaseException:
                os.ftruncate(self._fd, self._end)
                raise
            self._unended = False

    def _put(self, data: bytes) -> None:
        """Hand bytes to the kernel."""
        written = 0
        while written < len(data):
            written += os.write(self._fd, data[written:] if written else data)
        self._end += written

    def _finish(self) -> None:
        try:
            self._end_frame()
            self._end_broken_frame()
            if self._sync is not None:
                self._sync.close()
        finally:
            os.close(self._fd)
            self._fd = -1


def toolset_digest(tools: Any) -> str:
    """Return the name under which a set of tool schemas is stored: a hash of its JSON text."""
    return hashlib.sha256(encode({"tools": tools})).hexdigest()[:16]


class _Syncer:
    """Syncs a file in a thread of its own, at most one request ahead."""

    def __init__(self, fd: int) -> None:
        self._fd = fd
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="trace-sync")
        self._pending: Future[None] | None = None

    def ask(self) -> None:
        """Ask for a sync; what an earlier one met is raised here."""
        if self._pending is not None:
            if not self._pending.done():
                return  # closing syncs once more
            self._pending.result()
        self._pending = self._thread.submit(os.fdatasync, self._fd)

    def close(self) -> None:
        """Wait for the thread and sync the rest."""
        self._thread.shutdown(wait=True)
        os.fdatasync(self._fd)


def _open(path: Path, append: bool) -> int:
    if not path.name.endswith(".jsonl.zst"):
        raise TraceError(f"{path}: a trace is written to a file named *.jsonl.zst")
    fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if not append and os.fstat(fd).st_size:
            raise TraceError(f"{path} exists: continue it (`harness rollout --resume RUN`) or name another file")
    except BlockingIOError as error:
        os.close(fd)
        raise TraceError(f"{path} is being written by another process") from error
    except BaseException:
        os.close(fd)
        raise
    return fd


def _seal(path: Path, fd: int) -> _frames.Tail:
    """Cut off what is not whole and end the open frame, so that the file can be appended to."""
    try:
        with path.open("rb") as file:
            tail = _frames.find_tail(file)
    except ValueError as error:
        what, offset = error.args
        raise TraceError(f"{path}: cannot be continued: {what} at byte {offset}; {_advice(path)}") from error
    if tail.stray:
        raise TraceError(f"{path}: torn, and in a layout that cannot be sealed in place; {_advice(path)}")
    if tail.torn:
        os.ftruncate(fd, tail.keep)
        if tail.open:
            os.write(fd, _frames.SEAL)
    return tail


def _advice(path: Path) -> str:
    return f"`harness trace recover {path} OUT.jsonl.zst` writes what is whole to a new file, continue that"


def _last_header(path: Path) -> dict[str, Any]:
    """Return the header that holds at the end of a sealed file.

    Raises:
        TraceError: The file does not begin with a header, or one of another schema is in it.
    """
    next(read(path), None)
    with path.open("rb") as file:
        headers = [decode(line.text) for line in zstd_lines(file, 0) if b'"type":"header"' in line.text[:64]]
    for header in headers:
        if header.get("schema") != SCHEMA:
            raise TraceError(f"{path}: has schema {header.get('schema')}, we write {SCHEMA}; {_advice(path)}")
    return headers[-1]


def _same(old: dict[str, Any], new: dict[str, Any]) -> bool:
    """Whether two headers say the same, apart from when."""
    return _stable(old) == _stable(decode(encode(new)))


def _stable(header: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in header.items() if key not in _VOLATILE}
