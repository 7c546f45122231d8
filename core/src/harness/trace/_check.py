"""Looking after a file: `fsck` says what is wrong with it, `recover` saves what is whole.

Neither changes the file it looks at.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import chain
from pathlib import Path
from typing import Any, Final, Literal, TypeAlias

from attrs import define, field, frozen

from harness.trace._reader import TraceReader
from harness.trace._stats import episode_name
from harness.trace._writer import TraceWriter
from harness.trace.errors import NewerSchema, NotATrace

Kind: TypeAlias = Literal[
    "torn", "not_a_trace", "newer_schema", "unknown_type", "incomplete", "duplicate", "missing_toolset"
]

TYPES: Final = ("header", "toolset", "episode", "footer")

_SHAPE: Final[dict[str, type | tuple[type, ...]]] = {
    "sample.task": str,
    "sample.version": int,
    "sample.split": str,
    "sample.group": str,
    "sample.index": int,
    "sample.key": str,
    "repetition": int,
    "identity": (dict, type(None)),
    "policy.name": str,
    "policy.view": str,
    "messages": list,
    "actions": list,
    "outcome.status": str,
    "outcome.reason": str,
    "outcome.reward": (int, float, type(None)),
    "outcome.success": bool,
    "outcome.terms": dict,
    "usage": dict,
    "timing": dict,
}


@frozen
class Finding:
    """One thing that is wrong, and where."""

    kind: Kind
    detail: str


@define
class Report:
    """What `fsck` found.

    Attributes:
        counts: Record type → number of whole records.
        finished: Whether the last record is a footer.
    """

    path: Path
    size: int
    counts: Counter[str] = field(factory=Counter)
    finished: bool = False
    findings: list[Finding] = field(factory=list)

    @property
    def ok(self) -> bool:
        """Whether nothing is wrong."""
        return not self.findings

    def lines(self) -> list[str]:
        """Return the report for the eye."""
        counted = ", ".join(f"{count} {name}" for name, count in self.counts.items()) or "no records"
        state = "finished" if self.finished else "no footer: not finished, or written without one"
        verdict = "ok" if self.ok else f"{len(self.findings)} findings"
        found = [f"  {finding.kind}: {finding.detail}" for finding in self.findings]
        return [f"{self.path}: {verdict}; {self.size} bytes, {counted}; {state}", *found]

    def as_json(self) -> dict[str, Any]:
        """Return the report as JSON data."""
        findings = [{"kind": finding.kind, "detail": finding.detail} for finding in self.findings]
        return {
            "path": str(self.path),
            "ok": self.ok,
            "size": self.size,
            "counts": dict(self.counts),
            "finished": self.finished,
            "findings": findings,
        }


@frozen
class Recovered:
    """What `recover` did."""

    target: Path
    records: int
    episodes: int
    duplicates: int
    faults: tuple[str, ...]

    def lines(self) -> list[str]:
        """Return the numbers for the eye."""
        told = f"{self.target}: {self.episodes} episodes saved, {self.duplicates} duplicates left out"
        return [told, *(f"  lost: {fault}" for fault in self.faults)]

    def as_json(self) -> dict[str, Any]:
        """Return the numbers as JSON data."""
        return {
            "target": str(self.target),
            "records": self.records,
            "episodes": self.episodes,
            "duplicates_dropped": self.duplicates,
            "faults": list(self.faults),
        }


def fsck(path: str | os.PathLike[str]) -> Report:
    """Read a whole file and report what is torn, damaged, double, incomplete or unknown in it."""
    reader = TraceReader(path, "recover")
    report = Report(reader.path, reader.path.stat().st_size)
    toolsets: set[str] = set()
    double = _Doubles()
    try:
        for record in reader:
            report.counts[record["type"]] += 1
            report.finished = record["type"] == "footer"
            report.findings += _faults(record, reader.episodes - 1, toolsets)
            if double(record):
                report.findings.append(Finding("duplicate", _describe(record, reader.episodes - 1)))
    except NewerSchema as error:
        report.findings.append(Finding("newer_schema", str(error)))
    except NotATrace as error:
        report.findings.append(Finding("not_a_trace", str(error)))
    report.findings += [Finding("torn", f"{fault.lost} at byte {fault.offset}") for fault in reader.faults]
    return report


class _Doubles:
    """Tells episodes that stand in a file twice. One that follows an invalid play of the same instance is none."""

    def __init__(self) -> None:
        self._scored: set[tuple[Any, ...]] = set()

    def __call__(self, record: dict[str, Any]) -> bool:
        if record["type"] != "episode" or misfits(record):
            return False
        name = episode_name(record)
        double = name in self._scored
        if record["outcome"]["status"] == "scored":
            self._scored.add(name)
        return double


def _describe(episode: dict[str, Any], number: int) -> str:
    sample = episode["sample"]
    where = f"{sample['task']} {sample['group']} {sample['split']} #{sample['index']}"
    return f"episode {number}: {where}, key {sample['key']}, repetition {episode['repetition']} was scored before"


def _faults(record: dict[str, Any], number: int, toolsets: set[str]) -> Iterator[Finding]:
    kind = record["type"]
    if kind == "toolset":
        toolsets.add(record.get("digest", ""))
    elif kind == "episode":
        missing = misfits(record)
        if missing:
            yield Finding("incomplete", f"episode {number}: {'; '.join(missing)}")
        if "toolset" in record and record["toolset"] not in toolsets:
            yield Finding("missing_toolset", f"episode {number}: toolset {record['toolset']} is not in the file")
    elif kind not in TYPES:
        yield Finding("unknown_type", f"a record of type {kind!r}, known are {', '.join(TYPES)}")


def misfits(episode: dict[str, Any]) -> list[str]:
    """Return what an episode lacks of the keys that others rely on."""
    found = []
    for name, expected in _SHAPE.items():
        value: Any = episode
        for step in name.split("."):
            value = value.get(step, ...) if isinstance(value, dict) else ...
        if value is ...:
            found.append(f"{name} is missing")
        elif not isinstance(value, expected) or (isinstance(value, bool) and expected is not bool):
            found.append(f"{name} is a {type(value).__name__}")
    return found


def recover(path: str | os.PathLike[str], target: str | os.PathLike[str]) -> Recovered:
    """Write all that is whole to a new file, in today's schema and without the duplicates that `fsck` reports.

    Args:
        path: The torn or damaged file; it is only read.
        target: The new file, `*.jsonl.zst`.

    Raises:
        TraceError: The target exists or has another ending.
        NotATrace: The file was no trace to begin with.
    """
    reader = TraceReader(path, "recover")
    records = iter(reader)
    first = next(records, {"type": "header"})
    header = first if first["type"] == "header" else {}  # lost with damaged bytes
    writer = TraceWriter(target, {**header, "recovered_from": reader.path.name})
    try:
        with writer:
            duplicates = _copy(chain(() if header else (first,), records), writer)
    except BaseException:
        writer.path.unlink(missing_ok=True)
        raise
    faults = tuple(f"{fault.lost} at byte {fault.offset}" for fault in reader.faults)
    return Recovered(writer.path, reader.records - duplicates, reader.episodes - duplicates, duplicates, faults)


def _copy(records: Iterable[dict[str, Any]], writer: TraceWriter) -> int:
    """Write records but for duplicates; return how many those were."""
    double, duplicates = _Doubles(), 0
    for record in records:
        if double(record):
            duplicates += 1
        else:
            writer.write(record)
    return duplicates
