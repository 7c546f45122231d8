"""A fake model with next to no cost of its own, for measuring clients.

Replies are made once, as bytes; the turn is found by counting assistant messages in the raw body, and HTTP is read
just far enough to find the body's end. It checks nothing and never misbehaves: `ChaosServer` does both.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from types import TracebackType

from harness.testing._script import Reply, as_choice


def prepare(script: Sequence[Reply]) -> list[bytes]:
    """Make the HTTP answers of a script, one per assistant turn."""
    return [_answer(reply, turn) for turn, reply in enumerate(script, 1)]


def _answer(reply: Reply, turn: int) -> bytes:
    usage = {"prompt_tokens": 100 * turn, "completion_tokens": 20, "total_tokens": 100 * turn + 20}
    head = {"id": f"chatcmpl-{turn}", "object": "chat.completion", "created": 0, "model": "fake"}
    body = json.dumps({**head, "choices": [{"index": 0, **as_choice(reply)}], "usage": usage}).encode()
    lines = f"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
    return lines.encode("ascii") + body


class FastServer:
    """Serve a script on the loopback interface; every conversation plays it from the start.

    Args:
        script: Replies, one per assistant turn; the last is repeated for turns beyond the end.
        port: 0 takes a free one.

    Attributes:
        requests: Requests answered.
    """

    def __init__(self, script: Sequence[Reply], port: int = 0) -> None:
        if not script:
            raise ValueError("FastServer needs at least one reply")
        self.replies, self.port, self.requests = prepare(script), port, 0

    @property
    def url(self) -> str:
        """Base URL, as clients take it."""
        return f"http://127.0.0.1:{self.port}/v1"

    async def __aenter__(self) -> FastServer:
        loop = asyncio.get_running_loop()
        self._server = await loop.create_server(lambda: _Connection(self), "127.0.0.1", self.port, backlog=1024)
        self.port = self._server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.close()

    def reply(self, body: bytes | bytearray) -> bytes:
        """Return the answer to a request body."""
        self.requests += 1
        return self.replies[min(body.count(b'"assistant"'), len(self.replies) - 1)]


class _Connection(asyncio.Protocol):
    """One keep-alive connection, possibly pipelined."""

    def __init__(self, server: FastServer) -> None:
        self._server = server
        self._buffer = bytearray()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        self._buffer += data
        while (end := self._buffer.find(b"\r\n\r\n")) >= 0:
            size = _content_length(self._buffer[:end])
            if len(self._buffer) < end + 4 + size:
                return
            body = self._buffer[end + 4 : end + 4 + size]
            del self._buffer[: end + 4 + size]
            self._transport.write(self._server.reply(body))


def _content_length(head: bytearray) -> int:
    lower = head.lower()
    at = lower.find(b"\r\ncontent-length:")
    if at < 0:
        return 0
    return int(lower[at + 17 :].split(b"\r\n", 1)[0])
