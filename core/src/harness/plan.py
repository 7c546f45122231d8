"""What a run plays: places in data sets, mixed over groups by ratio, in an order that depends on the seed alone."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from attrs import field, frozen

from harness import seeds
from harness.errors import UnknownName, UserError
from harness.layers import Card
from harness.records import Json
from harness.task import TaskRef, load_task, task_of


@frozen
class Place:
    """Where an instance stands: a task under options, and its index in (seed, split, group).

    Attributes:
        row: The instance itself, when it comes from a file.
    """

    ref: TaskRef
    index: int
    seed: int = seeds.DEFAULT_SEED
    split: str = "train"
    language: str = "en"
    row: Mapping[str, Json] | None = field(default=None, eq=False, repr=False)

    @property
    def label(self) -> str:
        """Short name for messages."""
        return f"{self.ref.name} {self.ref.group or 'default'} #{self.index}"


def largest_remainder(total: int, ratios: Mapping[str, float]) -> dict[str, int]:
    """Share a total over names by ratio, exactly: whole parts first, then the largest remainders (ties by order)."""
    weight = sum(ratios.values())
    if weight <= 0:
        raise UserError("the ratios of the groups add up to 0; give at least one group a positive ratio")
    exact = {name: total * ratio / weight for name, ratio in ratios.items()}
    counts = {name: int(value) for name, value in exact.items()}
    order = sorted(exact, key=lambda name: -(exact[name] - counts[name]))
    for name in order[: total - sum(counts.values())]:
        counts[name] += 1
    return counts


def choose_groups(card: Card, wanted: Sequence[str]) -> dict[str, float]:
    """Return the ratios of the groups that a run plays.

    Args:
        card: The task's card.
        wanted: Names, each optionally with its own ratio (`hard=0.5`); empty for the default mix of the task.
    """
    if not wanted:
        return {name: group.ratio for name, group in card.groups.items() if group.ratio > 0} or {"": 1.0}
    chosen: dict[str, float] = {}
    for item in wanted:
        name, _, ratio = item.partition("=")
        if name not in card.groups:
            raise UnknownName(f"group of {card.name}", name, card.groups)
        chosen[name] = _ratio(ratio, item)
    return chosen


def _ratio(text: str, item: str) -> float:
    try:
        ratio = float(text) if text else 1.0
    except ValueError:
        ratio = math.nan
    if not (math.isfinite(ratio) and ratio >= 0):
        raise UserError(f"group {item!r}: expected NAME or NAME=RATIO with a number of 0 or more")
    return ratio


def plan(
    task: str,
    count: int,
    *,
    groups: Sequence[str] = (),
    options: Mapping[str, Json] | None = None,
    plugins: Sequence[str] = (),
    seed: int = seeds.DEFAULT_SEED,
    split: str = "train",
    language: str = "en",
) -> list[Place]:
    """Lay out `count` places of a task over its groups, shuffled by a hash of their names."""
    if split not in seeds.SPLITS:
        raise UnknownName("split", split, seeds.SPLITS)
    loaded = load_task(task, "", {}, plugins)
    places = []
    for group, share in largest_remainder(count, choose_groups(loaded.card, groups)).items():
        ref = TaskRef(loaded.ref.name, group, dict(options or {}), tuple(plugins))
        task_of(ref).check_language(language)
        places += [Place(ref, index, seed, split, language) for index in range(share)]
    return sorted(places, key=lambda p: seeds.digest("order", seed, p.ref.name, p.ref.group, p.index))
