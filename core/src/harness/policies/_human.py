"""`human`: a person in the terminal. The conversation is shown, images are saved (and named), calls are typed.

A call is typed as `tool name=value …` or as `tool {"json": …}`; a tool with one parameter takes the rest of the line.
Anything after `say ` is a plain message; `?` shows the tools and `quit` leaves.
"""

from __future__ import annotations

import shlex
import signal
import tempfile
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import orjson

from harness.errors import PolicyFault, UserError, nearest
from harness.jsonio import dumps
from harness.policies import Context, Setup
from harness.records import Completion, ImagePart, Json, Message, ToolCall, ToolSchema
from harness.trace._render import plain


def human_policy(argument: str, setup: Setup) -> HumanPolicy:
    """Make `human`; the argument, if any, is a folder for images."""
    if setup.concurrency != 1:
        raise UserError("policy 'human' plays one episode at a time: add --concurrency 1, or use `harness play TASK`")
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
            line = self._read(f"[{self._turn}/{limits.turns}] ")
            if line.strip() in ("quit", "exit"):
                raise PolicyFault("you left")
            if line.strip() in ("?", "help", ""):
                self._show_tools(tools)
                continue
            try:
                return self._completion(line, tools)
            except ValueError as error:
                self._out.print(plain(str(error)), style="red", markup=False)

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
            with _interruptible():
                return input(prompt)
        except (EOFError, UnicodeDecodeError):
            raise PolicyFault("the terminal was closed, or sent what is no text") from None

    def _show(self, message: Message) -> None:
        from rich.panel import Panel
        from rich.text import Text

        parts = []
        for part in message.content:
            if isinstance(part, ImagePart):
                parts.append(f"[image {part.width}×{part.height}: {self._save(part)}]")
            else:
                parts.append(plain(_pretty(part.text)))
        self._out.print(Panel(Text("\n".join(parts)), title=message.role, title_align="left"))

    def _save(self, part: ImagePart) -> Path:
        self._folder.mkdir(parents=True, exist_ok=True)
        path = self._folder / f"{part.sha256[:12]}.png"
        path.write_bytes(self._context.image(part.sha256))
        return path

    def _show_tools(self, tools: Sequence[ToolSchema]) -> None:
        from rich.text import Text

        for tool in tools:
            needed = tool.parameters.get("required", ())
            words = [_parameter(n, shape, n in needed) for n, shape in tool.parameters["properties"].items()]
            line = Text.assemble("  ", (tool.name, "bold"), " ", " ".join(words))
            self._out.print(line, Text(f"      {tool.description}", "dim"), sep="\n", soft_wrap=True)
        self._out.print(Text(f"  Type: {_USAGE}", "dim"), soft_wrap=True)

    def _completion(self, line: str, tools: Sequence[ToolSchema]) -> Completion:
        if line.startswith("say "):
            return Completion(line[4:])
        name, _, rest = line.strip().partition(" ")
        known = {tool.name: tool for tool in tools}
        if name not in known:
            raise ValueError(f"there is no tool {name!r}{nearest(name, known)}")
        self._count += 1
        arguments = rest if rest.lstrip().startswith("{") else _arguments(rest, known[name].parameters["properties"])
        return Completion(tool_calls=(ToolCall(f"call_{self._count}", name, arguments),), finish_reason="tool_calls")


@contextmanager
def _interruptible() -> Iterator[None]:
    """Let Ctrl-C end the reading at once.

    A line is read in the event loop's own thread: one person plays one episode, and a thread that waits for a line
    would keep the process alive until Enter is pressed. The loop's own handler would only note the signal.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


_USAGE = 'tool name=value …  |  tool {"json": …}  |  say TEXT  |  ? for this list  |  quit'


def _arguments(text: str, properties: Mapping[str, Any]) -> str:
    """Read `name=value` words; values without a name go to the parameters in order."""
    values: dict[str, Json] = {}
    for word in _words(text, properties):
        name, equals, value = word.partition("=")
        if not equals:
            free = [n for n in properties if n not in values]
            if not free:
                raise ValueError(f"no parameter is left for {word!r}; put a value with spaces in quotes")
            name, value = free[0], word
        values[name] = _value(value, properties.get(name, {}))
    return dumps(values).decode()


def _words(text: str, properties: Mapping[str, Any]) -> list[str]:
    """Split a line as a shell does; what follows the name of a tool with one parameter is one value."""
    words = shlex.split(text)
    return [" ".join(words)] if len(properties) == 1 and words else words


def _value(text: str, shape: Mapping[str, Json]) -> Json:
    kinds = shape.get("type", "string")
    if "string" in (kinds if isinstance(kinds, list) else [kinds]):
        return text
    try:
        return orjson.loads(text)
    except orjson.JSONDecodeError:
        return text


def _parameter(name: str, shape: Mapping[str, Json], needed: bool) -> str:
    shown = f"{name}={_kind(shape)}"
    return shown if needed else f"[{shown}]"


def _kind(shape: Mapping[str, Json]) -> str:
    if "enum" in shape:
        return "|".join(str(value) for value in shape["enum"] if value is not None)
    kinds = shape.get("type", "any")
    kind = next(k for k in kinds if k != "null") if isinstance(kinds, list) else str(kinds)
    if "minimum" in shape or "maximum" in shape:
        return f"{kind}({shape.get('minimum', '')}..{shape.get('maximum', '')})"
    return str(kind)


def _pretty(text: str) -> str:
    """Lay JSON results out over lines."""
    try:
        value = orjson.loads(text)
    except (orjson.JSONDecodeError, UnicodeEncodeError):
        return text
    if isinstance(value, dict | list):
        return orjson.dumps(value, option=orjson.OPT_INDENT_2).decode()
    return text
