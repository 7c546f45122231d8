"""Posting over the pool: what servers may answer, and what becomes of the connection."""

from __future__ import annotations

import asyncio
import gzip
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

import aiohttp
import pytest

from harness.policies import Setup, openai_policy
from harness.policies._agent import Agent
from harness.policies._post import Poster

pytestmark = pytest.mark.anyio

OK = b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}"


class Wire:
    """A server that answers each request with the next bytes, and keeps what it was sent."""

    def __init__(self, *answers: bytes | None) -> None:
        self.answers, self.requests, self.connections = list(answers), list[bytes](), 0
        self.url = ""

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        try:
            while head := await reader.readuntil(b"\r\n\r\n"):
                length = next(line for line in head.lower().split(b"\r\n") if line.startswith(b"content-length"))
                self.requests.append(head + await reader.readexactly(int(length.split(b":")[1])))
                answer = self.answers.pop(0)
                if answer is None:  # says nothing more
                    await asyncio.sleep(30)
                writer.write(answer or b"")
                await writer.drain()
                if not (answer or b"").startswith(b"HTTP/1.1") or b"close" in (answer or b""):
                    break
        except asyncio.IncompleteReadError:
            pass
        finally:
            writer.close()


@asynccontextmanager
async def posting(wire: Wire, total: float = 5.0) -> AsyncIterator[Callable[[bytes], object]]:
    server = await asyncio.start_server(wire.serve, "127.0.0.1", 0)
    wire.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1/chat?x=1"
    limits = aiohttp.ClientTimeout(total=total, sock_connect=2)
    try:
        async with aiohttp.ClientSession(timeout=limits) as session:
            yield Poster(session, wire.url, {"x-key": "k"}).post
    finally:
        server.close()


async def test_a_request_is_whole_and_the_connection_is_kept() -> None:
    wire = Wire(OK, OK)
    async with posting(wire) as post:
        for _ in range(2):
            answer = await post(b'{"a":1}')
            assert (answer.status, answer.data) == (200, b"{}")
    assert wire.connections == 1
    head, _, body = wire.requests[1].partition(b"\r\n\r\n")
    lines = head.decode().split("\r\n")
    assert lines[0] == "POST /v1/chat?x=1 HTTP/1.1"
    assert body == b'{"a":1}'
    named = {line.split(":")[0].lower(): line.split(": ")[1] for line in lines[1:]}
    assert named["host"] == wire.url.split("/")[2]
    assert (named["x-key"], named["content-length"]) == ("k", "7")
    assert len(lines) - 1 == len(named), "a header stands twice"


@pytest.mark.parametrize(
    ("answer", "status", "data"),
    [
        (b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n", 200, b"abcde"),
        (
            b"HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: %d\r\n\r\n%b"
            % (len(gzip.compress(b"abc", mtime=0)), gzip.compress(b"abc", mtime=0)),
            200,
            b"abc",
        ),
        (b"HTTP/1.1 102 Processing\r\n\r\n" + OK, 200, b"{}"),
        (b"HTTP/1.1 307 Moved\r\nlocation: /there\r\ncontent-length: 0\r\n\r\n", 307, b""),
        (b"HTTP/1.1 200 OK\r\nconnection: close\r\n\r\nto the end", 200, b"to the end"),
    ],
    ids=["chunked", "gzip", "informational first", "redirect", "until the end"],
)
async def test_every_form_of_answer_is_read(answer: bytes, status: int, data: bytes) -> None:
    async with posting(Wire(answer)) as post:
        got = await post(b"{}")
        assert (got.status, got.data) == (status, data)


@pytest.mark.parametrize(
    ("answer", "error"),
    [
        (b"SMTP ready\r\n\r\n", aiohttp.ClientConnectionError),
        (b"HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: 9\r\n\r\n{}", aiohttp.ClientPayloadError),
        (b"", aiohttp.ServerDisconnectedError),
        (None, TimeoutError),
    ],
    ids=["not HTTP", "cut", "nothing", "silence"],
)
async def test_what_is_no_answer_is_an_error_and_the_next_call_gets_a_new_connection(
    answer: bytes | None, error: type[Exception]
) -> None:
    wire = Wire(answer, OK)
    async with posting(wire, total=0.5) as post:
        with pytest.raises(error) as met:
            await post(b"{}")
        assert not isinstance(met.value, aiohttp.ConnectionTimeoutError)
        assert (await post(b"{}")).status == 200
    assert wire.connections == 2


async def test_a_cancelled_call_leaves_no_connection_that_could_answer_another() -> None:
    wire = Wire(None, OK)
    async with posting(wire) as post:
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.2):
                await post(b"first")
        assert (await post(b"second")).data == b"{}"
    assert wire.connections == 2


async def test_a_header_with_a_line_break_is_refused() -> None:
    async with aiohttp.ClientSession() as session:
        with pytest.raises(ValueError, match="line break"):
            Poster(session, "http://localhost/v1", {"x": "a\r\nb: c"})


async def test_a_proxy_of_the_environment_is_used_when_it_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    wire = Wire(b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}")
    async with posting(wire):
        monkeypatch.setenv("http_proxy", wire.url.removesuffix("/v1/chat?x=1"))
        monkeypatch.delenv("no_proxy", raising=False)
        agent = Agent.from_mapping({"transport": {"env_proxy": True}})
        policy = openai_policy("m", Setup(agent=agent, base_url="http://model.invalid/v1", concurrency=1))
        reply = await policy.endpoint.send({})
        await policy.close()
    assert reply.status == 200
    assert wire.requests[0].startswith(b"POST http://model.invalid/v1/chat/completions HTTP/1.1")
