"""The rules of a certified suite, measured: what certification accepts, and what every policy that is no agent reaches.

Per group, on fresh certified instances: the reference always succeeds, the upper 95 % bound of every lazy policy is
small, proposals are mostly accepted. Beside them, unfiltered: what a task declares as adversaries, the reference on a
quarter of its budgets, and the cost of each step. The result is committed as `results/suite.json` with a digest of
the sources it measured.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Mapping
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import anyio
import orjson
from attrs import evolve, field, frozen

from harness import certify, seeds
from harness.backends import Backend, Job
from harness.errors import Reject, TaskError
from harness.layers import Card
from harness.policies._scripted import play_inline, quartered, scripts_of
from harness.records import Json, Sample
from harness.rollout import make_backend
from harness.runs import installed, now
from harness.scripted import Scripted
from harness.statistics import wilson
from harness.task import Task, TaskRef, load_task, task_of
from harness.world import pack, unpack

TARGET = "harness.suite:perform"
SEED, SPLIT = 1, "validation"
"""Where the fresh instances of the suite are drawn: never the shipped rows."""

LAZY_CEILING = 0.08
CONSTANT_CEILING = 0.10
SEARCH_CEILING = 0.25
LEAST_ACCEPTANCE = 0.5
FIT_COUNT = 500
MONOTONE_SLACK = 0.03
"""Sampling noise of two rates on 200 instances each that still counts as equal."""

QUARTER = "reference-quarter-budget"
SECONDS = 3600.0


@frozen
class Check:
    """One named rule and whether it holds."""

    name: str
    ok: bool
    detail: str = ""


@frozen
class Measured:
    """The suite of one task."""

    task: str
    certification: Mapping[str, Mapping[str, Mapping[str, Json]]]
    acceptance: Mapping[str, float]
    timing: Mapping[str, Mapping[str, float]] = field(factory=dict)
    checks: tuple[Check, ...] = ()
    sources: str = ""

    @property
    def ok(self) -> bool:
        """Whether every rule holds."""
        return all(check.ok for check in self.checks)

    def to_json(self) -> dict[str, Json]:
        """Return as JSON."""
        return {
            "task": self.task,
            "ok": self.ok,
            "checks": [{"name": c.name, "ok": c.ok, "detail": c.detail} for c in self.checks],
            "certification": {g: dict(p) for g, p in self.certification.items()},
            "acceptance": dict(self.acceptance),
            "timing": {g: dict(t) for g, t in self.timing.items()},
        }


async def measure(
    name: str,
    count: int,
    *,
    groups: tuple[str, ...] = (),
    workers: int | None = None,
    say: Callable[[str], None] = print,
) -> Measured:
    """Measure the suite of a task.

    Args:
        name: Task name.
        count: Fresh certified instances per group.
        groups: Only these groups; all by default.
        workers: Worker processes.
        say: Told of progress, a line at a time.
    """
    task = load_task(name)
    card, sources = task.card, certify.source_digest(certify.package_of(task))
    certification: dict[str, dict[str, dict[str, Json]]] = {}
    acceptance: dict[str, float] = {}
    timing: dict[str, dict[str, float]] = {}
    async with make_backend("process", [], workers) as backend:
        for group in groups or tuple(card.groups):
            task = task_of(TaskRef(card.name, group))
            drawn = await _draw(task, count, backend)
            acceptance[group] = count / sum(row["attempts"] for row in drawn)
            timing[group] = await _costs(task, drawn, backend)
            say(f"{name} {group}: {count} certified, {acceptance[group]:.0%} of proposals accepted")
            certification[group] = {}
            for policy, script in _entrants(task).items():
                certification[group][policy] = await _play_all(task, drawn, policy, script, backend)
                say(f"{name} {group}: {policy} {certification[group][policy]['success']:.1%}")
    measured = Measured(card.task_id, certification, acceptance, timing, sources=sources)
    return evolve(measured, checks=tuple(rules(measured, card.groups)))


def _entrants(task: Task) -> dict[str, Scripted]:
    """Everybody who is measured: reference first, then the quarter budget, lazies, adversaries."""
    scripts = scripts_of(task)
    order = {"reference": 0, "lazy": 1, "adversary": 2}
    ordered = dict(sorted(scripts.items(), key=lambda item: order[item[1].kind]))
    reference = ordered.pop("reference")
    return {"reference": reference, QUARTER: evolve(reference, kind="adversary"), **ordered}


async def _draw(task: Task, count: int, backend: Backend) -> list[dict[str, Json]]:
    rows: list[dict[str, Json] | None] = [None] * count

    async def draw(index: int) -> None:
        request = pack({"op": "draw", "index": index, "seed": SEED, "split": SPLIT}, task.ref.encode())
        rows[index] = unpack(await backend.call(Job(TARGET, request, SECONDS, label=f"certify {task.name} #{index}")))[
            0
        ]

    async with anyio.create_task_group() as group:
        for index in range(count):
            group.start_soon(draw, index)
    return [row for row in rows if row is not None]


async def _costs(task: Task, rows: list[dict[str, Json]], backend: Backend) -> dict[str, float]:
    """CPU milliseconds: median certification of an instance from the rows, proposal and call measured in a worker."""
    request = pack({"op": "costs", "rows": rows[:20]}, task.ref.encode())
    costs = unpack(await backend.call(Job(TARGET, request, SECONDS, label=f"costs {task.name}")))[0]
    return {"certify_ms": _median([row["ms"] for row in rows]), **costs}


async def _play_all(
    task: Task, rows: list[dict[str, Json]], policy: str, script: Scripted, backend: Backend
) -> dict[str, Json]:
    results: list[dict[str, Json]] = []
    size = max(1, len(rows) // 16) if script.fit is None else (len(rows) + 1) // 2

    async def play(chunk: list[dict[str, Json]]) -> None:
        request = pack({"op": "play", "policy": policy, "rows": chunk}, task.ref.encode())
        reply = await backend.call(Job(TARGET, request, SECONDS, label=f"{policy} on {task.name}"))
        results.extend(unpack(reply)[0]["results"])

    async with anyio.create_task_group() as group:
        for start in range(0, len(rows), size):
            group.start_soon(play, rows[start : start + size])
    wins, n = sum(r["success"] for r in results), len(results)
    return {
        "kind": script.kind,
        "n": n,
        "success": wins / n,
        "mean_reward": round(sum(r["reward"] for r in results) / n, 4),
        "upper95": round(wilson(wins, n)[1], 4),
    }


# ---- the rules


def rules(measured: Measured, groups: Mapping[str, Any]) -> list[Check]:
    """Judge a measured suite."""
    checks: list[Check] = []
    for group, policies in measured.certification.items():
        rate = measured.acceptance[group]
        checks.append(
            Check(f"{group}: acceptance", rate >= LEAST_ACCEPTANCE, f"{rate:.0%} of proposals, at least 50 % asked")
        )
        declared = scripts_of(task_of(TaskRef(measured.task.rpartition("-v")[0], group)))
        for policy, result in policies.items():
            checks += _judge_policy(group, policy, result, declared.get(policy))
    return checks + _monotone(measured)


def _judge_policy(group: str, policy: str, result: Mapping[str, Json], script: Scripted | None) -> list[Check]:
    if policy == "reference":
        solved = result["success"] == 1.0
        return [Check(f"{group}: reference", solved, f"{result['success']:.1%} of {result['n']}, all asked")]
    if result["kind"] == "lazy":
        ok = result["upper95"] <= LAZY_CEILING
        return [Check(f"{group}: lazy {policy}", ok, f"upper 95 % bound {result['upper95']:.1%}, at most 8 % asked")]
    ceiling = ceiling_of(script, group) if script else None
    if ceiling is None:
        return []
    ok = result["success"] <= ceiling
    return [Check(f"{group}: adversary {policy}", ok, f"{result['success']:.1%}, at most {ceiling:.0%} asked")]


def ceiling_of(script: Scripted, group: str) -> float | None:
    """Return the largest success rate that an adversary may have in a group, if the task states one."""
    if isinstance(script.ceiling, Mapping):
        return script.ceiling.get(group)
    return script.ceiling


def _monotone(measured: Measured) -> list[Check]:
    """The quarter-budget reference must not do better at a harder level of the same variant."""
    levels = ("easy", "medium", "hard")
    rates = {g: p[QUARTER]["success"] for g, p in measured.certification.items() if QUARTER in p}
    checks = []
    for variant in dict.fromkeys(g.rpartition("-")[0] for g in rates):
        found = [
            (lv, rates[f"{variant}-{lv}" if variant else lv])
            for lv in levels
            if (f"{variant}-{lv}" if variant else lv) in rates
        ]
        if len(found) > 1:
            ok = all(harder[1] <= easier[1] + MONOTONE_SLACK for easier, harder in pairwise(found))
            shown = ", ".join(f"{level} {rate:.1%}" for level, rate in found)
            checks.append(Check(f"{variant or 'all'}: difficulty is monotone", ok, f"a quarter of the budget: {shown}"))
    return checks


# ---- in workers


def perform(request: bytes) -> bytes:
    """Do one piece of a suite in a worker."""
    head, frames = unpack(request)
    task = task_of(TaskRef.decode(frames[0]))
    return pack(_OPERATIONS[head["op"]](task, head))


def _draw_one(task: Task, head: Mapping[str, Json]) -> dict[str, Json]:
    begun = time.process_time()
    sample = certify.certified_sample(task, head["index"], seed=head["seed"], split=head["split"])
    return certify.row_of(sample) | {"ms": 1000 * (time.process_time() - begun)}


def _play_some(task: Task, head: Mapping[str, Json]) -> dict[str, Json]:
    policy = head["policy"]
    script = scripts_of(task)["reference" if policy == QUARTER else policy]
    if script.fit is not None:
        script = evolve(script, play=_fitted(task.ref.encode(), policy))
    results = []
    for row in head["rows"]:
        sample = certify.sample_of(task, row, seed=SEED, split=SPLIT)
        if policy == QUARTER:
            sample = evolve(sample, limits=quartered(sample.limits))
        outcome = play_inline(task, sample, script, "suite", policy).outcome
        if outcome.status != "scored":
            raise RuntimeError(f"{policy} on {sample.key}: {outcome.reason}: {outcome.detail}\n{outcome.evidence}")
        results.append({"success": outcome.success, "reward": outcome.reward, "reason": outcome.reason})
    return {"results": results}


@cache
def _fitted(ref: bytes, policy: str) -> Any:
    task = task_of(TaskRef.decode(ref))
    fit = scripts_of(task)[policy].fit
    assert fit is not None
    return fit(training_identities(task, FIT_COUNT), task.options)


def training_identities(task: Task, count: int) -> list[Any]:
    """Draw proposals of the training split, uncertified, for adversaries to fit on."""
    return [task.decode_identity(task.sample(index, seed=SEED, split="train").identity) for index in range(count)]


def _measure_costs(task: Task, head: Mapping[str, Json]) -> dict[str, Json]:
    proposal, render, call = [], [], []
    for row in head["rows"]:
        sample: Sample = certify.sample_of(task, row, seed=SEED, split=SPLIT)
        identity = task.decode_identity(sample.identity)
        proposal.append(_cpu_ms(_propose, task, seeds.generator("costs", row["index"])))
        render.append(_cpu_ms(task.render, identity, sample.wording, sample.language))
        begun = time.process_time()
        episode = play_inline(task, sample, scripts_of(task)["reference"], "costs")
        calls = max(1, len(episode.log.actions))
        call.append(1000 * (time.process_time() - begun) / calls)
    return {"propose_ms": _median(proposal), "prompt_ms": _median(render), "call_ms": _median(call)}


def _propose(task: Task, rng: Any) -> None:
    with contextlib.suppress(Reject):
        task.prompt.sample(rng)


def _cpu_ms(work: Callable[..., object], *arguments: object) -> float:
    begun = time.process_time()
    work(*arguments)
    return 1000 * (time.process_time() - begun)


def _median(values: list[float]) -> float:
    ordered = sorted(values)
    return round(ordered[len(ordered) // 2], 3) if ordered else 0.0


_OPERATIONS = {"draw": _draw_one, "play": _play_some, "costs": _measure_costs}


# ---- the committed result


def result_path(task: Task) -> Path:
    """Where a task's package keeps its measured suite."""
    import importlib

    module = importlib.import_module(certify.package_of(task))
    return Path(str(module.__file__)).parent / "results" / "suite.json"


def write_result(measured: Measured, task: Task) -> Path:
    """Write the measured suite into the package, with the digest of the sources it measured.

    Groups that were measured before on the same sources are kept.

    Raises:
        TaskError: The sources changed while the suite was measured.
    """
    certify.source_digest.cache_clear()
    if measured.sources and measured.sources != certify.source_digest(certify.package_of(task)):
        raise TaskError(f"the sources of {task.card.task_id} changed while its suite was measured: measure again")
    path = result_path(task)
    path.parent.mkdir(parents=True, exist_ok=True)
    about = {
        "sources": measured.sources or certify.source_digest(certify.package_of(task)),
        "measured": now(),
        "simulators": {name: installed(name) for name in task.card.simulators},
    }
    value = about | measured.to_json()
    earlier = orjson.loads(path.read_bytes()) if path.is_file() else {}
    if earlier.get("sources") == about["sources"]:
        value = _merged(earlier, value, task.card)
    path.write_bytes(orjson.dumps(value, option=orjson.OPT_INDENT_2) + b"\n")
    return path


def _merged(earlier: dict[str, Json], value: dict[str, Json], card: Card) -> dict[str, Json]:
    """Add to a result the groups that only an earlier one has, and judge all of them again."""

    def both(part: str) -> dict[str, Any]:
        found = {**earlier[part], **value[part]}
        return {group: found[group] for group in card.groups if group in found}

    together = Measured(value["task"], both("certification"), both("acceptance"), both("timing"))
    return value | evolve(together, checks=tuple(rules(together, card.groups))).to_json()


def stale(task: Task) -> str:
    """Say why the committed suite does not describe the sources as they are; empty when it does."""
    path = result_path(task)
    if not path.is_file():
        return (
            f"{task.card.task_id} has no measured suite ({path.name}); run `harness check {task.name} --suite --write`"
        )
    recorded = orjson.loads(path.read_bytes())
    current = certify.source_digest(certify.package_of(task))
    if recorded["sources"] != current:
        return (
            f"the measured suite of {task.card.task_id} is of other sources ({recorded['sources']}, now {current}); "
            f"run `harness check {task.name} --suite --write`"
        )
    missing = sorted(task.card.groups.keys() - recorded["certification"].keys())
    if missing:
        return f"the measured suite of {task.card.task_id} lacks the groups {', '.join(missing)}"
    return "" if recorded["ok"] else f"the measured suite of {task.card.task_id} broke a rule"
