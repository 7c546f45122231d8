"""Reading a trace: record by record, frame by frame, with every fault found and told.

zstd's own stream reader gives no error on a torn tail, so frames are decoded one by one and each must reach its end.
All whole records come out before a fault is raised. What happens then is the caller's choice: `torn="raise"` raises
`TornTrace`; `"ignore"` stops there; `"recover"` goes on behind damaged bytes with the next frame that can be read.
Either way `TraceReader.faults` tells what was met.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO, Final, Literal, TypeAlias

import zstandard
from attrs import frozen

from harness.trace import _frames
from harness.trace._lines import decode
from harness.trace.errors import NotATrace, TornTrace, TraceError
from harness.trace.upgrades import SCHEMA, Step, upgrade_path

Torn: TypeAlias = Literal["raise", "ignore", "recover"]

_CHUNK: Final = 1 << 16
PLAIN: Final = -1
"""`Line.frame` of a line in a file that is not compressed."""


@frozen
class Line:
    """Text of a line and where it begins: offset of the frame in the file, offset in the frame's text."""

    text: bytes
    frame: int
    start: int


class Fault(Exception):
    """The bytes cannot be read on. `resume` is where to look for the next frame; None when nothing can follow."""

    def __init__(self, offset: int, lost: str, resume: int | None = None) -> None:
        super().__init__(lost)
        self.offset, self.lost, self.resume = offset, lost, resume


def read(path: str | os.PathLike[str], torn: Torn = "raise") -> Iterator[dict[str, Any]]:
    """Yield the records of a trace, in order and in today's schema, beginning with the header.

    Args:
        path: A `.jsonl.zst` file, or a plain `.jsonl` one.
        torn: What to do at a fault; see the module.

    Raises:
        NotATrace: The file does not begin with a header.
        NewerSchema: It was written by a newer harness.
        TornTrace: At the fault, after all whole records before it.
    """
    return iter(TraceReader(path, torn))


def episodes(path: str | os.PathLike[str], torn: Torn = "raise") -> Iterator[dict[str, Any]]:
    """Yield the episodes of a trace, each with its `tools` in place of the digest `toolset`."""
    toolsets: dict[str, Any] = {}
    for record in read(path, torn):
        if record["type"] == "toolset":
            toolsets[record["digest"]] = record["tools"]
        elif record["type"] == "episode":
            yield with_tools(record, toolsets)


def with_tools(record: dict[str, Any], toolsets: dict[str, Any]) -> dict[str, Any]:
    """Return an episode with the schemas of its tools; an episode without a toolset is returned as it is."""
    digest = record.get("toolset")
    if digest is None:
        return record
    if digest not in toolsets:
        raise TraceError(f"the toolset {digest} of an episode is not in the file: it was lost with damaged bytes")
    return {**{key: value for key, value in record.items() if key != "toolset"}, "tools": toolsets[digest]}


def find_trace(path: str | os.PathLike[str]) -> Path:
    """Return the trace of a run folder, or the file itself.

    Raises:
        TraceError: There is none.
    """
    given = Path(path)
    found = given / "traces.jsonl.zst" if given.is_dir() else given
    if not found.is_file():
        raise TraceError(f"{found} does not exist: expected a run folder, or a .jsonl.zst or .jsonl file")
    return found


class TraceReader:
    """Iterates over the records of one file, once.

    Attributes:
        faults: What was found to be torn or damaged, after iterating.
        records: Whole records so far, of any type.
        episodes: Episodes among them.
    """

    def __init__(self, path: str | os.PathLike[str], torn: Torn = "raise") -> None:
        self.path = Path(path)
        self.torn = torn
        self.faults: list[TornTrace] = []
        self.records = self.episodes = 0
        self._steps: tuple[Step, ...] = ()

    def __iter__(self) -> Iterator[dict[str, Any]]:
        for _, record in self.located():
            yield record

    def located(self) -> Iterator[tuple[Line, dict[str, Any]]]:
        """Yield each record with its place in the file."""
        with self.path.open("rb") as file:
            for line in self._lines(file):
                record = self._record(line)
                if record is not None:
                    yield line, record
                elif self.torn == "ignore":
                    return

    def _lines(self, file: BinaryIO) -> Iterator[Line]:
        plain = not _is_zstd(file.read(4))
        if plain and self.path.name.endswith(".zst"):  # the first frame may be damaged from its first byte on
            plain = _frames.next_frame(file, 0) is None
        at: int | None = 0
        while at is not None:
            try:
                yield from plain_lines(file) if plain else zstd_lines(file, at)
                return
            except Fault as fault:
                self._meet(fault.offset, fault.lost)
                if self.torn == "ignore" or fault.resume is None:
                    return
                at = _frames.next_frame(file, fault.resume)

    def _meet(self, offset: int, lost: str) -> None:
        error = TornTrace(self.path, self.records, self.episodes, offset, lost)
        if self.torn == "raise":
            raise error
        self.faults.append(error)

    def _record(self, line: Line) -> dict[str, Any] | None:
        """Decode, check and upgrade a line; None for one that is damaged."""
        try:
            record = decode(line.text)
        except ValueError as error:
            if not self.records and self.torn == "raise":
                raise NotATrace(f"{self.path}: no trace: the first line is no JSON record ({error})") from error
            self._meet(max(line.frame, 0), f"a damaged line ({error})")
            return None
        kind = record.get("type")
        if self.records and not isinstance(kind, str):
            self._meet(max(line.frame, 0), f"a record of type {kind!r}")
            return None
        if kind == "header":
            self._steps = upgrade_path(record.get("schema"))
        elif not self.records:
            self._miss_header(kind)
        self.records += 1
        self.episodes += kind == "episode"
        return self._upgraded(record) if self._steps else record

    def _miss_header(self, kind: object) -> None:
        if not self.faults:
            raise NotATrace(f"{self.path}: no trace: the first record has type {kind!r}, expected 'header'")
        if self.torn == "recover" and len(self.faults) == 1:
            self._meet(0, f"the header is lost (schema {SCHEMA} is assumed)")

    def _upgraded(self, record: dict[str, Any]) -> dict[str, Any]:
        for step in self._steps:
            record = step(record)
        return {**record, "schema": SCHEMA} if record.get("type") == "header" else record


def _is_zstd(start: bytes) -> bool:
    skippable = len(start) == 4 and start[1:] == b"\x2a\x4d\x18" and start[0] & 0xF0 == 0x50
    return skippable or _frames.MAGIC.startswith(start)


def plain_lines(file: BinaryIO) -> Iterator[Line]:
    """Yield the lines of an uncompressed file.

    Raises:
        Fault: The last line is cut.
    """
    at = 0
    file.seek(0)
    for text in file:
        line = Line(text.rstrip(b"\n"), PLAIN, at)
        if not text.endswith(b"\n"):
            _require_whole(line, at)
        yield line
        at += len(text)


def zstd_lines(file: BinaryIO, at: int) -> Iterator[Line]:
    """Yield the lines of a compressed file from the frame at an offset on.

    Raises:
        Fault: A frame is torn or damaged; all whole lines before have been yielded.
    """
    cut = _Splitter()
    file.seek(at)
    data = file.read(_CHUNK)
    if not data and at == 0:
        raise Fault(0, "the file is empty")
    while data:
        cut.begin_frame(at)
        decoder = zstandard.ZstdDecompressor().decompressobj()
        while not decoder.eof:
            if not data:
                raise _torn(file, at)
            try:
                text = decoder.decompress(data)
            except zstandard.ZstdError as error:
                yield from cut.feed(_frames.salvage(file, at)[cut.at :])
                raise Fault(at, f"a damaged frame ({error})", resume=at + 1) from error
            yield from cut.feed(text)
            data = b"" if decoder.eof else file.read(_CHUNK)
        data = decoder.unused_data
        at = file.tell() - len(data)
        data = data or file.read(_CHUNK)
    if (line := cut.unended()) is not None:
        _require_whole(line, at)
        yield line


def _torn(file: BinaryIO, at: int) -> Fault:
    """Describe an unfinished last frame."""
    try:
        tail = _frames.find_tail(file)
    except ValueError as error:
        return Fault(at, f"a damaged frame ({error.args[0]})", resume=at + 1)
    rest = tail.size - tail.keep
    what = f"{rest} bytes of an unfinished record stand" if rest and not tail.stray else "the last frame is not ended"
    return Fault(tail.keep, f"torn (or still being written): {what}")


def _require_whole(line: Line, at: int) -> None:
    """Accept a last line without its end of line when it is whole JSON, which a cut record never is."""
    try:
        decode(line.text)
    except ValueError as error:
        raise Fault(at, f"torn: {len(line.text)} bytes of an unfinished record stand") from error


class _Splitter:
    """Cuts decoded text into lines and remembers where each began.

    Attributes:
        at: Offset in the text of the current frame.
    """

    def __init__(self) -> None:
        self.at = 0
        self._frame = 0
        self._begin = (0, 0)
        self._parts: list[bytes] = []

    def begin_frame(self, offset: int) -> None:
        """Go on in a new frame; a line may run over into it."""
        self._frame, self.at = offset, 0
        if not self._parts:
            self._begin = (offset, 0)

    def feed(self, text: bytes) -> Iterator[Line]:
        """Yield the lines that end in the text."""
        *ended, rest = text.split(b"\n")
        for piece in ended:
            whole = b"".join((*self._parts, piece)) if self._parts else piece
            self._parts.clear()
            self.at += len(piece) + 1
            frame, start = self._begin
            self._begin = (self._frame, self.at)
            yield Line(whole, frame, start)
        if rest:
            self._parts.append(rest)
            self.at += len(rest)

    def unended(self) -> Line | None:
        """Return what stands after the last end of line."""
        return Line(b"".join(self._parts), *self._begin) if self._parts else None
