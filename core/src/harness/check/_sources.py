"""Checks of what a task declares: card, schemas, sampling, splits, wordings, shipped rows."""

from __future__ import annotations

import re
import subprocess
import sys

import orjson

from harness import certify, seeds
from harness.check._subject import SEED, Subject, require
from harness.policies._scripted import scripts_of
from harness.records import ImagePart
from harness.task import Task

IMPORT_SECONDS = 1.0
NEIGHBOURS = 15


def card(subject: Subject) -> str:
    """The card is complete and every group's options are valid."""
    made = subject.first.card
    require(bool(made.title and made.summary), "the card needs a title and a summary")
    for task in subject.tasks.values():
        require(bool(task.reward.id), "the reward layer needs an id that changes when scoring does")
    if made.certified:
        scripts = scripts_of(subject.first)
        require("reference" in scripts, "a certified task needs a policy named 'reference'")
        lazies = [n for n, s in scripts.items() if s.kind == "lazy" and n != "random"]
        require(bool(lazies), "a certified task needs lazy policies that must fail")
        require(scripts["reference"].view != "oracle", "the reference may not look at the identity (view 'oracle')")
    return f"{made.task_id}, groups {', '.join(subject.tasks)}"


def schemas(subject: Subject) -> str:
    """Tool schemas are plain JSON, documented, and survive a round trip through JSON text."""
    count = 0
    for task in subject.tasks.values():
        for spec in task.specs.values():
            rendered = spec.schema.openai()
            again = orjson.loads(orjson.dumps(rendered))
            require(again == rendered, f"tool {spec.name}: the schema changes on its way through JSON")
            require(re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]{0,63}", spec.name) is not None, f"tool name {spec.name!r}")
            for name, shape in spec.schema.parameters["properties"].items():
                require(bool(shape.get("description")), f"{spec.name}.{name} has no description: add it to Args")
            count += 1
    return f"{count} tools"


def light_import(subject: Subject) -> str:
    """Importing the task's module takes no heavy library along."""
    module = type(subject.first.prompt).__module__.split(".")[0]
    code = f"import time,{module}; t=time.process_time(); import {module}.task; print(time.process_time()-t)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, env=_environment())
    require(done.returncode == 0, f"{module}.task cannot be imported alone: {done.stderr.strip()[-300:]}")
    seconds = float(done.stdout.split()[-1])
    require(
        seconds < IMPORT_SECONDS,
        f"importing {module}.task takes {seconds:.2f} s of CPU; import heavy libraries inside functions",
    )
    return f"{1000 * seconds:.0f} ms of CPU"


def _environment() -> dict[str, str]:
    import os

    return {**os.environ, "PYTHONPATH": ":".join(p for p in sys.path if p)}


def sampling_repeats(subject: Subject) -> str:
    """The same place gives the same instance, in any order."""
    for task in subject.tasks.values():
        forward = [task.sample(i, seed=SEED).identity for i in range(5)]
        backward = [task.sample(i, seed=SEED).identity for i in reversed(range(5))][::-1]
        require(forward == backward, f"group {task.ref.group}: a draw depends on the order; use only the given rng")
        identity = task.decode_identity(forward[0])
        again = orjson.loads(task.encode_identity(identity))
        require(again == forward[0], "an identity changes on its way through JSON; use plain JSON values in the record")
        wordings = {task.sample(i, seed=SEED).wording for i in range(30)}
        require(
            len(wordings) == task.card.wordings or task.card.wordings == 1, f"wordings drawn in 30 samples: {wordings}"
        )
    return f"{len(subject.tasks)} groups"


def disjoint(subject: Subject) -> str:
    """Splits, neighbouring seeds and indices share no instance."""
    repeats = 0
    for task in subject.tasks.values():
        keys: dict[str, str] = {}
        for split in seeds.SPLITS:
            for seed in (SEED, SEED + 1):
                for index in range(NEIGHBOURS):
                    key = next(p.key for p in task.proposals(seed, split, index) if p.identity is not None)
                    require(seeds.owner(key) == split, f"instance {key} of split {split} belongs to {seeds.owner(key)}")
                    repeats += key in keys and keys[key] == split
                    require(keys.get(key, split) == split, f"instance {key} stands in {split} and {keys.get(key)}")
                    keys[key] = split
    total = len(subject.tasks) * len(seeds.SPLITS) * 2 * NEIGHBOURS
    return f"{total} draws, {repeats} repeated within their split" + (
        " (a small instance space)" if repeats > total / 20 else ""
    )


def wordings(subject: Subject) -> str:
    """Every wording in every language carries every fact, and tells the turn limit and every budget."""
    count = 0
    for task in subject.tasks.values():
        for index in range(3):
            identity = task.decode_identity(task.sample(index, seed=SEED).identity)
            for language in task.card.languages:
                texts = [_require_facts(task, identity, wording, language) for wording in range(task.card.wordings)]
                require(
                    len(set(texts)) == len(texts), f"{task.ref.group}: two wordings in {language} are the same text"
                )
                count += len(texts)
    return f"{count} prompts"


def _require_facts(task: Task, identity: object, wording: int, language: str) -> str:
    messages, _ = task.render(identity, wording, language)
    text = "\n".join(m.text for m in messages)
    place = f"{task.ref.group} wording {wording} ({language})"
    for name, fact in task.prompt.facts(identity, language).items():
        require(str(fact) in text, f"{place} does not carry the fact {name} = {fact!r}")
    limits = task.prompt.limits(identity)
    numbers = set(re.findall(r"\d+", text))
    require(str(limits.turns) in numbers, f"{place} does not tell the turn limit {limits.turns}")
    for budget, total in limits.budgets.items():
        require(str(total) in numbers, f"{place} does not tell the budget {budget} = {total}")
    for m in messages:
        for part in m.content:
            require(not isinstance(part, ImagePart) or len(part.sha256) == 64, f"{place} has an image without a hash")
    return text


def heldout(subject: Subject) -> str:
    """The held-out rows ship with the package, belong to the test split and fit the installed task."""
    if not subject.first.card.certified:
        return "not a certified task"
    for group, task in subject.tasks.items():
        rows = certify.heldout_rows(task)
        require(
            len(rows) >= certify.HELDOUT_COUNT,
            f"{group}: {len(rows)} held-out rows, {certify.HELDOUT_COUNT} asked; run `harness certify {task.name}`",
        )
        for row in rows:
            sample = certify.sample_of(task, row, seed=seeds.DEFAULT_SEED, split=certify.HELDOUT_SPLIT)
            require(
                seeds.owner(sample.key) == certify.HELDOUT_SPLIT,
                f"row {row['index']} of {group} is not of the test split",
            )
    return f"{certify.HELDOUT_COUNT} rows in each of {len(subject.tasks)} groups"
