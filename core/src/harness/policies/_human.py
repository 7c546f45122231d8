"""`human`: a person in the terminal. The conversation is shown, images are saved (and named), calls are typed.

A call is typed as `tool name=value …` or as `tool {"json": …}`; anything after `say ` is a plain message. `?` shows
the tools.
"""

from __future__ import annotations

import shlex
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import anyio.to_thread
import orjson

from harness.errors import PolicyFault, UserError, nearest
from harness.policies import Context, Setup
from harness.records import Completion, ImagePart, Json, Message, ToolCall, ToolSchema


def human_policy(argument: str, setup: Setup) -> HumanPolicy:
    """Make `human`; the argument, if any, is a folder for images."""
    if setup.concurrency != 1 and not sys.stdin.isatty():
        raise UserError("policy 'human' needs a terminal; to play one instance use `harness play TASK`")
    return HumanPolicy(Path(argument) if argument else None)


class HumanPolicy:
    """Asks the person at the terminal."""

    name, view = "human", "perception"

    def __init__(self, images: Path | None = None, lines: Sequence[str] | None = None) -> None:
        self._images, self._lines = images, None if lines is None else list(lines)

    async def start(self, context: Context) -> HumanPlayer:
        """Make the player of one episode."""
        folder = self._images or Path(tempfile.mkdtemp(prefix="harness-play-"))
        return HumanPlayer(context, folder, self._lines)

    async def close(self) -> None:
        """Hold nothing."""


class HumanPlayer:
    """One episode at the terminal."""

    def __init__(self, context: Context, folder: Path, lines: list[str] | None) -> None:
        from rich.console import Console

        self._context, self._folder, self._lines = context, folder, lines
        self._out = Console(highlight=False)
        self._seen = self._count = self._turn = 0

    async def reply(self, messages: Sequence[Message], tools: Sequence[ToolSchema]) -> Completion:
        """Show what is new and read one turn."""
        for message in messages[self._seen :]:
            if message.role != "assistant":
                self._show(message)
        if self._turn == 0:
            self._show_tools(tools)
        self._turn += 1
        self._seen = len(messages)
        limits = self._context.sample.limits
        while True:
            line = await anyio.to_thread.run_sync(self._read, f"[{self._turn}/{limits.turns}] ", abandon_on_cancel=True)
            if line.strip() in ("?", "help", ""):
                self._show_tools(tools)
                continue
            try:
                return self._completion(line, tools)
            except ValueError as error:
                self._out.print(f"[red]{error}[/]")

    async def close(self) -> None:
        """Say where the images are."""
        if self._folder.is_dir() and any(self._folder.iterdir()):
            self._out.print(f"images: {self._folder}")

    def _read(self, prompt: str) -> str:
        if self._lines is not None:
            if not self._lines:
                raise PolicyFault("no more lines to play")
            return self._lines.pop(0)
        try:
            return input(prompt)
        except EOFError:
            raise PolicyFault("the terminal was closed") from None

    def _show(self, message: Message) -> None:
        from rich.panel import Panel
        from rich.text import Text

        parts = []
        for part in message.content:
            if isinstance(part, ImagePart):
                parts.append(f"[image {part.width}×{part.height}: {self._save(part)}]")
            else:
                parts.append(_pretty(part.text))
        self._out.print(Panel(Text("\n".join(parts)), title=message.role, title_align="left"))

    def _save(self, part: ImagePart) -> Path:
        self._folder.mkdir(parents=True, exist_ok=True)
        path = self._folder / f"{part.sha256[:12]}.png"
        path.write_bytes(self._context.image(part.sha256))
        return path

    def _show_tools(self, tools: Sequence[ToolSchema]) -> None:
        for tool in tools:
            shown = " ".join(f"{name}={_kind(shape)}" for name, shape in tool.parameters["properties"].items())
            self._out.print(f"  [bold]{tool.name}[/] {shown}\n      [dim]{tool.description}[/]", soft_wrap=True)
        self._out.print('[dim]  Type: tool name=value …  |  tool {"json": …}  |  say TEXT  |  ? for this list[/]')

    def _completion(self, line: str, tools: Sequence[ToolSchema]) -> Completion:
        if line.startswith("say "):
            return Completion(line[4:])
        name, _, rest = line.strip().partition(" ")
        known = {tool.name: tool for tool in tools}
        if name not in known:
            raise ValueError(f"there is no tool {name!r}{nearest(name, known)}")
        self._count += 1
        arguments = rest if rest.lstrip().startswith("{") else _arguments(rest, known[name].parameters)
        return Completion(tool_calls=(ToolCall(f"call_{self._count}", name, arguments),), finish_reason="tool_calls")


def _arguments(text: str, parameters: Mapping[str, Json]) -> str:
    """Read `name=value` words; a single value without a name goes to the first parameter."""
    properties: dict[str, Any] = parameters["properties"]
    values: dict[str, Json] = {}
    for word in shlex.split(text):
        name, equals, value = word.partition("=")
        if not equals:
            free = [n for n in properties if n not in values]
            if not free:
                raise ValueError(f"no parameter is left for {word!r}")
            name, value = free[0], word
        values[name] = _value(value, properties.get(name, {}))
    return orjson.dumps(values).decode()


def _value(text: str, shape: Mapping[str, Json]) -> Json:
    kinds = shape.get("type", "string")
    if "string" in (kinds if isinstance(kinds, list) else [kinds]):
        return text
    try:
        return orjson.loads(text)
    except orjson.JSONDecodeError:
        return text


def _kind(shape: Mapping[str, Json]) -> str:
    if "enum" in shape:
        return "|".join(map(str, shape["enum"]))
    kind = str(shape.get("type", "any"))
    if "minimum" in shape or "maximum" in shape:
        return f"{kind}[{shape.get('minimum', '')}..{shape.get('maximum', '')}]"
    return kind


def _pretty(text: str) -> str:
    """Lay JSON results out over lines."""
    try:
        value = orjson.loads(text)
    except (orjson.JSONDecodeError, UnicodeEncodeError):
        return text
    if isinstance(value, dict | list):
        return orjson.dumps(value, option=orjson.OPT_INDENT_2).decode()
    return text
