from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import attrs
import pytest

from harness.errors import UserError
from harness.policies import Agent
from harness.policies._agent import without_credentials
from harness.policies._chat import request_fields

FULL = """
system: You are careful.
base_url: http://localhost:8000/v1
headers: {X-Org: "${DEMO_ORG}"}
sampling: {temperature: 0.7, top_p: 0.9, max_tokens: 512, stop: END, seed: 7, extra_body: {top_k: 20}}
dialect: {evidence: vllm, reasoning: none}
transport: {timeout: 30, retries: 2}
"""


def test_a_file_is_read_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DEMO_ORG", "secret-org")
    (tmp_path / "agent.yaml").write_text(FULL, encoding="utf-8")
    agent = Agent.load(tmp_path / "agent.yaml")
    assert agent.system == "You are careful."
    assert agent.headers == {"X-Org": "secret-org"}
    assert agent.transport.timeout == 30
    assert request_fields(agent) == {
        "temperature": 0.7,
        "top_p": 0.9,
        "max_tokens": 512,
        "stop": ["END"],
        "seed": 7,
        "logprobs": True,
        "return_token_ids": True,
        "top_k": 20,
    }


def test_an_empty_file_is_the_default(tmp_path: Path) -> None:
    (tmp_path / "agent.yaml").write_text("", encoding="utf-8")
    assert Agent.load(tmp_path / "agent.yaml") == Agent()
    assert request_fields(Agent()) == {}


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ({"temperature": 1}, r"unknown setting in agent: 'temperature'"),
        (
            {"sampling": {"temprature": 1}},
            r"unknown setting in agent: sampling: 'temprature'; did you mean 'temperature'\?",
        ),
        ({"samplng": {}}, r"did you mean 'sampling'\?"),
        ({"sampling": 3}, "agent: sampling: expected a mapping of settings, got int"),
        ([], "agent: expected a mapping of settings, got list"),
        ({"sampling": {"temperature": "0.5"}}, "temperature: got '0.5', expected a number in .0, 100."),
        ({"sampling": {"temperature": True}}, "temperature: got True"),
        ({"sampling": {"temperature": float("nan")}}, "temperature: got nan"),
        ({"sampling": {"top_p": 1.5}}, r"top_p: got 1.5, expected a number in \[0, 1\]"),
        ({"sampling": {"max_tokens": 1.5}}, "max_tokens: got 1.5, expected a whole number of at least 1"),
        ({"sampling": {"seed": "random"}}, "seed: got 'random', expected rollout, a whole number, or null"),
        ({"sampling": {"stop": [1]}}, "stop: got 1, expected str"),
        ({"sampling": {"extra_body": []}}, "extra_body: got"),
        ({"sampling": {"extra_body": {"when": {1, 2}}}}, "extra_body: Object of type set is not JSON"),
        ({"sampling": {"extra_body": {"x": float("inf")}}}, "extra_body: Out of range"),
        ({"dialect": {"evidence": "yes"}}, "evidence: got 'yes', expected one of none, logprobs, vllm, sglang"),
        ({"transport": {"retries": -1}}, "retries: got -1"),
        ({"system": 3}, "system: got 3, expected str or null"),
    ],
)
def test_a_wrong_setting_is_refused_by_name(content: Any, message: str) -> None:
    with pytest.raises(UserError, match=message):
        Agent.from_mapping(content)


@pytest.mark.parametrize("content", ["a: [", "\x00", "- 1"])
def test_a_file_that_is_no_mapping_is_refused(tmp_path: Path, content: str) -> None:
    (tmp_path / "agent.yaml").write_text(content, encoding="utf-8")
    with pytest.raises(UserError, match=r"agent file .*agent.yaml"):
        Agent.load(tmp_path / "agent.yaml")


def test_a_missing_file_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="No such file") as raised:
        Agent.load(tmp_path / "none.yaml")
    assert "\n" not in str(raised.value)


class TestSecrets:
    def test_header_values_are_in_no_repr_and_no_record(self) -> None:
        agent = Agent.from_mapping({"headers": {"X-Token": "tok-123"}, "base_url": "http://me:pw@host:1/v1?key=abc"})
        assert "tok-123" not in repr(agent)
        public = agent.public()
        assert public["headers"] == ["X-Token"]
        assert public["base_url"] == "http://host:1/v1"
        assert "tok-123" not in str(public)

    @pytest.mark.parametrize("value", [12345678, "two\nlines", None, ["tok-9"]])
    def test_a_bad_header_is_refused_without_its_value(self, value: Any) -> None:
        with pytest.raises(UserError, match="'X-Token' needs a value") as raised:
            Agent.from_mapping({"headers": {"X-Token": value}})
        assert "12345678" not in str(raised.value)
        assert "tok-9" not in str(raised.value)

    def test_an_unset_variable_is_named(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.delenv("NOT_THERE", raising=False)
        with pytest.raises(UserError, match="no variable NOT_THERE"):
            Agent.from_mapping({"headers": {"X-Token": "${NOT_THERE}"}})


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("http://host/v1", "http://host/v1"),
        ("https://u:p@host:8/v1?k=1#x", "https://host:8/v1"),
        ("https://u:p@ss@host/v1", "https://host/v1"),
        ("host/v1", "host/v1"),
    ],
)
def test_urls_are_shown_without_credentials(url: str, shown: str) -> None:
    assert without_credentials(url) == shown


def test_what_a_run_records_builds_the_same_agent_but_for_its_headers(tmp_path: Path) -> None:
    (tmp_path / "agent.yaml").write_text(FULL.replace("${DEMO_ORG}", "secret-org"), encoding="utf-8")
    agent = Agent.load(tmp_path / "agent.yaml")
    recorded = json.loads(json.dumps(agent.public()))
    assert recorded.pop("headers") == ["X-Org"]
    assert Agent.from_mapping(recorded) == attrs.evolve(agent, headers={})
