"""What a call of world code costs over the bare tool method, inline and in a worker, and whether the loop keeps up.

One run, everything side by side, on a world of about 4 kB (`benchmarks/tasks`):

- `bare`: the tool method on a living object; `direct`: the same through `harness.world.perform`, which decodes the
  world, checks the arguments and encodes the world again; `inline` and `process`: from the packed request to the read
  reply through each backend. `process` counts the parent and the worker together; `process_parent` is its share.
- `step_inline`, `step_process`: a whole `Episode.step` with one such call, as every driver makes it.
- the loop with 64 episodes at once over the worker pool: how long one turn of it takes in CPU time, and how late a
  timer of 1 ms fires. The same timer on an idle loop is told beside it: what the machine adds when others use it.

Times are CPU, the best of several rounds. Limits, for the call alone and for the step: inline 60 µs and process 300 µs
over bare; 99th percentile of the loop's delay 5 ms.

    python benchmarks/world_call.py [--json] [--rounds N]
"""

from __future__ import annotations

import argparse
import gc
import json
import os
import sys
import time
from collections.abc import Awaitable, Callable, Coroutine
from pathlib import Path
from typing import Any

import anyio
import numpy as np
from anyio.lowlevel import checkpoint

sys.path.append(str(Path(__file__).with_name("tasks")))

from harness.backends import Backend, InlineBackend, Job, ProcessBackend
from harness.episode import Episode, warm_job
from harness.layers import Clock
from harness.records import Completion, Sample, ToolCall
from harness.task import Task, load_task
from harness.world import pack, perform, read_reply, unpack

INLINE_LIMIT, PROCESS_LIMIT, LAG_LIMIT = 60.0, 300.0, 5.0
CALLS, EPISODES, TURNS = 2000, 64, 40
ARGUMENTS = {"knob": "left", "value": 0.25}


class Recorder(InlineBackend):
    """An inline backend that keeps the jobs it is given."""

    def __init__(self) -> None:
        super().__init__()
        self.jobs: list[Job] = []

    async def call(self, job: Job) -> bytes:
        """Keep the job and run it."""
        self.jobs.append(job)
        return await super().call(job)


def reply(number: int) -> Completion:
    """One turn of the policy."""
    return Completion(None, None, (ToolCall(f"call_{number}", "turn", json.dumps(ARGUMENTS)),), "tool_calls")


async def record_a_call(task: Task, sample: Sample) -> Job:
    """Return a tool call as an episode makes it."""
    recorder = Recorder()
    episode = Episode(task, sample, recorder)
    await episode.open()
    await episode.step(reply(1))
    return recorder.jobs[-1]


def worker_seconds(pool: ProcessBackend) -> float:
    """CPU time of all workers, from the scheduler's nanosecond counts."""
    return sum(int(Path(f"/proc/{pid}/schedstat").read_text().split()[0]) for pid in pool.pids) / 1e9


async def per_call(work: Callable[[], Awaitable[object]], clock: Callable[[], float]) -> float:
    """CPU microseconds of one call."""
    gc.collect()
    begun = clock()
    for _ in range(CALLS):
        await work()
    return (clock() - begun) / CALLS * 1e6


class Costs:
    """The ways to make the same call."""

    def __init__(self, task: Task, sample: Sample, job: Job, pool: ProcessBackend) -> None:
        self.head, self.frames = unpack(job.payload)
        self.job, self.pool, self.inline = job, pool, InlineBackend()
        identity = task.decode_identity(sample.identity)
        clock = Clock(1, 0, {}, sample.limits, "en")
        self.task, self.sample = task, sample
        self.toolset = task.toolset(identity, task.options, task.toolset.create(identity, task.options), clock, "")

    async def bare(self) -> None:
        self.toolset.turn(**ARGUMENTS)  # type: ignore[attr-defined]

    async def direct(self) -> None:
        perform(self.job.payload)

    async def through(self, backend: Backend) -> None:
        payload = pack(self.head, *self.frames)
        read_reply(await backend.call(Job(self.job.target, payload, self.job.limit, True, self.job.label)))

    async def episode(self, backend: Backend) -> Callable[[], Awaitable[object]]:
        """Open an episode; return its next turn."""
        episode = Episode(self.task, self.sample, backend)
        await episode.open()
        turn = reply(1)
        return lambda: episode.step(turn)

    async def measure(self, rounds: int) -> dict[str, float]:
        """Measure all in turn, `rounds` times, and take the best of each."""
        found: dict[str, list[float]] = {}

        async def take(name: str, work: Callable[[], Awaitable[object]]) -> None:
            found.setdefault(name, []).append(await per_call(work, time.process_time))

        for _ in range(rounds):
            await take("bare_us", self.bare)
            await take("direct_us", self.direct)
            await take("inline_us", lambda: self.through(self.inline))
            await take("step_inline_us", await self.episode(self.inline))
            for prefix, work in (("", lambda: self.through(self.pool)), ("step_", await self.episode(self.pool))):
                begun = worker_seconds(self.pool)
                await take(f"{prefix}process_parent_us", work)
                spent = (worker_seconds(self.pool) - begun) / CALLS * 1e6
                found.setdefault(f"{prefix}worker_us", []).append(spent)
        best = {name: min(values) for name, values in found.items()}
        for prefix in ("", "step_"):
            both = zip(found[f"{prefix}process_parent_us"], found[f"{prefix}worker_us"], strict=True)
            best[f"{prefix}process_us"] = min(map(sum, both))
        return best


class Turns:
    """Watches an event loop: CPU time of each of its turns, lateness of a timer."""

    def __init__(self) -> None:
        self.cpu: list[float] = []
        self.late: list[float] = []

    async def watch_turns(self) -> None:
        while True:
            begun = time.thread_time()
            await checkpoint()
            self.cpu.append(time.thread_time() - begun)

    async def watch_timer(self) -> None:
        while True:
            begun = time.perf_counter()
            await anyio.sleep(0.001)
            self.late.append(time.perf_counter() - begun - 0.001)


Watch = Callable[[Turns], Callable[[], Coroutine[Any, Any, None]]]


async def watched(watch: Watch, work: Callable[[], Awaitable[None]]) -> Turns:
    """Run `work` while the loop is being watched."""
    turns = Turns()
    async with anyio.create_task_group() as group:
        group.start_soon(watch(turns))
        await work()
        group.cancel_scope.cancel()
    return turns


async def play(task: Task, sample: Sample, backend: Backend) -> None:
    """Play one episode of `TURNS` turns."""
    episode = Episode(task, sample, backend)
    await episode.open()
    for number in range(TURNS):
        await episode.step(reply(number))
    await episode.close()


async def play_all(task: Task, samples: list[Sample], backend: Backend) -> None:
    """Play all episodes at once."""
    async with anyio.create_task_group() as group:
        for sample in samples:
            group.start_soon(play, task, sample, backend)


async def measure_loop(task: Task, samples: list[Sample], pool: ProcessBackend) -> dict[str, float]:
    """Watch the loop while 64 episodes are played over the pool, and while nothing is."""
    busy = await watched(lambda turns: turns.watch_timer, lambda: play_all(task, samples, pool))
    idle = await watched(lambda turns: turns.watch_timer, lambda: anyio.sleep(1))
    each = await watched(lambda turns: turns.watch_turns, lambda: play_all(task, samples, pool))
    return {
        "lag_p50_ms": float(np.percentile(busy.late, 50)) * 1e3,
        "lag_p99_ms": float(np.percentile(busy.late, 99)) * 1e3,
        "lag_max_ms": max(busy.late) * 1e3,
        "idle_lag_p99_ms": float(np.percentile(idle.late, 99)) * 1e3,
        "turn_cpu_p99_ms": float(np.percentile(each.cpu, 99)) * 1e3,
        "turn_cpu_max_ms": max(each.cpu) * 1e3,
    }


async def measure(rounds: int) -> dict[str, float]:
    """Measure everything."""
    task = load_task("bench", "only")
    samples = [task.sample(index) for index in range(EPISODES)]
    job = await record_a_call(task, samples[0])
    async with ProcessBackend() as pool:
        await pool.warm(warm_job(task))
        await play_all(task, samples, pool)  # every worker has run everything once
        costs = await Costs(task, samples[0], job, pool).measure(rounds)
        loop = await measure_loop(task, samples, pool)
    sizes = {"world_bytes": len(unpack(job.payload)[1][-1]), "workers": pool.size, "cpus": os.cpu_count() or 1}
    kinds = ("inline", "process", "step_inline", "step_process")
    over = {f"{name}_over_us": costs[f"{name}_us"] - costs["bare_us"] for name in kinds}
    return sizes | costs | over | loop


def main() -> int:
    """Measure, print, and say by the exit status whether the limits are kept."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    found = anyio.run(measure, options.rounds)
    broken = [
        f"{name} {found[name]:.1f} > {limit:g}"
        for name, limit in (
            ("inline_over_us", INLINE_LIMIT),
            ("step_inline_over_us", INLINE_LIMIT),
            ("process_over_us", PROCESS_LIMIT),
            ("step_process_over_us", PROCESS_LIMIT),
            ("lag_p99_ms", LAG_LIMIT),
        )
        if found[name] > limit
    ]
    if options.json:
        print(json.dumps(found | {"broken": broken, "ok": not broken}))
    else:
        for name, value in found.items():
            print(f"{name:>20}  {value:.3f}")
        print("limits:", "; ".join(broken) or "kept")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
