"""From a trace to numbers per task and group, always saying over how many of how many.

A report is computed from the file alone, so a resumed run and an uninterrupted one give the same. Where an episode was
played again after an invalid try, its last record counts.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from math import fsum
from pathlib import Path
from typing import TYPE_CHECKING, Any

from harness.jsonio import dumps
from harness.records import Json
from harness.statistics import pass_at_k, wilson

if TYPE_CHECKING:
    from rich.table import Table

TRUNCATED = ("length_truncated", "context_overflow")


def last_records(records: Iterable[Mapping[str, Any]]) -> list[dict[str, Json]]:
    """Reduce episode records to what reports need, the last one of each (task, group, index, repetition)."""
    latest: dict[tuple[Any, ...], dict[str, Json]] = {}
    for record in records:
        if record.get("type", "episode") == "episode":
            latest[episode_name(record)] = _slim(record)
    return list(latest.values())


def episode_name(record: Mapping[str, Any]) -> tuple[str, str, str, int, int]:
    """What identifies an episode within a run."""
    sample = record["sample"]
    return sample["task"], sample["split"], sample["group"], sample["index"], record["repetition"]


def _slim(record: Mapping[str, Any]) -> dict[str, Json]:
    outcome, usage = record["outcome"], record.get("usage") or {}
    sample = record["sample"]
    return {
        "task": sample["task"],
        "group": sample["group"],
        "instance": (sample["group"], sample["index"], sample["key"]),
        "status": outcome["status"],
        "reason": outcome["reason"],
        "success": outcome["success"],
        "reward": outcome["reward"],
        "reward_id": outcome.get("reward_id", ""),
        "tokens": (usage.get("prompt_tokens", 0), usage.get("completion_tokens", 0)),
        "turns": (record.get("log") or {}).get("turns", 0),
    }


def summarise(episodes: list[dict[str, Json]]) -> dict[str, Json]:
    """Summarise episodes of one task or group."""
    scored = [e for e in episodes if e["status"] == "scored"]
    n, wins = len(scored), sum(e["success"] for e in scored)
    by_instance: dict[Any, list[dict[str, Json]]] = defaultdict(list)
    for episode in scored:
        by_instance[episode["instance"]].append(episode)
    k = max(map(len, by_instance.values()), default=1)
    means = [sum(e["success"] for e in plays) / len(plays) for plays in by_instance.values()]
    summary: dict[str, Json] = {
        "episodes": len(episodes),
        "scored": n,
        "success": wins / n if n else None,
        "mean_reward": fsum(e["reward"] for e in scored) / n if n else None,
        "ci95": list(wilson(fsum(means), len(means))) if n else None,
        "truncated": sum(e["reason"] in TRUNCATED for e in scored) / n if n else None,
        "turns": sum(e["turns"] for e in scored) / n if n else None,
        "reasons": dict(sorted(Counter(e["reason"] for e in episodes).items(), key=lambda item: (-item[1], item[0]))),
        "tokens": {
            "prompt": sum(e["tokens"][0] for e in episodes),
            "completion": sum(e["tokens"][1] for e in episodes),
        },
    }
    if k > 1:
        complete = [plays for plays in by_instance.values() if len(plays) == k]
        summary["k"] = k
        summary["pass_at_k"] = _mean([pass_at_k(sum(e["success"] for e in p), k, k) for p in complete])
        summary["groups_complete"], summary["groups_dropped"] = len(complete), _instances(episodes) - len(complete)
    return summary


def _instances(episodes: list[dict[str, Json]]) -> int:
    return len({e["instance"] for e in episodes})


def _mean(values: list[float]) -> float | None:
    return fsum(values) / len(values) if values else None


def make_report(records: Iterable[Mapping[str, Any]], modalities: Mapping[str, str] | None = None) -> dict[str, Json]:
    """Build a report: per task, per group, and averages over text and vision tasks.

    Args:
        records: Trace records, as read.
        modalities: Task → `text` or `vision`, for the averages.
    """
    episodes = last_records(records)
    tasks: dict[str, Json] = {}
    for name in sorted({e["task"] for e in episodes}):
        mine = [e for e in episodes if e["task"] == name]
        groups = {g: summarise([e for e in mine if e["group"] == g]) for g in sorted({e["group"] for e in mine})}
        tasks[name] = summarise(mine) | {"reward_id": sorted({e["reward_id"] for e in mine} - {""}), "groups": groups}
    report: dict[str, Json] = {"tasks": tasks}
    averages = _averages(tasks, modalities or {})
    return report | ({"averages": averages} if averages else {})


def _averages(tasks: Mapping[str, Json], modalities: Mapping[str, str]) -> dict[str, Json]:
    averages: dict[str, Json] = {}
    for modality in ("text", "vision"):
        found = [t["success"] for n, t in tasks.items() if modalities.get(n) == modality]
        rates = [rate for rate in found if rate is not None]
        if rates:
            averages[modality] = {"tasks": len(rates), "of": len(found), "success": _mean(rates)}
    return averages


def write_report(report: Mapping[str, Json], folder: Path) -> None:
    """Write `report.json` into a run folder, atomically."""
    draft = folder / "report.json.part"
    draft.write_bytes(dumps(report))
    draft.replace(folder / "report.json")


def percent(value: float | None) -> str:
    """Write a rate as a percentage; a dash when there is none."""
    return "–" if value is None else f"{100 * value:.1f} %"


def report_table(report: Mapping[str, Json], *, groups: bool = True) -> Table:
    """Lay a report out as a table."""
    from rich.table import Table

    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("task")
    for title in ("success", "95 % interval", "mean reward", "scored", "truncated", "turns"):
        table.add_column(title, justify="right")
    repeated = any("k" in summary for summary in report["tasks"].values())
    if repeated:
        table.add_column("pass@k", justify="right")
    table.add_column("reasons")
    for name, summary in report["tasks"].items():
        table.add_row(*_cells(name, summary, repeated), style="bold" if groups and len(summary["groups"]) > 1 else "")
        if groups and len(summary["groups"]) > 1:
            for group, part in summary["groups"].items():
                table.add_row(*_cells(f"  {group or 'default'}", part, repeated))
    for modality, average in report.get("averages", {}).items():
        if len(report["tasks"]) > 1:
            over = f"{average['tasks']} of {average['of']} tasks"
            table.add_row(f"{modality} average", percent(average["success"]), "", "", over)
    return table


def _cells(name: str, summary: Mapping[str, Json], repeated: bool) -> list[str]:
    interval = summary["ci95"]
    reasons = ", ".join(f"{reason} {count}" for reason, count in summary["reasons"].items())
    return [
        name,
        percent(summary["success"]),
        "–" if interval is None else f"{100 * interval[0]:.0f}–{100 * interval[1]:.0f} %",
        "–" if summary["mean_reward"] is None else f"{summary['mean_reward']:.3f}",
        f"{summary['scored']} of {summary['episodes']}",
        percent(summary["truncated"]),
        "–" if summary["turns"] is None else f"{summary['turns']:.1f}",
        *([_pass_at_k(summary)] if repeated else []),
        reasons,
    ]


def _pass_at_k(summary: Mapping[str, Json]) -> str:
    """Write pass@k with the groups that it is over: those with an invalid play are dropped and counted."""
    if "k" not in summary:
        return "–"
    complete, dropped = summary["groups_complete"], summary["groups_dropped"]
    return f"{percent(summary['pass_at_k'])} @{summary['k']}, {complete} of {complete + dropped}"
