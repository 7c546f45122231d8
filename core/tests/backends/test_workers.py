"""What a worker is given, when it counts as ready, and what happens when none can be had."""

import asyncio
import json
import os
import sys
from pathlib import Path

import anyio
import pytest
from anyio.from_thread import start_blocking_portal

from harness.backends import BackendLost, Job, ProcessBackend, WorkerDied, _process
from harness.backends._worker import worker_environment

TARGETS = Path(__file__).parent / "targets"

pytestmark = pytest.mark.anyio


def job(name: str, payload: bytes | Path = b"", limit: float = 60.0) -> Job:
    return Job(f"backend_targets:{name}", bytes(payload), limit)


async def test_nothing_printed_reaches_the_protocol(pool: ProcessBackend) -> None:
    for number in range(5):
        payload = b"%d" % number
        assert await pool.call(job("noise", payload)) == payload
    assert await pool.call(job("close_streams", b"x")) == b"x"
    assert await pool.call(job("echo", b"x")) == b"x"


async def test_workers_see_no_credentials_and_use_one_thread(
    anyio_backend: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("OPENAI_API_KEY", "HF_TOKEN", "my_api_key", "AWS_SECRET_ACCESS_KEY", "DB_PASSWORD", "GITHUB_TOKEN"):
        monkeypatch.setenv(name, "hush-hush")
    monkeypatch.setenv("TOKENIZERS_PARALLELISM", "false")
    monkeypatch.setenv("OMP_NUM_THREADS", "16")
    async with ProcessBackend(1) as pool:
        seen = json.loads(await pool.call(job("environment")))
    assert "hush-hush" not in seen.values()
    assert seen["TOKENIZERS_PARALLELISM"] == "false"
    assert seen["OMP_NUM_THREADS"] == "1"
    assert seen["PATH"] == os.environ["PATH"]


@pytest.mark.parametrize(
    "name", ["OPENAI_API_KEY", "X_APIKEY", "HF_TOKEN", "TOKEN", "S3_SECRET", "AZURE_OPENAI_KEY", "a_token"]
)
def test_names_of_credentials(name: str) -> None:
    assert name not in worker_environment({name: "x"})


@pytest.mark.parametrize("name", ["PATH", "HOME", "TOKENIZERS_PARALLELISM", "KEYBOARD", "SECRETARY"])
def test_other_names_stay(name: str) -> None:
    assert worker_environment({name: "x"})[name] == "x"


async def test_workers_import_what_the_parent_can(anyio_backend: str) -> None:
    async with ProcessBackend(1) as pool:
        seen = json.loads(await pool.call(job("path")))
    assert str(TARGETS) in seen
    assert seen[-1] == sys.path[-1]
    assert len(seen) == len(sys.path)
    assert all(map(os.path.isabs, seen))


async def test_importing_a_target_does_not_count_against_the_limit(anyio_backend: str) -> None:
    async with ProcessBackend(1) as pool:
        assert await pool.call(Job("backend_slow_import:echo", b"x", 1.5, idempotent=False)) == b"x"


async def test_every_worker_is_warmed_before_it_serves(anyio_backend: str, tmp_path: Path) -> None:
    async with ProcessBackend(2) as pool:
        await pool.warm(job("note", tmp_path / "log"))
        for _ in range(4):
            with pytest.raises(WorkerDied):
                await pool.call(job("note_and_die", tmp_path / "calls"))
        for _ in range(4):
            await pool.call(job("note", tmp_path / "calls"))
    warmed = (tmp_path / "log").read_text().split()
    served = (tmp_path / "calls").read_text().split()
    assert len(set(served)) >= 8
    assert set(served) <= set(warmed)
    assert len(warmed) == len(set(warmed)), "each was warmed once"


async def test_a_warm_up_that_crashes_leaves_the_pool_in_service(anyio_backend: str, tmp_path: Path) -> None:
    async with ProcessBackend(2) as pool:
        with anyio.fail_after(60):
            await pool.warm(job("note", tmp_path / "log"))
            with pytest.raises(WorkerDied) as caught:
                await pool.warm(job("note_and_die", tmp_path / "deaths"))
            assert caught.value.reproduced
            assert await pool.call(job("echo", b"x")) == b"x"


async def test_a_pool_whose_workers_do_not_start_is_lost_and_recovers(
    anyio_backend: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    broken = tmp_path / "python"
    broken.write_text("#!/bin/sh\necho no interpreter here >&2; exit 3\n")
    broken.chmod(0o755)
    real = sys.executable
    monkeypatch.setattr(sys, "executable", str(broken))
    with anyio.fail_after(60):
        async with ProcessBackend(2) as pool:
            reason = "before it was ready, a worker exited with status 3.*no interpreter here"
            with pytest.raises(BackendLost, match=reason):
                await pool.call(job("echo"))
            with pytest.raises(BackendLost, match=reason):  # at once, while the pool rests
                await pool.warm(job("echo"))
            monkeypatch.setattr(sys, "executable", real)
            pool._rest_until = 0.0
            assert await pool.call(job("echo", b"x")) == b"x"


async def test_a_program_that_cannot_be_run_is_told(anyio_backend: str, monkeypatch: pytest.MonkeyPatch) -> None:
    async with ProcessBackend(2) as pool:
        await pool.call(job("echo"))
        monkeypatch.setattr(sys, "executable", "/nonexistent/python")
        monkeypatch.setattr(_process, "START_PAUSE", 0.001)
        with anyio.fail_after(60):
            with pytest.raises(WorkerDied):
                await pool.call(job("quit_with", b"1"))
            with pytest.raises(BackendLost, match=r"a worker cannot be started: .*/nonexistent/python"):
                await pool.call(job("echo"))


async def test_a_pool_is_used_where_and_while_it_is_open() -> None:
    pool = ProcessBackend(1)
    with pytest.raises(RuntimeError, match="open the pool with 'async with'"):
        await pool.call(job("echo"))
    async with pool:
        await pool.call(job("echo"))
        with start_blocking_portal() as portal, pytest.raises(RuntimeError, match="the same event loop"):
            portal.call(pool.call, job("echo"))
    with pytest.raises(BackendLost, match="the pool was closed"):
        await pool.call(job("echo"))
    with pytest.raises(RuntimeError, match="opened once"):
        await pool.__aenter__()


def test_a_pool_has_at_least_one_worker() -> None:
    with pytest.raises(ValueError, match="at least one worker, not 0"):
        ProcessBackend(0)
    assert ProcessBackend().size >= 1


def test_it_runs_under_a_blocking_portal() -> None:
    with start_blocking_portal() as portal, portal.wrap_async_context_manager(ProcessBackend(1)) as pool:
        for _ in range(3):
            assert portal.call(pool.call, job("echo", b"x")) == b"x"


def test_it_may_be_opened_and_closed_by_different_tasks_of_plain_asyncio() -> None:
    pool = ProcessBackend(1)
    loop = asyncio.new_event_loop()
    try:
        loop.run_until_complete(pool.__aenter__())
        assert loop.run_until_complete(pool.call(job("echo", b"x"))) == b"x"
        loop.run_until_complete(pool.__aexit__(None, None, None))
    finally:
        loop.close()
