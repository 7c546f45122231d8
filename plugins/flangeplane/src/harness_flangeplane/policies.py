"""Scripted policies: the reference reads the drawing, plans on a twin and corrects it by analyses; the rest is in
`shortcuts`.
"""  # noqa: D205

from __future__ import annotations

from collections.abc import Generator, Mapping

from attrs import asdict

from harness import Move, Observation, Scripted, View, call
from harness_flangeplane.brief import least, sighted
from harness_flangeplane.design import Design
from harness_flangeplane.options import Options
from harness_flangeplane.planner import Twin
from harness_flangeplane.shortcuts import shortcuts

ENOUGH = 0.01
"""Least margin of an analysed design at which the reference stops looking for a better one."""


def reference(view: View) -> Generator[Move, Observation, None]:
    """Read the drawing, analyse the best plan of the twin, correct the twin, until a design has room everywhere."""
    brief = sighted(view)
    twin = Twin(brief.joint, brief.required)
    best: tuple[float, Design] | None = None
    for _ in range(view.limits.budgets["analyses"]):
        plans = twin.plans()
        if not plans:
            break
        design = plans[0].design
        seen = yield call("analyse", design=asdict(design))
        if seen.error is not None:
            break
        worst = least(seen)
        best = max(filter(None, (best, (worst, design))), key=lambda tried: tried[0])
        if worst >= ENOUGH:
            break
        twin.learn(design, seen.data)
    plans = twin.plans() if best is None or best[0] < 0 else []
    chosen = plans[0].design if plans else best[1] if best else brief.pictured
    assert chosen is not None
    yield call("submit", design=asdict(chosen), read=brief.reading)


def policies(options: Options) -> Mapping[str, Scripted]:
    """Return all scripted policies."""
    return {
        "reference": Scripted(reference, "reference", "perception", "reads, plans on a twin, corrects it by analyses"),
        **shortcuts(),
    }
