"""What the parts of each task cost: proposal, prompt with its images, tool call, certification, cold worker.

CPU times are those of this process, medians over instances of a group; the worker and the certification of a hundred
instances are wall time on worker processes. The first line says how fast the machine is: the CPU time of a loop.
Limits: a proposal and a tool call 50 ms, a picture 100 ms, a hundred certified instances of a group three minutes on
two cores (measured on a part of them and scaled).

    python benchmarks/task_times.py [TASK …] [-n 10] [--json]
"""

from __future__ import annotations

import argparse
import contextlib
import json
import statistics
import sys
import time
from collections.abc import Callable
from typing import Any

import anyio

from harness import Reject, TaskRef, certify, generator, load_task, plugins
from harness import episode as episodes
from harness.backends import Job, ProcessBackend
from harness.task import Task, task_of
from harness.testing import play_inline

LIMITS = {"propose_ms": 50.0, "call_ms": 50.0, "image_ms": 100.0, "certify_100_s": 180.0}


def cpu_ms(work: Callable[..., Any], *arguments: Any) -> tuple[float, Any]:
    """Run something; return its CPU time and its answer."""
    begun = time.process_time()
    answer = work(*arguments)
    return 1000 * (time.process_time() - begun), answer


def proposals(task: Task, count: int) -> float:
    """Median of a draw of the sampler, rejected ones included."""

    def draw(number: int) -> None:
        with contextlib.suppress(Reject):
            task.prompt.sample(generator("times", number))

    return statistics.median(cpu_ms(draw, number)[0] for number in range(max(20, count)))


def calls(task: Task, count: int) -> dict[str, float]:
    """Medians of a tool call, and of a call that answers with a picture, as the reference makes them.

    The instances are held-out ones that this process has not met: tasks remember what they have computed.
    """
    plain: list[float] = []
    pictures: list[float] = []
    perform = episodes.perform_here

    def timed(head: Any, frames: Any) -> Any:
        spent, reply = cpu_ms(perform, head, frames)
        if head["op"] == "execute":
            (pictures if reply.blobs else plain).append(spent)
        elif head["op"] == "open" and reply.blobs:
            pictures.append(spent)
        return reply

    rows = certify.heldout_rows(task)
    play(task, rows[-1])  # builds what is kept per worker
    episodes.perform_here = timed
    try:
        for row in rows[:count]:
            play(task, row)
    finally:
        episodes.perform_here = perform
    found = {"call_ms": plain, "image_ms": pictures}
    return {name: statistics.median(times) for name, times in found.items() if times}


def play(task: Task, row: dict[str, Any]) -> None:
    """Play a held-out row with the reference."""
    play_inline(task, certify.sample_of(task, row, seed=0, split="test"), task.policies["reference"], "times")


async def workers(task: Task, count: int) -> dict[str, float]:
    """Wall time until a fresh worker is ready, and of certifying a hundred instances on two of them."""
    begun = time.perf_counter()
    async with ProcessBackend(1) as backend:
        await backend.warm(episodes.warm_job(task))
        cold = time.perf_counter() - begun
    async with ProcessBackend(2) as backend:
        await backend.warm(episodes.warm_job(task))
        begun = time.perf_counter()
        async with anyio.create_task_group() as group:
            for index in range(2 * count):
                request = certify.request_for(task, index, 11, "train")
                group.start_soon(backend.call, Job(certify.TARGET, request, certify.SECONDS))
        certified = time.perf_counter() - begun
    return {"cold_worker_s": cold, "certify_100_s": certified * 100 / (2 * count)}


def loop() -> float:
    """CPU seconds of three million additions in a Python loop: how fast this machine is just now."""

    def add() -> None:
        total = 0
        while total < 3_000_000:
            total += 1

    return min(cpu_ms(add)[0] for _ in range(3)) / 1000


def measure(name: str, count: int) -> dict[str, dict[str, float]]:
    """Measure every group of a task."""
    found = {}
    for group in load_task(name).card.groups:
        task = task_of(TaskRef(name, group))
        parts = {"propose_ms": proposals(task, count), **calls(task, count)}
        found[group] = {key: round(value, 2) for key, value in (parts | anyio.run(workers, task, count)).items()}
    return found


def broken(times: dict[str, dict[str, dict[str, float]]]) -> list[str]:
    """Name the limits that are not kept."""
    return [
        f"{name} {group}: {key} {found[key]}"
        for name, groups in times.items()
        for group, found in groups.items()
        for key, limit in LIMITS.items()
        if found.get(key, 0.0) > limit
    ]


def main() -> int:
    """Measure, print, and say by the exit status whether the limits are kept."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("tasks", nargs="*", help="task names; all installed by default")
    parser.add_argument("-n", type=int, default=10, help="instances of each group")
    parser.add_argument("--json", action="store_true", help="print JSON")
    asked = parser.parse_args()
    if not asked.json:
        print(f"a loop of three million additions takes {loop():.2f} s on this machine")
    times = {}
    for name in asked.tasks or sorted(item.name for item in plugins.listings("harness.tasks")):
        times[name] = measure(name, asked.n)
        if not asked.json:
            for group, found in times[name].items():
                print(f"{name:12} {group:18} " + "  ".join(f"{k} {v:8.2f}" for k, v in found.items()), flush=True)
    if asked.json:
        print(json.dumps(times))
    else:
        print("limits:", "; ".join(broken(times)) or "kept")
    return 1 if broken(times) else 0


if __name__ == "__main__":
    sys.exit(main())
