"""`sdk:MODEL`: the same policy through the openai package, for those who want its transport and its environment.

The SDK costs one to two milliseconds a call and most of a second to import, so this is an extra. It makes single
attempts: repeating, parsing and error texts are those of `openai:`, so that both behave alike.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import parse_qsl

from harness.errors import UserError
from harness.policies import Setup
from harness.policies._agent import Transport, without_credentials
from harness.policies._chat import ChatPolicy, Clock
from harness.policies._faults import Fault, Reply, Secrets
from harness.policies._openai import CHECK, address
from harness.policies._wire import without_surrogates
from harness.records import Json

if TYPE_CHECKING:
    from openai import AsyncOpenAI

_NAMED: Final = frozenset({"messages", "model", "tools"})


def sdk_policy(argument: str, setup: Setup, clock: Clock | None = None) -> ChatPolicy:
    """Make the policy `sdk:MODEL`.

    Raises:
        UserError: The openai package is missing, or the address is wrong as for `openai:`.
    """
    name = f"sdk:{argument}"
    url, headers = address(name, argument, setup)
    return ChatPolicy(name, argument, SdkEndpoint(name, url, headers, setup.agent.transport), setup.agent, clock)


class SdkEndpoint:
    """Chat completions through `openai.AsyncOpenAI`, one attempt a call.

    Args:
        name: The policy, for messages.
        url: Base URL.
        headers: Sent with every request.
        transport: Time limits.
    """

    def __init__(self, name: str, url: str, headers: Mapping[str, str], transport: Transport) -> None:
        try:
            import openai
        except ImportError:
            raise UserError(f"{name} needs the openai package: pip install 'harness-envs[sdk]'") from None
        self.shown = without_credentials(url)
        self.secrets = Secrets.of(headers)
        self._path, _, query = url.partition("?")
        self._query = dict(parse_qsl(query))
        self._headers = {("Authorization" if key == "authorization" else key): text for key, text in headers.items()}
        self._transport, self._package = transport, openai
        self._open: AsyncOpenAI | None = None

    def fragment(self, value: dict[str, Json]) -> Any:
        """Keep plain data: the SDK encodes the body itself."""
        return without_surrogates(value)

    async def send(self, body: Mapping[str, Any]) -> Reply:
        """Post one request and read the whole answer."""
        package = self._package
        named = {name: value for name, value in body.items() if name in _NAMED}
        rest = {name: value for name, value in body.items() if name not in _NAMED}
        try:
            raw = await self._client().chat.completions.with_raw_response.create(**named, extra_body=rest)
        except package.APIStatusError as error:
            return Reply(error.status_code, _lower(error.response.headers), error.response.content)
        except package.APITimeoutError:
            raise Fault("timeout", f"gave no answer within {self._transport.timeout:g} s") from None
        except package.APIConnectionError as error:
            raise _connection_fault(error) from None
        except package.APIError as error:
            raise Fault("not_json", f"gave an answer that the SDK does not read ({type(error).__name__})") from None
        return Reply(raw.status_code, {}, raw.content)

    async def models(self) -> Sequence[str]:
        """Ask for the list of models; an endpoint that has none serves no names."""
        try:
            listed = await self._client().models.list(timeout=min(10.0, self._transport.timeout))
        except self._package.OpenAIError:
            return []
        return [model.id for model in listed.data or ()]

    async def close(self) -> None:
        """Close the connections; a later request opens new ones."""
        client, self._open = self._open, None
        if client is not None:
            await client.close()

    def _client(self) -> AsyncOpenAI:
        if self._open is None:
            self._open = self._package.AsyncOpenAI(
                api_key="none",
                base_url=self._path,
                default_headers=self._headers,
                default_query=self._query or None,
                timeout=self._transport.timeout,
                max_retries=0,
            )
        return self._open


def _lower(headers: Mapping[str, str]) -> dict[str, str]:
    return {name.lower(): value for name, value in headers.items()}


def _connection_fault(error: Exception) -> Fault:
    """Tell an address that cannot be reached from a connection that broke."""
    cause = type(error.__cause__).__name__
    if cause in ("ConnectError", "ConnectTimeout", "UnsupportedProtocol"):
        return Fault("unreachable", f"cannot be reached; {CHECK}")
    return Fault("lost", f"closed the connection without a whole answer ({cause})")
