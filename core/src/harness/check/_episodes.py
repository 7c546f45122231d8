"""Checks that play episodes: success, floor, scale, bad calls, budgets, repeatability, isolation, leftovers."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from attrs import evolve

from harness.check._subject import Broken, Subject, played, require, scored, transcript
from harness.episode import InlineEpisode
from harness.jsonio import dumps
from harness.policies._legal import draw_arguments
from harness.policies._scripted import make_view, quartered, scripts_of, shown
from harness.reasons import CALL_ERRORS
from harness.records import Completion, Sample, ToolCall
from harness.scripted import Script
from harness.seeds import generator
from harness.task import Proposal, Task
from harness.world import score_in, score_out

JUNK = (
    "",
    "   ",
    "null",
    "3",
    "[1]",
    '"text"',
    '{"cmd": "ls',
    '"{\\"a\\":1}"',
    "{}",
    '{"surely_not_an_argument": 1}',
    '"\ud835"',
)
EMPTY = ("", "0", "{}", "I do not know.", "\\boxed{}", "<think>42</think>")
VALUES: tuple[Any, ...] = (None, True, "3", -1e308, 1e308, 10**30, "", [], {}, [None], "\u0000", "a" * 5000)


def reference(subject: Subject) -> str:
    """The reference policy succeeds on every certified instance, every lazy one fails."""
    if not subject.first.card.certified:
        return "not a certified task"
    count = 0
    for group, task in subject.tasks.items():
        for sample in subject.certified(group):
            outcome = played(task, sample, "reference", "check").outcome
            require(
                outcome.success,
                f"{group} #{sample.index} ({sample.key}): the reference ended {outcome.reason}: {outcome.detail}",
            )
            count += 1
    return f"{count} of {count}"


def reads(subject: Subject) -> str:
    """The reference solves an instance in every language, and with a quarter of the budgets it still ends scored."""
    if "reference" not in subject.first.policies or not subject.first.card.certified:
        return "not a certified task"
    for group, task in subject.tasks.items():
        sample = subject.certified(group)[0]
        proposal = Proposal(task.decode_identity(sample.identity), sample.key, 0)
        for language in task.card.languages:
            told = task.make_sample(proposal, sample.index, seed=sample.seed, split=sample.split, language=language)
            outcome = played(task, told, "reference", "check").outcome
            what = f"{group} #{sample.index} ({sample.key}) in {language!r}"
            require(outcome.success, f"{what}: the reference ended {outcome.reason}: {outcome.detail}")
        played(task, evolve(sample, limits=quartered(sample.limits)), "reference", "quarter")
    return f"{len(subject.tasks)} groups in {', '.join(subject.first.card.languages)}"


def floor(subject: Subject) -> str:
    """Answering emptily, saying the prompt again or listing every option is no success and is scored."""
    highest = 0.0
    for task, sample in subject.few(2):
        for text in (*EMPTY, *_echoes(task, sample)):
            episode = InlineEpisode(task, sample)
            episode.open()
            while not episode.done:
                episode.step(Completion(text))
            outcome = scored(episode.close(), f"saying {text[:200]!r}")
            require(not outcome.success, f"saying only {text[:200]!r} is a success")
            highest = max(highest, outcome.reward or 0.0)
    return f"at most {highest:.3f}"


def _echoes(task: Task, sample: Sample) -> Iterator[str]:
    """The prompt's own text, and all choices of an answer that is chosen from a list."""
    yield "\n".join(message.text for message in sample.messages)
    for spec in task.specs.values():
        for shape in spec.schema.parameters["properties"].values() if spec.final else ():
            if "enum" in shape:
                yield ", ".join(map(str, shape["enum"]))


def scale(subject: Subject) -> str:
    """Success lies in [0.8, 1], everything else in [0, 0.6]; the margin has the sign of success."""
    count = 0
    for task, sample in subject.few(2):
        for name, script in scripts_of(task).items():
            if script.play is None:
                continue
            outcome = subject.episode(task, sample, name).outcome
            low, high = (0.8, 1.0) if outcome.success else (0.0, 0.6)
            require(
                low - 1e-9 <= outcome.reward <= high + 1e-9,
                f"{name}: reward {outcome.reward} with success={outcome.success}",
            )
            margin = outcome.score.margin if outcome.score else None
            require(
                margin is None or (margin >= 0) == outcome.success,
                f"{name}: margin {margin} with success={outcome.success}",
            )
            count += 1
    return f"{count} episodes"


def bad_calls(subject: Subject) -> str:
    """Malformed, unknown, ill-typed and extreme arguments are answered with a named error and cost no budget."""
    count = 0
    for task, sample in subject.few(1):
        for spec in task.specs.values():
            for raw in JUNK:
                count += _answered(task, sample, ToolCall("c", spec.name, raw))
            legal = draw_arguments(spec.schema.parameters, generator("bad-calls", spec.name))
            for name in legal:
                for value in VALUES:
                    count += _answered(task, sample, ToolCall("c", spec.name, dumps(legal | {name: value}).decode()))
        count += _answered(task, sample, ToolCall("c", "no_such_tool", "{}"))
    return f"{count} calls"


def _answered(task: Task, sample: Sample, call: ToolCall) -> int:
    episode = InlineEpisode(task, sample)
    episode.open()
    turn = episode.step(Completion(tool_calls=(call,)))
    action = episode.log.actions[-1] if episode.log.actions else None
    what = f"{call.name}({call.arguments[:80]})"
    require(action is not None, f"{what} left no trace in the action log")
    assert action is not None
    require(action.status == "ok" or action.status in CALL_ERRORS, f"{what} has the unknown status {action.status!r}")
    require(
        "the environment could not carry out" not in str(turn.messages), f"{what} made the tool raise: {action.detail}"
    )
    refused = ("malformed_call", "unknown_tool", "invalid_arguments")
    require(action.status not in refused or action.budget is None, f"{what} was refused and charged")
    scored(episode.close(), what)
    return 1


def budgets(subject: Subject) -> str:
    """No budget can be overdrawn, and the turn limit ends an episode."""
    for task, sample in subject.few(1):
        episode = InlineEpisode(task, sample)
        episode.open()
        rng, turns = generator("budgets", sample.key), 0
        tools = [s for s in task.specs.values() if not s.final] or list(task.specs.values())
        while not episode.done:
            spec = tools[turns % len(tools)]
            arguments = dumps(draw_arguments(spec.schema.parameters, rng)).decode()
            episode.step(Completion(tool_calls=tuple(ToolCall(f"c{i}", spec.name, arguments) for i in range(4))))
            turns += 1
            require(turns <= sample.limits.turns, f"the episode goes on after its {sample.limits.turns} turns")
        for budget, total in sample.limits.budgets.items():
            require(
                episode.log.spent(budget) <= total,
                f"{episode.log.spent(budget)} calls were charged to {budget}, {total} allowed",
            )
        scored(episode.close(), "random calls")
    return "held"


def repeat(subject: Subject) -> str:
    """The same play on the same instance gives the same messages, images and score."""
    count = 0
    for task, sample in subject.few(2):
        for policy in ("reference", "random"):
            if policy in scripts_of(task):
                first, second = (transcript(played(task, sample, policy, "check")) for _ in range(2))
                require(
                    first == second,
                    f"{policy} on {task.ref.group} #{sample.index} was seen differently the second time",
                )
                count += 1
    return f"{count} episodes played twice"


def isolated(subject: Subject) -> str:
    """Two episodes that take turns see what each would see alone."""
    pairs = 0
    for group, task in subject.tasks.items():
        first, second = subject.certified(group)[:2] if subject.count > 1 else (subject.certified(group) * 2)[:2]
        for a, b in ((first, second), (first, first)):
            alone = [_interleave(task, [a]), _interleave(task, [b])]
            together = _interleave(task, [a, b])
            require([alone[0][0], alone[1][0]] == together, f"{group}: an episode changes when another runs beside it")
            pairs += 1
    return f"{pairs} pairs"


def _interleave(task: Task, samples: list[Sample]) -> list[Any]:
    """Play one script per sample, turn about; return the transcripts."""
    name = "reference" if "reference" in scripts_of(task) else "random"
    script = scripts_of(task)[name]
    running: list[list[Any]] = []
    for sample in samples:
        episode = InlineEpisode(task, sample)
        episode.open()
        view = make_view(task, sample, episode.messages, episode.tools, script, ("check",))
        assert script.play is not None
        running.append([episode, Script(script.play, view), ()])
    while any(not lane[0].done for lane in running):
        for lane in running:
            if not lane[0].done:
                lane[2] = shown(lane[0].step(lane[1].reply(lane[2])).messages, script)
    for lane in running:
        lane[0].close()
    return [transcript(lane[0]) for lane in running]


def rescore(subject: Subject) -> str:
    """A recorded log scores the same again, in this thread and in another; other processes are a check of their own."""
    for task, sample in subject.few(1):
        episode = played(task, sample, "reference" if "reference" in scripts_of(task) else "random", "check")
        identity = task.decode_identity(sample.identity)
        here = score_out(task, identity, episode.log)
        require(
            score_in(here["score"]).total == episode.outcome.reward, "scoring the record again gives another reward"
        )
        with ThreadPoolExecutor(1) as pool:
            there = pool.submit(score_out, task, identity, episode.log).result()
        require(there == here, "the score differs in another thread: keep scoring a pure function")
        require(dumps(score_out(task, identity, episode.log)) == dumps(here), "scoring twice differs: keep it pure")
    return "equal"


def other_processes(subject: Subject) -> str:
    """Samples, episodes and scores are equal in other processes, under other hash seeds."""
    digests = {seed: _elsewhere(subject, seed) for seed in ("0", "1")}
    require(
        len(set(digests.values())) == 1, "results depend on PYTHONHASHSEED: do not iterate over sets, do not use hash()"
    )
    require(digests["0"] == fingerprint(subject.name, tuple(subject.tasks)), "results differ between processes")
    return f"digest {digests['0']}"


def _elsewhere(subject: Subject, hash_seed: str) -> str:
    asked = f"{subject.name!r}, {tuple(subject.tasks)!r}"
    code = f"from harness.check._episodes import fingerprint; print(fingerprint({asked}))"
    environment = {**os.environ, "PYTHONHASHSEED": hash_seed, "PYTHONPATH": ":".join(p for p in sys.path if p)}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, env=environment)
    if done.returncode != 0:
        raise Broken(f"the task does not run in a process of its own: {done.stderr.strip()[-500:]}")
    return done.stdout.split()[-1]


def fingerprint(name: str, groups: tuple[str, ...]) -> str:
    """Digest of samples, prompts, images, episodes and scores of two instances of each group."""
    total = hashlib.blake2b(digest_size=8)
    for task in Subject(name, 2, groups).tasks.values():
        for index in range(2):
            sample = task.sample(index, seed=11)
            policy = "reference" if "reference" in scripts_of(task) else "random"
            total.update(dumps([sample.key, transcript(played(task, sample, policy, "check"))]))
    return total.hexdigest()


def nothing_left(subject: Subject) -> str:
    """After an episode there is no new child process, thread, open file or file in the working directory."""
    task, sample = subject.few(1)[0]
    policy = "reference" if "reference" in scripts_of(task) else "random"
    played(task, sample, policy, "check")  # once, so that caches are built
    with tempfile.TemporaryDirectory() as folder:
        before_dir, place = Path.cwd(), Path(folder)
        os.chdir(place)
        try:
            before = _belongings()
            played(task, sample, policy, "check")
            after = _belongings()
            files = [str(p) for p in place.rglob("*")]
        finally:
            os.chdir(before_dir)
    require(not files, f"an episode wrote into the working directory: {files[:3]}")
    for what, count in after.items():
        require(count <= before[what], f"an episode left {count - before[what]} more {what} behind")
    return "clean"


def _belongings() -> dict[str, int]:
    held = {"threads": threading.active_count()}
    if Path("/proc/self/fd").is_dir():
        held["open files"] = len(os.listdir("/proc/self/fd"))
        children = Path(f"/proc/self/task/{os.getpid()}/children")
        held["child processes"] = len(children.read_text().split()) if children.is_file() else 0
    return held
