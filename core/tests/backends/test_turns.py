"""Who is served when: order, fairness, cancellation, and an event loop that keeps turning."""

import asyncio
from collections import Counter
from pathlib import Path

import anyio
import numpy as np
import pytest
from anyio.lowlevel import checkpoint

from harness.backends import BackendLost, Job, ProcessBackend

pytestmark = pytest.mark.anyio


def job(name: str, payload: bytes | Path = b"", limit: float = 60.0) -> Job:
    return Job(f"backend_targets:{name}", bytes(payload), limit)


async def test_callers_are_served_first_come_first_served(anyio_backend: str, tmp_path: Path) -> None:
    served: list[int] = []

    async def call(pool: ProcessBackend, number: int) -> None:
        await pool.call(job("echo", b"x"))
        served.append(number)

    with anyio.fail_after(60):
        async with ProcessBackend(1) as pool, anyio.create_task_group() as group:
            group.start_soon(pool.call, job("wait_for_file", tmp_path / "go"))
            await checkpoint()
            for number in range(30):
                group.start_soon(call, pool, number)
            await checkpoint()
            (tmp_path / "go").touch()
    assert served == list(range(30))


async def test_nobody_starves(anyio_backend: str) -> None:
    """Sixteen callers who ask again as soon as they are served never get ahead of one another by two."""
    counts: Counter[int] = Counter(dict.fromkeys(range(16), 0))
    spread = 0

    async def keep_calling(pool: ProcessBackend, number: int) -> None:
        nonlocal spread
        while counts[number] < 40:
            await pool.call(job("echo", b"x"))
            counts[number] += 1
            spread = max(spread, max(counts.values()) - min(counts.values()))

    with anyio.fail_after(60):
        async with ProcessBackend(1) as pool, anyio.create_task_group() as group:
            for number in counts:
                group.start_soon(keep_calling, pool, number)
    assert spread == 1


async def test_cancelling_a_running_call_takes_only_its_own_worker(pool: ProcessBackend, tmp_path: Path) -> None:
    with anyio.fail_after(60):
        async with anyio.create_task_group() as group:
            blocked = anyio.CancelScope()

            async def block() -> None:
                with blocked:
                    await pool.call(job("program_then", f"spin {tmp_path / 'pids'}".encode()))

            group.start_soon(block)
            while not (tmp_path / "pids").exists():  # noqa: ASYNC110 - another process makes it
                await anyio.sleep(0.005)
            victim = int((tmp_path / "pids").read_text().split()[0])
            (neighbour,) = set(pool.pids) - {victim}
            blocked.cancel()
        assert int(await pool.call(job("pid"))) != victim
        assert victim not in pool.pids
        assert neighbour in pool.pids


async def test_a_cancelled_waiter_costs_nobody_a_turn(anyio_backend: str, tmp_path: Path) -> None:
    with anyio.fail_after(60):
        async with ProcessBackend(1) as pool, anyio.create_task_group() as group:
            group.start_soon(pool.call, job("wait_for_file", tmp_path / "go"))
            await checkpoint()
            with anyio.move_on_after(0.01) as gave_up:
                await pool.call(job("echo"))
            assert gave_up.cancelled_caught
            (before,) = pool.pids
            (tmp_path / "go").touch()
            assert await pool.call(job("pid")) == str(before).encode()


async def test_a_waiter_cancelled_as_its_turn_comes_passes_the_worker_on(anyio_backend: str, tmp_path: Path) -> None:
    """Plain asyncio, unlike anyio, cancels a task whose turn has come but which has not yet run."""
    async with ProcessBackend(1) as pool:

        async def run_then_cancel_the_next() -> None:
            await pool.call(job("wait_for_file", tmp_path / "go"))
            waiter.cancel()

        with anyio.fail_after(60):
            async with asyncio.TaskGroup() as group:
                group.create_task(run_then_cancel_the_next())
                await checkpoint()
                waiter = group.create_task(pool.call(job("echo")))
                await checkpoint()
                (tmp_path / "go").touch()
            assert waiter.cancelled()
            assert await pool.call(job("echo", b"x")) == b"x"


async def test_cancellation_at_any_moment_loses_no_worker(pool: ProcessBackend) -> None:
    rng = np.random.default_rng(1)

    async def call_and_give_up(turns: int) -> None:
        async with anyio.create_task_group() as group:
            group.start_soon(pool.call, job("echo", b"x"))
            for _ in range(turns):
                await checkpoint()
            group.cancel_scope.cancel()

    with anyio.fail_after(120):
        for _ in range(6):
            async with anyio.create_task_group() as group:
                for turns in rng.integers(0, 60, size=12):
                    group.start_soon(call_and_give_up, int(turns))
        answers: list[bytes] = []

        async def meet(number: int) -> None:
            answers.append(await pool.call(job("echo", b"%d" % number)))

        async with anyio.create_task_group() as group:
            for number in range(20):
                group.start_soon(meet, number)
    assert sorted(answers) == sorted(b"%d" % number for number in range(20))
    assert len(pool.pids) == 2


async def test_the_event_loop_turns_between_answers(pool: ProcessBackend) -> None:
    """With 64 callers of 64 kB worlds, no turn of the loop handles more answers than there are workers."""
    answered, most, turns = 0, 0, 0
    over = False

    async def keep_calling() -> None:
        nonlocal answered
        for _ in range(10):
            await pool.call(job("echo", b"x" * 65536))
            answered += 1

    async def tick() -> None:
        nonlocal most, turns
        while not over:
            seen = answered
            await checkpoint()
            most, turns = max(most, answered - seen), turns + 1

    with anyio.fail_after(120):
        async with anyio.create_task_group() as group:
            group.start_soon(tick)
            async with anyio.create_task_group() as callers:
                for _ in range(64):
                    callers.start_soon(keep_calling)
            over = True
    assert answered == 640
    assert most <= pool.size
    assert turns >= answered / pool.size


async def test_closing_answers_everyone_who_still_waits(anyio_backend: str) -> None:
    refused: list[str] = []

    async def call(pool: ProcessBackend) -> None:
        try:
            await pool.call(job("spin"))
        except BackendLost as error:
            refused.append(error.reason)

    with anyio.fail_after(60):
        async with anyio.create_task_group() as group, ProcessBackend(2) as pool:
            for _ in range(5):
                group.start_soon(call, pool)
            await pool.warm(job("echo"))
            await checkpoint()
    assert refused == ["the pool was closed"] * 5
