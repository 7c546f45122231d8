"""fsck names every kind of fault; recover saves what is whole and leaves a file without faults."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
import zstandard

from harness.trace import TraceError, TraceWriter, fsck, read, recover
from harness.trace._frames import frames

from .samples import episode

TOOLS = [{"type": "function", "function": {"name": "ask", "description": "", "parameters": {}}}]


def make(path: Path, records: Iterable[dict[str, Any]], footer: bool = True) -> Path:
    with TraceWriter(path, {"seed": 3}) as writer:
        for record in records:
            writer.write(record)
        writer.close({} if footer else None)
    return path


def kinds(path: Path) -> list[str]:
    return [finding.kind for finding in fsck(path).findings]


def test_a_whole_file_is_ok(tmp_path: Path) -> None:
    path = make(tmp_path / "t.jsonl.zst", [{**episode(n), "tools": TOOLS} for n in range(70)])
    report = fsck(path)
    assert report.ok
    assert report.finished
    assert report.counts == {"header": 1, "toolset": 1, "episode": 70, "footer": 1}
    assert "ok" in report.lines()[0]


def test_a_torn_file(tmp_path: Path) -> None:
    path = make(tmp_path / "t.jsonl.zst", [episode(n) for n in range(70)], footer=False)
    path.write_bytes(path.read_bytes()[:-5])
    before = path.read_bytes()
    report = fsck(path)
    assert [finding.kind for finding in report.findings] == ["torn"]
    assert report.counts["episode"] == 69
    assert path.read_bytes() == before
    assert not report.as_json()["ok"]


@pytest.mark.parametrize(
    ("records", "kind", "detail"),
    [
        ([episode(1), episode(1)], "duplicate", r"episode 1: toy easy test #1, key k1, repetition 0 was scored before"),
        ([{"type": "dream"}], "unknown_type", "a record of type 'dream', known are header, toolset, episode, footer"),
        ([{**episode(), "toolset": "feed"}], "missing_toolset", "episode 0: toolset feed is not in the file"),
        ([episode(), {**episode(1), "usage": 3}], "incomplete", "episode 1: usage is a int"),
        ([{k: v for k, v in episode().items() if k != "outcome"}], "incomplete", "outcome.reward is missing"),
        ([{**episode(), "repetition": True}], "incomplete", "repetition is a bool"),
    ],
)
def test_each_fault_is_named(tmp_path: Path, records: list[dict[str, Any]], kind: str, detail: str) -> None:
    report = fsck(make(tmp_path / "t.jsonl.zst", records))
    assert [finding.kind for finding in report.findings] == [kind]
    assert detail in report.findings[0].detail


@pytest.mark.parametrize(
    "second", [episode(1, repetition=1), episode(2), episode(1, task="other"), episode(1, group="hard")]
)
def test_other_plays_are_no_duplicates(tmp_path: Path, second: dict[str, Any]) -> None:
    assert fsck(make(tmp_path / "t.jsonl.zst", [episode(1), second])).ok


def test_an_invalid_episode_played_again_is_no_duplicate(tmp_path: Path) -> None:
    lost = episode(1, invalid=True, reason="backend_lost")
    assert fsck(make(tmp_path / "t.jsonl.zst", [lost, lost, episode(1)])).ok


def test_a_newer_schema_and_a_file_that_is_no_trace(tmp_path: Path) -> None:
    newer, other = tmp_path / "n.jsonl", tmp_path / "o.jsonl"
    newer.write_text('{"type":"header","schema":99}\n')
    other.write_text("hello\n")
    assert kinds(newer) == ["newer_schema"]
    assert kinds(other)[0] in ("torn", "not_a_trace")


def test_recover_saves_the_whole_records_of_a_torn_file(tmp_path: Path) -> None:
    path = make(tmp_path / "t.jsonl.zst", [{**episode(n), "tools": TOOLS} for n in range(70)], footer=False)
    path.write_bytes(path.read_bytes()[:-5])
    saved = recover(path, tmp_path / "saved.jsonl.zst")
    assert (saved.episodes, saved.duplicates, len(saved.faults)) == (69, 0, 1)
    assert fsck(saved.target).ok
    header, *rest = read(saved.target)
    assert header == {"type": "header", "schema": 1, "seed": 3, "recovered_from": "t.jsonl.zst"}
    assert rest == list(read(path, "ignore"))[1:]


def test_recover_saves_what_stands_behind_damage(tmp_path: Path) -> None:
    path = make(tmp_path / "t.jsonl.zst", [episode(n) for n in range(200)])
    data = path.read_bytes()
    frame = list(frames(data))[2]
    middle = (frame.start + frame.end) // 2
    path.write_bytes(data[:middle] + b"\xff" * 8 + data[middle + 8 :])
    saved = recover(path, tmp_path / "saved.jsonl.zst")
    assert fsck(saved.target).ok
    indices = [record["sample"]["index"] for record in read(saved.target) if record["type"] == "episode"]
    assert indices == sorted(set(indices))
    assert {n for n in range(200) if not 64 <= n < 128} < set(indices)
    assert saved.episodes == len(indices)


def test_recover_leaves_out_duplicates(tmp_path: Path) -> None:
    lost = episode(2, invalid=True, reason="backend_lost")
    path = make(tmp_path / "t.jsonl.zst", [episode(1), lost, episode(1), episode(2)])
    saved = recover(path, tmp_path / "saved.jsonl.zst")
    assert (saved.episodes, saved.duplicates) == (3, 1)
    assert fsck(saved.target).ok


def test_recover_when_the_header_is_lost(tmp_path: Path) -> None:
    path = make(tmp_path / "t.jsonl.zst", [episode(n) for n in range(100)])
    data = bytearray(path.read_bytes())
    data[2:12] = bytes(10)
    path.write_bytes(b"\x28\xb5" + data[2:])
    saved = recover(path, tmp_path / "saved.jsonl.zst")
    assert saved.episodes == 100
    assert any("the header is lost" in fault for fault in saved.faults)
    assert fsck(saved.target).ok


def test_recover_skips_a_damaged_line(tmp_path: Path) -> None:
    path = make(tmp_path / "t.jsonl.zst", [episode(n) for n in range(3)])
    text = zstandard.ZstdDecompressor().stream_reader(path.read_bytes(), read_across_frames=True).read()
    plain = tmp_path / "t.jsonl"
    plain.write_bytes(text.replace(b'"index":1', b'"index"#1'))
    saved = recover(plain, tmp_path / "saved.jsonl.zst")
    assert saved.episodes == 2
    assert "a damaged line" in saved.faults[0]


def test_recover_overwrites_nothing(tmp_path: Path) -> None:
    path = make(tmp_path / "t.jsonl.zst", [episode()])
    before = path.read_bytes()
    with pytest.raises(TraceError, match="exists"):
        recover(path, path)
    assert path.read_bytes() == before
