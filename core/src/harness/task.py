"""A task ready to use: its card, validated options and the four layers, loaded from an entry point.

`load_task("battery", group="hard")` is the one way in. A `Task` is rebuilt anywhere from its `TaskRef`, which is
plain JSON, so workers and remote machines make their own. Sampling is a pure function of (seed, split, group, index).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache, cached_property
from typing import Any, cast

import attrs
import cattrs
from attrs import field, frozen

from harness import plugins, seeds
from harness.errors import Reject, TaskError, UnknownName, UserError
from harness.images import split_parts
from harness.interaction import AnswerOrNudge
from harness.jsonio import dumps, loads
from harness.layers import Card, Draft, Interaction, Prompt, Reward, Toolset
from harness.logging import Training
from harness.records import Json, Message, Sample, text_message
from harness.schema import Misfit, conform
from harness.scripted import Scripted
from harness.tools import ToolSpec, specs_of

MAX_DRAWS = 2000
"""Draws after which a sampler that never yields an owned instance is given up."""

_converter = cattrs.Converter(detailed_validation=False)


@frozen
class TaskRef:
    """A task as plain data: enough to rebuild it in another process."""

    name: str
    group: str = ""
    options: Mapping[str, Json] = field(factory=dict, hash=False)
    plugins: tuple[str, ...] = ()

    def encode(self) -> bytes:
        """Write as canonical JSON."""
        return seeds.canonical([self.name, self.group, dict(self.options), list(self.plugins)])

    @staticmethod
    def decode(data: bytes) -> TaskRef:
        """Read what `encode` wrote."""
        name, group, options, chosen = loads(data)
        return TaskRef(name, group, options, tuple(chosen))


@frozen
class Proposal:
    """One draw of the sampler.

    Attributes:
        attempt: Number of the draw, from 0; those that were passed over count too.
    """

    identity: Any
    key: str
    attempt: int


class Task:
    """The layers of one task under one set of options."""

    def __init__(self, ref: TaskRef, module: object) -> None:
        self.ref = ref
        hook = plugins.manager(module, ref.name, ref.plugins).hook
        self.card: Card = _required(hook.harness_card(), "harness_card", ref)
        self.options = make_options(self.card, ref.group, ref.options)
        self.prompt: Prompt = _required(hook.harness_prompt(options=self.options), "harness_prompt", ref)
        self.toolset: type[Toolset] = _required(hook.harness_tools(options=self.options), "harness_tools", ref)
        self.reward: Reward = _required(hook.harness_reward(options=self.options), "harness_reward", ref)
        if ref.plugins:
            _require_own_id(
                self.reward, plugins.manager(module, ref.name).hook.harness_reward(options=self.options), ref
            )
        self.training: Training | None = hook.harness_training(options=self.options)
        chosen = hook.harness_interaction(options=self.options)
        self.interaction: Interaction = chosen or AnswerOrNudge(self.specs)
        self.hook = hook

    @property
    def name(self) -> str:
        """Entry point name."""
        return self.card.name

    @cached_property
    def policies(self) -> dict[str, Scripted]:
        """Scripted policies by name."""
        merged: dict[str, Scripted] = {}
        for some in reversed(self.hook.harness_policies(options=self.options)):
            merged.update(some)
        return merged

    @cached_property
    def specs(self) -> dict[str, ToolSpec]:
        """Tools by name."""
        return specs_of(self.toolset)

    @cached_property
    def encoded(self) -> bytes:
        """The reference as bytes, as it travels with every call."""
        return self.ref.encode()

    @cached_property
    def options_json(self) -> dict[str, Json]:
        """The validated options as JSON."""
        return cast(dict[str, Json], _converter.unstructure(self.options))

    @cached_property
    def options_digest(self) -> str:
        """Digest of the options that change which identities are drawn."""
        unseeded = {a.name for a in attrs.fields(self.card.options) if a.metadata.get("seeded") is False}
        seeded = {k: v for k, v in self.options_json.items() if k not in unseeded}
        return seeds.hexdigest(self.card.name, seeded)

    # ---- identities

    def encode_identity(self, identity: Any) -> bytes:
        """Write an identity record as JSON."""
        return dumps(_converter.unstructure(identity))

    def decode_identity(self, data: bytes | Mapping[str, Json]) -> Any:
        """Read an identity strictly: from JSON bytes or a JSON object."""
        value = loads(data) if isinstance(data, bytes) else data
        try:
            return conform(value, self.prompt.identity)
        except Misfit as error:
            raise UserError(f"this is no identity of {self.card.task_id}: {error}") from error

    def key_of(self, identity: Any) -> str:
        """Hash an identity at the task's precision; equal keys mean the same instance."""
        quantised = getattr(self.prompt, "key", None)
        value = quantised(identity) if quantised else seeds.quantise(_converter.unstructure(identity))
        return seeds.hexdigest(self.card.name, value)

    def secrets(self, identity: Any) -> tuple[str, ...]:
        """Strings that would give the solution away."""
        listed = getattr(self.prompt, "secrets", None)
        return tuple(listed(identity)) if listed else ()

    # ---- sampling

    def proposals(self, seed: int, split: str, index: int) -> Iterator[Proposal]:
        """Draw instances for one place of a data set, without end; those owned by other splits are passed over.

        A draw that the sampler rejects has no key, so the words it came from say which split it counts for: with the
        splits' own shares, rejections weigh in each as much as draws do.
        """
        if split not in seeds.SPLITS:
            raise UnknownName("split", split, seeds.SPLITS)
        for attempt in range(MAX_DRAWS):
            words = (self.name, self.options_digest, seed, split, self.ref.group, index, attempt)
            try:
                identity = self.prompt.sample(seeds.generator(*words))
            except Reject:
                if seeds.owner(seeds.hexdigest(*words)) == split:
                    yield Proposal(None, "", attempt)
                continue
            key = self.key_of(identity)
            if seeds.owner(key) == split:
                yield Proposal(identity, key, attempt)
        raise TaskError(
            f"{self.card.task_id} gave no usable instance for split {split!r}, group {self.ref.group!r}, index {index} "
            f"in {MAX_DRAWS} draws: its instance space is too small or its sampler rejects too much"
        )

    def sample(
        self,
        index: int = 0,
        *,
        seed: int = seeds.DEFAULT_SEED,
        split: str = "train",
        language: str = "en",
        accept: Callable[[Any], bool] | None = None,
    ) -> Sample:
        """Return an instance: the first proposal of its place that `accept` agrees to (default: any).

        Args:
            index: Place within (seed, split, group).
            seed: Seed of the data set.
            split: `train`, `validation` or `test`.
            language: Language of the prompt.
            accept: Certification; the number of proposals it saw is kept in `attempts`.
        """
        for tried, proposal in enumerate(self.proposals(seed, split, index), start=1):
            if proposal.identity is not None and (accept is None or accept(proposal.identity)):
                return self.make_sample(proposal, index, seed=seed, split=split, language=language, attempts=tried)
        raise AssertionError("proposals() ends by raising")

    def make_sample(
        self, proposal: Proposal, index: int, *, seed: int, split: str, language: str = "en", attempts: int = 1
    ) -> Sample:
        """Word a proposal."""
        self.check_language(language)
        wording = self.wording_of(proposal.key)
        return Sample(
            task=self.name,
            version=self.card.version,
            options=self.options_json,
            options_digest=self.options_digest,
            split=split,
            group=self.ref.group,
            index=index,
            key=proposal.key,
            identity=loads(self.encode_identity(proposal.identity)),
            messages=self.render(proposal.identity, wording, language)[0],
            wording=wording,
            language=language,
            limits=self.prompt.limits(proposal.identity),
            seed=seed,
            attempts=attempts,
        )

    def wording_of(self, key: str) -> int:
        """Choose the wording of an instance; not part of its key."""
        return seeds.integer("wording", key) % self.card.wordings

    def check_language(self, language: str) -> None:
        """Refuse a language that the task does not speak."""
        if language not in self.card.languages:
            raise UnknownName("language", language, self.card.languages)

    def render(self, identity: Any, wording: int, language: str) -> tuple[tuple[Message, ...], dict[str, bytes]]:
        """Return the prompt messages of an instance and its image bytes by hash."""
        written = self.prompt.messages(identity, wording, language)
        if isinstance(written, str):
            return (text_message("user", written),), {}
        return normalise(written)


def normalise(drafts: Sequence[Draft | Message]) -> tuple[tuple[Message, ...], dict[str, bytes]]:
    """Turn drafts into messages and the image bytes that travel beside them."""
    messages: list[Message] = []
    blobs: dict[str, bytes] = {}
    for draft in drafts:
        if isinstance(draft, Message):
            messages.append(draft)
            continue
        content, found = split_parts(draft.parts)
        messages.append(Message(draft.role, content))
        blobs |= found
    return tuple(messages), blobs


def load_task(
    name: str, group: str = "", options: Mapping[str, Json] | None = None, with_plugins: Sequence[str] = ()
) -> Task:
    """Load a task by its entry point name (`battery`, or `harness-task-battery:battery`).

    Args:
        name: Entry point name; a version suffix such as `-v1` is checked if given.
        group: Group whose options are the starting point; empty means the defaults of the options class.
        options: Options to set on top.
        with_plugins: Names of plugins that replace or extend layers, in order.
    """
    return task_of(TaskRef(name, group, dict(options or {}), tuple(with_plugins)))


def task_of(ref: TaskRef) -> Task:
    """Return the task of a reference; one object per process and reference."""
    return _cached(ref.encode())


@cache
def _cached(encoded: bytes) -> Task:
    ref = TaskRef.decode(encoded)
    short, _, version = ref.name.partition("-v") if _has_version(ref.name) else (ref.name, "", "")
    task = Task(attrs.evolve(ref, name=short), plugins.load(short, "harness.tasks", "task"))
    if version and int(version) != task.card.version:
        raise UserError(f"task {ref.name!r} is not installed; {task.card.task_id} is")
    return task


def _has_version(name: str) -> bool:
    stem, found, number = name.rpartition("-v")
    return bool(found) and bool(stem) and number.isdigit()


def make_options(card: Card, group: str, given: Mapping[str, Json]) -> Any:
    """Validate options: defaults of the class, the group's preset, then what was given."""
    if group and group not in card.groups:
        raise UnknownName(f"group of {card.name}", group, card.groups)
    preset = dict(card.groups[group].options) if group else {}
    known = [a.name for a in attrs.fields(card.options)]
    for name in given:
        if name not in known:
            raise UnknownName(f"option of {card.name}", name, known, f"see `harness show {card.name}`")
    try:
        return conform(preset | dict(given), card.options, "")
    except Misfit as error:
        raise UserError(f"options of {card.name}: {error}") from error


def _required(answer: Any, hook: str, ref: TaskRef) -> Any:
    if answer is None:
        raise TaskError(f"task {ref.name!r} does not answer {hook}(): every task must")
    return answer


def _require_own_id(reward: Reward, original: Reward, ref: TaskRef) -> None:
    """Refuse plugins that change scoring under the name of the task's own: such runs would be compared."""
    if type(reward) is not type(original) and reward.id == original.id:
        raise TaskError(
            f"plugins {', '.join(ref.plugins)} replace the reward of {ref.name!r} under the id {reward.id!r}: "
            "a reward that scores differently needs an id of its own"
        )
