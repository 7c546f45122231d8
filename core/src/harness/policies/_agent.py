"""The agent configuration: what turns a bare model into the agent that is measured.

One frozen record with three small sections, written as YAML and checked strictly: a misspelt key or a value of the
wrong kind is refused by name before anything is sent. Header values may hold secrets. They can be written as
`${VARIABLE}`, are left out of `repr`, and `Agent.public` (what a run folder records) lists their names only.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal, TypeVar

import attrs
from attrs import Attribute, field, frozen, validators

from harness.errors import UnknownName, UserError
from harness.records import Json

Section = TypeVar("Section", bound="attrs.AttrsInstance")

_VARIABLE = re.compile(r"\$\{(\w+)\}")


def _number(low: float, high: float = float("inf"), *, optional: bool = False, whole: bool = False) -> Any:
    """Make a validator for a finite number within [low, high]; `True` and `"1"` are no numbers."""

    def check(_: object, attribute: Attribute[Any], value: object) -> None:
        if value is None and optional:
            return
        kinds = int if whole else (int, float)
        if isinstance(value, bool) or not isinstance(value, kinds) or not low <= value <= high:
            kind = "a whole number" if whole else "a number"
            bounds = f"of at least {low:g}" if high == float("inf") else f"in [{low:g}, {high:g}]"
            raise ValueError(f"{attribute.name}: got {value!r}, expected {kind} {bounds}")

    return check


def _kind(*kinds: type) -> Any:
    def check(_: object, attribute: Attribute[Any], value: object) -> None:
        if not isinstance(value, kinds):
            names = " or ".join("null" if kind is type(None) else kind.__name__ for kind in kinds)
            raise ValueError(f"{attribute.name}: got {value!r}, expected {names}")

    return check


def _one_of(*values: Json) -> Any:
    def check(_: object, attribute: Attribute[Any], value: object) -> None:
        if value not in values:
            raise ValueError(f"{attribute.name}: got {value!r}, expected one of {', '.join(map(str, values))}")

    return check


def _seed(_: object, attribute: Attribute[Any], value: object) -> None:
    if value is None or value == "rollout" or (isinstance(value, int) and not isinstance(value, bool)):
        return
    raise ValueError(f"{attribute.name}: got {value!r}, expected rollout, a whole number, or null")


def _request_fields(_: object, attribute: Attribute[Any], value: object) -> None:
    """Check that a mapping can be sent as JSON (YAML also knows dates and sets)."""
    if not isinstance(value, Mapping) or not all(isinstance(name, str) for name in value):
        raise ValueError(f"{attribute.name}: got {value!r}, expected a mapping of names to values")
    try:
        json.dumps(value, allow_nan=False)
    except (TypeError, ValueError) as error:
        raise ValueError(f"{attribute.name}: {error}") from None


def _texts(value: Any) -> Any:
    return (value,) if isinstance(value, str) else tuple(value) if isinstance(value, list) else value


_text = _kind(str, type(None))
_strings = validators.deep_iterable(_kind(str), _kind(tuple))


def _headers(_: object, attribute: Attribute[Any], value: object) -> None:
    """Check header values without ever quoting one."""
    if not isinstance(value, Mapping):
        raise ValueError(f"{attribute.name}: got {type(value).__name__}, expected a mapping of names to values")
    for name, text in value.items():
        if not isinstance(name, str) or not isinstance(text, str) or "\n" in text or "\r" in text:
            raise ValueError(f"{attribute.name}: {name!r} needs a value that is one line of text (quote it)")


@frozen
class Sampling:
    """How the model samples. What is null is not sent, so that the endpoint's own default holds.

    Attributes:
        seed: `rollout` derives one seed per request from run seed, sample, repetition and turn; a number is sent as it
            is; null sends none.
        extra_body: Further request fields, sent as they are (`top_k`, `max_completion_tokens`,
            `chat_template_kwargs` …); they win over the fields above.
    """

    temperature: float | None = field(default=None, validator=_number(0, 100, optional=True))
    top_p: float | None = field(default=None, validator=_number(0, 1, optional=True))
    max_tokens: int | None = field(default=None, validator=_number(1, optional=True, whole=True))
    stop: tuple[str, ...] = field(default=(), converter=_texts, validator=_strings)
    seed: int | Literal["rollout"] | None = field(default="rollout", validator=_seed)
    reasoning_effort: str | None = field(default=None, validator=_text)
    parallel_tool_calls: bool | None = field(default=None, validator=_kind(bool, type(None)))
    extra_body: Mapping[str, Json] = field(factory=dict, validator=_request_fields)


@frozen
class Dialect:
    """Where servers of the protocol differ.

    Attributes:
        reasoning: How the model's earlier reasoning is sent back: `auto` in the field in which this server gave it,
            `none` not at all, or always in the named field.
        tool_images: Where a picture that a tool returned goes: `user` puts it into a user message after the tool
            messages, which every server accepts; `tool` into the tool message itself.
        arguments: How arguments that are no JSON object are sent back. Many chat templates parse them and fail, so
            `wrap` sends them as text inside an object; `raw` sends them unchanged.
        evidence: Token evidence to ask for: `none`, `logprobs` (any server), `vllm` or `sglang` (ids as well).
    """

    reasoning: str = field(default="auto", validator=_one_of("auto", "none", "reasoning_content", "reasoning"))
    tool_images: str = field(default="user", validator=_one_of("user", "tool"))
    arguments: str = field(default="wrap", validator=_one_of("wrap", "raw"))
    evidence: str = field(default="none", validator=_one_of("none", "logprobs", "vllm", "sglang"))


@frozen
class Transport:
    """How patient the client is.

    Attributes:
        timeout: Seconds for one whole attempt.
        connect_timeout: Seconds to open a connection.
        retries: Attempts after the first, for faults that can pass: 429, 5xx, cut bodies, lost connections; two at most
            after time-outs, one for an address that has never answered.
        first_wait: Seconds before the first retry; doubled for each further one, with jitter.
        longest_wait: Cap in seconds on each wait, also on one that the server asks for.
        env_proxy: Use the proxies that the environment names.
    """

    timeout: float = field(default=600.0, validator=_number(0.001))
    connect_timeout: float = field(default=15.0, validator=_number(0.001))
    retries: int = field(default=6, validator=_number(0, 100, whole=True))
    first_wait: float = field(default=0.5, validator=_number(0))
    longest_wait: float = field(default=60.0, validator=_number(0))
    env_proxy: bool = field(default=False, validator=_kind(bool))


@frozen
class Agent:
    """A model's surroundings.

    Attributes:
        system: System prompt, put before the task's own.
        base_url: The endpoint, up to and including `/v1`.
        headers: Extra request headers; their values are kept out of traces, errors and `repr`.
    """

    system: str | None = field(default=None, validator=_text)
    base_url: str | None = field(default=None, validator=_text)
    headers: Mapping[str, str] = field(factory=dict, repr=False, validator=_headers)
    sampling: Sampling = field(factory=Sampling, validator=_kind(Sampling))
    dialect: Dialect = field(factory=Dialect, validator=_kind(Dialect))
    transport: Transport = field(factory=Transport, validator=_kind(Transport))

    @classmethod
    def load(cls, path: str | Path) -> Agent:
        """Read a YAML file.

        Raises:
            UserError: The file cannot be read, is no mapping, or has a wrong key or value.
        """
        import yaml

        try:
            content = yaml.safe_load(Path(path).read_text(encoding="utf-8"))
        except OSError as error:
            raise UserError(f"agent file {path}: {error.strerror or error}") from None
        except (yaml.YAMLError, UnicodeDecodeError) as error:
            raise UserError(f"agent file {path} is not YAML: {' '.join(str(error).split())}") from None
        return cls.from_mapping({} if content is None else content, f"agent file {path}")

    @classmethod
    def from_mapping(cls, content: object, where: str = "agent") -> Agent:
        """Build from plain data, as it stands in a YAML or JSON file.

        Raises:
            UserError: A key does not exist (the nearest is named) or a value is of the wrong kind.
        """
        if not isinstance(content, Mapping):
            raise UserError(f"{where}: expected a mapping of settings, got {type(content).__name__}")
        values = dict(content)
        sections: dict[str, type[attrs.AttrsInstance]] = {
            "sampling": Sampling, "dialect": Dialect, "transport": Transport,
        }  # fmt: skip
        for name, kind in sections.items():
            if name in values:
                values[name] = _section(kind, values[name], f"{where}: {name}")
        if isinstance(values.get("headers"), Mapping):
            values["headers"] = {k: _expand(v, f"{where}: header {k}") for k, v in values["headers"].items()}
        return _section(cls, values, where)

    def public(self) -> dict[str, Json]:
        """Return the configuration without secrets, for a run's record: header names only."""
        content = attrs.asdict(self)
        content["headers"] = sorted(self.headers)
        content["base_url"] = without_credentials(self.base_url) if self.base_url else None
        return content


def without_credentials(url: str) -> str:
    """Return a URL without user, password, query and fragment: what may be shown and recorded."""
    scheme, found, rest = url.partition("://")
    if not found:
        scheme, rest = "", url
    rest = re.split(r"[?#]", rest, maxsplit=1)[0]
    host, slash, path = rest.partition("/")
    return f"{scheme}{found}{host.rpartition('@')[2]}{slash}{path}"


def _section(kind: type[Section], content: object, where: str) -> Section:
    if not isinstance(content, Mapping):
        raise UserError(f"{where}: expected a mapping of settings, got {type(content).__name__}")
    known = [attribute.name for attribute in attrs.fields(kind)]
    for key in content:
        if key not in known:
            raise UnknownName(f"setting in {where}:", str(key), known)
    try:
        return kind(**content)
    except (TypeError, ValueError) as error:
        raise UserError(f"{where}: {error.args[0]}") from None


def _expand(value: object, where: str) -> object:
    """Replace `${NAME}` by the environment's value; other kinds of value are left for the validator to refuse."""
    if not isinstance(value, str):
        return value
    for name in _VARIABLE.findall(value):
        if name not in os.environ:
            raise UserError(f"{where}: the environment has no variable {name}")
    return _VARIABLE.sub(lambda match: os.environ[match[1]], value)
