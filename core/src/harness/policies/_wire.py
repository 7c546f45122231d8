"""The chat-completions protocol as plain data: messages out, a completion back.

Servers differ in what they send (content as null or as a list of parts, reasoning in one of two fields, calls without
an id, arguments as an object) and in what they survive being sent. Everything that is known of it is in this module,
shared by both clients and by the tests' server. Nothing a model sent is dropped or repaired here: call ids stay as
they came, missing ones as empty strings, and arguments stay raw; the episode decides what they mean.
"""

from __future__ import annotations

import base64
import json
import math
import operator
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Generic, TypeVar

import orjson

from harness.errors import TaskError
from harness.policies._agent import Dialect
from harness.policies._faults import Fault
from harness.records import Completion, Evidence, ImagePart, Json, Message, TextPart, ToolCall, Usage

W = TypeVar("W")

ImageLookup = Callable[[str], bytes]

_EVIDENCE = frozenset(("meta_info", "logprobs", "token_ids", "prompt_token_ids"))

REASONING_FIELDS = ("reasoning_content", "reasoning")


class Transcript(Generic[W]):
    """Wire form of one conversation; each message is rendered once, however often the conversation is sent.

    Args:
        system: The agent's system prompt, put before the first message or before its own system text.
        image: Image bytes by content hash.
        dialect: What this server wants.
        encode: Applied to each wire message: the identity, or an encoder whose result is spliced into the body.
    """

    def __init__(
        self, system: str | None, image: ImageLookup, dialect: Dialect, encode: Callable[[dict[str, Json]], W]
    ) -> None:
        self._system, self._image, self._dialect, self._encode = system, image, dialect, encode
        self._seen: list[Message] = []
        self._wire: list[W] = []
        self._pictures: list[Json] = []
        self.reasoning_field = dialect.reasoning if dialect.reasoning in REASONING_FIELDS else None

    def render(self, messages: Sequence[Message]) -> list[W]:
        """Return the wire messages of the whole conversation."""
        if len(messages) < len(self._seen) or not all(map(operator.is_, self._seen, messages)):
            self._seen, self._wire, self._pictures = [], [], []
        for message in messages[len(self._seen) :]:
            if message.role != "tool":
                self._flush()
            self._append(message)
            self._seen.append(message)
        self._flush()
        return self._wire

    def noticed(self, payload: Mapping[str, Json]) -> None:
        """Learn from a reply in which field this server gives reasoning."""
        if self._dialect.reasoning == "auto" and self.reasoning_field is None:
            message = payload["choices"][0]["message"]
            self.reasoning_field = next((name for name in REASONING_FIELDS if message.get(name)), None)

    def _append(self, message: Message) -> None:
        first = not self._seen
        if first and self._system is not None and message.role != "system":
            self._add({"role": "system", "content": self._system})
        wire: dict[str, Json] = {"role": message.role, "content": self._content(message)}
        if message.role == "assistant":
            self._finish_assistant(message, wire)
        elif message.role == "tool":
            wire["tool_call_id"] = message.tool_call_id or ""
        elif first and self._system is not None and message.role == "system":
            wire["content"] = f"{self._system}\n\n{message.text}"
        self._add(wire)

    def _add(self, wire: dict[str, Json]) -> None:
        self._wire.append(self._encode(wire))

    def _flush(self) -> None:
        """Send the pictures of the tool messages before, once all of these are out."""
        if self._pictures:
            self._add({"role": "user", "content": self._pictures})
            self._pictures = []

    def _content(self, message: Message) -> Json:
        content = message.content
        if len(content) == 1 and type(content[0]) is TextPart:  # nearly always
            return content[0].text
        images = [part for part in content if isinstance(part, ImagePart)]
        if not images:
            return message.text
        if message.role == "tool" and self._dialect.tool_images == "user":
            label = f"Picture returned by the tool call {message.tool_call_id}:"
            self._pictures += [{"type": "text", "text": label}, *map(self._picture, images)]
            return message.text or "The picture follows."
        return [
            {"type": "text", "text": part.text} if isinstance(part, TextPart) else self._picture(part)
            for part in message.content
        ]

    def _picture(self, part: ImagePart) -> dict[str, Json]:
        try:
            data = self._image(part.sha256)
        except KeyError:
            raise TaskError(f"an image of the conversation has no bytes: sha256 {part.sha256}") from None
        url = f"data:{part.media_type};base64,{base64.b64encode(data).decode('ascii')}"
        return {"type": "image_url", "image_url": {"url": url}}

    def _finish_assistant(self, message: Message, wire: dict[str, Json]) -> None:
        if message.tool_calls:
            wire["content"] = wire["content"] or None
            wire["tool_calls"] = [self._call(call) for call in message.tool_calls]
        if message.reasoning and self.reasoning_field:
            wire[self.reasoning_field] = message.reasoning

    def _call(self, call: ToolCall) -> dict[str, Json]:
        arguments = call.arguments if self._dialect.arguments == "raw" else object_text(call.arguments)
        return {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": arguments}}


def object_text(arguments: str) -> str:
    """Return arguments that are a JSON object unchanged, and anything else as text inside one.

    Chat templates parse the arguments of earlier calls and fail on what a model wrote badly, which would end the
    episode for a slip that the environment has already answered.
    """
    if not arguments.strip():
        return "{}"
    try:
        if isinstance(orjson.loads(arguments), dict):
            return arguments
    except ValueError:
        pass
    return json.dumps({"malformed_arguments": arguments})


def encode(value: Json) -> bytes:
    """Write JSON; what UTF-8 cannot hold (lone surrogates) is replaced, so that no server chokes on it."""
    try:
        text = orjson.dumps(value)
    except TypeError:
        text = orjson.dumps(without_surrogates(value))
    return bytes(memoryview(text))  # a copy: what orjson returns keeps 4 kB, however short, and these are kept for long


def without_surrogates(value: Json) -> Json:
    """Replace what UTF-8 cannot hold, in every text of a JSON value."""
    if isinstance(value, str):
        return value.encode("utf-8", errors="replace").decode("utf-8")
    if isinstance(value, Mapping):
        return {without_surrogates(k): without_surrogates(v) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [without_surrogates(v) for v in value]
    return value


def parse(payload: Json, attempts: Sequence[Mapping[str, Json]] = ()) -> Completion:
    """Read a chat-completions reply.

    Args:
        payload: The decoded body.
        attempts: Transport attempts that led to it, when there was more than one.

    Raises:
        Fault: It is none: no choices, or the engine says that it gave up.
    """
    choice = _choice(payload)
    message: Mapping[str, Any] = choice["message"]
    content, thoughts = _texts(message.get("content"))
    calls = tuple([_parse_call(call) for call in _calls(message)])  # a list: half the cost of a generator
    reasoning = None
    for name in REASONING_FIELDS:
        if isinstance(message.get(name), str):
            reasoning = message[name]
            break
    return Completion(
        content=content if content is not None else message.get("refusal"),
        reasoning=reasoning or thoughts or None,
        tool_calls=calls,
        finish_reason=_finish_reason(choice, bool(calls)),
        usage=_usage(payload.get("usage")),
        evidence=_evidence(payload, choice),
        attempts=tuple(attempts),
    )


def _choice(payload: Json) -> Mapping[str, Any]:
    choices = payload.get("choices") if isinstance(payload, dict) else None
    choice = choices[0] if isinstance(choices, list) and choices else None
    if not isinstance(choice, dict) or not isinstance(choice.get("message"), dict):
        raise Fault("no_choices", f"the reply holds no message: {_excerpt(payload)}")
    if choice.get("finish_reason") in ("abort", "error"):
        raise Fault("aborted", f"the engine gave up (finish_reason {choice['finish_reason']})")
    return choice


def _excerpt(payload: Json) -> str:
    text = repr(payload)
    return text if len(text) <= 200 else text[:199] + "…"


def _texts(content: Json) -> tuple[str | None, str]:
    """Split message content, a string or a list of parts, into text and reasoning."""
    if not isinstance(content, list):
        return (content if isinstance(content, str) else None), ""
    texts, thoughts = [], []
    for part in content:
        if isinstance(part, str):
            texts.append(part)
        elif isinstance(part, dict) and part.get("type") in ("thinking", "reasoning"):
            thoughts.append(_part_text(part, "thinking", "reasoning", "text"))
        elif isinstance(part, dict):
            texts.append(_part_text(part, "text", "refusal"))
    return "".join(texts), "".join(thoughts)


def _part_text(part: Mapping[str, Json], *fields: str) -> str:
    value = next((part[name] for name in fields if part.get(name)), "")
    return value if isinstance(value, str) else _texts(value)[0] or ""


def _calls(message: Mapping[str, Json]) -> Sequence[Json]:
    calls = message.get("tool_calls")
    if isinstance(calls, list) and calls:
        return calls
    legacy = message.get("function_call")
    return [{"function": legacy}] if isinstance(legacy, dict) else []


def _parse_call(call: Json) -> ToolCall:
    call = call if isinstance(call, dict) else {}
    function = call.get("function") if isinstance(call.get("function"), dict) else {}
    arguments = function.get("arguments")
    if not isinstance(arguments, str):
        arguments = "" if arguments is None else json.dumps(arguments)
    name = function.get("name")
    return ToolCall(str(call.get("id") or ""), name if isinstance(name, str) else "", arguments)


def _finish_reason(choice: Mapping[str, Json], called: bool) -> str:
    reason = choice.get("finish_reason")
    if not isinstance(reason, str) or reason == "function_call":
        return "tool_calls" if called else "stop"
    return reason


def _usage(usage: Json) -> Usage | None:
    if not isinstance(usage, dict):
        return None
    details = usage.get("completion_tokens_details")
    reasoning = details.get("reasoning_tokens") if isinstance(details, dict) else usage.get("reasoning_tokens")
    return Usage(_count(usage.get("prompt_tokens")), _count(usage.get("completion_tokens")), _count(reasoning))


def _count(value: Json) -> int:
    return value if isinstance(value, int) and value > 0 else 0


def _evidence(payload: Mapping[str, Json], choice: Mapping[str, Json]) -> Evidence | None:
    """Collect token evidence from the places where vLLM, SGLang and the plain protocol put it."""
    if _EVIDENCE.isdisjoint(choice) and "prompt_token_ids" not in payload:
        return None
    meta = choice.get("meta_info")
    sampled = meta.get("output_token_logprobs") if isinstance(meta, dict) else None
    logprobs = choice.get("logprobs")
    entries = logprobs.get("content") if isinstance(logprobs, dict) else None
    prompt = _ids(payload.get("prompt_token_ids")) or _ids(choice.get("prompt_token_ids"))
    tokens = _ids(choice.get("token_ids")) or _ids([e[1] for e in sampled or ()]) or _named_ids(entries)
    values = _logprobs([e[0] for e in sampled] if sampled else [e.get("logprob") for e in entries or ()])
    return Evidence(prompt, tokens, values) if prompt or tokens or values else None


def _ids(value: Json) -> tuple[int, ...] | None:
    if isinstance(value, list) and value and all(type(item) is int for item in value):
        return tuple(value)
    return None


def _named_ids(entries: Json) -> tuple[int, ...] | None:
    """Read ids from tokens that are spelled `token_id:123`."""
    names = [str(entry.get("token", "")).partition("token_id:") for entry in entries or ()]
    if names and all(not head and found and digits.isdigit() for head, found, digits in names):
        return tuple(int(digits) for _, _, digits in names)
    return None


def _logprobs(values: Sequence[Json]) -> tuple[float, ...] | None:
    """Keep what is a finite number; a missing one leaves a tuple that is too short, which no trainer accepts."""
    kept = tuple(float(v) for v in values if isinstance(v, int | float) and math.isfinite(v))
    return kept or None
