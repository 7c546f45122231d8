"""A hook that does not exist."""

from __future__ import annotations

from typing import Any

from harness import hookimpl


@hookimpl
def harness_rewrad(options: Any) -> None:
    return None
