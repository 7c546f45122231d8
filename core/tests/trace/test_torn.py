"""A trace file cut, killed or damaged anywhere: no whole record is lost, none is doubled, every fault is told."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
import zstandard
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from harness.trace import (
    NewerSchema,
    NotATrace,
    TornTrace,
    TraceError,
    TraceReader,
    TraceWriter,
    fsck,
    read,
    recover,
)

HEADER = {"harness": "0.1.0", "seed": 7}


def episode(number: int, size: int = 20) -> dict[str, Any]:
    text = (f"{number}-" * size)[:size]
    sample = {"key": f"k{number}", "task": "toy", "group": "easy"}
    return {"type": "episode", "sample": sample, "repetition": 0, "text": text}


def write(path: Path, numbers: range, *, append: bool = False, size: int = 20) -> None:
    with TraceWriter(path, HEADER, append=append) as writer:
        for number in numbers:
            writer.write(episode(number, size))


def keys(path: Path, torn: Any = "raise") -> list[str]:
    return [record["sample"]["key"] for record in read(path, torn) if record["type"] == "episode"]


def whole_records(data: bytes) -> int:
    """Count whole lines the slow way: one byte at a time through a decoder of each frame."""
    lines, rest = 0, data
    while rest:
        decoder = zstandard.ZstdDecompressor().decompressobj()
        text = b""
        for at in range(len(rest)):
            text += decoder.decompress(rest[at : at + 1])
            if decoder.eof:
                break
        lines += text.count(b"\n")
        if not decoder.eof:
            break
        rest = rest[at + 1 :]
    return lines


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """150 records over three frames, one of them longer than a zstd block."""
    path = tmp_path_factory.mktemp("trace") / "t.jsonl.zst"
    with TraceWriter(path, HEADER) as writer:
        for number in range(150):
            writer.write(episode(number, size=300_000 if number == 100 else 20))
    return path.read_bytes()


@given(data=st.data())
@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_cut_anywhere_then_seal_and_append(original: bytes, tmp_path: Path, data: st.DataObject) -> None:
    cut = data.draw(st.integers(0, len(original)))
    path = tmp_path / "cut.jsonl.zst"
    path.write_bytes(original[:cut])
    expected = max(whole_records(original[:cut]) - 1, 0)
    before = keys(path, "ignore")
    assert before == [f"k{n}" for n in range(expected)]
    assert keys(path, "recover") == before
    write(path, range(1000, 1003), append=True)
    assert keys(path) == [*before, "k1000", "k1001", "k1002"]


@pytest.mark.parametrize("lost", [1, 2, 3, 4, 7, 11, 40])
def test_a_cut_of_any_size_is_reported_with_numbers(original: bytes, tmp_path: Path, lost: int) -> None:
    path = tmp_path / "cut.jsonl.zst"
    path.write_bytes(original[:-lost])
    reader = TraceReader(path)
    with pytest.raises(
        TornTrace, match=r"at byte \d+; \d+ whole records .* can be saved: `harness trace recover"
    ) as caught:
        list(reader)
    records = whole_records(original[:-lost])
    assert (caught.value.records, caught.value.episodes) == (records, records - 1)
    assert whole_records(original[: caught.value.offset]) == records
    rest = len(original) - lost - caught.value.offset
    what = f"{rest} bytes of an unfinished record stand" if rest else "the last frame is not ended"
    assert what in str(caught.value)


def test_a_cut_between_frames_is_no_fault(original: bytes, tmp_path: Path) -> None:
    path = tmp_path / "cut.jsonl.zst"
    decoder = zstandard.ZstdDecompressor().decompressobj()
    decoder.decompress(original)
    header_only = original[: len(original) - len(decoder.unused_data)]
    path.write_bytes(header_only)
    assert [record["type"] for record in read(path)] == ["header"]


KILLED = """
import os, signal, sys
sys.path[:0] = [{tests!r}]
from test_torn import TraceWriter, HEADER, episode
writer = TraceWriter({path!r}, HEADER)
for number in range(100):
    writer.write(episode(number))
    if number == {last}:
        os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.parametrize("last", [0, 62, 63, 64, 99])
def test_kill_9_loses_no_written_episode(tmp_path: Path, last: int) -> None:
    path = tmp_path / "t.jsonl.zst"
    script = KILLED.format(tests=str(Path(__file__).parent), path=str(path), last=last)
    done = subprocess.run(
        [sys.executable, "-c", script], check=False, env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    )
    assert done.returncode == -signal.SIGKILL
    assert keys(path, "ignore") == [f"k{n}" for n in range(last + 1)]
    write(path, range(last + 1, 100), append=True)
    assert keys(path) == [f"k{n}" for n in range(100)]


def test_resume_after_the_last_record_was_cut_by_seven_bytes(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl.zst"
    writer = TraceWriter(path, HEADER)
    for number in range(40):
        writer.write(episode(number))
    path.with_name("copy.jsonl.zst").write_bytes(path.read_bytes()[:-7])  # as it is on disk: the frame is open
    writer.close()
    copy = path.with_name("copy.jsonl.zst")
    done = keys(copy, "ignore")
    assert done == [f"k{n}" for n in range(39)]
    with TraceWriter(copy, HEADER, append=True) as resumed:
        assert resumed.sealed is not None
        for number in range(len(done), 100):
            resumed.write(episode(number))
    assert keys(copy) == [f"k{n}" for n in range(100)]


def test_zeros_after_a_power_cut_are_cut_off(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl.zst"
    writer = TraceWriter(path, HEADER)
    for number in range(5):
        writer.write(episode(number))
    torn = tmp_path / "zeros.jsonl.zst"
    torn.write_bytes(path.read_bytes() + bytes(4096))
    writer.close()
    write(torn, range(5, 8), append=True)
    assert keys(torn) == [f"k{n}" for n in range(8)]


def damaged(original: bytes, frame: int) -> tuple[bytes, int]:
    """Break the length of a block in the middle of a frame (counted from 0: the header's)."""
    from harness.trace import _frames

    extent = list(_frames.frames(original))[frame]
    middle = (extent.start + extent.end) // 2
    return original[:middle] + b"\xff" * 8 + original[middle + 8 :], extent.start


@pytest.mark.parametrize("frame", [1, 2])
def test_damage_in_the_middle_is_told_and_read_past(original: bytes, tmp_path: Path, frame: int) -> None:
    path = tmp_path / "bad.jsonl.zst"
    data, _ = damaged(original, frame)
    path.write_bytes(data)
    with pytest.raises(TornTrace, match="damaged"):
        keys(path)
    reader = TraceReader(path, "recover")
    found = [record["sample"]["key"] for record in reader if record["type"] == "episode"]
    assert len(reader.faults) >= 1
    assert len(set(found)) == len(found)
    others = {f"k{n}" for n in range(150) if n // 64 != frame - 1}
    assert others <= set(found)
    assert set(keys(path, "ignore")) < set(found)


def test_damage_before_the_end_is_never_cut_off_by_appending(original: bytes, tmp_path: Path) -> None:
    path = tmp_path / "bad.jsonl.zst"
    data, start = damaged(original, 1)
    huge = (1 << 21 | 4).to_bytes(4, "little")[:3]  # a block that claims to run beyond the end of the file
    path.write_bytes(data[: start + 6] + huge + data[start + 9 :])
    size = path.stat().st_size
    with pytest.raises(TraceError, match=r"cannot be continued: damaged bytes .*harness trace recover"):
        TraceWriter(path, HEADER, append=True)
    assert path.stat().st_size == size


@given(st.binary(max_size=200))
@settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_bytes_are_refused_by_name(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "junk.jsonl.zst"
    path.write_bytes(data)
    with pytest.raises((NotATrace, TornTrace)):
        list(read(path))


def test_an_empty_file_is_torn_and_can_be_begun(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl.zst"
    path.touch()
    with pytest.raises(TornTrace, match="the file is empty at byte 0; 0 whole records"):
        list(read(path))
    write(path, range(2))
    assert keys(path) == ["k0", "k1"]


def test_a_torn_file_of_another_layout_is_not_cut(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl.zst"
    write(path, range(3))
    text = zstandard.ZstdDecompressor().stream_reader(path.read_bytes(), read_across_frames=True).read()
    other = zstandard.ZstdCompressor(write_checksum=True).compressobj()
    path.write_bytes(other.compress(text) + other.flush(zstandard.COMPRESSOBJ_FLUSH_BLOCK))
    assert len(keys(path, "ignore")) == 3
    with pytest.raises(TraceError, match="cannot be sealed in place"):
        TraceWriter(path, HEADER, append=True)
    assert len(keys(path, "ignore")) == 3


def test_a_plain_file_cut_in_its_last_line(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    path.write_bytes(b'{"type":"header","schema":1}\n{"type":"episode","sample":{"key":"a"}}\n{"type":"epis')
    with pytest.raises(TornTrace, match="13 bytes of an unfinished record stand at byte 69; 2 whole records"):
        keys(path)
    assert keys(path, "ignore") == ["a"]


def test_a_file_is_written_by_one_process_at_a_time(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl.zst"
    with TraceWriter(path, HEADER), pytest.raises(TraceError, match="is being written by another process"):
        TraceWriter(path, HEADER, append=True)
    write(path, range(1), append=True)


FULL = """
import resource, signal, sys
sys.path[:0] = [{tests!r}]
from test_torn import TraceWriter, HEADER, episode
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
writer = TraceWriter({path!r}, HEADER)
written = 0
while True:
    if written == 5:
        resource.setrlimit(resource.RLIMIT_FSIZE, ({limit}, resource.RLIM_INFINITY))
    try:
        writer.write(episode(written, size=2000 + written))
    except OSError:
        break
    written += 1
resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
writer.write(episode(9999))
writer.close()
print(written)
"""


@pytest.mark.parametrize("limit", [700, 1000, 2500])
def test_a_full_disk_leaves_whole_records_and_writing_goes_on(tmp_path: Path, limit: int) -> None:
    path = tmp_path / "t.jsonl.zst"
    script = FULL.format(tests=str(Path(__file__).parent), path=str(path), limit=limit)
    env = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run([sys.executable, "-c", script], check=True, env=env, capture_output=True, text=True)
    assert keys(path) == [f"k{n}" for n in range(int(done.stdout))] + ["k9999"]


@pytest.mark.parametrize("moment", ["before", "after"])
@pytest.mark.parametrize("number", [0, 1, 63, 64])
def test_an_interrupted_write_harms_no_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, moment: str, number: int
) -> None:
    """Ctrl-C may come between compressing a record and having written it."""
    path, real = tmp_path / "t.jsonl.zst", os.write
    writer = TraceWriter(path, HEADER)
    for at in range(number):
        writer.write(episode(at))

    def interrupted(fd: int, data: bytes) -> int:
        real(fd, data[: len(data) // 2] if moment == "before" else data)
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(os, "write", interrupted)
        with pytest.raises(KeyboardInterrupt):
            writer.write(episode(1000))
    for at in range(number, 130):
        writer.write(episode(at))
    writer.close()
    assert keys(path) == [f"k{n}" for n in range(130)]


@given(data=st.data())
@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_no_damage_surprises_a_reader(original: bytes, tmp_path: Path, data: st.DataObject) -> None:
    places = data.draw(st.lists(st.integers(0, len(original) - 1), min_size=1, max_size=4))
    spoiled = bytearray(original[: data.draw(st.integers(1, len(original)))])
    for place in places:
        if place < len(spoiled):
            spoiled[place] ^= data.draw(st.integers(1, 255))
    path = tmp_path / "bad.jsonl.zst"
    path.write_bytes(spoiled)
    fsck(path)
    for mode in ("raise", "ignore", "recover"):
        with suppress(TraceError):
            list(read(path, mode))
    target = tmp_path / "saved.jsonl.zst"
    target.unlink(missing_ok=True)
    with suppress(NewerSchema, NotATrace):
        assert all(finding.kind != "torn" for finding in fsck(recover(path, target).target).findings)
