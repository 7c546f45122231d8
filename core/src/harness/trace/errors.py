"""What can be wrong with a trace, each error saying what is left and what to do next.

`RecordError` is the author's: a record holds something JSON cannot hold. The others are for the person at the
keyboard: a file that is torn, damaged, written by a newer harness, or no trace at all.
"""

from __future__ import annotations

from pathlib import Path

from harness.errors import TaskError, UserError


class RecordError(TaskError):
    """A record cannot be written as JSON. `path` names the field, such as `outcome.terms.profit.value`."""

    def __init__(self, path: str, message: str) -> None:
        super().__init__(f"trace record: {path or 'record'}: {message}")
        self.path = path


class NonFinite(RecordError):
    """A number of a record is NaN or infinite: JSON has no such numbers, and a null in its place would lie."""


class TraceError(UserError):
    """A trace file cannot be used as asked."""


class NotATrace(TraceError):
    """The file does not begin with a header record, or is no JSON lines file."""


class NewerSchema(TraceError):
    """The file was written by a newer harness."""

    def __init__(self, found: object, known: int) -> None:
        super().__init__(
            f"this trace has schema {found!r} and this harness reads schemas up to {known}: "
            "upgrade it (pip install -U harness-envs)"
        )
        self.found = found


class TornTrace(TraceError):
    """The file ends inside a frame or holds damaged bytes.

    Attributes:
        records: Whole records before the fault, of any type.
        episodes: Whole episodes among them.
        offset: Byte offset in the file from which on nothing whole follows the records counted.
        lost: What stands there, in words.
    """

    def __init__(self, path: Path, records: int, episodes: int, offset: int, lost: str) -> None:
        super().__init__(
            f"{path}: {lost} at byte {offset}; {records} whole records ({episodes} episodes) stand before it and can "
            f"be saved: `harness trace recover {path} OUT.jsonl.zst`, or continue the run, which seals the file"
        )
        self.path, self.records, self.episodes, self.offset, self.lost = path, records, episodes, offset, lost
