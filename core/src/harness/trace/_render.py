"""An episode and the numbers of a trace for the eye.

Text of a model is shown as text: no markup of ours is read in it, and control characters, which could steer a terminal,
appear as their signs.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from rich.console import Group, RenderableType
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from harness.jsonio import dumps
from harness.trace._stats import Stats, Tally

_STYLES = {"system": "magenta", "user": "cyan", "assistant": "green", "tool": "yellow"}
_CONTROLS = {code: 0x2400 + code for code in range(32) if code not in (9, 10)} | {127: 0x2421}
_CONTROLS |= dict.fromkeys(range(128, 160), 65533) | dict.fromkeys(range(55296, 57344), 65533)


def plain(text: str) -> str:
    """Return a text that any terminal can show and none will obey."""
    return text.translate(_CONTROLS)


def render_episode(episode: Mapping[str, Any]) -> RenderableType:
    """Return one episode as panels: head, messages with their calls and results, outcome."""
    statuses = {(a["turn"], a["call_id"]): a for a in episode["actions"]}
    panels = [_message(message, statuses, turn) for message, turn in _turns(episode["messages"])]
    return Group(_head(episode), *panels, _outcome(episode))


def _turns(messages: list[dict[str, Any]]) -> Iterator[tuple[dict[str, Any], int]]:
    turn = 0
    for message in messages:
        turn += message["role"] == "assistant"
        yield message, turn


def _head(episode: Mapping[str, Any]) -> Text:
    sample, policy = episode["sample"], episode["policy"]
    where = f"{sample['group']} · {sample['split']} #{sample['index']} · repetition {episode['repetition']}"
    who = f"{policy['name']} (view {policy['view']})"
    return Text(plain(f"{sample['task']}-v{sample['version']} · {where} · {who} · key {sample['key']}"), style="bold")


def _message(message: Mapping[str, Any], actions: Mapping[tuple[int, str], Any], turn: int) -> Panel:
    body = Text()
    if message.get("reasoning"):
        body.append(plain(message["reasoning"]) + "\n", style="dim italic")
    for part in message["content"]:
        body.append(plain(_part(part)) + "\n")
    for call in message.get("tool_calls", ()):
        body.append(plain(f"→ {call['name']}({call['arguments']})\n"), style="bold")
    role, title = message["role"], message["role"]
    if role == "assistant":
        title = f"assistant · turn {turn}"
    elif role == "tool":
        action = actions.get((turn, message.get("tool_call_id", "")))
        title = f"tool · {action['name']} · {action['status']}" if action else "tool"
    body.rstrip()
    return Panel(body, title=Text(plain(title)), title_align="left", border_style=_STYLES.get(role, "white"))


def _part(part: Mapping[str, Any]) -> str:
    if part["type"] == "text":
        return str(part["text"])
    return f"[image {part['width']}×{part['height']} {part['sha256']}]"


def _outcome(episode: Mapping[str, Any]) -> Panel:
    outcome = episode["outcome"]
    reward = "no reward" if outcome["reward"] is None else f"reward {outcome['reward']:.3f}"
    body = Text(plain(f"{outcome['status']} · {outcome['reason']} · {reward} · success {outcome['success']}"))
    if outcome["detail"]:
        body.append("\n" + plain(outcome["detail"]))
    for name, term in outcome["terms"].items():
        body.append(plain(f"\n{term['kind']:>10} {name}: {term['value']:.3f} × {term['weight']:g}"))
    if "answer" in episode["log"]:
        body.append(plain(f"\nanswer {dumps(episode['log']['answer']).decode()}"))
    style = "green" if outcome["success"] else "red"
    return Panel(body, title="outcome", title_align="left", border_style=style)


def render_stats(stats: Stats) -> RenderableType:
    """Return the numbers of a trace as a table, and the reasons below."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    for name in ("task", "group"):
        table.add_column(name)
    for name in ("episodes", "invalid", "success", "mean reward", "turns", "calls", "tokens in", "out", "seconds"):
        table.add_column(name, justify="right")
    for (task, group), tally in stats.groups.items():
        table.add_row(plain(task), plain(group), *_cells(tally))
    table.add_row("all", "", *_cells(stats.total), style="bold")
    reasons = ", ".join(f"{name} {count}" for name, count in stats.total.reasons.most_common())
    truncated = stats.total.as_json()["truncated"]
    told = f"reasons: {reasons or 'none'}; truncated {truncated} of {stats.total.episodes}"
    again = f"; {stats.replayed} earlier plays of them left out" if stats.replayed else ""
    return Group(table, Text(plain(told + again)))


def _cells(tally: Tally) -> list[str]:
    over = f"over {tally.scored} of {tally.episodes}"
    rate = "–" if tally.success is None else f"{tally.success:.3f} {over}"
    mean = "–" if tally.mean_reward is None else f"{tally.mean_reward:.3f} {over}"
    counts = tally.counts
    numbers = [counts["turns"], counts["calls"], counts["prompt_tokens"], counts["completion_tokens"]]
    seconds = tally.seconds.get("total", 0)
    return [str(tally.episodes), str(tally.episodes - tally.scored), rate, mean, *map(str, numbers), f"{seconds:.1f}"]
