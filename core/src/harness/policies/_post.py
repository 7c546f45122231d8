"""Posting bytes to one address over aiohttp's connection pool, without a request object for each call.

Of what aiohttp does for a request, more than half goes into building what is the same every time: URL, headers,
cookies, redirects, the writer and its task. Here the head is written once, each call is that head, a length and a
body in one piece, and the answer is read by aiohttp's own parser from a connection of its own pool, with its TLS and
name resolution. It halves the CPU time of a turn against a local server (`benchmarks/rollout.py`).
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Final

import aiohttp
from aiohttp.http import HttpProcessingError
from attrs import frozen
from yarl import URL

_PER_CALL: Final = frozenset(("content-length", "transfer-encoding"))


@frozen
class Answer:
    """What a server answered: status, headers (names in any case) and the whole body, decompressed."""

    status: int
    headers: Mapping[str, str]
    data: bytes


class Poster:
    """Posts to one address.

    Args:
        session: Its connector, and the time limits `total` and `sock_connect`.
        url: Where to post.
        headers: Sent with every call, beside those that HTTP needs.
    """

    def __init__(self, session: aiohttp.ClientSession, url: str, headers: Mapping[str, str]) -> None:
        connector = session.connector
        assert connector is not None, "the session is open"
        self._connector, self._limits = connector, session.timeout
        self._model = aiohttp.ClientRequest(
            "POST", URL(url), headers=headers, loop=asyncio.get_running_loop(), session=session
        )
        self._head = _head(self._model)

    async def post(self, body: bytes) -> Answer:
        """Post a body and read the whole answer; redirects are answers.

        Raises:
            aiohttp.ClientError: There is no whole answer.
            TimeoutError: It took longer than the limit; as `aiohttp.ConnectionTimeoutError` while connecting.
        """
        async with asyncio.timeout(self._limits.total):
            connection = await self._connect()
            try:
                answer = await self._exchange(connection, body)
            except BaseException:
                connection.close()
                raise
            connection.release()
            return answer

    async def _connect(self) -> aiohttp.connector.Connection:
        try:
            return await self._connector.connect(self._model, [], self._limits)
        except TimeoutError as error:  # the limit of the whole attempt comes as a cancellation
            raise aiohttp.ConnectionTimeoutError(f"no connection to {self._model.host}") from error

    async def _exchange(self, connection: aiohttp.connector.Connection, body: bytes) -> Answer:
        protocol, transport = connection.protocol, connection.transport
        if protocol is None or transport is None:
            raise aiohttp.ServerDisconnectedError
        protocol.set_response_params(read_until_eof=True)
        transport.write(b"%b%d\r\n\r\n%b" % (self._head, len(body), body))
        while True:
            try:
                message, payload = await protocol.read()
            except HttpProcessingError as error:
                raise aiohttp.ClientConnectionError(f"what came is not HTTP: {error.message}") from error
            if not 100 <= message.code < 200 or message.code == 101:
                return Answer(message.code, message.headers, await payload.read())


def _head(model: aiohttp.ClientRequest) -> bytes:
    """Write request line and headers up to the length, which every call has for itself."""
    lines = [f"POST {model.url.raw_path_qs} HTTP/1.1"]
    lines += [f"{name}: {value}" for name, value in model.headers.items() if name.lower() not in _PER_CALL]
    if any("\r" in line or "\n" in line for line in lines):
        raise ValueError("a request header holds a line break")
    return "\r\n".join([*lines, "content-length: "]).encode()
