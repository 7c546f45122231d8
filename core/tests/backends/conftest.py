"""Put the target functions where this process and its workers can import them; tools to watch processes."""

import sys
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from harness.backends import Backend, InlineBackend, ProcessBackend

TARGETS = Path(__file__).parent / "targets"


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(autouse=True)
def importable_targets(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.syspath_prepend(str(TARGETS))
    yield
    for name in ("backend_targets", "backend_slow_import"):
        sys.modules.pop(name, None)


@pytest.fixture(params=["inline", "process"])
async def backend(request: pytest.FixtureRequest, anyio_backend: str) -> AsyncIterator[Backend]:
    async with InlineBackend() if request.param == "inline" else ProcessBackend(2) as opened:
        yield opened


@pytest.fixture
async def pool(anyio_backend: str) -> AsyncIterator[ProcessBackend]:
    async with ProcessBackend(2) as opened:
        yield opened
