"""The fake model's tokens: one per byte, so that ids, counts and texts can be checked against each other by hand."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from harness.records import Json


def token_ids(value: Json) -> list[int]:
    """Return the ids of a text, or of a message or conversation as JSON text."""
    text = value if isinstance(value, str) else json.dumps(value)
    return list(text.encode("utf-8", errors="surrogatepass"))


def count_tokens(value: Json) -> int:
    """Return the number of tokens of a JSON value."""
    return len(token_ids(value))


def sampled_ids(message: Mapping[str, Any]) -> list[int]:
    """Return the ids that the model sampled for a message: its text and its calls."""
    calls = [call["function"] for call in message.get("tool_calls") or ()]
    content = message.get("content")
    text = content if isinstance(content, str) else json.dumps(content) if content else ""
    return token_ids(text + "".join(json.dumps(call) for call in calls))


def logprob(token: int) -> float:
    """Return the log-probability that the fake model gives a sampled token."""
    return -0.01 - (token % 16) / 32


def usage(messages: Json, message: Mapping[str, Any]) -> dict[str, Json]:
    """Count a request and its reply as the protocol does."""
    prompt, completion = count_tokens(messages), len(sampled_ids(message))
    return {"prompt_tokens": prompt, "completion_tokens": completion, "total_tokens": prompt + completion}


def add_evidence(payload: dict[str, Json], body: Mapping[str, Json]) -> None:
    """Add log-probabilities and ids to a reply, in the places of the dialect in which they are asked for."""
    choice = payload["choices"][0]
    ids = sampled_ids(choice["message"])
    if body.get("logprobs"):
        entries = [{"token": f"token_id:{i}", "logprob": logprob(i), "bytes": [i], "top_logprobs": []} for i in ids]
        choice["logprobs"] = {"content": entries}
    if body.get("return_token_ids"):
        payload["prompt_token_ids"] = token_ids(body["messages"])
        choice["token_ids"] = ids
    if body.get("return_prompt_token_ids"):
        choice["prompt_token_ids"] = token_ids(body["messages"])
    if body.get("return_meta_info"):
        choice["meta_info"] = {"output_token_logprobs": [[logprob(i), i, None] for i in ids]}
