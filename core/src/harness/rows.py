"""Sample rows: instances as lines of a data file, JSONL (also compressed) or Parquet by the file's name.

A row is what rebuilds a sample exactly, with the rendered prompt and the tools beside it for trainers. Tool schemas
and the identity are stored as JSON text in Parquet, since Arrow would align their columns and invent nulls.
"""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from harness.errors import UserError
from harness.jsonio import dumps, loads
from harness.records import Json, Sample, TextPart
from harness.task import Task

_AS_TEXT = ("identity", "options", "limits", "messages", "tools")

SUFFIXES = (".jsonl", ".jsonl.zst", ".parquet")


def sample_row(task: Task, sample: Sample) -> dict[str, Json]:
    """Write a sample as a data row."""
    return {
        "task": sample.task,
        "version": sample.version,
        "split": sample.split,
        "group": sample.group,
        "index": sample.index,
        "seed": sample.seed,
        "key": sample.key,
        "language": sample.language,
        "wording": sample.wording,
        "attempts": sample.attempts,
        "options": dict(sample.options),
        "options_digest": sample.options_digest,
        "limits": {
            "turns": sample.limits.turns,
            "budgets": dict(sample.limits.budgets),
            "nudges": sample.limits.nudges,
        },
        "messages": [
            {
                "role": m.role,
                "content": [
                    {"type": "text", "text": p.text}
                    if isinstance(p, TextPart)
                    else {"type": "image", "sha256": p.sha256}
                    for p in m.content
                ],
            }
            for m in sample.messages
        ],
        "tools": [spec.schema.openai() for spec in task.specs.values()],
        "identity": dict(sample.identity),
    }


def write_rows(rows: Iterable[dict[str, Json]], path: Path) -> int:
    """Write rows to a file; its name chooses the form. Returns their number.

    Raises:
        UserError: The name has no known ending, or Parquet is asked for without pyarrow.
    """
    name = path.name
    if not name.endswith(SUFFIXES):
        raise UserError(f"{path}: the file's name must end in one of {', '.join(SUFFIXES)}")
    path.parent.mkdir(parents=True, exist_ok=True)
    if name.endswith(".parquet"):
        return _write_parquet(list(rows), path)
    count = 0
    with _open_out(path) as file:
        for row in rows:
            file.write(dumps(row) + b"\n")
            count += 1
    return count


def _open_out(path: Path) -> Any:
    if path.name.endswith(".zst"):
        import zstandard

        return zstandard.ZstdCompressor().stream_writer(path.open("wb"), closefd=True)
    return path.open("wb")


def _pyarrow() -> Any:
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        raise UserError("Parquet needs pyarrow: pip install 'harness-envs[parquet]'") from None
    return pyarrow


def _write_parquet(rows: list[dict[str, Json]], path: Path) -> int:
    arrow = _pyarrow()
    flat = [{k: dumps(v).decode() if k in _AS_TEXT else v for k, v in row.items()} for row in rows]
    arrow.parquet.write_table(arrow.Table.from_pylist(flat), path)
    return len(rows)


def read_rows(path: Path) -> Iterator[dict[str, Any]]:
    """Read rows back.

    Raises:
        UserError: The file does not exist, has another ending, or a line is no JSON.
    """
    if not path.is_file():
        raise UserError(f"data file {path} {'is a directory' if path.is_dir() else 'does not exist'}")
    if path.name.endswith(".parquet"):
        yield from _read_parquet(path)
        return
    if not path.name.endswith(SUFFIXES):
        raise UserError(f"{path}: the file's name must end in one of {', '.join(SUFFIXES)}")
    for number, line in enumerate(_lines(path), start=1):
        try:
            row = loads(line)
        except ValueError as error:
            raise UserError(f"{path}, line {number}: {error}") from None
        if not isinstance(row, dict):
            raise UserError(f"{path}, line {number}: got {type(row).__name__}, expected an object")
        yield row


def _read_parquet(path: Path) -> Iterator[dict[str, Any]]:
    arrow = _pyarrow()
    try:
        rows = arrow.parquet.read_table(path).to_pylist()
    except arrow.ArrowInvalid as error:
        raise UserError(f"{path} is no Parquet file: {error}") from None
    for row in rows:
        yield {k: loads(v) if k in _AS_TEXT else v for k, v in row.items()}


def _lines(path: Path) -> Iterator[bytes]:
    if path.name.endswith(".zst"):
        import zstandard

        with zstandard.open(path, "rb") as file:
            try:
                yield from (line for line in io.BufferedReader(file) if line.strip())
            except zstandard.ZstdError as error:
                raise UserError(f"{path} is no zstd file, or a damaged one: {error}") from None
        return
    with path.open("rb") as plain:
        yield from (line for line in plain if line.strip())
