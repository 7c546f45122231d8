"""A description of a task for people and tools, drawn from its card, layers and committed measurements."""

from __future__ import annotations

from importlib import resources

import attrs
import orjson

from harness.certify import package_of
from harness.episode import InlineEpisode
from harness.policies._scripted import scripts_of
from harness.records import Json, Sample
from harness.task import Task, TaskRef, task_of


def describe_task(task: Task, language: str = "en", *, with_prompt: bool = False) -> dict[str, Json]:
    """Describe a task under its options."""
    card = task.card
    sample = task.sample(0, language=language)
    about: dict[str, Json] = {
        "id": card.task_id,
        "title": card.title,
        "summary": card.summary,
        "modality": card.modality,
        "group": task.ref.group,
        "heavy": card.heavy,
        "certified": card.certified,
        "languages": list(card.languages),
        "groups": [
            {"name": name, "options": dict(g.options), "ratio": g.ratio, "summary": g.summary}
            for name, g in card.groups.items()
        ],
        "options": _options(task),
        "tools": [_tool(spec.schema.openai()["function"]) for spec in task.specs.values()],
        "policies": [
            {"name": name, "kind": s.kind, "view": s.view, "summary": s.summary} for name, s in scripts_of(task).items()
        ],
        "limits": {"turns": sample.limits.turns, **sample.limits.budgets, "nudges": sample.limits.nudges},
        "reward": task.reward.id,
        "terms": _terms(task, sample),
        "baselines": baselines(task),
    }
    if with_prompt:
        about["prompt"] = "\n\n".join(f"{m.role}: {m.text}" for m in sample.messages)
    return about


def _options(task: Task) -> list[Json]:
    plain = task_of(TaskRef(task.ref.name, "", {}, task.ref.plugins)).options_json
    return [
        {
            "name": a.name,
            "default": plain[a.name],
            "value": task.options_json[a.name],
            "choices": list(a.metadata.get("choices", ())),
            "help": a.metadata.get("help", ""),
        }
        for a in attrs.fields(task.card.options)
    ]


def _terms(task: Task, sample: Sample) -> list[Json]:
    """The terms by which an episode without any turn is scored; some tasks add others once there is an answer."""
    episode = InlineEpisode(task, sample)
    episode.open()
    score = episode.close().score
    kinds = (("progress", score.progress), ("efficiency", score.efficiency)) if score else ()
    return [{"name": t.name, "kind": kind, "weight": t.weight} for kind, terms in kinds for t in terms]


def _tool(function: dict[str, Json]) -> Json:
    return {
        "name": function["name"],
        "arguments": list(function["parameters"]["properties"]),
        "description": function["description"],
        "parameters": function["parameters"],
    }


def baselines(task: Task) -> list[Json]:
    """Return the measured certification table that ships with a task, as rows; [] when there is none."""
    path = resources.files(package_of(task)).joinpath("results", "suite.json")
    if not path.is_file():
        return []
    measured = orjson.loads(path.read_bytes())["certification"]
    return [{"group": g, "policy": p, **values} for g, policies in measured.items() for p, values in policies.items()]
