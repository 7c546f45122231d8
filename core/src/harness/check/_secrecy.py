"""Checks that try to find what must stay hidden in everything that a policy can see."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

from harness.check._subject import Subject, played, require
from harness.jsonio import dumps
from harness.policies._scripted import scripts_of

CANARY = "canary-5d41402abc4b2a76"


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
    """Nothing of the surroundings (environment, working directory) reaches a policy."""
    os.environ["HARNESS_CANARY"] = CANARY
    try:
        for task, sample in subject.few(1):
            for policy in [p for p in ("reference", "random") if p in scripts_of(task)]:
                for place, seen in _visible(played(task, sample, policy, "check")):
                    for hidden in (CANARY, os.getcwd() + "/", "site-packages", "Traceback"):
                        require(hidden.encode() not in seen, f"{hidden!r} shows in the {place} that {policy} saw")
    finally:
        del os.environ["HARNESS_CANARY"]
    return "none seen"


def _visible(episode: Any) -> Iterator[tuple[str, bytes]]:
    """Everything that an episode shows to its policy: messages that are not its own, schemas, image bytes."""
    from harness.trace import messages_record

    for message in messages_record(m for m in episode.messages if m.role != "assistant"):
        yield f"{message['role']} message", dumps(message)
    for tool in episode.tools:
        yield f"schema of {tool.name}", dumps(tool.openai())
    for digest, data in episode.blobs.items():
        yield f"image {digest[:8]}", data
