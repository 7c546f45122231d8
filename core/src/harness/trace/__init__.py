"""The trace: the record of episodes on disk, a versioned contract.

`TraceWriter` writes, `read` and `episodes` read, `TraceFile` gives random access, `fsck` and `recover` look after a
file, `stats` counts, `BlobStore` keeps images. Layout and schema are described in `docs/trace.md` and `schema.json`.
The one rule: a record holds what JSON can hold, exactly, or is refused when it is made.
"""

from harness.trace._blobs import BlobStore
from harness.trace._check import Finding, Recovered, Report, fsck, recover
from harness.trace._index import TraceFile, index_path
from harness.trace._lines import require_finite
from harness.trace._reader import TraceReader, episodes, find_trace, read
from harness.trace._record import (
    episode_record,
    log_from,
    log_record,
    messages_from,
    messages_record,
    outcome_from,
    outcome_record,
    sample_from,
    sample_record,
    tools_from,
    usage_record,
)
from harness.trace._stats import Choice, Stats, Tally, select, stats
from harness.trace._writer import TraceWriter, toolset_digest
from harness.trace.errors import NewerSchema, NonFinite, NotATrace, RecordError, TornTrace, TraceError
from harness.trace.upgrades import SCHEMA

__all__ = [
    "SCHEMA",
    "BlobStore",
    "Choice",
    "Finding",
    "NewerSchema",
    "NonFinite",
    "NotATrace",
    "RecordError",
    "Recovered",
    "Report",
    "Stats",
    "Tally",
    "TornTrace",
    "TraceError",
    "TraceFile",
    "TraceReader",
    "TraceWriter",
    "episode_record",
    "episodes",
    "find_trace",
    "fsck",
    "index_path",
    "log_from",
    "log_record",
    "messages_from",
    "messages_record",
    "outcome_from",
    "outcome_record",
    "read",
    "recover",
    "require_finite",
    "sample_from",
    "sample_record",
    "select",
    "stats",
    "tools_from",
    "toolset_digest",
    "usage_record",
]
