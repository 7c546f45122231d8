"""Schema numbers: newer is refused, older is upgraded step by step, released files are read for ever."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from harness import trace as traces
from harness.trace import NewerSchema, NotATrace, TraceError, TraceFile, TraceWriter, read, upgrades

GOLDEN = Path(__file__).parent / "golden"


def plain(path: Path, *records: dict[str, Any]) -> Path:
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    return path


def test_a_newer_schema_is_refused_with_what_to_do(tmp_path: Path) -> None:
    path = plain(tmp_path / "t.jsonl", {"type": "header", "schema": 2}, {"type": "episode"})
    with pytest.raises(NewerSchema, match=r"schema 2 and this harness reads schemas up to 1: upgrade it"):
        list(read(path))


@pytest.mark.parametrize("schema", [None, 0, -1, "1", 1.0, True])
def test_a_schema_that_is_no_number_is_refused(tmp_path: Path, schema: Any) -> None:
    path = plain(tmp_path / "t.jsonl", {"type": "header", "schema": schema})
    with pytest.raises(NotATrace, match=r"the header's schema is .*, expected a positive integer"):
        list(read(path))


def test_a_file_without_header_is_refused(tmp_path: Path) -> None:
    path = plain(tmp_path / "t.jsonl", {"type": "episode"})
    with pytest.raises(NotATrace, match=r"no trace: the first record has type 'episode', expected 'header'"):
        list(read(path))


def to_2(record: dict[str, Any]) -> dict[str, Any]:
    if record["type"] != "episode":
        return record
    return {**record, "outcome": {"reward": record["score"]}}


def to_3(record: dict[str, Any]) -> dict[str, Any]:
    return {**record, "seen": record["outcome"]["reward"]} if record["type"] == "episode" else record


def test_older_records_go_through_every_step_in_order(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "t.jsonl.zst"
    sample = {"key": "k", "task": "toy", "group": "easy"}
    with TraceWriter(path, {"seed": 4}) as writer:
        writer.write({"type": "episode", "sample": sample, "repetition": 0, "score": 0.25})
    monkeypatch.setattr(upgrades, "SCHEMA", 3)
    monkeypatch.setattr(upgrades, "UPGRADES", {1: to_2, 2: to_3})
    header, episode = read(path)
    assert header["seed"] == 4
    assert (episode["outcome"], episode["seen"]) == ({"reward": 0.25}, 0.25)
    with TraceFile(path) as trace:
        assert trace[0]["seen"] == 0.25


def test_a_missing_step_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = plain(tmp_path / "t.jsonl", {"type": "header", "schema": 1})
    monkeypatch.setattr(upgrades, "SCHEMA", 3)
    monkeypatch.setattr(upgrades, "UPGRADES", {1: to_2})
    with pytest.raises(NotATrace, match="no upgrade is known from schema 2 to 3"):
        list(read(path))


def test_a_file_of_another_schema_is_not_continued(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from harness.trace import _writer

    path = tmp_path / "t.jsonl.zst"
    TraceWriter(path, {}).close()
    monkeypatch.setattr(upgrades, "SCHEMA", 2)
    monkeypatch.setattr(upgrades, "UPGRADES", {1: to_2})
    monkeypatch.setattr(_writer, "SCHEMA", 2)
    with pytest.raises(TraceError, match=r"has schema 1, we write 2; `harness trace recover"):
        TraceWriter(path, {}, append=True)


def test_every_step_leads_to_the_next() -> None:
    assert sorted(upgrades.UPGRADES) == list(range(1, upgrades.SCHEMA))


@pytest.mark.parametrize("schema", range(1, upgrades.SCHEMA + 1))
def test_the_golden_file_of_each_schema_is_kept(schema: int) -> None:
    assert (GOLDEN / f"schema-{schema}.jsonl.zst").exists()


def test_the_golden_file_of_schema_1_is_read_as_ever() -> None:
    expected = json.loads((GOLDEN / "schema-1.json").read_text())
    records = list(read(GOLDEN / "schema-1.jsonl.zst"))
    assert records == expected
    assert traces.fsck(GOLDEN / "schema-1.jsonl.zst").ok


def test_the_golden_file_follows_the_published_schema() -> None:
    import zstandard

    schema = json.loads((Path(traces.__file__).parent / "schema.json").read_text())
    validator = jsonschema.Draft202012Validator(schema)
    data = (GOLDEN / "schema-1.jsonl.zst").read_bytes()
    lines = zstandard.ZstdDecompressor().stream_reader(data, read_across_frames=True).read().splitlines()
    for line in lines:  # as they stand in the file: with escapes
        validator.validate(json.loads(line))
    assert {json.loads(line)["type"] for line in lines} == {"header", "toolset", "episode", "footer"}


def test_golden_episodes_become_records_again() -> None:
    for record in traces.episodes(GOLDEN / "schema-1.jsonl.zst"):
        sample, messages, log = traces.sample_from(record), traces.messages_from(record), traces.log_from(record)
        again = {
            "sample": traces.sample_record(sample),
            "messages": traces.messages_record(messages),
            **traces.log_record(log),
            "outcome": traces.outcome_record(traces.outcome_from(record)),
            "tools": [tool.openai() for tool in traces.tools_from(record)],
        }
        assert {name: record[name] for name in again} == again
