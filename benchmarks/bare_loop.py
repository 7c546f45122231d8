"""The floor under rollouts: a bare aiohttp loop that makes the same calls and writes the same trace.

It plays the task `light` by hand and knows nothing of harness: no checks of arguments, no retries, no isolation, no
certified or repeatable instances, no resume. The trace has the same layout (zstd JSON lines, flushed per episode, a
frame ends every 64) and the same fields, filled with what the loop knows.
"""

from __future__ import annotations

import asyncio
import hashlib
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import aiohttp
import orjson
import zstandard

Json = dict[str, Any]

QUESTIONS, LARGEST, FRAME = 8, 100, 64
PROMPT = (
    f"A whole number from 1 to {LARGEST} is hidden. ask(value) says whether it is larger or smaller; you may ask "
    f"{QUESTIONS} times within 12 turns. Then submit(value)."
)
LIMITS: Json = {"turns": 12, "budgets": {"questions": QUESTIONS}, "nudges": 2, "call_seconds": 10.0}


def tool(name: str, text: str, argument: str) -> Json:
    """Write the schema of a tool with one number."""
    shape = {"value": {"type": "integer", "description": argument}}
    parameters = {"type": "object", "properties": shape, "required": ["value"], "additionalProperties": False}
    return {"type": "function", "function": {"name": name, "description": text, "parameters": parameters}}


TOOLS = [
    tool("ask", "Compare a number with the hidden one.", "The number to compare."),
    tool("submit", "Give the final answer.", "The number you found."),
]


class Trace:
    """Appends records to a zstd file."""

    def __init__(self, path: Path) -> None:
        self.file, self.count = path.open("wb", buffering=0), 0
        self.zstd = zstandard.ZstdCompressor(level=3, write_checksum=False, write_content_size=False)
        self.frame = self.zstd.compressobj()
        self.write({"type": "header", "schema": 1})
        self.write({"type": "toolset", "digest": "light", "tools": TOOLS})

    def write(self, record: Json) -> None:
        """Write one record and flush it."""
        line = orjson.dumps(record, option=orjson.OPT_APPEND_NEWLINE)
        self.file.write(self.frame.compress(line) + self.frame.flush(zstandard.COMPRESSOBJ_FLUSH_BLOCK))
        self.count += 1
        if self.count % FRAME == 0:
            self.file.write(self.frame.flush(zstandard.COMPRESSOBJ_FLUSH_FINISH))
            self.frame = self.zstd.compressobj()

    def close(self) -> None:
        """End the file."""
        self.file.write(self.frame.flush(zstandard.COMPRESSOBJ_FLUSH_FINISH))
        self.file.close()


async def play(session: aiohttp.ClientSession, url: str, index: int, trace: Trace) -> None:
    """Play one episode."""
    begun = time.perf_counter()
    key = hashlib.blake2b(b"light %d" % index, digest_size=8).hexdigest()
    target = int(key, 16) % LARGEST + 1
    wire: list[Json] = [{"role": "user", "content": PROMPT}]
    messages: list[Json] = [{"role": "user", "content": [{"type": "text", "text": PROMPT}]}]
    actions: list[Json] = []
    usage, asked, answer = [0, 0], 0, None
    while answer is None:
        body = {"messages": wire, "tools": TOOLS, "seed": index * 100 + len(actions), "model": "fake"}
        async with session.post(url, data=orjson.dumps(body)) as response:
            payload = orjson.loads(await response.read())
        said = payload["choices"][0]["message"]
        usage = [usage[0] + payload["usage"]["prompt_tokens"], usage[1] + payload["usage"]["completion_tokens"]]
        calls = said["tool_calls"]
        wire.append({"role": "assistant", "content": None, "tool_calls": calls})
        messages.append({"role": "assistant", "content": [], "tool_calls": [_flat(call) for call in calls]})
        for call in calls:
            value, name = orjson.loads(call["function"]["arguments"])["value"], call["function"]["name"]
            action = {"turn": len(actions) + 1, "call_id": call["id"], "name": name, "arguments": {"value": value}}
            if name == "submit":
                answer, text = value, "The answer was taken."
                actions.append(action | {"status": "ok"})
            else:
                asked += 1
                found = "equal" if value == target else "too high" if value > target else "too low"
                left = f"{QUESTIONS - asked} of {QUESTIONS} questions left"
                text = orjson.dumps({"answer": found, "budget": left}).decode()
                actions.append(action | {"status": "ok", "budget": "questions"})
            wire.append({"role": "tool", "tool_call_id": call["id"], "content": text})
            parts = [{"type": "text", "text": text}]
            messages.append({"role": "tool", "content": parts, "tool_call_id": call["id"]})
    trace.write(_record(index, key, target, messages, actions, answer, usage, time.perf_counter() - begun))


def _flat(call: Json) -> Json:
    return {"id": call["id"], "name": call["function"]["name"], "arguments": call["function"]["arguments"]}


def _record(
    index: int,
    key: str,
    target: int,
    messages: list[Json],
    actions: list[Json],
    answer: int,
    usage: list[int],
    s: float,
) -> Json:
    place = {"seed": 0, "split": "train", "group": "only", "index": index, "key": key, "attempts": 1, "wording": 0}
    success = answer == target
    term = {"value": 1.0, "weight": 1.0, "kind": "progress"}
    return {
        "type": "episode",
        "sample": {"task": "light", "version": 1, "options": {}, "options_digest": "", **place}
        | {"language": "en", "limits": LIMITS, "prompt": 1},
        "repetition": 0,
        "identity": {"target": target},
        "policy": {"name": "openai:fake", "view": "observation"},
        "messages": messages,
        "actions": actions,
        "log": {"metrics": {}, "turns": len(actions), "nudges": 0, "end": "answered", "answer": {"value": answer}},
        "interaction": [],
        "outcome": {
            "status": "scored",
            "reason": "solved" if success else "wrong_answer",
            "detail": "",
            "reward": 1.0 if success else 0.6,
            "success": success,
            "reward_id": "light-1",
            "terms": {"answered": term},
        },
        "usage": {"prompt_tokens": usage[0], "completion_tokens": usage[1], "reasoning_tokens": 0},
        "timing": {"world": 0.0, "total": round(s, 6)},
        "toolset": "light",
    }


async def run(url: str, episodes: int, concurrency: int, path: Path) -> None:
    """Play episodes, `concurrency` at a time."""
    trace = Trace(path)
    connector = aiohttp.TCPConnector(limit=concurrency)
    headers = {"content-type": "application/json"}
    queue = iter(range(episodes))
    async with aiohttp.ClientSession(connector=connector, headers=headers) as session, asyncio.TaskGroup() as group:
        for _ in range(concurrency):
            group.create_task(_lane(session, f"{url}/chat/completions", queue, trace))
    trace.close()


async def _lane(session: aiohttp.ClientSession, url: str, queue: Iterator[int], trace: Trace) -> None:
    for index in queue:
        await play(session, url, index, trace)
