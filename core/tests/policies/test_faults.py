from __future__ import annotations

import json

import pytest

from harness.errors import ContextOverflow, EndpointDown, EndpointRefused, HarnessError, PolicyFault
from harness.policies import Transport
from harness.policies._chat import backoff
from harness.policies._faults import Fault, Reply, Secrets, judge, retry_after, standing

NOW = 1_800_000_000.0  # Fri, 15 Jan 2027 08:00:00 GMT


def reply(status: int, message: str = "no", code: str | None = None, **headers: str) -> Reply:
    return Reply(status, headers, json.dumps({"error": {"message": message, "code": code}}).encode())


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, None),
        ({"retry-after": "3"}, 3.0),
        ({"retry-after": "0.25"}, 0.25),
        ({"retry-after-ms": "1500", "retry-after": "9"}, 1.5),
        ({"retry-after": "Fri, 15 Jan 2027 08:00:20 GMT"}, 20.0),
        ({"retry-after": "Fri, 15 Jan 2027 07:59:00 GMT"}, 0.0),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "-5"}, None),
        ({"retry-after-ms": "x"}, None),
    ],
)
def test_retry_after_in_all_its_forms(headers: dict[str, str], seconds: float | None) -> None:
    assert retry_after(headers, NOW) == seconds


@pytest.mark.parametrize(
    ("status", "message", "code", "error"),
    [
        (401, "Incorrect API key", "invalid_api_key", EndpointRefused),
        (403, "Forbidden", None, EndpointRefused),
        (402, "Payment required", None, EndpointRefused),
        (404, "The model does not exist", "model_not_found", EndpointRefused),
        (429, "You exceeded your current quota", "insufficient_quota", EndpointRefused),
        (400, "temperature is not supported", None, PolicyFault),
        (422, "bad field", None, PolicyFault),
        (307, "moved", None, EndpointRefused),
        (400, "too long", "context_length_exceeded", ContextOverflow),
        (
            400,
            "This model's maximum context length is 8192 tokens. However, you requested 9000 tokens",
            None,
            ContextOverflow,
        ),
        (
            400,
            "The input (9000 tokens) is longer than the model's context length (8192 tokens).",
            None,
            ContextOverflow,
        ),
        (
            400,
            "Requested token count exceeds the model's maximum context length of 8192 tokens.",
            None,
            ContextOverflow,
        ),
        (413, "prompt is too long: 210000 tokens > 200000 maximum", None, ContextOverflow),
        (500, "the request exceeds the available context size", None, ContextOverflow),
    ],
)
def test_what_is_not_tried_again(status: int, message: str, code: str | None, error: type[HarnessError]) -> None:
    with pytest.raises(Fault) as raised:
        judge(reply(status, message, code), NOW)
    assert not raised.value.retry
    assert raised.value.error is error


@pytest.mark.parametrize("status", [408, 409, 425, 429, 500, 502, 503, 504, 529])
def test_what_is_tried_again(status: int) -> None:
    with pytest.raises(Fault) as raised:
        judge(reply(status, "busy", **{"retry-after": "2"}), NOW)
    assert raised.value.retry
    assert raised.value.wait == 2.0
    assert raised.value.error is EndpointDown


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"<html>502</html>",
        b"[1]",
        b'{"detail": "Not Found"}',
        b'{"object": "error", "message": "no"}',
        b"\xff\xfe",
    ],
)
def test_error_bodies_of_any_form_are_read(data: bytes) -> None:
    with pytest.raises(Fault, match="503"):
        judge(Reply(503, {}, data), NOW)


def test_an_error_inside_a_success_counts_as_that_error() -> None:
    body = json.dumps({"error": {"message": "busy", "code": 429}}).encode()
    with pytest.raises(Fault, match="answered 429: busy"):
        judge(Reply(200, {}, body), NOW)


def test_a_success_that_is_a_web_page_hints_at_the_url() -> None:
    with pytest.raises(Fault, match="usually ends in /v1"):
        judge(Reply(200, {}, b"<html>hello</html>"), NOW)


class TestSecrets:
    def test_values_and_tokens_are_struck(self) -> None:
        secrets = Secrets.of({"authorization": "Bearer sk-12345", "x-org": "acme-9"})
        assert secrets.strike("key sk-12345 of acme-9\n in Bearer sk-12345") == "key *** of *** in ***"
        assert "sk-12345" not in repr(secrets)

    def test_the_final_error_is_one_line_without_secrets(self) -> None:
        fault = Fault(401, "refused the key (401:\n sk-12345)", retry=False, error=EndpointRefused)
        error = standing(fault, "openai:m at http://h/v1", [{"status": 401, "wait": 0.0}], Secrets(("sk-12345",)))
        assert isinstance(error, EndpointRefused)
        assert str(error) == "openai:m at http://h/v1 refused the key (401: ***)"
        assert error.attempts == ({"status": 401, "wait": 0.0},)


class TestBackoff:
    def test_doubles_up_to_the_cap_with_jitter(self) -> None:
        transport = Transport(first_wait=1.0, longest_wait=8.0)
        assert [backoff(transport, n, None, 0.0) for n in range(6)] == [0.5, 1.0, 2.0, 4.0, 4.0, 4.0]
        assert backoff(transport, 2, None, 0.999) == pytest.approx(4.0, abs=0.01)

    def test_what_the_server_asks_is_waited_in_full_up_to_the_cap(self) -> None:
        transport = Transport(first_wait=1.0, longest_wait=8.0)
        assert backoff(transport, 0, 5.0, 0.0) == 5.0
        assert backoff(transport, 0, 500.0, 0.0) == 8.0
        assert 5.0 < backoff(transport, 0, 5.0, 0.5) <= 6.0
