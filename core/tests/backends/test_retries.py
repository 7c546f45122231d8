"""Which worker gets the second try, and what the pool concludes from it."""

from pathlib import Path

import anyio
import pytest

from harness.backends import Job, ProcessBackend, WorkerDied, WorldRaised, WorldTimeout

pytestmark = pytest.mark.anyio


def job(name: str, payload: bytes | Path = b"", limit: float = 30.0) -> Job:
    return Job(f"backend_targets:{name}", bytes(payload), limit)


def pids_in(log: Path) -> list[int]:
    return [int(line) for line in log.read_text().split()]


async def used_workers(pool: ProcessBackend) -> set[int]:
    """Give every worker a call, and return their process ids."""
    used: set[int] = set()
    with anyio.fail_after(60):
        while len(used) < pool.size:
            async with anyio.create_task_group() as group:
                for _ in range(pool.size):

                    async def ask() -> None:
                        used.add(int(await pool.call(job("pid"))))

                    group.start_soon(ask)
    return used


async def test_a_crash_is_tried_again_on_a_worker_that_never_ran_anything(pool: ProcessBackend, tmp_path: Path) -> None:
    used = await used_workers(pool)
    assert await pool.call(job("die_once", tmp_path / "log")) == b""
    first, second = pids_in(tmp_path / "log")
    assert first in used
    assert second not in used


async def test_a_time_out_is_tried_again_on_a_worker_that_never_ran_anything(
    pool: ProcessBackend, tmp_path: Path
) -> None:
    used = await used_workers(pool)
    assert await pool.call(job("hang_once", tmp_path / "log", limit=1.0)) == b""
    first, second = pids_in(tmp_path / "log")
    assert first in used
    assert second not in used


async def test_an_exception_is_tried_again_on_another_worker(pool: ProcessBackend, tmp_path: Path) -> None:
    used = await used_workers(pool)
    with pytest.raises(WorldRaised):
        await pool.call(job("note_and_boom", tmp_path / "log"))
    assert set(pids_in(tmp_path / "log")) == used
    assert set(pool.pids) == used, "both behaved alike, so neither is to blame"


async def test_a_worker_is_replaced_when_another_succeeds_where_it_raised(pool: ProcessBackend, tmp_path: Path) -> None:
    await used_workers(pool)
    await pool.call(job("boom_once", tmp_path / "log"))
    first, second = pids_in(tmp_path / "log")
    assert first not in await used_workers(pool)
    assert second in pool.pids


async def test_the_only_worker_is_replaced_for_the_second_try(anyio_backend: str, tmp_path: Path) -> None:
    async with ProcessBackend(1) as pool:
        with pytest.raises(WorldRaised) as caught:
            await pool.call(job("note_and_boom", tmp_path / "log"))
    assert caught.value.reproduced
    assert len(set(pids_in(tmp_path / "log"))) == 2


async def test_many_exceptions_at_once_all_get_their_second_try(anyio_backend: str, tmp_path: Path) -> None:
    for size in (1, 3):
        reproduced: list[bool] = []

        async def fail(pool: ProcessBackend, reproduced: list[bool], log: Path) -> None:
            with pytest.raises(WorldRaised) as caught:
                await pool.call(job("note_and_boom", log))
            reproduced.append(caught.value.reproduced)

        with anyio.fail_after(60):
            async with ProcessBackend(size) as pool, anyio.create_task_group() as group:
                for _ in range(8):
                    group.start_soon(fail, pool, reproduced, tmp_path / f"log{size}")
        assert reproduced == [True] * 8
        assert len(pids_in(tmp_path / f"log{size}")) == 16


async def test_a_call_that_kills_its_worker_twice_is_to_blame(pool: ProcessBackend, tmp_path: Path) -> None:
    with pytest.raises(WorkerDied) as caught:
        await pool.call(job("note_and_die", tmp_path / "log"))
    assert caught.value.reproduced
    assert caught.value.status == -9
    assert caught.value.output == "last words\n"
    assert len(set(pids_in(tmp_path / "log"))) == 2


@pytest.mark.parametrize(("name", "status"), [("quit_with", 7), ("segfault", -11)])
async def test_how_a_worker_ended_is_told(pool: ProcessBackend, name: str, status: int) -> None:
    with pytest.raises(WorkerDied) as caught:
        await pool.call(job(name, b"7"))
    assert caught.value.status == status
    assert caught.value.reproduced
    assert ("Segmentation fault" in caught.value.output) == (name == "segfault")


async def test_effects_outside_are_never_repeated_after_a_crash(pool: ProcessBackend, tmp_path: Path) -> None:
    once = Job("backend_targets:note_and_die", bytes(tmp_path / "log"), 30, idempotent=False)
    with pytest.raises(WorkerDied) as caught:
        await pool.call(once)
    assert not caught.value.reproduced
    assert len(pids_in(tmp_path / "log")) == 1


async def test_a_time_out_tells_its_limit(pool: ProcessBackend) -> None:
    with pytest.raises(WorldTimeout, match=r"after 0\.3 s") as caught:
        await pool.call(job("spin", limit=0.3))
    assert caught.value.reproduced
