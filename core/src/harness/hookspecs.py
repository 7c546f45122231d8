"""Every hook of the system, in the order in which data flows through an episode.

A task is a module with the first six; a plugin chosen with `--with NAME` may implement any of them to replace or
extend a layer, and the last three to take part in rollout, logging and training. Hooks are synchronous, are called
once when a task or a run is set up, and return objects; per-turn and asynchronous work is done by what they return.

"First result" means that the implementation registered last is asked first and the first answer that is not None wins.
To extend rather than replace, write `@hookimpl(wrapper=True)` and change what `yield` returns.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import pluggy

if TYPE_CHECKING:
    from harness.layers import Card, Interaction, Prompt, Reward, Toolset
    from harness.logging import Logger, Observer, RunInfo, Training
    from harness.scripted import Scripted

hookspec = pluggy.HookspecMarker("harness")
hookimpl = pluggy.HookimplMarker("harness")


@hookspec(firstresult=True)
def harness_card() -> Card:
    """Say what the task is: name, version, options class, groups. First result; every task must answer.

    Called when a task is loaded, before its options are known. Plugins that extend a task leave it alone.
    """
    raise NotImplementedError


@hookspec(firstresult=True)
def harness_prompt(options: Any) -> Prompt:
    """Return the prompt layer: proposes instances and words them. First result; every task must answer.

    Args:
        options: Validated instance of the card's options class.
    """
    raise NotImplementedError


@hookspec(firstresult=True)
def harness_tools(options: Any) -> type[Toolset]:
    """Return the toolset class: the world of an episode and its callable methods. First result; every task must answer.

    Args:
        options: Validated instance of the card's options class.
    """
    raise NotImplementedError


@hookspec(firstresult=True)
def harness_interaction(options: Any) -> Interaction | None:
    """Return the interaction layer. First result; default: accept a typed final answer, else nudge.

    Args:
        options: Validated instance of the card's options class.
    """
    raise NotImplementedError


@hookspec(firstresult=True)
def harness_reward(options: Any) -> Reward:
    """Return the reward layer. First result; every task must answer. A replacement must have its own `id`.

    Args:
        options: Validated instance of the card's options class.
    """
    raise NotImplementedError


@hookspec
def harness_policies(options: Any) -> Mapping[str, Scripted]:
    """Return scripted policies of the task by name: `reference`, lazy ones, adversaries. All results are merged.

    Args:
        options: Validated instance of the card's options class.
    """
    raise NotImplementedError


@hookspec
def harness_rollout(run: RunInfo) -> Observer | None:
    """Return an observer that is told of every finished episode of a run, in the order of finishing.

    All results are used; default: none.

    Args:
        run: What is being run: tasks, policy, folder, digest.
    """
    raise NotImplementedError


@hookspec
def harness_logger(run: RunInfo) -> Logger | None:
    """Return a sink for the metrics of a run (a dashboard, a file). All results are used; default: none.

    Args:
        run: What is being run: tasks, policy, folder, digest.
    """
    raise NotImplementedError


@hookspec(firstresult=True)
def harness_training(options: Any) -> Training | None:
    """Return the shaping of the training reward, recorded beside the outcome and never used in evaluation.

    First result; default: trainers get the total of the reward layer.

    Args:
        options: Validated instance of the card's options class.
    """
    raise NotImplementedError
