"""Steps from one schema of the trace to the next.

Each is a pure function from a record of schema n to the record of schema n + 1, called for every record of a file
(header, toolset, episode, footer); one that concerns only some types returns the others unchanged. A step is never
edited once released: files written under it exist. A new schema comes with a step here, a golden file of the schema
it leaves, and a new `SCHEMA`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, TypeAlias

from harness.trace.errors import NewerSchema, NotATrace

SCHEMA: Final = 1
"""The schema that this harness writes."""

Step: TypeAlias = Callable[[dict[str, Any]], dict[str, Any]]

UPGRADES: Final[Mapping[int, Step]] = {}
"""Schema n → the step from n to n + 1."""


def upgrade_path(schema: object) -> tuple[Step, ...]:
    """Return the steps that lead from a header's schema number to ours, in order.

    Raises:
        NewerSchema: The schema lies beyond ours.
        NotATrace: The schema is no number, or no step leads on from it.
    """
    if isinstance(schema, bool) or not isinstance(schema, int) or schema < 1:
        raise NotATrace(f"the header's schema is {schema!r}, expected a positive integer")
    if schema > SCHEMA:
        raise NewerSchema(schema, SCHEMA)
    missing = [number for number in range(schema, SCHEMA) if number not in UPGRADES]
    if missing:
        raise NotATrace(f"no upgrade is known from schema {missing[0]} to {missing[0] + 1}")
    return tuple(UPGRADES[number] for number in range(schema, SCHEMA))
