"""Random access to the episodes of a trace.

The index stands beside the file (`traces.jsonl.zst.idx`, JSON) and holds for each episode where its line begins and
what it is called. It is derived and never trusted: when the size or the time of the trace is not the one it was made
for, it is made again. Where the folder cannot be written it lives in memory.
"""

from __future__ import annotations

import os
from collections import OrderedDict
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, BinaryIO, Final

import orjson
import zstandard
from attrs import asdict, field, frozen

from harness.trace._frames import salvage
from harness.trace._lines import decode
from harness.trace._reader import PLAIN, Torn, TraceReader, with_tools
from harness.trace.errors import TraceError
from harness.trace.upgrades import SCHEMA, upgrade_path

_FORMAT: Final = 1
_FRAMES_KEPT: Final = 4


@frozen
class Place:
    """Where a line stands: frame offset in the file (-1: not compressed), start and length in its text."""

    frame: int
    start: int
    length: int


@frozen
class Entry:
    """One episode of the index."""

    place: Place
    key: str
    repetition: int
    task: str
    group: str


@frozen
class Index:
    """All that the index file holds."""

    format: int
    size: int
    modified: int
    faults: tuple[str, ...]
    header: Place
    toolsets: dict[str, Place]
    episodes: tuple[Entry, ...] = field(repr=False)


class TraceFile:
    """The episodes of a trace by position, or by key and repetition.

    A sequence: `len(trace)`, `trace[3]`, `trace[-1]`; each episode has its `tools` in place of `toolset`.

    Attributes:
        header: The first header record.
        index: Where the episodes stand; `index.faults` says what is torn or damaged, when `torn` is not "raise".
    """

    def __init__(self, path: str | os.PathLike[str], torn: Torn = "raise") -> None:
        """Load the index, or make it.

        Raises:
            TornTrace: The file is torn or damaged, and `torn` is "raise".
        """
        self.path = Path(path)
        self.index = _load(self.path, torn)
        self._file = self.path.open("rb")
        self._texts: OrderedDict[int, tuple[bytearray, int]] = OrderedDict()
        self.header = decode(self._text(self.index.header)) if self.index.header.length else {"schema": SCHEMA}
        self._steps = upgrade_path(self.header.get("schema"))
        self._by_name: dict[tuple[str, int], int] = {}
        for number, entry in enumerate(self.index.episodes):
            self._by_name[entry.key, entry.repetition] = number
        self._toolsets: dict[str, Any] = {}

    def __len__(self) -> int:
        return len(self.index.episodes)

    def __getitem__(self, number: int) -> dict[str, Any]:
        count = len(self)
        if not -count <= number < count:
            raise IndexError(f"{self.path} has {count} episodes, there is no number {number}")
        episode = self._record(self.index.episodes[number].place)
        if (digest := episode.get("toolset")) is not None and digest not in self._toolsets:
            self._toolsets |= self._toolset(digest)
        return with_tools(episode, self._toolsets)

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return (self[number] for number in range(len(self)))

    def find(self, key: str, repetition: int = 0) -> dict[str, Any]:
        """Return the episode of an instance; of several (an invalid one that was played again) the last.

        Raises:
            TraceError: There is none.
        """
        number = self._by_name.get((key, repetition))
        if number is None:
            raise TraceError(f"{self.path} has no episode with key {key!r} and repetition {repetition}")
        return self[number]

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def __enter__(self) -> TraceFile:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _toolset(self, digest: str) -> dict[str, Any]:
        place = self.index.toolsets.get(digest)
        return {digest: self._record(place)["tools"]} if place is not None else {}

    def _record(self, place: Place) -> dict[str, Any]:
        record = decode(self._text(place))
        for step in self._steps:
            record = step(record)
        return record

    def _text(self, place: Place) -> bytes:
        if place.frame == PLAIN:
            self._file.seek(place.start)
            return self._file.read(place.length)
        needed = place.start + place.length
        text, known = self._texts.pop(place.frame, (bytearray(), 0))
        if known < needed:
            text = _decoded(self._file, place.frame, needed)
        self._texts[place.frame] = text, len(text)
        if len(self._texts) > _FRAMES_KEPT:
            self._texts.popitem(last=False)
        return bytes(text[place.start : needed])


def _decoded(file: BinaryIO, offset: int, needed: int) -> bytearray:
    """Decompress from a frame's beginning on, across frames where a line runs over, until enough is there."""
    file.seek(offset)
    text, data = bytearray(), file.read(1 << 16)
    try:
        while len(text) < needed and data:
            decoder = zstandard.ZstdDecompressor().decompressobj()
            while data and not decoder.eof:
                text += decoder.decompress(data)
                data = b"" if decoder.eof else file.read(1 << 16)
            data = decoder.unused_data or file.read(1 << 16)
    except zstandard.ZstdError:
        text = bytearray(salvage(file, offset))
    if len(text) < needed:
        raise TraceError(f"the frame at byte {offset} is shorter than the index says: the file was changed")
    return text


def index_path(path: str | os.PathLike[str]) -> Path:
    """Return where the index of a trace stands."""
    return Path(f"{os.fspath(path)}.idx")


def _load(path: Path, torn: Torn) -> Index:
    """Return the stored index when it was made for this file as it is now, else make and store it."""
    stored = _stored(path)
    if stored is not None and (torn != "raise" or not stored.faults):
        return stored
    stat = path.stat()  # before reading: what is written meanwhile makes the index stale, as it should
    index = _build(path, "raise" if torn == "raise" else "recover", stat.st_size, stat.st_mtime_ns)
    with suppress(OSError):
        _store(index, index_path(path))
    return index


def _stored(path: Path) -> Index | None:
    stat = path.stat()
    try:
        data = orjson.loads(index_path(path).read_bytes())
        if (data["format"], data["size"], data["modified"]) != (_FORMAT, stat.st_size, stat.st_mtime_ns):
            return None
        episodes = tuple(Entry(Place(*place), *rest) for place, *rest in data["episodes"])
        toolsets = {digest: Place(*place) for digest, place in data["toolsets"].items()}
        header = Place(*data["header"])
        return Index(_FORMAT, stat.st_size, stat.st_mtime_ns, tuple(data["faults"]), header, toolsets, episodes)
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _build(path: Path, torn: Torn, size: int, modified: int) -> Index:
    reader = TraceReader(path, torn)
    header, toolsets, episodes = Place(0, 0, 0), {}, []
    for line, record in reader.located():
        place = Place(line.frame, line.start, len(line.text))
        kind = record["type"]
        if kind == "episode":
            sample = record["sample"]
            names = sample["key"], record["repetition"], sample["task"], sample["group"]
            episodes.append(Entry(place, *names))
        elif kind == "toolset":
            toolsets[record["digest"]] = place
        elif kind == "header" and not header.length:
            header = place
    faults = tuple(fault.lost for fault in reader.faults)
    return Index(_FORMAT, size, modified, faults, header, toolsets, tuple(episodes))


def _store(index: Index, target: Path) -> None:
    """Write the index beside its trace, in one step."""
    rows = [[_place(e.place), e.key, e.repetition, e.task, e.group] for e in index.episodes]
    toolsets = {digest: _place(place) for digest, place in index.toolsets.items()}
    data = asdict(index, recurse=False) | {"header": _place(index.header), "toolsets": toolsets, "episodes": rows}
    draft = target.with_name(f"{target.name}.{os.getpid()}.tmp")
    try:
        draft.write_bytes(orjson.dumps(data))
        draft.replace(target)
    finally:
        draft.unlink(missing_ok=True)


def _place(place: Place) -> tuple[int, int, int]:
    return place.frame, place.start, place.length
