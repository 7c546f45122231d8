"""What can go wrong between a client and an endpoint, and what each fault means.

Both clients report an attempt as a `Reply` (a status and a body) or as a `Fault`; `judge` turns a reply into its
payload or into the fault that it is. A fault says whether trying again can help and which error it becomes when it
stands. Error texts quote the server, and servers quote requests, so every secret that was sent is struck out first.
"""

from __future__ import annotations

import email.utils
from collections.abc import Mapping, Sequence
from datetime import UTC
from typing import Any, Final

from attrs import field, frozen

from harness.errors import ContextOverflow, EndpointDown, EndpointRefused, HarnessError, PolicyFault
from harness.jsonio import loads
from harness.records import Json

RETRIED: Final = frozenset({408, 409, 425, 429})
"""Statuses below 500 that can pass on their own."""

_OVERFLOW: Final = (
    "context_length_exceeded",
    "context length",
    "context window",
    "context size",
    "context limit",
    "maximum prompt length",
    "prompt is too long",
    "reduce the length of the messages",
    "maximum model length",
    "max_model_len",
    "max_total_tokens",
    "exceeds the maximum allowed input length",
    "input is too long",
    "input length exceeds",
    "exceeds the available context",
)


class Fault(Exception):
    """One attempt that gave no completion.

    Attributes:
        status: HTTP status, or a word for what happened before or after it: `timeout`, `unreachable`, `lost`, `cut`,
            `not_json`, `no_choices`, `aborted`.
        retry: Whether the same request may succeed later.
        wait: Seconds that the server asks to wait.
        error: What the fault becomes when it stands.
    """

    def __init__(
        self,
        status: int | str,
        message: str,
        *,
        retry: bool = True,
        wait: float | None = None,
        error: type[HarnessError] = EndpointDown,
    ) -> None:
        super().__init__(message)
        self.status, self.message, self.retry, self.wait, self.error = status, message, retry, wait, error


@frozen
class Reply:
    """An HTTP answer as a client received it.

    Attributes:
        headers: Only read for what the server says about waiting; keys in lower case.
    """

    status: int
    headers: Mapping[str, str] = field(repr=False)
    data: bytes = field(repr=False)


@frozen
class Secrets:
    """Values that were sent and must not come back in a text."""

    values: tuple[str, ...] = field(default=(), repr=False)

    @classmethod
    def of(cls, headers: Mapping[str, str]) -> Secrets:
        """Take every header value, and of `Bearer TOKEN` also the token alone."""
        found = {word for value in headers.values() for word in (value, value.rpartition(" ")[2]) if len(word) >= 4}
        return cls(tuple(sorted(found, key=len, reverse=True)))

    def strike(self, text: str) -> str:
        """Replace each secret in a text by stars, and make it one line."""
        for value in self.values:
            text = text.replace(value, "***")
        return " ".join(text.split())


def judge(reply: Reply, now: float) -> Json:
    """Return the payload of a reply.

    Args:
        reply: Status and body of the attempt.
        now: Seconds since the epoch, for a Retry-After that is a date.

    Raises:
        Fault: The status is no success, or the body is not a JSON object.
    """
    try:
        payload = loads(reply.data)
    except ValueError:
        payload = None
    if reply.status != 200:
        raise _from_status(reply.status, _server_text(payload, reply.data), _server_code(payload), reply, now)
    if not isinstance(payload, dict):
        text = f"answered 200 with something that is no chat completion: {_excerpt(reply.data)}"
        raise Fault("not_json", text + "; a base URL usually ends in /v1")
    if payload.get("error") and not payload.get("choices"):
        status = payload["error"].get("code") if isinstance(payload["error"], Mapping) else None
        status = status if isinstance(status, int) and 400 <= status < 600 else 502
        raise _from_status(status, _server_text(payload, reply.data), _server_code(payload), reply, now)
    return payload


def _from_status(status: int, text: str, code: str, reply: Reply, now: float) -> Fault:
    if status in (400, 413, 422, 500) and _overflows(f"{code} {text}"):
        return Fault(status, f"the conversation does not fit the model ({text})", retry=False, error=ContextOverflow)
    if status in (401, 403):
        advice = "set OPENAI_API_KEY, or a header in the agent file"
        return Fault(status, f"refused the key ({status}: {text}); {advice}", retry=False, error=EndpointRefused)
    if status == 402 or "insufficient_quota" in code:
        return Fault(status, f"says that the quota is used up ({status}: {text})", retry=False, error=EndpointRefused)
    if status == 404:
        return Fault(status, f"knows no such model or path (404: {text})", retry=False, error=EndpointRefused)
    if status in RETRIED or status >= 500:
        return Fault(status, f"answered {status}: {text}", wait=retry_after(reply.headers, now))
    if 300 <= status < 400:
        target = reply.headers.get("location", "somewhere else")
        advice = f"redirects to {target}; use that as base URL"
        return Fault(status, advice, retry=False, error=EndpointRefused)
    return Fault(status, f"rejected the request ({status}: {text})", retry=False, error=PolicyFault)


def _overflows(text: str) -> bool:
    text = text.lower()
    return any(phrase in text for phrase in _OVERFLOW)


def _error_of(payload: Json) -> Mapping[str, Any]:
    """Find the error object: `{"error": {...}}`, or the object itself as some servers send it."""
    if not isinstance(payload, Mapping):
        return {}
    error = payload.get("error", payload)
    return error if isinstance(error, Mapping) else {"message": error}


def _server_text(payload: Json, data: bytes) -> str:
    error = _error_of(payload)
    text = error.get("message") or error.get("detail") or error.get("error")
    return _clip(text) if isinstance(text, str) else _excerpt(data)


def _server_code(payload: Json) -> str:
    error = _error_of(payload)
    return " ".join(str(error[key]) for key in ("code", "type") if isinstance(error.get(key), str))


def _excerpt(data: bytes) -> str:
    return _clip(data[:1000].decode("utf-8", errors="replace")) or "empty body"


def _clip(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= 300 else text[:299] + "…"


def retry_after(headers: Mapping[str, str], now: float) -> float | None:
    """Read how long a server asks to wait: milliseconds, seconds or an HTTP date; None when it does not say."""
    try:
        if "retry-after-ms" in headers:
            return max(0.0, float(headers["retry-after-ms"]) / 1000)
        text = headers.get("retry-after", "")
        if text.strip().replace(".", "", 1).isdigit():
            return float(text)
        date = email.utils.parsedate_to_datetime(text)
    except (ValueError, OverflowError):
        return None
    return max(0.0, date.replace(tzinfo=date.tzinfo or UTC).timestamp() - now)


def standing(fault: Fault, where: str, tried: Sequence[Mapping[str, Json]], secrets: Secrets) -> HarnessError:
    """Make the error that a fault becomes when no further attempt is made; one line, without secrets."""
    after = f" (after {len(tried)} attempts)" if len(tried) > 1 else ""
    error = fault.error(secrets.strike(f"{where} {fault.message}{after}"))
    if isinstance(error, PolicyFault):
        error.attempts = tuple(tried)
    return error
