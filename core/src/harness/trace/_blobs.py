"""Image bytes beside a trace: each picture once, named by its content.

Messages of a record hold hashes only. A store belongs to a run folder; several processes may write to one store,
because a file appears whole under its final name or not at all, and equal names mean equal bytes.
"""

from __future__ import annotations

import hashlib
import os
import re
import tempfile
from pathlib import Path

from harness.trace.errors import TraceError

_SHA256 = re.compile("[0-9a-f]{64}")


class BlobStore:
    """Files `images/<first two digits>/<sha256>.png` in a folder."""

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        self.folder = Path(folder)
        self._known: set[str] = set()

    def put(self, data: bytes) -> str:
        """Store bytes, once; return their SHA-256 in hex."""
        digest = hashlib.sha256(data).hexdigest()
        if digest not in self._known:
            path = self.path(digest)
            if not path.exists():
                _write(path, data)
            self._known.add(digest)
        return digest

    def get(self, digest: str) -> bytes:
        """Return the bytes of a hash.

        Raises:
            TraceError: There are none, or those on the disk are not the ones that were stored.
        """
        path = self.path(digest)
        try:
            data = path.read_bytes()
        except FileNotFoundError:
            raise TraceError(
                f"no image {digest} in {self.folder}: was the folder `images` moved with the trace?"
            ) from None
        found = hashlib.sha256(data).hexdigest()
        if found != digest:
            raise TraceError(f"{path} is damaged: its content has hash {found}")
        return data

    def path(self, digest: str) -> Path:
        """Return the file of a hash, whether it exists or not.

        Raises:
            TraceError: The text is no SHA-256 in hex (and could name a file elsewhere).
        """
        if not _SHA256.fullmatch(digest):
            raise TraceError(f"{digest!r} is no SHA-256 in hex")
        return self.folder / "images" / digest[:2] / f"{digest}.png"

    def __contains__(self, digest: str) -> bool:
        return digest in self._known or self.path(digest).exists()


def _write(path: Path, data: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, draft = tempfile.mkstemp(dir=path.parent, suffix=".tmp")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        Path(draft).chmod(0o644)
        Path(draft).replace(path)
    except BaseException:
        Path(draft).unlink(missing_ok=True)
        raise
