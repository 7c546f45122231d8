from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from attrs import define, field

from harness import plugins
from harness.policies import Agent, Context, Setup, openai_policy, sdk_policy
from harness.policies._chat import ChatPolicy, Clock
from harness.records import Message, Sample, TextPart, ToolSchema
from harness.task import Task, load_task

FACTORIES = {"openai": openai_policy, "sdk": sdk_policy}


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@define
class FakeTime:
    """A clock that never waits and remembers what it was asked to wait."""

    slept: list[float] = field(factory=list)
    start: float = 1_800_000_000.0

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)

    def clock(self) -> Clock:
        return Clock(self.sleep, lambda: self.start + sum(self.slept))


@pytest.fixture
def time() -> FakeTime:
    return FakeTime()


@pytest.fixture(autouse=True)
def environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "OPENAI_ORG_ID", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.lower(), raising=False)


@pytest.fixture(params=["openai", "sdk"])
def connect(request: pytest.FixtureRequest, time: FakeTime) -> Callable[..., Any]:
    """Make a policy of either kind and close it at the end of the block."""

    @asynccontextmanager
    async def made(
        url: str, agent: dict[str, Any] | None = None, model: str = "fake", concurrency: int = 8
    ) -> AsyncIterator[ChatPolicy]:
        setup = Setup(Agent.from_mapping(agent or {}), url, concurrency)
        policy = FACTORIES[request.param](model, setup, time.clock())
        try:
            yield policy
        finally:
            await policy.close()

    return made


def sample(key: str = "k0", index: int = 0) -> Sample:
    return Sample("demo", 1, {}, "0", "test", "easy", index, key, {"secret": "hidden-identity"}, ())


def context(repetition: int = 0, seed: int = 0, **changes: Any) -> Context:
    return Context(sample(), repetition, seed, **changes)


def user(text: str) -> Message:
    return Message("user", (TextPart(text),))


TOOLS = (
    ToolSchema(
        "measure",
        "Measure something.",
        {
            "type": "object",
            "properties": {"count": {"type": "integer", "minimum": 1, "maximum": 5}, "note": {"type": "string"}},
            "required": ["count"],
        },
    ),
    ToolSchema(
        "submit", "Answer.", {"type": "object", "properties": {"value": {"type": "number"}}, "required": ["value"]}
    ),
)


@pytest.fixture
def toy(monkeypatch: pytest.MonkeyPatch) -> Iterator[Task]:
    """A small whole task: find a hidden number with a bounded number of questions."""
    monkeypatch.syspath_prepend(Path(__file__).parents[1] / "tasks")
    plugins._points.cache_clear()
    yield load_task("toy", group="easy")
    plugins._points.cache_clear()
