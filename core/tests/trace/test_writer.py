"""What a writer puts on the disk: frames, headers, toolsets."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
import zstandard

from harness.trace import TraceError, TraceWriter, episodes, read, toolset_digest
from harness.trace._frames import frames

TOOLS = [{"type": "function", "function": {"name": "ask", "description": "Ask.", "parameters": {"default": None}}}]


def frame_lines(path: Path) -> list[int]:
    data = path.read_bytes()
    decode = zstandard.ZstdDecompressor().decompressobj
    return [decode().decompress(data[frame.start : frame.end]).count(b"\n") for frame in frames(data)]


def test_the_header_has_a_frame_and_frames_end_every_64(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl.zst"
    with TraceWriter(path, {"seed": 1}) as writer:
        for number in range(150):
            writer.write({"type": "episode", "n": number})
        writer.close({"episodes": 150})
    assert frame_lines(path) == [1, 64, 64, 23]
    records = list(read(path))
    assert records[0] == {"type": "header", "schema": 1, "seed": 1}
    assert records[-1] == {"type": "footer", "episodes": 150}


def test_large_records_end_a_frame_early(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl.zst"
    with TraceWriter(path, {}) as writer:
        for _ in range(6):
            writer.write({"type": "episode", "text": "x" * 1_500_000})
    assert frame_lines(path) == [1, 3, 3]


def test_every_record_is_on_the_disk_when_write_returns(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl.zst"
    with TraceWriter(path, {}) as writer:
        for number in range(70):
            writer.write({"type": "episode", "n": number})
            seen = [record["n"] for record in read(path, "ignore") if record["type"] == "episode"]
            assert seen == list(range(number + 1))


def test_a_toolset_is_stored_once_and_before_its_first_use(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl.zst"
    other = [{"type": "function", "function": {"name": "tell", "description": "Tell.", "parameters": {}}}]
    given = [TOOLS, TOOLS, other, TOOLS]
    with TraceWriter(path, {}) as writer:
        for tools in given:
            writer.write({"type": "episode", "tools": tools})
    kinds = [record["type"] for record in read(path)]
    assert kinds == ["header", "toolset", "episode", "episode", "toolset", "episode", "episode"]
    assert [record["toolset"] for record in read(path) if record["type"] == "episode"] == [
        toolset_digest(tools) for tools in given
    ]
    assert [record["tools"] for record in episodes(path)] == given


def test_the_caller_s_record_is_left_as_it_is(tmp_path: Path) -> None:
    record = {"type": "episode", "tools": TOOLS}
    with TraceWriter(tmp_path / "t.jsonl.zst", {}) as writer:
        writer.write(record)
    assert record == {"type": "episode", "tools": TOOLS}


def test_an_episode_whose_toolset_is_lost_is_named(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl.zst"
    with TraceWriter(path, {}) as writer:
        writer.write({"type": "episode", "toolset": "feed"})
    with pytest.raises(TraceError, match="the toolset feed of an episode is not in the file"):
        list(episodes(path))


def test_a_header_is_repeated_only_when_it_says_something_else(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl.zst"
    for header in (
        {"harness": "0.1.0", "created": "monday"},
        {"harness": "0.1.0", "created": "tuesday"},
        {"harness": "0.1.1", "created": "friday"},
        {"harness": "0.1.1", "created": "sunday"},
        {"harness": "0.1.0", "created": "monday"},
    ):
        with TraceWriter(path, header, append=True) as writer:
            writer.write({"type": "episode"})
    kinds = [record.get("harness", "-") for record in read(path)]
    assert kinds == ["0.1.0", "-", "-", "0.1.1", "-", "-", "0.1.0", "-"]


@pytest.mark.parametrize("name", ["t.jsonl", "t.zst", "t.json.zst"])
def test_other_endings_are_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(TraceError, match=r"is written to a file named \*\.jsonl\.zst"):
        TraceWriter(tmp_path / name, {})
    assert not (tmp_path / name).exists()


def test_an_existing_trace_is_not_overwritten(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl.zst"
    TraceWriter(path, {}).close()
    before = path.read_bytes()
    with pytest.raises(TraceError, match=r"exists: continue it \(`harness rollout --resume RUN`\)"):
        TraceWriter(path, {})
    assert path.read_bytes() == before


def test_a_file_that_is_no_trace_is_not_continued(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl.zst"
    path.write_bytes(b"something else entirely")
    with pytest.raises(TraceError, match="cannot be continued: no zstd frame at byte 0"):
        TraceWriter(path, {}, append=True)
    assert path.read_bytes() == b"something else entirely"


def test_a_closed_writer_takes_nothing(tmp_path: Path) -> None:
    writer = TraceWriter(tmp_path / "t.jsonl.zst", {})
    writer.close()
    writer.close()
    with pytest.raises(TraceError, match="the writer is closed"):
        writer.write({"type": "episode"})


def test_sync_happens_at_frame_ends_in_another_thread(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import threading

    calls: list[str] = []
    real = os.fdatasync

    def watched(fd: int) -> None:
        calls.append(threading.current_thread().name)
        real(fd)

    monkeypatch.setattr(os, "fdatasync", watched)
    with TraceWriter(tmp_path / "t.jsonl.zst", {}, sync=True) as writer:
        for _ in range(63):
            writer.write({"type": "episode"})
        before = len(calls)
        writer.write({"type": "episode"})
    assert before <= 1  # the header's frame
    assert any(name.startswith("trace-sync") for name in calls)
    assert calls[-1] == "MainThread"


def test_without_sync_the_disk_is_never_waited_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(fd: int) -> None:
        raise AssertionError("fdatasync")

    monkeypatch.setattr(os, "fdatasync", refuse)
    with TraceWriter(tmp_path / "t.jsonl.zst", {}) as writer:
        for _ in range(130):
            writer.write({"type": "episode"})


def test_a_failed_sync_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(fd: int) -> None:
        raise OSError(5, "Input/output error")

    monkeypatch.setattr(os, "fdatasync", fail)
    writer = TraceWriter(tmp_path / "t.jsonl.zst", {}, sync=True)
    with pytest.raises(OSError, match="Input/output error"):
        writer.close()


def test_any_zstd_tool_reads_the_file(tmp_path: Path) -> None:
    import subprocess

    path = tmp_path / "t.jsonl.zst"
    with TraceWriter(path, {}) as writer:
        for number in range(100):
            writer.write({"type": "episode", "n": number})
    script = f"zstd -dc {path} | jq -c 'select(.type == \"episode\") | .n'"
    out = subprocess.run(script, shell=True, check=True, capture_output=True, text=True).stdout
    assert [int(line) for line in out.split()] == list(range(100))


def test_plain_and_foreign_files_are_read_alike(tmp_path: Path) -> None:
    path, plain, other = (tmp_path / name for name in ("t.jsonl.zst", "t.jsonl", "o.jsonl.zst"))
    with TraceWriter(path, {}) as writer:
        for number in range(100):
            writer.write({"type": "episode", "n": number})
    text = zstandard.ZstdDecompressor().stream_reader(path.read_bytes(), read_across_frames=True).read()
    plain.write_bytes(text)
    pieces = [text[at : at + 333] for at in range(0, len(text), 333)]  # frames that end inside lines
    skippable = b"\x50\x2a\x4d\x18\x03\x00\x00\x00abc"
    compressor = zstandard.ZstdCompressor(write_checksum=True)
    other.write_bytes(skippable + b"".join(compressor.compress(piece) + skippable for piece in pieces))
    expected = list(read(path))
    assert list(read(plain)) == expected
    assert list(read(other)) == expected
    plain.write_bytes(text.rstrip(b"\n"))
    assert list(read(plain)) == expected
