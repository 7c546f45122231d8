"""What every backend promises."""

import pickle
from pathlib import Path

import pytest

from harness.backends import Backend, BackendLost, CallFailed, InlineBackend, Job, WorkerDied, WorldRaised, WorldTimeout

pytestmark = pytest.mark.anyio


def job(name: str, payload: bytes | Path = b"", limit: float = 30.0, idempotent: bool = True) -> Job:
    return Job(f"backend_targets:{name}", bytes(payload), limit, idempotent)


async def test_call_answers_what_the_function_returns(backend: Backend) -> None:
    payload = b"\x00\xff world"
    assert await backend.call(job("echo", payload)) == payload
    assert await backend.call(job("echo", b"")) == b""


async def test_a_megabyte_travels_both_ways(backend: Backend) -> None:
    payload = bytes(range(256)) * 4096
    assert await backend.call(job("echo", payload)) == payload


async def test_raising_twice_is_reproduced(backend: Backend, tmp_path: Path) -> None:
    with pytest.raises(WorldRaised, match="world code raised KeyError: 'no such knob") as caught:
        await backend.call(job("note_and_boom", tmp_path / "log"))
    error = caught.value
    assert error.reproduced
    assert isinstance(error.__cause__, WorldRaised)
    assert not error.__cause__.reproduced
    assert len((tmp_path / "log").read_text().split()) == 2
    assert error.kind == "KeyError"
    assert error.message.encode().decode() == error.message, "it must be storable as UTF-8"
    assert "note_and_boom" in error.traceback_text
    assert "harness" not in error.traceback_text, "it begins where world code begins"


async def test_raising_once_is_mended_by_the_second_try(backend: Backend, tmp_path: Path) -> None:
    assert await backend.call(job("boom_once", tmp_path / "log")) == b""
    assert len((tmp_path / "log").read_text().split()) == 2


async def test_what_is_not_idempotent_runs_once(backend: Backend, tmp_path: Path) -> None:
    with pytest.raises(WorldRaised) as caught:
        await backend.call(job("note_and_boom", tmp_path / "log", idempotent=False))
    assert not caught.value.reproduced
    assert len((tmp_path / "log").read_text().split()) == 1


@pytest.mark.parametrize(
    ("target", "kind", "message"),
    [
        ("backend_targets:text", "TypeError", "text returned a str; a world function returns bytes"),
        ("backend_targets:leave", "SystemExit", "enough"),
        ("backend_targets:missing", "AttributeError", "module 'backend_targets' has no attribute 'missing'"),
        ("backend_targets:json.__name__", "TypeError", "backend_targets:json.__name__ is a str, not a function"),
        ("no_such_module:f", "ModuleNotFoundError", "No module named 'no_such_module'"),
    ],
)
async def test_what_cannot_be_called_is_said(backend: Backend, target: str, kind: str, message: str) -> None:
    with pytest.raises(WorldRaised) as caught:
        await backend.call(Job(target, b"", 30))
    assert (caught.value.kind, caught.value.message) == (kind, message)
    assert await backend.call(job("echo", b"still here")) == b"still here"


async def test_a_warm_up_runs_once_per_process(backend: Backend, tmp_path: Path) -> None:
    warm_up = job("note", tmp_path / "log")
    for _ in range(3):
        await backend.warm(warm_up)
    pids = (tmp_path / "log").read_text().split()
    assert len(pids) >= 1
    assert len(pids) == len(set(pids))


async def test_a_broken_warm_up_is_told_and_forgotten(backend: Backend, tmp_path: Path) -> None:
    with pytest.raises(WorldRaised, match="no such knob") as caught:
        await backend.warm(job("note_and_boom", tmp_path / "log"))
    assert caught.value.reproduced
    assert await backend.call(job("echo", b"ok")) == b"ok"


def test_inline_runs_without_an_event_loop_too(tmp_path: Path) -> None:
    assert InlineBackend().run(job("echo", b"x")) == b"x"
    with pytest.raises(WorldRaised) as caught:
        InlineBackend().run(job("note_and_boom", tmp_path / "log"))
    assert caught.value.reproduced


@pytest.mark.parametrize("target", ["no colon", "a:b:c", "os.getpid", ":f", "m:", "a-b:c", "__main__:f"])
def test_a_target_names_an_importable_function(target: str) -> None:
    with pytest.raises(ValueError, match="target"):
        Job(target, b"", 1)


@pytest.mark.parametrize("limit", [0, -1, float("nan"), float("inf")])
def test_a_limit_is_finite_and_positive(limit: float) -> None:
    with pytest.raises(ValueError, match="limit"):
        Job("m:f", b"", limit)


@pytest.mark.parametrize(
    ("error", "message"),
    [
        (WorldRaised("KeyError", "'x'", "Traceback"), "world code raised KeyError: 'x'"),
        (WorldTimeout(2.5), "world code was still running after 2.5 s and was stopped"),
        (WorkerDied(-11), "the worker was killed by SIGSEGV during the call"),
        (WorkerDied(-99), "the worker was killed by signal 99 during the call"),
        (WorkerDied(3), "the worker exited with status 3 during the call"),
        (BackendLost("none starts"), "no worker can be had: none starts"),
    ],
)
def test_errors_read_well_and_survive_pickling(error: CallFailed | BackendLost, message: str) -> None:
    error.__dict__["reproduced"] = True
    copy = pickle.loads(pickle.dumps(error))
    assert type(copy) is type(error)
    assert str(copy) == str(error) == message
    assert copy.__dict__ == error.__dict__
