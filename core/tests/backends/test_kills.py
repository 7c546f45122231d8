"""Workers that run away, die or lose their parent harm nobody else and leave nothing behind."""

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path

import anyio
import numpy as np
import pytest
from anyio.lowlevel import checkpoint

from harness.backends import CallFailed, Job, ProcessBackend, WorkerDied, WorldTimeout

pytestmark = pytest.mark.anyio

PATIENCE = 60.0


def job(name: str, payload: bytes | Path = b"", limit: float = 30.0) -> Job:
    return Job(f"backend_targets:{name}", bytes(payload), limit)


def runs(pid: int) -> bool:
    """Whether the process exists and is no zombie."""
    state = subprocess.run(["ps", "-o", "stat=", "-p", str(pid)], capture_output=True, text=True, check=False).stdout
    return bool(state.strip()) and not state.strip().startswith("Z")


async def until(condition: Callable[[], bool], what: str) -> None:
    """Poll for `condition`, with a bound."""
    with anyio.move_on_after(PATIENCE):
        while not condition():  # noqa: ASYNC110 - other processes set no event
            await anyio.sleep(0.01)
        return
    raise AssertionError(f"not in {PATIENCE} s: {what}")


async def until_gone(pids: Iterable[int]) -> None:
    for pid in pids:
        await until(partial(_gone, pid), f"process {pid} is gone")


def _gone(pid: int) -> bool:
    return not runs(pid)


@pytest.mark.parametrize("runaway", ["spin", "spin_in_c", "sleep_in_c"])
async def test_a_runaway_is_killed_alone_while_others_keep_pace(pool: ProcessBackend, runaway: str) -> None:
    meanwhile = 0
    neighbour = await pool.call(job("pid"))
    over = anyio.Event()

    async def run_away() -> None:
        with pytest.raises(WorldTimeout):
            await pool.call(Job(f"backend_targets:{runaway}", b"", 1.0, idempotent=False))
        over.set()

    with anyio.fail_after(PATIENCE):
        async with anyio.create_task_group() as group:
            group.start_soon(run_away)
            while not over.is_set():
                assert await pool.call(job("echo", b"x")) == b"x"
                meanwhile += 1
    # A stalled pool would manage one or two; an idle machine does many thousands.
    assert meanwhile >= 50
    assert int(neighbour) in pool.pids or meanwhile  # whichever of the two ran away, one worker stayed
    assert len(pool.pids) == 2


async def test_killed_idle_workers_are_replaced_and_no_call_is_blamed(pool: ProcessBackend) -> None:
    for _ in range(5):
        before = set(pool.pids)
        await pool.call(job("echo"))
        for pid in before:
            os.kill(pid, signal.SIGKILL)
        with anyio.fail_after(PATIENCE):
            assert await pool.call(job("echo", b"x")) == b"x"
        await until_gone(before)


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells whether a dead worker had read its call")
async def test_a_call_that_no_worker_read_is_put_again_even_if_not_idempotent(pool: ProcessBackend) -> None:
    for _ in range(5):
        stopped = set(pool.pids)
        await pool.call(job("echo"))
        for pid in stopped:
            os.kill(pid, signal.SIGSTOP)
        answers: list[bytes] = []

        async def ask(answers: list[bytes]) -> None:
            answers.append(await pool.call(Job("backend_targets:echo", b"x" * 500_000, 30, idempotent=False)))

        with anyio.fail_after(PATIENCE):
            async with anyio.create_task_group() as group:
                for _ in range(3):
                    group.start_soon(ask, answers)
                await checkpoint()
                for pid in stopped:
                    os.kill(pid, signal.SIGKILL)
        assert answers == [b"x" * 500_000] * 3


async def test_sixty_random_kills_lose_no_call_and_hang_none(anyio_backend: str) -> None:
    rng = np.random.default_rng(0)
    answered, kills = 0, 0
    failures: list[WorkerDied] = []

    async def keep_calling(pool: ProcessBackend) -> None:
        nonlocal answered
        while kills < 60:
            try:
                assert await pool.call(job("echo", b"x" * 2000)) == b"x" * 2000
                answered += 1
            except WorkerDied as error:
                failures.append(error)

    def answered_more_than(seen: int) -> bool:
        return answered > seen

    async def keep_killing(pool: ProcessBackend) -> None:
        nonlocal kills
        while kills < 60:
            seen = answered
            await until(partial(answered_more_than, seen), "a call is answered between two kills")
            # Those that have started: three starts in a row that are killed are a lost pool, which is another test's.
            pids = [worker.pid for worker in pool._workers if worker.alive and worker.started]
            if pids:
                os.kill(pids[rng.integers(len(pids))], signal.SIGKILL)
                kills += 1

    with anyio.fail_after(120):
        async with ProcessBackend(3) as pool:
            async with anyio.create_task_group() as group:
                group.start_soon(keep_killing, pool)
                for _ in range(6):
                    group.start_soon(keep_calling, pool)
            assert await pool.call(job("echo", b"after")) == b"after"
    assert answered >= 60
    assert len(failures) <= 6, "a call fails only when it is hit twice"
    assert all(error.reproduced for error in failures)


@pytest.mark.parametrize("end", ["spin", "sleep_in_c", "quit_with"])
async def test_programs_of_a_call_end_with_its_worker(pool: ProcessBackend, tmp_path: Path, end: str) -> None:
    with pytest.raises(CallFailed):
        await pool.call(
            Job("backend_targets:program_then", f"{end} {tmp_path / 'pids'}".encode(), 2.0, idempotent=False)
        )
    await until_gone(map(int, (tmp_path / "pids").read_text().split()))


async def test_a_forked_child_does_not_hide_its_worker_s_death(pool: ProcessBackend) -> None:
    worker, child = map(int, (await pool.call(job("fork_and_spin"))).split())
    os.kill(worker, signal.SIGKILL)
    await until(lambda: worker not in pool.pids, "the pool notices")
    await until_gone([worker, child])


async def test_closing_ends_everything(anyio_backend: str) -> None:
    async with ProcessBackend(2) as pool:
        worker, program = map(int, (await pool.call(job("start_program"))).split())
        everyone = {*pool.pids, program, pool._warden.pid}
        assert worker in everyone
    assert pool.pids == ()
    await until_gone(everyone)


PARENT = """
import os, signal, sys, anyio
from harness.backends import Job, ProcessBackend

folder, warden, *ways = sys.argv[1:]

async def main():
    async with ProcessBackend(len(ways)) as pool, anyio.create_task_group() as group:
        if warden == "without":
            os.kill(pool._warden.pid, signal.SIGKILL)
        for way in ways:
            job = Job("backend_targets:program_then", f"{way} {folder}/{way}".encode(), 1000, idempotent=False)
            group.start_soon(pool.call, job)
        await anyio.sleep(1000)

anyio.run(main)
"""


async def kill_a_parent(folder: Path, warden: str, *ways: str) -> tuple[list[int], list[int]]:
    """Kill a process whose pool is at work in these ways; return the ids of its workers and of their programs."""
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    parent = subprocess.Popen(  # noqa: ASYNC220 - it blocks for a millisecond
        [sys.executable, "-c", PARENT, str(folder), warden, *ways], env=environment
    )
    try:
        await until(lambda: all((folder / way).exists() for way in ways), "the workers are at work")
        pairs = [[int(word) for word in (folder / way).read_text().split()] for way in ways]
        assert all(runs(pid) for pair in pairs for pid in pair)
    finally:
        parent.kill()
        parent.wait()
    return [worker for worker, _ in pairs], [program for _, program in pairs]


WAYS = [("spin",), ("sleep_in_c",), ("echo",), ("spin", "sleep_in_c", "echo")]


@pytest.mark.parametrize("ways", WAYS, ids="+".join)
async def test_no_orphans_after_the_parent_is_killed(tmp_path: Path, ways: tuple[str, ...], anyio_backend: str) -> None:
    """Busy in Python, busy in C with the GIL held, and idle; each with a program of its own."""
    workers, programs = await kill_a_parent(tmp_path, "with", *ways)
    await until_gone(workers + programs)


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere nothing but the warden ends a busy worker")
async def test_workers_die_with_their_parent_even_without_the_warden(tmp_path: Path, anyio_backend: str) -> None:
    workers, programs = await kill_a_parent(tmp_path, "without", "spin", "sleep_in_c", "echo")
    try:
        await until_gone(workers)
    finally:
        for pid in programs:
            os.kill(pid, signal.SIGKILL)


async def test_a_killed_warden_is_replaced(pool: ProcessBackend) -> None:
    (first, other), warden = pool.pids, pool._warden.pid
    os.kill(warden, signal.SIGKILL)
    await until(lambda: not runs(warden), "the warden is gone")
    os.kill(first, signal.SIGKILL)
    await until(lambda: first not in pool.pids and len(pool.pids) == 2, "the worker is replaced")
    assert pool._warden.pid != warden
    assert runs(pool._warden.pid)
    assert other in pool.pids
