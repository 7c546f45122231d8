"""Policies that need no model: scripts of a task, random legal play, a file of the user's, a recorded run.

`reference`, `lazy:NAME` and `adversary:NAME` are the scripts that a task declares; `random` draws legal calls from
the tool schemas unless the task has a better idea of legal; `script:FILE.py:NAME` runs a generator from a file.
"""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Generator, Mapping, Sequence
from pathlib import Path
from typing import Any, cast

from attrs import evolve

from harness import seeds
from harness.errors import PolicyFault, TaskError, UnknownName, UserError
from harness.policies import Context, Setup
from harness.policies._legal import draw_arguments
from harness.records import Completion, ImagePart, Limits, Message, Sample, ToolSchema
from harness.scripted import Move, Observation, Play, Script, Scripted, View, call, facts_of
from harness.task import Task


def random_legal(view: View) -> Generator[Move, Observation, None]:
    """Call random tools with random arguments that fit their schemas, until the turns are over."""
    for _ in range(view.limits.turns):
        schema = view.tools[int(view.rng.integers(len(view.tools)))]
        yield call(schema.name, **draw_arguments(schema.parameters, view.rng))


RANDOM = Scripted(random_legal, "lazy", summary="random tools with random arguments that fit their schemas")


def scripts_of(task: Task) -> dict[str, Scripted]:
    """All scripted policies of a task by name, `random` included."""
    return {"random": RANDOM} | task.policies


def find_script(task: Task, name: str) -> Scripted:
    """Return a task's scripted policy; `lazy:NAME` and `adversary:NAME` also say of which kind it is."""
    kind, _, short = name.rpartition(":")
    known = scripts_of(task)
    if short not in known or (kind and known[short].kind != kind):
        names = [n if n in ("reference", "random") else f"{s.kind}:{n}" for n, s in known.items()]
        raise UnknownName(f"policy of {task.name}", name, names)
    return known[short]


def make_view(
    task: Task,
    sample: Sample,
    messages: Sequence[Message],
    tools: tuple[ToolSchema, ...],
    script: Scripted,
    rng_words: tuple[Any, ...],
) -> View:
    """Give a script what a policy of its view may see."""
    identity = task.decode_identity(sample.identity)
    sees_images = script.view in ("perception", "oracle")
    return View(
        prompt="\n".join(m.text for m in messages),
        facts=task.prompt.facts(identity, sample.language),
        tools=tools,
        limits=sample.limits,
        language=sample.language,
        rng=seeds.generator("policy", sample.task, sample.key, *rng_words),
        options=task.options,
        image_facts=facts_of(messages) if sees_images else {},
        identity=identity if script.view == "oracle" else None,
    )


def shown(messages: Sequence[Message], script: Scripted) -> tuple[Message, ...]:
    """Hide what is printed in images from scripts that do not perceive."""
    if script.view in ("perception", "oracle"):
        return tuple(messages)
    return tuple(evolve(m, content=tuple(_blind(p) for p in m.content)) for m in messages)


def _blind(part: Any) -> Any:
    return evolve(part, facts={}) if isinstance(part, ImagePart) else part


def quartered(limits: Limits) -> Limits:
    """Return limits with a quarter of every budget, at least one call each."""
    return evolve(limits, budgets={k: max(1, v // 4) for k, v in limits.budgets.items()})


class ScriptedPolicy:
    """A scripted policy of a task, or one function for all tasks."""

    def __init__(self, name: str, view: str = "observation", play: Play | None = None) -> None:
        self.name, self.view, self._play = name, view, play

    def view_of(self, task: Task) -> str:
        """The view of the script that this policy plays on a task."""
        return self._script(task).view

    async def start(self, context: Context) -> ScriptedPlayer:
        """Make the player of one episode."""
        task = cast(Task, context.task)
        script = self._script(task)
        _require_play(script, self.name)
        return ScriptedPlayer(task, context, script)

    def _script(self, task: Task) -> Scripted:
        return Scripted(self._play, "adversary") if self._play else find_script(task, self.name)

    async def close(self) -> None:
        """Hold nothing."""


class ScriptedPlayer:
    """A script in one episode."""

    def __init__(self, task: Task, context: Context, script: Scripted) -> None:
        self._task, self._context, self._spec = task, context, script
        self._script: Script | None = None
        self._seen = 0

    async def reply(self, messages: Sequence[Message], tools: Sequence[ToolSchema]) -> Completion:
        """Advance the script by one turn; what it raises is the policy's fault."""
        if self._script is None:
            self._script = Script(cast(Play, self._spec.play), self._view(messages, tools))
            new: tuple[Message, ...] = ()
        else:
            new = shown(messages[self._seen + 1 :], self._spec)
        self._seen = len(messages)
        try:
            return self._script.reply(new)
        except Exception as error:
            raise PolicyFault(f"the script raised {type(error).__name__}: {error}") from error

    async def close(self) -> None:
        """End the script."""
        if self._script is not None:
            self._script.close()

    def _view(self, messages: Sequence[Message], tools: Sequence[ToolSchema]) -> View:
        words = (self._context.seed, self._context.repetition)
        return make_view(self._task, self._context.sample, messages, tuple(tools), self._spec, words)


def scripted_policy(name: str, argument: str, setup: Setup) -> ScriptedPolicy:
    """Make `reference`, `random`, `lazy:NAME` or `adversary:NAME`; the name is checked if the task is known."""
    full = f"{name}:{argument}" if argument else name
    if setup.task is None:
        return ScriptedPolicy(full)
    script = find_script(setup.task, full)
    _require_play(script, full)
    return ScriptedPolicy(full, script.view)


def _require_play(script: Scripted, name: str) -> None:
    if script.play is None:
        raise UserError(f"policy {name!r} is fitted to training instances first: it plays in `harness check --suite`")


def file_policy(argument: str, setup: Setup) -> ScriptedPolicy:
    """Make `script:FILE.py:NAME`: a generator function `(view) -> moves` from a file.

    Raises:
        UserError: The file or the function does not exist, or the file raises.
    """
    path, _, name = argument.rpartition(":")
    if not path:
        raise UserError(f"policy 'script:{argument}': expected script:FILE.py:NAME")
    module = _load_file(Path(path))
    known = [n for n, v in vars(module).items() if callable(v) and not n.startswith("_")]
    if name not in known:
        raise UnknownName(f"function in {path}", name, known)
    play: Mapping[str, Any] = vars(module)
    return ScriptedPolicy(f"script:{Path(path).name}:{name}", "observation", play[name])


def _load_file(path: Path) -> Any:
    if not path.is_file():
        raise UserError(f"policy file {str(path)!r} does not exist")
    spec = importlib.util.spec_from_file_location(f"harness_script_{path.stem}", path)
    if spec is None or spec.loader is None:
        raise UserError(f"policy file {str(path)!r} is no Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        raise UserError(f"policy file {str(path)!r} cannot be run: {type(error).__name__}: {error}") from error
    return module


def play_inline(task: Task, sample: Sample, script: Scripted, *rng_words: Any) -> Any:
    """Play a script to the end in this process; return the closed `InlineEpisode`."""
    from harness.episode import InlineEpisode

    if script.play is None:
        raise TaskError("a fitted policy has to be fitted before it can play")
    episode = InlineEpisode(task, sample)
    episode.open()
    if not episode.done:
        view = make_view(task, sample, episode.messages, episode.tools, script, rng_words)
        driver = Script(script.play, view)
        turn = episode.step(driver.reply(()))
        while not turn.done:
            turn = episode.step(driver.reply(shown(turn.messages, script)))
        driver.close()
    episode.close()
    return episode


def reference_policy(argument: str, setup: Setup) -> ScriptedPolicy:
    """Make `reference`."""
    return scripted_policy("reference", argument, setup)


def random_policy(argument: str, setup: Setup) -> ScriptedPolicy:
    """Make `random`."""
    return scripted_policy("random", argument, setup)


def lazy_policy(argument: str, setup: Setup) -> ScriptedPolicy:
    """Make `lazy:NAME`."""
    return scripted_policy("lazy", argument, setup)


def adversary_policy(argument: str, setup: Setup) -> ScriptedPolicy:
    """Make `adversary:NAME`."""
    return scripted_policy("adversary", argument, setup)
