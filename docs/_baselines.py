"""Write `baselines.md` from the measured suites inside the task packages.

python docs/_baselines.py            # write docs/baselines.md
python docs/_baselines.py --check    # exit with 1 if it is not current
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
PAGE = Path(__file__).with_name("baselines.md")
QUARTER = "reference-quarter-budget"

HEAD = """\
# Baselines

<!-- written by docs/_baselines.py from the suite.json of each task package; run `python docs/_baselines.py` -->

What policies that are no agents reach on each group, on {count} fresh certified instances per group (seed 1, split
`validation`), as measured by `harness check TASK --suite -n {count} --write`. The reference solves all of them, since
certification asks for it. Lazy policies fail on instances chosen so that they fail; the adversaries below are not
filtered. Each task's page has the full table with mean rewards.

- **quarter**: the reference on a quarter of its budgets; the scale of difficulty.
- **best lazy**: the lazy policy with most successes (certification rejects what it solves), and random legal play.
- **constant**: the best single answer, fitted on {fit} training instances.
- **search, others**: adversaries as each task declares them.
- **accepted**: share of the sampler's proposals that were certified.

| task | group | quarter | best lazy | constant | others | accepted | certify | propose | call |
|---|---|--:|---|--:|---|--:|--:|--:|--:|
"""

BLIND = {
    "flangeplane": ("typical-bore", "blind-search"),
    "holdem": (
        "fold", "call", "min-raise", "pot", "all-in", "random",
        "perturbed-call", "perturbed-pot", "perturbed-all-in",
    ),
}  # fmt: skip
"""Policies of the vision tasks that make no use of a picture."""

VISION = """
## Without looking

What policies that make no use of the pictures reach where facts are in the picture only (8 % are allowed):

| task | group | best of them | success |
|---|---|---|--:|
"""

TAIL = """
Times are medians of CPU time of one process: certifying one accepted instance, one proposal, one tool call with the
reference's own thinking.
"""


def suites() -> dict[str, dict[str, Any]]:
    """The measured suites by task."""
    found = sorted(ROOT.glob("plugins/*/src/*/results/suite.json"))
    return {path.parents[3].name: json.loads(path.read_text()) for path in found}


def rows(task: str, suite: dict[str, Any]) -> Iterator[str]:
    """Yield a table row per group."""
    for group, policies in suite["certification"].items():
        lazy = max((p for p in policies.items() if p[1]["kind"] == "lazy"), key=lambda p: p[1]["success"])
        others = sorted(
            (
                (name, result["success"])
                for name, result in policies.items()
                if result["kind"] == "adversary" and name not in (QUARTER, "constant")
            ),
            key=lambda other: -other[1],
        )
        times = suite["timing"][group]
        cells = [
            f"[{task}](../plugins/{task}/README.md)",
            group,
            percent(policies[QUARTER]["success"]),
            f"{lazy[0]} {percent(lazy[1]['success'])}" if lazy[1]["success"] else "all 0 %",
            percent(policies["constant"]["success"]) if "constant" in policies else "–",
            "; ".join(f"{name} {percent(success)}" for name, success in others[:3]) or "–",
            percent(suite["acceptance"][group]),
            *(
                f"{times[name]:.{0 if times[name] >= 10 else 1}f} ms"
                for name in ("certify_ms", "propose_ms", "call_ms")
            ),
        ]
        yield f"| {' | '.join(cells)} |\n"


def blind(found: dict[str, dict[str, Any]]) -> Iterator[str]:
    """Yield a table row per group with pictures: the best policy that does not look."""
    for task, names in BLIND.items():
        for group, policies in found[task]["certification"].items():
            if not group.startswith("text"):
                best = max(names, key=lambda name: policies[name]["success"])
                share = policies[best]["success"]
                which = best if share else f"none of {len(names)}"
                yield f"| {task} | {group} | {which} | {percent(share)} |\n"


def percent(share: float) -> str:
    """Write a share as a table shows it."""
    return f"{100 * share:.{0 if share in (0, 1) else 1}f} %"


def page() -> str:
    """The page as it should be."""
    found = suites()
    counts = {p["n"] for suite in found.values() for group in suite["certification"].values() for p in group.values()}
    head = HEAD.format(count="–".join(str(n) for n in sorted({min(counts), max(counts)})), fit=500)
    table = "".join(row for name, suite in found.items() for row in rows(name, suite))
    return head + table + TAIL + VISION + "".join(blind(found))


def main() -> int:
    """Write the page, or say whether it is current."""
    if "--check" in sys.argv[1:]:
        return 0 if PAGE.is_file() and PAGE.read_text(encoding="utf-8") == page() else 1
    PAGE.write_text(page(), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
