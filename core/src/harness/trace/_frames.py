"""The zstd side of a trace file: where frames and blocks begin and end, what is whole, how a torn file is sealed.

The writer flushes a block after every record and ends a frame every 64, so a file cut anywhere ends in a frame of which
some blocks are whole. zstd's own headers tell where each block ends without decompressing, and a frame without content
checksum and content size may be ended after any block by an empty last block. That is why the writer sets neither:
sealing is three bytes.
"""

from __future__ import annotations

import io
import mmap
import os
from collections.abc import Iterator
from typing import BinaryIO, Final

import zstandard
from attrs import frozen

MAGIC: Final = b"\x28\xb5\x2f\xfd"
SEAL: Final = b"\x01\x00\x00"
"""An empty raw block marked as the last of its frame."""

_LONGEST_HEADER = 18
_SKIPPABLE: Final = range(0x184D2A50, 0x184D2A60)


@frozen
class Frame:
    """Extent of one frame, in bytes of the file.

    Attributes:
        end: Where its last whole block ends; the end of the frame when it is whole.
        whole: Whether the last block is there.
        skippable: Whether it is one of zstd's skippable frames, which hold no content.
    """

    start: int
    end: int
    whole: bool
    skippable: bool = False


@frozen
class Tail:
    """What stands at the end of a file.

    Attributes:
        size: Size of the file.
        keep: Up to here the file holds whole records and nothing else.
        open: Whether the frame before `keep` still wants its last block.
        stray: Whole records beyond `keep`: another program wrote the blocks, and they cannot be sealed in place.
        partial: Bytes of decoded text of an unfinished record, which will be cut off.
    """

    size: int
    keep: int
    open: bool
    stray: bytes
    partial: int

    @property
    def torn(self) -> bool:
        """Whether anything has to be done before the file can be appended to."""
        return self.open or self.keep != self.size


def frames(data: bytes | mmap.mmap, start: int = 0) -> Iterator[Frame]:
    """Yield the frames from an offset on by their headers alone; the last may be incomplete.

    Raises:
        ValueError: The bytes at some place are no frame; the second argument is the offset.
    """
    at = start
    while at < len(data):
        frame = _frame(data, at)
        yield frame
        if not frame.whole:
            return
        at = frame.end


def _frame(data: bytes | mmap.mmap, start: int) -> Frame:
    head = data[start : start + _LONGEST_HEADER]
    if int.from_bytes(head[:4], "little") in _SKIPPABLE:
        end = start + 8 + int.from_bytes(head[4:8], "little")
        whole = len(head) >= 8 and end <= len(data)
        return Frame(start, end if whole else start, whole, skippable=True)
    if not MAGIC.startswith(head[:4]) and not head.startswith(MAGIC):
        raise ValueError("no zstd frame", start)
    try:
        at = start + zstandard.frame_header_size(head)
        checksum = zstandard.get_frame_parameters(head).has_checksum
    except zstandard.ZstdError as error:
        if len(head) < _LONGEST_HEADER:
            return Frame(start, start, whole=False)  # cut inside the frame's header
        raise ValueError("damaged zstd frame header", start) from error
    end, last = _last_block(data, at)
    if last and checksum:
        last = end + 4 <= len(data)
        end += 4 if last else 0
    return Frame(start, end, last)


def _last_block(data: bytes | mmap.mmap, at: int) -> tuple[int, bool]:
    """Walk the blocks; return the end of the last whole one and whether it is marked as last of the frame."""
    for end, last in _blocks(data, at):
        at = end
        if last:
            return at, True
    return at, False


def _blocks(data: bytes | mmap.mmap, at: int) -> Iterator[tuple[int, bool]]:
    """Yield (end, is last) of each whole block."""
    while at + 3 <= len(data):
        header = int.from_bytes(data[at : at + 3], "little")
        kind, size = header >> 1 & 3, header >> 3
        end = at + 3 + (1 if kind == 1 else size)  # kind 1: one byte, repeated; kind 3: reserved, so damaged
        if end > len(data) or kind == 3:
            return
        yield end, bool(header & 1)
        if header & 1:
            return
        at = end


def find_tail(file: BinaryIO) -> Tail:
    """Say what stands at the end of a file: only the last frame is decompressed.

    Raises:
        ValueError: There are damaged bytes before the end; the second argument is the offset.
    """
    size = os.fstat(file.fileno()).st_size
    if size == 0:
        return Tail(0, 0, False, b"", 0)
    with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
        last = None
        for last in frames(data):  # noqa: B007 - the last one is what is wanted
            pass
        assert last is not None
        if last.whole:
            return Tail(size, size, False, b"", 0)
        tail = _open_tail(data, last)
        if _next_frame(data, tail.keep + 1) is not None:  # damage, not an end: cutting here would lose what follows
            raise ValueError("damaged bytes before whole frames", tail.keep)
        return tail


def _open_tail(data: mmap.mmap, frame: Frame) -> Tail:
    """Decompress an unfinished frame block by block and find the last block that ends with a record."""
    size = len(data)
    head = data[frame.start : frame.start + _LONGEST_HEADER]
    if frame.end == frame.start or frame.skippable:
        return Tail(size, frame.start, False, b"", 0)
    parameters = zstandard.get_frame_parameters(head)
    sealable = not parameters.has_checksum and parameters.content_size in (
        zstandard.CONTENTSIZE_UNKNOWN,
        zstandard.CONTENTSIZE_ERROR,
    )
    at = frame.start + zstandard.frame_header_size(head)
    decoder = zstandard.ZstdDecompressor().decompressobj()
    decoder.decompress(data[frame.start : at])
    keep, kept, seen, rest = frame.start, 0, 0, bytearray()
    for end, _ in _blocks(data, at):
        try:
            text = decoder.decompress(data[at:end])
        except zstandard.ZstdError:
            break
        at = end
        rest += text
        seen += len(text)
        if sealable and text.endswith(b"\n"):
            keep, kept = end, seen
            rest.clear()
    whole = rest.rfind(b"\n") + 1
    return Tail(size, keep, kept > 0, bytes(rest[:whole]), len(rest) - whole)


def next_frame(file: BinaryIO, start: int) -> int | None:
    """Return the offset of the next readable frame at or after an offset, or None: how a reader gets past damage."""
    size = os.fstat(file.fileno()).st_size
    if start >= size:
        return None
    with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
        return _next_frame(data, start)


def _next_frame(data: mmap.mmap, start: int) -> int | None:
    at = data.find(MAGIC, start)
    while at >= 0 and not _readable(data, at):
        at = data.find(MAGIC, at + 1)
    return at if at >= 0 else None


def _readable(data: mmap.mmap, at: int) -> bool:
    try:
        frame = _frame(data, at)
        decoder = zstandard.ZstdDecompressor().decompressobj()
        return bool(decoder.decompress(data[at : frame.end]))
    except (ValueError, zstandard.ZstdError):
        return False


def salvage(file: BinaryIO, start: int) -> bytes:
    """Return the text of a damaged frame up to the damage, block by block."""
    with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
        head = data[start : start + _LONGEST_HEADER]
        try:
            at = start + zstandard.frame_header_size(head)
            decoder = zstandard.ZstdDecompressor().decompressobj()
            decoder.decompress(data[start:at])
        except zstandard.ZstdError:
            return b""
        text = io.BytesIO()
        for end, _ in _blocks(data, at):
            try:
                text.write(decoder.decompress(data[at:end]))
            except zstandard.ZstdError:
                break
            at = end
        return text.getvalue()
