"""`openai:MODEL`: any OpenAI-compatible endpoint, over aiohttp and orjson.

Written for the hot path: one pool as large as the concurrency, requests without an object each (`_post`), and parts
of the body that were sent before spliced in as bytes: the cost of a turn stays far below that of the SDK.
"""

from __future__ import annotations

import base64
import os
from collections.abc import Mapping, Sequence
from typing import Any, Final
from urllib.parse import unquote

import aiohttp
import orjson

from harness.errors import UserError
from harness.jsonio import loads
from harness.policies import Setup
from harness.policies._agent import Transport, without_credentials
from harness.policies._chat import ChatPolicy, Clock
from harness.policies._faults import Fault, Reply, Secrets
from harness.policies._post import Answer, Poster
from harness.policies._wire import encode
from harness.records import Json

DEFAULT_URL: Final = "https://api.openai.com/v1"

_WAIT_HEADERS: Final = ("retry-after", "retry-after-ms", "location")


def openai_policy(argument: str, setup: Setup, clock: Clock | None = None) -> ChatPolicy:
    """Make the policy `openai:MODEL`.

    Raises:
        UserError: The model's name is missing, the URL is none, or OpenAI's own endpoint is meant without a key.
    """
    url, headers = address(f"openai:{argument}", argument, setup)
    endpoint = AiohttpEndpoint(url, headers, setup.agent.transport, setup.concurrency)
    return ChatPolicy(f"openai:{argument}", argument, endpoint, setup.agent, clock)


def address(name: str, model: str, setup: Setup) -> tuple[str, dict[str, str]]:
    """Decide where to send requests, and with which headers: command line, then agent file, then environment."""
    if not model:
        raise UserError(f"policy {name!r} names no model; write it after the colon, as in {name}qwen3-8b")
    agent = setup.agent
    url = (setup.base_url or agent.base_url or os.environ.get("OPENAI_BASE_URL") or DEFAULT_URL).rstrip("/")
    if not url.startswith(("http://", "https://")):
        raise UserError(f"base URL {without_credentials(url)!r} of {name}: expected http://HOST/v1 or https://HOST/v1")
    url, credentials = split_credentials(url)
    key = os.environ.get("OPENAI_API_KEY", "").strip()
    headers = {"authorization": f"Bearer {key}"} if key else {}
    headers |= credentials | {name.lower(): value for name, value in agent.headers.items()}
    if url == DEFAULT_URL and "authorization" not in headers:
        raise UserError(f"{name} needs a key for {url}: set OPENAI_API_KEY, or --base-url for another endpoint")
    return url, headers


def split_credentials(url: str) -> tuple[str, dict[str, str]]:
    """Move user and password from a URL into the header that they stand for."""
    scheme, _, rest = url.partition("://")
    host, slash, path = rest.partition("/")
    user, found, host = host.rpartition("@")
    if not found:
        return url, {}
    token = base64.b64encode(unquote(user).encode()).decode()
    return f"{scheme}://{host}{slash}{path}", {"authorization": f"Basic {token}"}


class AiohttpEndpoint:
    """Chat completions over one aiohttp connection pool.

    Args:
        url: Base URL, without a slash at its end.
        headers: Sent with every request.
        transport: Time limits.
        concurrency: Connections at most.
    """

    def __init__(self, url: str, headers: Mapping[str, str], transport: Transport, concurrency: int) -> None:
        self.shown = without_credentials(url)
        self.secrets = Secrets.of(headers)
        path, mark, query = url.partition("?")
        self._url = f"{path}/chat/completions{mark}{query}"
        self._models_url = f"{path}/models{mark}{query}"
        self._headers = {"content-type": "application/json", "user-agent": "harness", **headers}
        self._transport, self._concurrency = transport, concurrency
        self._open: aiohttp.ClientSession | None = None
        self._poster: Poster | None = None

    def fragment(self, value: dict[str, Json]) -> Any:
        """Encode once; the bytes are spliced into each body."""
        return orjson.Fragment(encode(value))

    async def send(self, body: Mapping[str, Any]) -> Reply:
        """Post one request and read the whole answer."""
        data = orjson.dumps(body)
        try:
            if self._transport.env_proxy:
                answer = await self._post_by_proxy(data)
            else:
                answer = await (self._poster or self._make_poster()).post(data)
        except (aiohttp.ClientError, OSError, ValueError) as error:
            raise connection_fault(error, self._transport) from None
        said = answer.headers
        headers = {name: said[name] for name in _WAIT_HEADERS if name in said} if answer.status != 200 else {}
        return Reply(answer.status, headers, answer.data)

    async def models(self) -> Sequence[str]:
        """Ask for the list of models; an endpoint that has none serves no names."""
        try:
            limit = aiohttp.ClientTimeout(total=min(10.0, self._transport.timeout))
            async with self._session().get(self._models_url, timeout=limit, allow_redirects=False) as response:
                listed = loads(await response.read())
            return [entry["id"] for entry in listed["data"]]
        except (aiohttp.ClientError, OSError, ValueError, KeyError, TypeError):
            return []

    async def close(self) -> None:
        """Close the pool; a later request opens a new one."""
        session, self._open, self._poster = self._open, None, None
        if session is not None:
            await session.close()

    def _make_poster(self) -> Poster:
        self._poster = Poster(self._session(), self._url, self._headers)
        return self._poster

    async def _post_by_proxy(self, data: bytes) -> Answer:
        """Post by aiohttp's own request, which knows proxies: for each call it asks the environment for one."""
        async with self._session().post(self._url, data=data, allow_redirects=False) as response:
            return Answer(response.status, response.headers, await response.read())

    def _session(self) -> aiohttp.ClientSession:
        if self._open is None:
            transport = self._transport
            limit = aiohttp.ClientTimeout(total=transport.timeout, sock_connect=transport.connect_timeout)
            self._open = aiohttp.ClientSession(
                connector=aiohttp.TCPConnector(limit=self._concurrency, ttl_dns_cache=300),
                headers=self._headers,
                cookie_jar=aiohttp.DummyCookieJar(),
                timeout=limit,
                trust_env=transport.env_proxy,
            )
        return self._open


def connection_fault(error: Exception, transport: Transport) -> Fault:
    """Name what happened to a request that got no whole answer.

    The text is made from what is known to be harmless: errors of HTTP clients may carry requests with their headers.
    """
    if isinstance(error, aiohttp.ConnectionTimeoutError):
        return Fault("unreachable", f"could not be reached within {transport.connect_timeout:g} s; {CHECK}")
    if isinstance(error, TimeoutError):
        return Fault("timeout", f"gave no answer within {transport.timeout:g} s")
    if isinstance(error, aiohttp.ClientConnectorCertificateError | aiohttp.ClientSSLError):
        reason = getattr(error, "certificate_error", None) or getattr(error, "os_error", "")
        return Fault("unreachable", f"has no valid certificate ({reason})", retry=False)
    if isinstance(error, aiohttp.ClientConnectorError):
        return Fault("unreachable", f"cannot be reached ({_reason(error.os_error)}); {CHECK}")
    if isinstance(error, aiohttp.InvalidURL | aiohttp.InvalidUrlClientError):
        return Fault("unreachable", "is no valid address", retry=False)
    if isinstance(error, aiohttp.ClientPayloadError):
        return Fault("cut", "cut its answer short")
    return Fault("lost", f"closed the connection without an answer ({type(error).__name__})")


CHECK: Final = "is the server running, and --base-url right?"


def _reason(error: OSError) -> str:
    """Name an operating system's error; name resolution has numbers of its own, below zero."""
    if error.errno is not None and error.errno > 0:
        return os.strerror(error.errno)
    return error.strerror or type(error).__name__
