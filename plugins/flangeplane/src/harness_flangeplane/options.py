"""The options of the task and the levels that its groups preset."""

from __future__ import annotations

from typing import Annotated

from attrs import frozen

from harness import Range, option

LEVELS: dict[str, dict[str, int | float | bool]] = {
    "easy": {"slack": 0.12, "doubt": 0.05, "analyses": 12, "jacks": False, "scale_bar": False},
    "medium": {"slack": 0.06, "doubt": 0.10, "analyses": 6, "jacks": True, "scale_bar": False},
    "hard": {"slack": 0.025, "doubt": 0.18, "analyses": 5, "jacks": True, "scale_bar": True},
}
"""What the levels set."""


@frozen
class Options:
    """Parameters of the task."""

    slack: Annotated[float, Range(0.01, 0.5)] = option(0.09, "how much wider than a known design the requirements are")
    doubt: Annotated[float, Range(0.0, 0.3)] = option(0.08, "how far the real joint may deviate from nominal figures")
    analyses: Annotated[int, Range(1, 60)] = option(10, "analyses of a design")
    drawings: Annotated[int, Range(1, 20)] = option(2, "drawings of a design")
    jacks: bool = option(True, "two jacking holes among the bolt holes, not to be counted")
    scale_bar: bool = option(False, "the thickness is not printed, only drawn to scale")
