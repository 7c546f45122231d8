"""The trace: the record of episodes on disk, a versioned contract.

`TraceWriter` writes, `read` and `episodes` read, `TraceFile` gives random access, `fsck` and `recover` look after a
file, `stats` counts, `BlobStore` keeps images. Layout and schema are described in `docs/trace.md` and `schema.json`.
The one rule: a record holds what JSON can hold, exactly, or is refused when it is made.
"""

from harness.trace._blobs import BlobStore
from harness.trace._index import TraceFile, index_path
from harness.trace._reader import TraceReader, episodes, read
from harness.trace._writer import TraceWriter, toolset_digest
from harness.trace.errors import NewerSchema, NonFinite, NotATrace, RecordError, TornTrace, TraceError
from harness.trace.upgrades import SCHEMA

__all__ = [
    "SCHEMA",
    "BlobStore",
    "NewerSchema",
    "NonFinite",
    "NotATrace",
    "RecordError",
    "TornTrace",
    "TraceError",
    "TraceFile",
    "TraceReader",
    "TraceWriter",
    "episodes",
    "index_path",
    "read",
    "toolset_digest",
]
