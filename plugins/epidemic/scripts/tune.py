"""Tune the case-threshold rules on training proposals: `python scripts/tune.py LEVEL COUNT`.

Prints the rules of a small grid by success, then by mean burden relative to the planner's. The best of each level
stands in `harness_epidemic.policies.RULES` and `harness_epidemic.tiny_policies.THRESHOLDS`.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from itertools import product

from harness import Scripted, load_task
from harness.scripted import Play
from harness.testing import play_inline
from harness_epidemic.policies import Rule, follow
from harness_epidemic.reward import read_result
from harness_epidemic.score import burden
from harness_epidemic.tiny_policies import by_thresholds, choosing


def rules(level: str) -> Iterator[tuple[object, Play]]:
    """Yield the rules of the grid as policies."""
    if level == "tiny":
        for low, high in product((100.0, 200.0, 400.0, 800.0), (1600.0, 3200.0, 6400.0, 12800.0)):
            bounds = ((low, 0), (high, 1))
            yield bounds, choosing(by_thresholds(bounds))
        return
    for up, strict, mild in product((150.0, 350.0, 800.0, 1600.0), (3, 4), (1, 2)):
        rule = Rule(up, up / 2, strict, mild)
        yield rule, follow(lambda view, rule=rule: rule)  # type: ignore[misc]


def main(level: str, count: int) -> None:
    """Print the grid, best first."""
    task = load_task("epidemic", group=level)
    samples = [task.sample(index, seed=5) for index in range(count)]
    bars = [task.decode_identity(sample.identity).bar.planner for sample in samples]
    found = []
    for rule, play in rules(level):
        episodes = [play_inline(task, sample, Scripted(play), "tune") for sample in samples]
        wins = sum(episode.outcome.success for episode in episodes)
        ratio = sum(burden(read_result(e.log.metrics)) / bar for e, bar in zip(episodes, bars, strict=True)) / count
        found.append((-wins, round(ratio, 3), repr(rule)))
    for line in sorted(found):
        print(*line)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
