"""A hook with an argument that does not exist."""

from __future__ import annotations

from typing import Any

from harness import hookimpl


@hookimpl
def harness_reward(settings: Any) -> None:
    return None
