"""Executable environments for LLM agents: tasks, episodes, traces and verifiable rewards.

Task packages import everything they need from here; names are loaded on first use, so that `import harness` costs
nothing and no command pays for what it does not use.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from harness.episode import Episode, InlineEpisode
    from harness.errors import HarnessError, Infeasible, Refused, Reject, TaskError, Unsafe, UserError
    from harness.hookspecs import hookimpl
    from harness.images import Image, image, png
    from harness.interaction import AnswerOrNudge, find_answer
    from harness.layers import (
        Card,
        Clock,
        Draft,
        Group,
        Interaction,
        Prompt,
        Response,
        Result,
        Reward,
        Toolset,
        Turn,
        option,
        system,
        user,
    )
    from harness.records import (
        Action,
        Completion,
        Evidence,
        ImagePart,
        Json,
        Limits,
        Log,
        Message,
        Outcome,
        Sample,
        Score,
        Term,
        TextPart,
        ToolCall,
        ToolSchema,
        TurnResult,
        Usage,
    )
    from harness.schema import Doc, Length, Range, Unit
    from harness.scripted import Move, Observation, Scripted, View, call, calls, say
    from harness.seeds import generator
    from harness.task import Task, TaskRef, load_task
    from harness.tools import tool

_HOMES = {
    "episode": "Episode InlineEpisode",
    "errors": "HarnessError Infeasible Refused Reject TaskError Unsafe UserError",
    "hookspecs": "hookimpl",
    "images": "Image image png",
    "interaction": "AnswerOrNudge find_answer",
    "layers": "Card Clock Draft Group Interaction Prompt Response Result Reward Toolset Turn option system user",
    "records": "Action Completion Evidence ImagePart Json Limits Log Message Outcome Sample Score Term TextPart "
    "ToolCall ToolSchema TurnResult Usage",
    "schema": "Doc Length Range Unit",
    "scripted": "Move Observation Scripted View call calls say",
    "seeds": "generator",
    "task": "Task TaskRef load_task",
    "tools": "tool",
}
_HOME = {name: f"harness.{module}" for module, names in _HOMES.items() for name in names.split()}

__version__ = "0.1.0"

__all__ = [
    "Action",
    "AnswerOrNudge",
    "Card",
    "Clock",
    "Completion",
    "Doc",
    "Draft",
    "Episode",
    "Evidence",
    "Group",
    "HarnessError",
    "Image",
    "ImagePart",
    "Infeasible",
    "InlineEpisode",
    "Interaction",
    "Json",
    "Length",
    "Limits",
    "Log",
    "Message",
    "Move",
    "Observation",
    "Outcome",
    "Prompt",
    "Range",
    "Refused",
    "Reject",
    "Response",
    "Result",
    "Reward",
    "Sample",
    "Score",
    "Scripted",
    "Task",
    "TaskError",
    "TaskRef",
    "Term",
    "TextPart",
    "ToolCall",
    "ToolSchema",
    "Toolset",
    "Turn",
    "TurnResult",
    "Unit",
    "Unsafe",
    "Usage",
    "UserError",
    "View",
    "call",
    "calls",
    "find_answer",
    "generator",
    "hookimpl",
    "image",
    "load_task",
    "option",
    "png",
    "say",
    "system",
    "tool",
    "user",
]


def __getattr__(name: str) -> Any:
    home = _HOME.get(name)
    if home is None:
        raise AttributeError(f"module 'harness' has no attribute {name!r}")
    return getattr(importlib.import_module(home), name)
