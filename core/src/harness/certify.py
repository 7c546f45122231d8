"""Certified instances: propose, then prove that competence passes and laziness does not.

An instance is accepted if the task's reference policy, acting only through tools, succeeds on it, every lazy policy
fails, and both with the margin that the card asks for. `certified_sample` is as much a pure function of its place in
the data set as `Task.sample` is. Results are cached by everything they depend on, the task's sources included; the
held-out rows of the default seed ship inside the task's package.
"""

from __future__ import annotations

import hashlib
import os
import sys
from collections.abc import Iterator, Mapping
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any

import orjson
from attrs import field, frozen

from harness import seeds
from harness.errors import TaskError, UserError
from harness.policies._scripted import play_inline, scripts_of
from harness.records import Json, Outcome, Sample
from harness.task import Proposal, Task, TaskRef, task_of
from harness.world import pack, unpack

TARGET = "harness.certify:perform"

HELDOUT_SPLIT = "test"
HELDOUT_COUNT = 100

SECONDS = 600.0
"""Time limit of certifying one place."""

MAX_ATTEMPTS = 50
"""Proposals after which a place that certifies none is a bug of the task."""


@frozen
class Verdict:
    """What certification says of one instance.

    Attributes:
        reason: Empty when accepted; else which policy broke which rule.
        rewards: Policy → reward, for those that were played.
    """

    accepted: bool
    reason: str = ""
    rewards: Mapping[str, float | None] = field(factory=dict)


def judge(task: Task, sample: Sample) -> Verdict:
    """Play reference and lazy policies on an instance; stops at the first rule that is broken.

    Raises:
        TaskError: A policy's episode was invalid, which is a bug in the task.
    """
    rewards: dict[str, float | None] = {}
    scripts = {n: s for n, s in scripts_of(task).items() if s.kind in ("reference", "lazy") and s.play is not None}
    if "reference" not in scripts:
        raise TaskError(f"{task.card.task_id} has no policy named 'reference'; a certified task must")
    for name in sorted(scripts, key=lambda n: n != "reference"):
        outcome = play_inline(task, sample, scripts[name], "certify").outcome
        if outcome.status != "scored":
            raise TaskError(
                f"{task.card.task_id}: {name} on {sample.key}: {outcome.reason}: {outcome.detail}\n{outcome.evidence}"
            )
        rewards[name] = outcome.reward
        wrong = _broken_rule(outcome, name == "reference", task.card.margin)
        if wrong:
            return Verdict(False, f"{name} {wrong}", rewards)
    return Verdict(True, "", rewards)


def _broken_rule(outcome: Outcome, should_succeed: bool, least: float) -> str:
    margin = outcome.score.margin if outcome.score else None
    if outcome.success != should_succeed:
        return "succeeded" if outcome.success else f"failed ({outcome.reason})"
    if margin is not None and least > 0 and abs(margin) < least:
        return f"is within {least:g} of the boundary ({margin:.3g})"
    return ""


def certified_sample(
    task: Task, index: int, *, seed: int = seeds.DEFAULT_SEED, split: str = "train", language: str = "en"
) -> Sample:
    """Return the first certified proposal of a place.

    Raises:
        TaskError: None of `MAX_ATTEMPTS` proposals is certified; the last reasons are named.
    """
    reasons: list[str] = []

    def wanted(sample: Sample) -> bool:
        verdict = judge(task, sample)
        reasons.append(verdict.reason)
        return verdict.accepted

    for tried, proposal in enumerate(owned(task, seed, split, index), start=1):
        if proposal.identity is None:
            reasons.append("the sampler rejected its own draw")
        else:
            sample = task.make_sample(proposal, index, seed=seed, split=split, language=language, attempts=tried)
            if wanted(sample):
                return sample
        if tried >= MAX_ATTEMPTS:
            break
    shown = "; ".join(dict.fromkeys(filter(None, reasons[-5:])))
    raise TaskError(
        f"{task.card.task_id} {task.ref.group}: no certified instance in {MAX_ATTEMPTS} proposals ({shown})"
    )


def owned(task: Task, seed: int, split: str, index: int) -> Iterator[Proposal]:
    """Yield the proposals of a place: owned by the split, or rejected by the sampler itself."""
    return task.proposals(seed, split, index)


# ---- in workers


def perform(request: bytes) -> bytes:
    """Certify one place in a worker: the target of backend calls."""
    head, frames = unpack(request)
    task = task_of(TaskRef.decode(frames[0]))
    draw = certified_sample if head["certify"] else Task.sample
    sample = draw(task, head["index"], seed=head["seed"], split=head["split"])
    return pack(row_of(sample))


def request_for(task: Task, index: int, seed: int, split: str, certify: bool = True) -> bytes:
    """Write the request that `perform` reads."""
    return pack({"index": index, "seed": seed, "split": split, "certify": certify}, task.ref.encode())


def read_row(reply: bytes) -> dict[str, Json]:
    """Read the answer of `perform`."""
    return unpack(reply)[0]


def row_of(sample: Sample) -> dict[str, Json]:
    """Write what cannot be rebuilt of a sample as a row."""
    return {
        "group": sample.group,
        "index": sample.index,
        "key": sample.key,
        "identity": dict(sample.identity),
        "attempts": sample.attempts,
    }


def sample_of(task: Task, row: Mapping[str, Json], *, seed: int, split: str, language: str = "en") -> Sample:
    """Rebuild a sample from its row; the key must still be the one of the identity.

    Raises:
        UserError: The row does not fit the installed version of the task.
    """
    identity = task.decode_identity(row["identity"])
    key = task.key_of(identity)
    if key != row["key"]:
        raise UserError(
            f"row {row['index']} of {task.card.task_id} {row['group']} has key {row['key']}, its identity {key}: "
            "it was made by another version of the task"
        )
    proposal = Proposal(identity, key, 0)
    return task.make_sample(
        proposal, row["index"], seed=seed, split=split, language=language, attempts=row.get("attempts", 1)
    )


# ---- held-out rows


def heldout_rows(task: Task) -> list[dict[str, Json]]:
    """Return the certified held-out rows that ship with a task's package, for the group of this task; [] if none do."""
    folder = resources.files(package_of(task)).joinpath("heldout", f"{task.ref.group}.jsonl.zst")
    if not folder.is_file():
        return []
    import zstandard

    text = zstandard.ZstdDecompressor().decompress(folder.read_bytes(), max_output_size=1 << 28)
    return [orjson.loads(line) for line in text.splitlines()]


def write_heldout(task: Task, rows: list[dict[str, Json]], folder: Path) -> Path:
    """Write rows as the held-out file of the task's group."""
    import zstandard

    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{task.ref.group}.jsonl.zst"
    text = b"".join(seeds.canonical(row) + b"\n" for row in rows)
    path.write_bytes(zstandard.ZstdCompressor(level=19, write_content_size=True).compress(text))
    return path


def uses_heldout(task: Task, seed: int, split: str) -> bool:
    """Whether the shipped rows answer a request: default seed, split `test`, and the group's own options."""
    return seed == seeds.DEFAULT_SEED and split == HELDOUT_SPLIT and task.options_digest == _plain(task).options_digest


def _plain(task: Task) -> Task:
    return task_of(TaskRef(task.ref.name, task.ref.group))


# ---- cache


def package_of(task: Task) -> str:
    """Name of the Python package that a task comes from."""
    return type(task.prompt).__module__.split(".")[0]


@cache
def source_digest(package: str) -> str:
    """Digest of an installed package's sources."""
    module = sys.modules.get(package) or __import__(package)
    return folder_digest(Path(str(module.__file__)).parent)


def folder_digest(root: Path) -> str:
    """Digest of a package folder: Python files and data, without held-out rows, results and caches."""
    total = hashlib.blake2b(digest_size=8)
    for path in sorted(root.rglob("*")):
        inside = path.relative_to(root)
        if path.is_file() and "__pycache__" not in inside.parts and inside.parts[0] not in ("heldout", "results"):
            total.update(f"{inside}\0".encode() + path.read_bytes() + b"\0")
    return total.hexdigest()


class RowCache:
    """Certified rows on disk, one file per task state, seed and split; lines are appended as they are made."""

    def __init__(self, task: Task, seed: int, split: str) -> None:
        words = (task.card.task_id, source_digest(package_of(task)), task.options_digest, task.reward.id, seed, split)
        root = Path(
            os.environ.get("HARNESS_CACHE") or Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache") / "harness"
        ).expanduser()
        self.path = root / "certified" / f"{task.name}-{task.ref.group or 'default'}-{seeds.hexdigest(*words)}.jsonl"
        self._rows = {row["index"]: row for row in self._read()}

    def get(self, index: int) -> dict[str, Json] | None:
        """Return the row of a place, if it is known."""
        return self._rows.get(index)

    def put(self, row: dict[str, Json]) -> None:
        """Keep a row; a cache that cannot be written is no error."""
        self._rows[row["index"]] = row
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with self.path.open("ab") as file:
                file.write(seeds.canonical(row) + b"\n")
        except OSError:
            return

    def _read(self) -> Iterator[Any]:
        if not self.path.is_file():
            return
        for line in self.path.read_bytes().splitlines():
            try:
                yield orjson.loads(line)
            except orjson.JSONDecodeError:
                continue
