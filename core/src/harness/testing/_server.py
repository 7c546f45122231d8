"""A fake model behind a real HTTP server that speaks the chat-completions protocol and misbehaves on demand.

    async with ChaosServer(script=["Hello."], faults=["429", "cut_body"], seed=7) as server:
        ...  # server.url is the base URL; server.seen is what it was asked and how it answered

It plays a script, or draws legal calls from the tools of the request, and injects faults by name: those of models
(`MISCHIEF`) and those of transport (`TRANSPORT`). Every decision hashes the seed and the request, never the order of
arrival, so a test sees the same faults at any concurrency. It also works in a thread, as a plain context manager.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack
from types import TracebackType
from typing import Any, Final, TypeAlias

from aiohttp import web
from anyio.from_thread import start_blocking_portal
from attrs import evolve, field, frozen, validators

from harness.errors import UnknownName
from harness.jsonio import loads
from harness.policies._mischief import MISCHIEF, Draw, legal
from harness.records import Json
from harness.seeds import fraction, generator
from harness.testing._script import Request, Script, answer
from harness.testing._tokens import add_evidence, count_tokens, usage

TRANSPORT: Final[Mapping[str, str]] = {
    "429": "too many requests, with Retry-After",
    "500": "internal error",
    "502": "bad gateway, with an HTML body",
    "503": "overloaded, with Retry-After",
    "hang": "the request is read and never answered",
    "cut_body": "the connection closes in the middle of the answer",
    "reset": "the connection closes before the answer",
    "not_json": "status 200 with a web page",
    "no_choices": "status 200 with an empty list of choices",
    "error_in_200": "status 200 with an error object",
    "abort": "the engine gives up: finish_reason abort",
}
"""Faults of the way rather than of the model: the same request can succeed later."""

Faults: TypeAlias = Sequence[str] | Mapping[str, float] | Callable[[Request], str | None]
"""Names that share `Rules.rate`, names with a rate each, or a function that decides."""


@frozen
class Rules:
    """How the fake endpoint behaves beside its script.

    Attributes:
        rate: Share of requests that draw a fault, when faults are given as a list of names.
        most: Transport faults that strike one request in a row at most, so that bounded retries get through; None is
            no bound.
        retry_after: Value of the Retry-After header.
        api_key: Key to insist on.
        models: Models to insist on; any model when empty.
        context_tokens: Longest prompt, in the server's own count.
        keep: Whether to record what was seen.
    """

    rate: float = field(default=0.3, validator=[validators.ge(0), validators.le(1)])
    most: int | None = 2
    retry_after: str = "1"
    api_key: str | None = field(default=None, repr=False)
    models: tuple[str, ...] = ()
    context_tokens: int | None = None
    keep: bool = True


@frozen
class Seen:
    """One request and what became of it: `ok`, a fault's name, or the status of a refusal."""

    request: Request
    outcome: str


class ChaosServer:
    """The fake endpoint, listening on the loopback interface between enter and exit.

    Args:
        script: What the model answers; legal random calls when None.
        faults: What goes wrong, and how often.
        seed: Decides the draws.
        rules: Key, models, limits.
        port: 0 takes a free one.

    Attributes:
        seen: Requests in the order of their answers.

    Raises:
        UnknownName: A fault does not exist.
    """

    def __init__(
        self,
        script: Script | None = None,
        *,
        faults: Faults = (),
        seed: int = 0,
        rules: Rules | None = None,
        port: int = 0,
    ) -> None:
        self.script, self.seed, self.rules, self.port = script, seed, rules or Rules(), port
        self.seen: list[Seen] = []
        self._decide = _decider(faults, seed, self.rules.rate)
        self._numbers = self._answers = 0
        self._bodies: Counter[str] = Counter()
        self._strikes: Counter[str] = Counter()
        self._stack = ExitStack()

    @property
    def url(self) -> str:
        """Base URL, as clients take it."""
        return f"http://127.0.0.1:{self.port}/v1"

    @property
    def requests(self) -> int:
        """Number of chat requests that arrived."""
        return self._numbers

    @property
    def outcomes(self) -> Counter[str]:
        """How often each outcome was seen."""
        return Counter(seen.outcome for seen in self.seen)

    async def __aenter__(self) -> ChaosServer:
        app = web.Application(client_max_size=2**28)
        app.add_routes([web.post("/v1/chat/completions", self._chat), web.get("/v1/models", self._models)])
        self._closing = asyncio.Event()
        self._runner = web.AppRunner(app, access_log=None, handler_cancellation=True, shutdown_timeout=1.0)
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", self.port)
        await site.start()
        self.port = self._runner.addresses[0][1]
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._closing.set()
        await self._runner.cleanup()

    def __enter__(self) -> ChaosServer:
        portal = self._stack.enter_context(start_blocking_portal("asyncio"))
        wrapped: AbstractContextManager[Any] = portal.wrap_async_context_manager(self)
        self._stack.enter_context(wrapped)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stack.close()

    async def _models(self, _: web.Request) -> web.Response:
        names = self.rules.models or ("fake",)
        listed = [{"id": name, "object": "model", "created": 0, "owned_by": "harness"} for name in names]
        return web.json_response({"object": "list", "data": listed})

    async def _chat(self, http: web.Request) -> web.StreamResponse:
        data = await http.read()
        try:
            request = self._request(data, http.headers)
        except (ValueError, TypeError, AttributeError, LookupError) as error:
            return _refusal(400, f"the body is no chat request: {error}")
        refused = self._refuse(request)
        if refused is not None:
            self._note(request, str(refused.status))
            return refused
        return await self._answer(http, request, hashlib.blake2b(data, digest_size=8).hexdigest())

    async def _answer(self, http: web.Request, request: Request, digest: str) -> web.StreamResponse:
        request = evolve(request, attempt=self._bodies[digest])
        self._bodies[digest] += 1
        fault = self._decide(request, digest)
        if fault is not None and fault in TRANSPORT:
            if self.rules.most is None or self._strikes[digest] < self.rules.most:
                self._strikes[digest] += 1
                self._note(request, fault)
                return await self._fail(http, fault, self._payload(request, None))
            fault = None
        self._strikes[digest] = 0
        payload = self._payload(request, fault)
        self._note(request, fault or "ok")
        return _json(payload)

    def _request(self, data: bytes, headers: Mapping[str, str]) -> Request:
        body = loads(data)
        messages = body["messages"]
        roles = [message["role"] for message in messages]
        opening = messages[: roles.index("assistant")] if "assistant" in roles else messages
        conversation = hashlib.blake2b(json.dumps(opening).encode(), digest_size=8).hexdigest()
        self._numbers += 1
        lower = {name.lower(): value for name, value in headers.items()}
        return Request(self._numbers, roles.count("assistant") + 1, 0, conversation, body, lower)

    def _refuse(self, request: Request) -> web.Response | None:
        """Answer what a real endpoint does not serve, with the texts that they use."""
        rules, body = self.rules, request.body
        sent = request.headers.get("authorization", "")
        if rules.api_key is not None and sent != f"Bearer {rules.api_key}":
            return _refusal(401, f"Incorrect API key provided: {sent.removeprefix('Bearer ')}.", "invalid_api_key")
        if rules.models and body.get("model") not in rules.models:
            return _refusal(404, f"The model `{body.get('model')}` does not exist.", "model_not_found")
        if body.get("stream"):
            return _refusal(400, "streaming is not offered by this server")
        length = count_tokens(body["messages"])
        if rules.context_tokens is not None and length > rules.context_tokens:
            text = f"This model's maximum context length is {rules.context_tokens} tokens, the messages have {length}."
            return _refusal(400, text, "context_length_exceeded")
        return None

    def _payload(self, request: Request, fault: str | None) -> dict[str, Json]:
        if fault is not None or self.script is None:
            words = ("server", self.seed, request.conversation, request.turn, request.attempt)
            draw = Draw(request.turn, request.body.get("tools") or (), generator(*words))
            made = MISCHIEF[fault](draw) if fault is not None else legal(draw)
        else:
            made = answer(self.script, request)
        if "choices" in made:
            return made
        payload: dict[str, Json] = {
            "id": f"chatcmpl-{request.conversation}-{request.turn}",
            "object": "chat.completion",
            "created": 0,
            "model": request.body.get("model", "fake"),
            "choices": [{"index": 0, **made}],
        }
        payload["usage"] = usage(request.body["messages"], payload["choices"][0]["message"])
        add_evidence(payload, request.body)
        return payload

    async def _fail(self, http: web.Request, fault: str, payload: dict[str, Json]) -> web.StreamResponse:
        if fault in ("429", "503"):
            refusal = _refusal(int(fault), "Too many requests, try again later.", "rate_limit_exceeded")
            refusal.headers["Retry-After"] = self.rules.retry_after
            return refusal
        if fault == "hang":
            await self._closing.wait()
        if fault in ("cut_body", "reset", "hang"):
            return await _break(http, json.dumps(payload).encode() if fault == "cut_body" else b"")
        if fault == "abort":
            payload["choices"][0]["finish_reason"] = "abort"
        return {
            "500": lambda: _refusal(500, "The server had an error while processing the request."),
            "502": lambda: web.Response(
                status=502, text="<html><h1>502 Bad Gateway</h1></html>", content_type="text/html"
            ),
            "not_json": lambda: web.Response(text="<html>Welcome!</html>", content_type="text/html"),
            "no_choices": lambda: _json({**payload, "choices": []}),
            "error_in_200": lambda: _json({"error": {"message": "Provider returned error", "code": 502}}),
            "abort": lambda: _json(payload),
        }[fault]()

    def _note(self, request: Request, outcome: str) -> None:
        if self.rules.keep:
            self.seen.append(Seen(request, outcome))


async def _break(http: web.Request, data: bytes) -> web.StreamResponse:
    """Close the connection, after half of the data if there is any."""
    response = web.StreamResponse(headers={"Content-Length": str(len(data)), "Content-Type": "application/json"})
    if data:
        await response.prepare(http)
        await response.write(data[: len(data) // 2])
    if http.transport is not None:
        http.transport.close()
    return response


def _json(payload: Json) -> web.Response:
    return web.Response(body=json.dumps(payload).encode("ascii"), content_type="application/json")


def _page(status: int, text: str) -> web.Response:
    return web.Response(status=status, text=f"<html><h1>{text}</h1></html>", content_type="text/html")


def _refusal(status: int, message: str, code: str | None = None) -> web.Response:
    error = {"message": message, "type": "invalid_request_error", "param": None, "code": code}
    return web.Response(status=status, body=json.dumps({"error": error}).encode(), content_type="application/json")


def _decider(faults: Faults, seed: int, rate: float) -> Callable[[Request, str], str | None]:
    """Make the function that chooses the fault of a request."""
    if callable(faults):
        chosen = faults
        return lambda request, digest: _known(chosen(request))
    rates = dict(faults) if isinstance(faults, Mapping) else {name: rate / len(faults) for name in faults}
    for name in rates:
        _known(name)

    def decide(request: Request, digest: str) -> str | None:
        point = fraction("server fault", seed, digest, request.attempt)
        for name, share in rates.items():
            if point < share:
                return name
            point -= share
        return None

    return decide


def _known(name: str | None) -> str | None:
    if name is not None and name not in MISCHIEF and name not in TRANSPORT:
        raise UnknownName("fault", name, [*MISCHIEF, *TRANSPORT])
    return name
