"""Episode records: everything of a played episode, once, and back again."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from attrs import evolve

from harness import Episode, Evidence, ImagePart, Message, Score, Term, TextPart
from harness import trace as traces
from harness.backends import InlineBackend
from harness.records import Outcome
from harness.trace import NonFinite, RecordError, TraceWriter, episode_record

POLICY = {"name": "script:demo", "view": "observation"}
SCHEMA = json.loads((Path(traces.__file__).parent / "schema.json").read_text())


def stored(tmp_path: Path, *records: dict[str, Any]) -> list[dict[str, Any]]:
    path = tmp_path / "t.jsonl.zst"
    with TraceWriter(path, {"seed": 0}) as writer:
        for record in records:
            writer.write(record)
    return list(traces.episodes(path))


@pytest.mark.parametrize("right", [True, False])
def test_an_episode_comes_back_from_disk(tmp_path: Path, play: Any, right: bool) -> None:
    evidence = Evidence((1, 2), (5, 6, 7), (-0.1, -2.0, 0.0))
    episode = play(right=right, evidence=evidence)
    (record,) = stored(tmp_path, episode_record(episode, POLICY, repetition=2, timing={"total": 1.5}))
    assert traces.messages_from(record) == tuple(episode.messages)
    assert traces.log_from(record) == episode.log
    assert traces.sample_from(record) == episode.sample
    assert traces.tools_from(record) == episode.tools
    assert traces.outcome_from(record) == episode.outcome
    assert record["repetition"] == 2
    assert record["usage"] == {"prompt_tokens": 400, "completion_tokens": 40, "reasoning_tokens": 16}
    assert record["timing"]["total"] == 1.5
    assert record["timing"]["world"] > 0


def test_nothing_stands_twice(play: Any) -> None:
    episode = play(remark="A remark without a call.")
    record = episode_record(episode, POLICY)
    text = json.dumps({key: value for key, value in record.items() if key != "tools"})
    prompt = json.dumps(episode.sample.messages[0].text)[1:-1]
    nudge = json.dumps(episode.feedback[0].text)[1:-1]
    assert text.count(prompt) == 1
    assert text.count(nudge) == 1
    said = record["interaction"][0]["message"]
    assert record["messages"][said]["content"][0]["text"] == episode.feedback[0].text


def test_raw_and_parsed_arguments_and_errors_are_kept(play: Any) -> None:
    record = episode_record(play(), POLICY)
    first = record["messages"][record["sample"]["prompt"]]
    assert [call["arguments"] for call in first["tool_calls"]] == ['{"value": 8}', '{"value": "8"}']
    assert [action["arguments"] for action in record["actions"][:2]] == [{"value": 8}, {}]
    statuses = [action["status"] for action in record["actions"]]
    assert statuses == ["ok", "invalid_arguments", "unknown_tool", "ok"]
    assert record["actions"][0]["budget"] == "questions"
    assert "ask" in record["actions"][2]["detail"] or "serch" in record["actions"][2]["detail"]


def test_records_follow_the_published_schema(tmp_path: Path, play: Any) -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    validator = jsonschema.Draft202012Validator(SCHEMA)
    path = tmp_path / "t.jsonl.zst"
    invalid = play(1)
    invalid.machine.outcome = Outcome("invalid", "backend_lost", "no worker", evidence="killed")
    with TraceWriter(path, {"seed": 0}) as writer:
        writer.write(episode_record(play(evidence=Evidence((1,), (2,), (-0.5,))), POLICY))
        writer.write(episode_record(invalid, POLICY, timing={"total": 2}))
        writer.close({"episodes": 2})
    records = list(traces.read(path))
    assert [record["type"] for record in records] == ["header", "toolset", "episode", "episode", "footer"]
    for record in records:
        validator.validate(record)


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("outcome.reward", None),
        ("outcome.status", "lost"),
        ("messages", [{"role": "robot", "content": []}]),
        ("actions", [{"turn": 1}]),
        ("unknown", 1),
        ("policy.view", "all"),
    ],
)
def test_the_schema_refuses_what_is_no_record(play: Any, path: str, value: Any) -> None:
    record = {**episode_record(play(), POLICY), "toolset": "0" * 16}
    del record["tools"]
    validator = jsonschema.Draft202012Validator(SCHEMA)
    validator.validate(record)
    *steps, last = path.split(".")
    place = record
    for step in steps:
        place = place[step]
    place[last] = value
    assert not validator.is_valid(record)


def test_images_are_kept_by_hash_and_their_facts_are_not() -> None:
    part = ImagePart("ab" * 32, "image/png", 4, 3, {"bore": "25 mm"})
    messages = (Message("user", (TextPart("see"), part)),)
    (record,) = traces.messages_record(messages)
    assert record["content"][1] == {
        "type": "image",
        "sha256": "ab" * 32,
        "media_type": "image/png",
        "width": 4,
        "height": 3,
    }
    assert "25 mm" not in str(record)
    assert traces.messages_from({"messages": [record]}) == messages


def test_lone_surrogates_of_model_and_tools_come_back(tmp_path: Path, play: Any) -> None:
    episode = play(remark="half a letter: \ud835")
    (record,) = stored(tmp_path, episode_record(episode, POLICY))
    assert traces.messages_from(record) == tuple(episode.messages)


def spoil_item(records: list[Any], number: int, **changes: Any) -> None:
    records[number] = evolve(records[number], **changes)


@pytest.mark.parametrize(
    ("spoil", "path"),
    [
        (
            lambda e: e.machine.actions.__setitem__(0, evolve(e.machine.actions[0], reward=math.nan)),
            "actions[0].reward",
        ),
        (lambda e: setattr(e.machine, "metrics", {"deep": [1, {"x": math.inf}]}), "log.metrics.deep[1].x"),
        (lambda e: setattr(e.machine, "outcome", evolve(e.outcome, reward=math.nan)), "outcome.reward"),
        (lambda e: setattr(e, "sample", evolve(e.sample, identity={"target": math.nan})), "identity.target"),
        (lambda e: setattr(e.machine, "training", math.inf), "training"),
        (
            lambda e: spoil_item(e.messages, 1, evidence=Evidence(None, (1, 2), (0.0, -math.inf))),
            "messages[1].evidence.logprobs[1]",
        ),
    ],
)
def test_a_number_that_json_lacks_is_refused_when_the_record_is_made(play: Any, spoil: Any, path: str) -> None:
    episode = play()
    spoil(episode)
    with pytest.raises(NonFinite) as caught:
        episode_record(episode, POLICY)
    assert caught.value.path == path


def test_timing_of_the_driver_is_checked_too(play: Any) -> None:
    with pytest.raises(NonFinite, match=r"timing\.total"):
        episode_record(play(), POLICY, timing={"total": math.nan})


def test_two_terms_of_one_name_are_refused() -> None:
    score = Score(False, (Term("speed", 0.5),), (Term("speed", 0.2),))
    with pytest.raises(RecordError, match=r"outcome\.terms\.speed: two terms of the score have this name"):
        traces.outcome_record(Outcome("scored", "wrong_answer", score=score))


def test_what_is_missing_is_named(play: Any) -> None:
    with pytest.raises(RecordError, match="policy: has no view"):
        episode_record(play(), {"name": "x"})
    record = episode_record(play(), POLICY)
    del record["sample"]["key"]
    with pytest.raises(RecordError, match=r"sample: .*key"):
        traces.sample_from(record)
    record["messages"][0]["role"] = "robot"
    with pytest.raises(RecordError, match=r"messages\[0\]: cannot be read: unknown role 'robot'"):
        traces.messages_from(record)
    record["actions"][1]["unknown"] = 3
    with pytest.raises(RecordError, match=r"actions\[1\]: cannot be read"):
        traces.log_from(record)


def test_an_open_episode_has_no_record(toy: Any) -> None:
    episode = Episode(toy, toy.sample(0, split="test"), InlineBackend())
    with pytest.raises(RecordError, match="the episode is not closed"):
        episode_record(episode, POLICY)
