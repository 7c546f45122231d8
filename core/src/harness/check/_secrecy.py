"""Checks that try to find what must stay hidden in everything that a policy can see."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from attrs import evolve

from harness.check._subject import Subject, played, require
from harness.errors import UserError
from harness.jsonio import dumps, loads
from harness.policies._scripted import scripts_of
from harness.records import Json, Sample
from harness.task import Task

CANARY = "canary-5d41402abc4b2a76"
TAIL = "73519"
"""Digits put behind the sixth of a hidden number: too small to matter, and never there by chance."""


def secrets(subject: Subject) -> str:
    """No secret of an instance occurs in prompt, schemas, tool output, errors, image names or image bytes."""
    count = 0
    for task, sample in subject.few(2):
        identity = task.decode_identity(sample.identity)
        hidden = [s for s in task.secrets(identity) if s]
        for policy, script in scripts_of(task).items():
            if script.play is None or script.view == "oracle":
                continue
            episode = subject.episode(task, sample, policy)
            for place, seen in _visible(episode):
                for secret in hidden:
                    require(
                        secret.encode() not in seen,
                        f"{task.ref.group} #{sample.index}: a secret ({secret[:2]}…, {len(secret)} characters) "
                        f"shows in the {place} that {policy} saw",
                    )
            count += 1
    return f"{count} episodes searched"


def canaries(subject: Subject) -> str:
    """Nothing of the surroundings, and no hidden number of the identity, reaches a policy as it is.

    Canaries are an environment variable, the working directory, and a tail of digits planted in every fraction of the
    identity that the prompt does not tell.
    """
    os.environ["HARNESS_CANARY"] = CANARY
    around = {hidden: repr(hidden) for hidden in (CANARY, os.getcwd() + "/", "site-packages", "Traceback")}
    numbers = 0
    try:
        for task, sample in subject.few(1):
            identity, planted = _planted(task, sample)
            numbers += len(planted)
            marked = evolve(sample, identity=identity)
            for policy in [p for p in ("reference", "random") if p in scripts_of(task)]:
                for place, seen in _visible(played(task, marked, policy, "check")):
                    for hidden, name in (around | planted).items():
                        require(hidden.encode() not in seen, f"{name} shows in the {place} that {policy} saw")
    finally:
        del os.environ["HARNESS_CANARY"]
    return f"none seen; {numbers} of them planted in hidden numbers"


def _planted(task: Task, sample: Sample) -> tuple[dict[str, Json], dict[str, str]]:
    """Mark the hidden fractions of an identity; return it, and what to look for → where it stands."""
    identity: dict[str, Json] = loads(dumps(dict(sample.identity)))
    told = "\n".join(message.text for message in sample.messages)
    marks: dict[str, str] = {}
    for path, value, put in _fractions(identity):
        if repr(value) in told or f"{value:g}" in told:
            continue
        head, _, exponent = f"{value:.5e}".partition("e")
        mark = float(f"{head}{TAIL}e{exponent}")
        put(mark)
        try:
            task.decode_identity(identity)
        except UserError:  # out of its range now
            put(value)
        else:
            marks |= dict.fromkeys((repr(mark), f"{mark:.9g}"), f"the hidden number {path}")
    return identity, marks


def _fractions(value: Json, path: str = "identity") -> Iterator[tuple[str, float, Callable[[float], None]]]:
    """Every number of a JSON value that is no whole one: where, what, and how to replace it."""
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, child in list(items):
        place = f"{path}[{key}]" if isinstance(key, int) else f"{path}.{key}"
        if isinstance(child, float) and not child.is_integer():
            yield place, child, partial(value.__setitem__, key)
        else:
            yield from _fractions(child, place)


def _visible(episode: Any) -> Iterator[tuple[str, bytes]]:
    """Everything that an episode shows to its policy: messages that are not its own, schemas, image bytes."""
    from harness.trace import messages_record

    for message in messages_record(m for m in episode.messages if m.role != "assistant"):
        yield f"{message['role']} message", dumps(message)
    for tool in episode.tools:
        yield f"schema of {tool.name}", dumps(tool.openai())
    for digest, data in episode.blobs.items():
        yield f"image {digest[:8]}", data
