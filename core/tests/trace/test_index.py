"""Random access, and an index that is never trusted longer than its file stays the same."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import orjson
import pytest
import zstandard

from harness.trace import TornTrace, TraceError, TraceFile, TraceWriter, index_path
from harness.trace import _index as module

TOOLS = [{"type": "function", "function": {"name": "ask", "description": "", "parameters": {}}}]


def episode(number: int, repetition: int = 0, text: str = "") -> dict[str, Any]:
    sample = {"key": f"k{number}", "task": "toy", "group": "easy"}
    return {
        "type": "episode",
        "sample": sample,
        "repetition": repetition,
        "text": text or f"text {number}",
        "tools": TOOLS,
    }


def make(path: Path, count: int = 150, append: bool = False, first: int = 0) -> None:
    with TraceWriter(path, {"seed": 3}, append=append) as writer:
        for number in range(first, first + count):
            writer.write(episode(number))


def test_any_episode_at_once(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl.zst"
    make(path)
    with TraceFile(path) as trace:
        assert len(trace) == 150
        for number in (149, 0, 64, 63, 65, 1, -1):
            assert trace[number] == episode(number % 150)
        assert trace.find("k77") == episode(77)
        assert [record["sample"]["key"] for record in trace] == [f"k{n}" for n in range(150)]
        assert trace.header["seed"] == 3


def test_a_wrong_number_or_key_is_named(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl.zst"
    make(path, 3)
    with TraceFile(path) as trace:
        with pytest.raises(IndexError, match="has 3 episodes, there is no number 3"):
            trace[3]
        with pytest.raises(TraceError, match="no episode with key 'k1' and repetition 4"):
            trace.find("k1", 4)


def test_the_stored_index_is_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "t.jsonl.zst"
    make(path)
    TraceFile(path).close()
    assert index_path(path).exists()
    monkeypatch.setattr(module, "_build", None)  # would fail if the index were made again
    with TraceFile(path) as trace:
        assert trace[100] == episode(100)


@pytest.mark.parametrize("spoil", ["grow", "touch", "format", "junk", "cut", "missing"])
def test_a_stale_or_damaged_index_is_made_again(tmp_path: Path, spoil: str) -> None:
    path = tmp_path / "t.jsonl.zst"
    make(path, 10)
    TraceFile(path).close()
    index = index_path(path)
    stored = orjson.loads(index.read_bytes())
    if spoil == "grow":
        make(path, 5, append=True, first=10)
    elif spoil == "touch":
        path.unlink()
        make(path, 10, first=1)
        os.utime(path, (1, 1))
    elif spoil == "format":
        index.write_bytes(orjson.dumps(stored | {"format": 99}))
    elif spoil == "junk":
        index.write_bytes(b"junk")
    elif spoil == "cut":
        index.write_bytes(index.read_bytes()[:-20])
    else:
        index.unlink()
    first, count = (1, 10) if spoil == "touch" else (0, 15 if spoil == "grow" else 10)
    with TraceFile(path) as trace:
        assert [record["sample"]["key"] for record in trace] == [f"k{n}" for n in range(first, first + count)]
    assert orjson.loads(index.read_bytes())["size"] == path.stat().st_size


def test_an_index_that_cannot_be_stored_lives_in_memory(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl.zst"
    make(path, 3)
    index_path(path).mkdir()  # no file can take this name
    with TraceFile(path) as trace:
        assert trace[2] == episode(2)
    assert not list(tmp_path.glob("*.tmp"))


def test_a_torn_file_is_told_and_its_whole_part_can_be_used(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl.zst"
    make(path)
    path.write_bytes(path.read_bytes()[:-5])
    with pytest.raises(TornTrace):
        TraceFile(path)
    for _ in range(2):  # the second time from the stored index
        with TraceFile(path, torn="ignore") as trace:
            assert len(trace) == 149
            assert trace[148] == episode(148)
            assert "torn" in trace.index.faults[0]
    with pytest.raises(TornTrace):
        TraceFile(path)


def test_of_an_episode_played_again_the_last_is_found(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl.zst"
    with TraceWriter(path, {}) as writer:
        for text in ("first", "second"):
            writer.write(episode(1, text=text))
    with TraceFile(path) as trace:
        assert trace.find("k1")["text"] == "second"


def test_plain_and_foreign_files(tmp_path: Path) -> None:
    path, plain, other = (tmp_path / name for name in ("t.jsonl.zst", "t.jsonl", "o.jsonl.zst"))
    make(path)
    text = zstandard.ZstdDecompressor().stream_reader(path.read_bytes(), read_across_frames=True).read()
    plain.write_bytes(text)
    pieces = [text[at : at + 777] for at in range(0, len(text), 777)]  # lines that run over frames
    other.write_bytes(b"".join(zstandard.ZstdCompressor().compress(piece) for piece in pieces))
    for file in (plain, other):
        with TraceFile(file) as trace:
            assert trace[100] == episode(100)
            assert list(trace) == [episode(n) for n in range(150)]


def test_episodes_of_a_damaged_frame_before_the_damage(tmp_path: Path) -> None:
    from harness.trace._frames import frames

    path = tmp_path / "t.jsonl.zst"
    make(path)
    data = path.read_bytes()
    frame = list(frames(data))[2]
    middle = (frame.start + frame.end) // 2
    path.write_bytes(data[:middle] + b"\xff" * 8 + data[middle + 8 :])
    with TraceFile(path, torn="recover") as trace:
        found = [record["sample"]["key"] for record in trace]
    assert {f"k{n}" for n in range(150) if not 64 <= n < 128} < set(found)
