"""The image store: once, whole, by content, and checked."""

from __future__ import annotations

import hashlib
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from harness.trace import BlobStore, TraceError

DATA = b"\x89PNG\r\n\x1a\n picture"
DIGEST = hashlib.sha256(DATA).hexdigest()


def test_bytes_come_back_under_their_hash(tmp_path: Path) -> None:
    assert BlobStore(tmp_path).put(DATA) == DIGEST
    assert (tmp_path / "images" / DIGEST[:2] / f"{DIGEST}.png").read_bytes() == DATA
    assert BlobStore(tmp_path).get(DIGEST) == DATA
    assert DIGEST in BlobStore(tmp_path)
    assert "0" * 64 not in BlobStore(tmp_path)


def test_equal_bytes_are_written_once(tmp_path: Path) -> None:
    store = BlobStore(tmp_path)
    store.put(DATA)
    inode = store.path(DIGEST).stat().st_ino
    store.put(DATA)
    BlobStore(tmp_path).put(DATA)
    assert store.path(DIGEST).stat().st_ino == inode


def test_many_writers_leave_one_whole_file(tmp_path: Path) -> None:
    data = DATA * 10_000
    with ThreadPoolExecutor(8) as pool:
        digests = set(pool.map(lambda _: BlobStore(tmp_path).put(data), range(32)))
    (digest,) = digests
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert files == [BlobStore(tmp_path).path(digest)]
    assert BlobStore(tmp_path).get(digest) == data


def test_damaged_bytes_are_refused(tmp_path: Path) -> None:
    store = BlobStore(tmp_path)
    store.put(DATA)
    store.path(DIGEST).write_bytes(DATA + b"!")
    with pytest.raises(TraceError, match=f"{DIGEST}.png is damaged: its content has hash"):
        store.get(DIGEST)


def test_a_missing_image_is_named(tmp_path: Path) -> None:
    with pytest.raises(TraceError, match=f"no image {DIGEST} in"):
        BlobStore(tmp_path).get(DIGEST)


@pytest.mark.parametrize("name", ["", "../../etc/passwd", DIGEST.upper(), DIGEST + "\n", "0" * 63])
def test_only_hashes_name_files(tmp_path: Path, name: str) -> None:
    with pytest.raises(TraceError, match="is no SHA-256 in hex"):
        BlobStore(tmp_path).get(name)


def test_a_failed_write_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(self: Path, target: Path) -> Path:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "replace", fail)
    store = BlobStore(tmp_path)
    with pytest.raises(OSError, match="No space left"):
        store.put(DATA)
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []
    assert DIGEST not in store
