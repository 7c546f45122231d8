"""Many episodes at once: denominators, groups of k, concurrency, determinism, isolation."""

from __future__ import annotations

import tracemalloc
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

import anyio
import pytest

from harness import Completion, Message, ToolCall, ToolSchema
from harness.backends import BackendLost, InlineBackend, Job
from harness.errors import PolicyFault
from harness.plan import Place, largest_remainder, plan
from harness.plugins import load
from harness.policies import Context
from harness.report import make_report, report_table
from harness.rollout import Rollout
from harness.runs import RunSpec
from harness.task import TaskRef, load_task
from harness.trace import episodes

Roll = Callable[..., tuple[Rollout, dict[str, Any]]]


class Speaking:
    """A policy made of one function from (context, turn) to completion."""

    view = "observation"

    def __init__(self, speak: Callable[[Context, int], Completion], name: str = "speaking") -> None:
        self.name, self.speak = name, speak

    async def start(self, context: Context) -> Any:
        return _Player(self, context)

    async def close(self) -> None: ...


class _Player:
    def __init__(self, policy: Speaking, context: Context) -> None:
        self.policy, self.context, self.turn = policy, context, 0

    async def reply(self, messages: Sequence[Message], tools: Sequence[ToolSchema]) -> Completion:
        self.turn += 1
        await anyio.lowlevel.checkpoint()
        return self.policy.speak(self.context, self.turn)

    async def close(self) -> None: ...


def submit(value: int = 1) -> Completion:
    return Completion(tool_calls=(ToolCall("c", "submit", f'{{"value": {value}}}'),))


class LosingBackend(InlineBackend):
    """Loses its worker for the instances that it is told, for the first `times` calls of each."""

    def __init__(self, indices: set[int], times: int = 10**9) -> None:
        super().__init__()
        self.left = Counter(dict.fromkeys(indices, times))

    async def call(self, job: Job) -> bytes:
        index = int(job.label.split("#")[1].split()[0]) if "#" in job.label else -1
        if b'"op":"execute"' in job.payload and self.left[index] > 0:
            self.left[index] -= 1
            raise BackendLost("the worker machine is gone")
        return await super().call(job)


def test_nine_of_ten_lose_their_simulator(roll: Roll) -> None:
    spec = RunSpec(tasks=("faulty",), n=10)
    rollout, report = roll(spec, Speaking(lambda c, t: submit()), backend=LosingBackend(set(range(9))))
    summary = report["tasks"]["faulty"]
    assert (summary["episodes"], summary["scored"]) == (10, 1)
    assert summary["reasons"] == {"backend_lost": 9, "solved": 1}
    assert summary["success"] == 1.0
    lost = [r for r in rollout.records if r["outcome"]["status"] == "invalid"]
    assert all(r["outcome"]["reward"] is None for r in lost)
    assert all(len(r["tries"]) == 2 for r in lost)
    assert rollout.tally.invalid == 9


def test_a_group_with_one_fault_is_played_again_and_stays_whole(roll: Roll) -> None:
    spec = RunSpec(tasks=("faulty",), n=2, k=4)
    _, report = roll(spec, Speaking(lambda c, t: submit()), backend=LosingBackend({0}, times=2), concurrency=1)
    summary = report["tasks"]["faulty"]
    assert (summary["episodes"], summary["scored"], summary["groups_complete"]) == (8, 8, 2)


def test_a_group_that_cannot_be_completed_is_dropped_and_counted(roll: Roll) -> None:
    spec = RunSpec(tasks=("faulty",), n=2, k=4)
    _, report = roll(spec, Speaking(lambda c, t: submit()), backend=LosingBackend({0}, times=3), concurrency=1)
    summary = report["tasks"]["faulty"]
    assert (summary["episodes"], summary["scored"]) == (8, 7)
    assert (summary["groups_complete"], summary["groups_dropped"]) == (1, 1)


def test_failing_calls_never_end_the_run(roll: Roll) -> None:
    def speak(context: Context, turn: int) -> Completion:
        kind = ("raise", "object", "inner", "fine")[context.sample.index]
        return Completion(tool_calls=(ToolCall("c", "act", f'{{"kind": "{kind}"}}'),)) if turn == 1 else submit()

    rollout, report = roll(RunSpec(tasks=("faulty",), n=4), Speaking(speak))
    assert report["tasks"]["faulty"]["success"] == 1.0
    statuses = {r["sample"]["index"]: r["actions"][0]["status"] for r in rollout.records}
    assert statuses == {0: "infeasible_state", 1: "infeasible_state", 2: "infeasible_state", 3: "ok"}


def test_a_policy_that_raises_is_invalid_and_harms_nobody(roll: Roll) -> None:
    def speak(context: Context, turn: int) -> Completion:
        if context.sample.index == 1:
            raise PolicyFault("no reply")
        return submit()

    _, report = roll(RunSpec(tasks=("faulty",), n=3), Speaking(speak))
    assert report["tasks"]["faulty"]["reasons"] == {"solved": 2, "policy_error": 1}


@pytest.mark.parametrize("moment", ["start", "reply"])
def test_a_policy_that_breaks_ends_no_other_episode(roll: Roll, moment: str) -> None:
    class Breaking(Speaking):
        async def start(self, context: Context) -> Any:
            if context.sample.index == 1 and moment == "start":
                raise KeyError("nothing ready")
            return await super().start(context)

    def speak(context: Context, turn: int) -> Completion:
        if context.sample.index == 1:
            raise ZeroDivisionError("by zero")
        return submit()

    rollout, report = roll(RunSpec(tasks=("faulty",), n=3), Breaking(speak))
    assert report["tasks"]["faulty"]["reasons"] == {"solved": 2, "policy_error": 1}
    assert any("the policy raised" in trouble for trouble in rollout.troubles)


@pytest.mark.parametrize("concurrency", [10, 100, 500])
def test_as_many_in_flight_as_allowed_and_no_more(roll: Roll, concurrency: int) -> None:
    state = {"waiting": 0, "most": 0}

    class Waiting(Speaking):
        async def start(self, context: Context) -> Any:
            policy = self

            class Player(_Player):
                async def reply(self, messages: Any, tools: Any) -> Completion:
                    state["waiting"] += 1
                    state["most"] = max(state["most"], state["waiting"])
                    for _ in range(1200 // concurrency):
                        await anyio.lowlevel.checkpoint()
                    state["waiting"] -= 1
                    return submit()

            return Player(policy, context)

    rollout, _ = roll(
        RunSpec(tasks=("faulty",), n=1000), Waiting(lambda c, t: submit()), concurrency=concurrency, backend="inline"
    )
    assert rollout.tally.most_in_flight == concurrency
    assert state["most"] <= concurrency
    assert rollout.tally.scored == 1000


def test_repetitions_share_the_instance_and_not_the_sampling_seed(roll: Roll) -> None:
    seen: list[tuple[str, int, int]] = []

    def speak(context: Context, turn: int) -> Completion:
        seen.append((context.sample.key, context.repetition, context.seed))
        return submit()

    rollout, _ = roll(RunSpec(tasks=("faulty",), n=1, k=4), Speaking(speak))
    assert len({key for key, _, _ in seen}) == 1
    assert sorted(repetition for _, repetition, _ in seen) == [0, 1, 2, 3]
    prompts = {str(r["messages"][0]) for r in rollout.records}
    assert len(prompts) == 1


def stripped(records: list[dict[str, Any]]) -> list[dict[str, Any]]:
    ordered = sorted(records, key=lambda r: (r["sample"]["group"], r["sample"]["index"], r["repetition"]))
    return [{k: v for k, v in r.items() if k != "timing"} for r in ordered]


def test_concurrency_backend_and_workers_change_nothing(roll: Roll) -> None:
    spec = RunSpec(tasks=("toy",), n=24, policy="reference")
    alone, _ = roll(spec, concurrency=1, backend="inline")
    for given in ({"concurrency": 64, "backend": "process", "workers": 3}, {"concurrency": 8, "backend": "inline"}):
        together, _ = roll(spec, **given)
        assert stripped(together.records) == stripped(alone.records)


def test_every_trace_says_what_made_it(roll: Roll) -> None:
    from harness.trace import read

    rollout, _ = roll(RunSpec(tasks=("toy",), n=2), folder="run")
    assert rollout.folder is not None
    header, *rest = list(read(rollout.folder.trace))
    assert header["versions"]["tasks"]["toy"] == {
        "version": 1,
        "distribution": "0.1.0",
        "reward": "toy-1",
        "plugins": [],
        "simulators": {},
    }
    assert header["digest"] == rollout.spec.digest
    assert header["harness"]
    episode = next(r for r in rest if r["type"] == "episode")
    assert episode["sample"]["options_digest"]
    assert episode["outcome"]["reward_id"] == "toy-1"


def test_long_episodes_grow_linearly(roll: Roll) -> None:
    """16 episodes at once of up to 80 turns of 8 kB: memory and file grow with the turns, not with their square."""

    def speak(context: Context, turn: int) -> Completion:
        return Completion(tool_calls=(ToolCall("c", "nothing", "{}"),))

    memory, disk = {}, {}
    for turns in (20, 40, 80):
        spec = RunSpec(tasks=("faulty",), n=16, options={"turns": turns, "every_turn": True, "letters": 8000})
        tracemalloc.start()
        rollout, _ = roll(spec, Speaking(speak), folder=f"run-{turns}", concurrency=16, backend="inline")
        memory[turns] = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert rollout.folder is not None
        assert (rollout.tally.scored, rollout.tally.most_in_flight) == (16, 16)
        disk[turns] = sum(len(str(record["messages"])) for record in episodes(rollout.folder.trace))
    assert disk[80] - disk[40] == pytest.approx(2 * (disk[40] - disk[20]), rel=0.05)
    assert memory[80] < 2.5 * memory[40] < 2.5 * 2.5 * memory[20]


def test_every_mean_is_printed_with_what_it_is_over(roll: Roll) -> None:
    from rich.console import Console

    def table(spec: RunSpec, **given: Any) -> str:
        _, report = roll(spec, Speaking(lambda c, t: submit()), **given)
        console = Console(width=200)
        with console.capture() as captured:
            console.print(report_table(report))
        return captured.get()

    lost = table(RunSpec(tasks=("faulty",), n=10), backend=LosingBackend(set(range(9))))
    assert "1 of 10" in lost
    assert "truncated" in lost
    assert "backend_lost 9" in lost
    dropped = table(RunSpec(tasks=("faulty",), n=2, k=4), backend=LosingBackend({0}, times=3), concurrency=1)
    assert "7 of 8" in dropped
    assert "100.0 % @4, 1 of 2" in dropped


def test_a_logger_is_told_no_mean_of_nothing(roll: Roll) -> None:
    watch: Any = load("watch", "harness.plugins", "plugin")
    for kept in (watch.METRICS, watch.CLOSED):
        kept.clear()
    spec = RunSpec(tasks=("faulty",), n=2, plugins=("watch",))
    roll(spec, Speaking(lambda c, t: submit()), backend=LosingBackend({0, 1}), concurrency=1)
    assert watch.METRICS == [(1, {"scored": 0, "invalid": 1}), (2, {"scored": 0, "invalid": 2})]
    assert watch.CLOSED == [True]


def test_averages_say_over_how_many_tasks() -> None:
    def scored(task: str, status: str) -> dict[str, Any]:
        outcome = {"status": status, "reason": "solved", "success": True, "reward": 1.0}
        sample = {"task": task, "split": "test", "group": "", "index": 0, "key": task}
        return {"type": "episode", "sample": sample, "repetition": 0, "outcome": outcome}

    records = [scored("one", "scored"), scored("two", "invalid")]
    report = make_report(records, {"one": "text", "two": "text"})
    assert report["averages"] == {"text": {"tasks": 1, "of": 2, "success": 1.0}}


def test_shares_by_largest_remainder() -> None:
    assert largest_remainder(10, {"a": 1, "b": 1, "c": 1}) == {"a": 4, "b": 3, "c": 3}
    assert largest_remainder(1, {"a": 0.1, "b": 0.9}) == {"a": 0, "b": 1}
    assert sum(largest_remainder(997, {"a": 0.3, "b": 0.3, "c": 0.4}).values()) == 997


def test_a_plan_mixes_groups_and_depends_on_nothing_but_the_seed() -> None:
    first, again, other = plan("toy", 60, seed=1), plan("toy", 60, seed=1), plan("toy", 60, seed=2)
    assert first == again
    assert [p.ref.group for p in first] != [p.ref.group for p in other]
    assert Counter(p.ref.group for p in first) == {"easy": 20, "medium": 20, "hard": 20}
    some = plan("toy", 10, groups=("easy=3", "hard=1"))
    assert Counter(p.ref.group for p in some) == {"easy": 8, "hard": 2}


def test_prompt_sets_of_seeds_and_splits_are_disjoint() -> None:
    task = load_task("faulty", "plain")
    sets = [
        {task.sample(i, seed=seed, split=split).key for i in range(50)}
        for seed in (0, 1)
        for split in ("train", "validation", "test")
    ]
    assert len(set().union(*sets)) == 300


def test_a_plan_can_name_places_directly(roll: Roll) -> None:
    places = [Place(TaskRef("faulty", "plain"), 7), Place(TaskRef("toy", "hard"), 1)]
    rollout = Rollout(RunSpec(tasks=("faulty",)), Speaking(lambda c, t: submit()), places=places, backend="inline")
    anyio.run(rollout.run)
    assert {r["sample"]["task"] for r in rollout.records} == {"faulty", "toy"}
