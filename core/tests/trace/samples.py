"""Episode records made by hand, for tests that need many of them."""

from __future__ import annotations

from typing import Any


def episode(
    number: int = 0,
    *,
    task: str = "toy",
    group: str = "easy",
    repetition: int = 0,
    reason: str = "solved",
    reward: float | None = 1.0,
    invalid: bool = False,
) -> dict[str, Any]:
    sample = {"task": task, "version": 1, "split": "test", "group": group, "index": number, "key": f"k{number}"}
    outcome = {
        "status": "invalid" if invalid else "scored",
        "reason": reason,
        "detail": "",
        "reward": None if invalid else reward,
        "success": reason == "solved",
        "reward_id": "toy-1",
        "terms": {} if invalid else {"distance": {"value": 0.5, "weight": 1.0, "kind": "progress"}},
    }
    call = {"id": "c1", "name": "ask", "arguments": '{"value": 8}'}
    return {
        "type": "episode",
        "sample": sample,
        "repetition": repetition,
        "identity": {"target": number},
        "policy": {"name": "script:demo", "view": "observation"},
        "messages": [
            {"role": "user", "content": [{"type": "text", "text": f"Find the number. [bold]{number}[/bold]"}]},
            {"role": "assistant", "content": [], "reasoning": "Halve it.", "tool_calls": [call]},
            {"role": "tool", "content": [{"type": "text", "text": '{"answer":"too low"}'}], "tool_call_id": "c1"},
        ],
        "actions": [{"turn": 1, "call_id": "c1", "name": "ask", "arguments": {"value": 8}, "status": "ok"}],
        "log": {"metrics": {}, "turns": 1, "nudges": 0, "end": "answered", "answer": {"value": number}},
        "interaction": [],
        "outcome": outcome,
        "usage": {"prompt_tokens": 100, "completion_tokens": 10, "reasoning_tokens": 4},
        "timing": {"began": 1_700_000_000.0, "total": 2.0, "world": 0.5},
    }
