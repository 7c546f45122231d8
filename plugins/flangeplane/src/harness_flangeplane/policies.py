"""Scripted policies: the reference reads the drawing, plans on a twin and corrects it by analyses.

All the others, which must not succeed or are measured beside it, are in `shortcuts`.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping

from attrs import asdict

from harness import Move, Observation, Scripted, View, call
from harness_flangeplane.brief import Brief, least, sighted
from harness_flangeplane.design import Design
from harness_flangeplane.options import Options
from harness_flangeplane.planner import Twin
from harness_flangeplane.shortcuts import shortcuts

ENOUGH = 0.01
"""Least margin of an analysed design at which the reference stops looking for a better one."""

HOPE = 0.7
"""Share of the told deviation by which a material that was not analysed yet may be better than the twin says."""


def reference(view: View) -> Generator[Move, Observation, None]:
    """Read the drawing, analyse the best plan of the twin, correct the twin, until a design has room everywhere."""
    brief = sighted(view)
    twin = Twin(brief.joint, brief.required)
    tried: list[tuple[float, Design]] = []
    for _ in range(view.limits.budgets["analyses"]):
        design = _promising(twin, HOPE * brief.doubt)
        if design is None or any(design == other for _, other in tried):
            break
        seen = yield call("analyse", design=asdict(design))
        if seen.error is not None:
            break
        tried.append((least(seen), design))
        if tried[-1][0] >= ENOUGH:
            break
        twin.learn(design, seen.data)
    yield call("submit", design=asdict(_choice(twin, tried, brief)), read=brief.reading)


def _promising(twin: Twin, hope: float) -> Design | None:
    """Return the plan that may turn out best: what is known of a material is trusted, what is not may be better."""
    plans = twin.plans()
    if not plans:
        return None
    return max(plans, key=lambda plan: plan.worst + (0 if plan.design.material in twin.stress else hope)).design


def _choice(twin: Twin, tried: list[tuple[float, Design]], brief: Brief) -> Design:
    """Return the best design that was analysed if it meets everything, else the best plan."""
    best = max(tried, key=lambda each: each[0], default=None)
    if best is not None and best[0] >= 0:
        return best[1]
    plans = twin.plans()
    design = plans[0].design if plans else best[1] if best else brief.pictured
    assert design is not None
    return design


def policies(options: Options) -> Mapping[str, Scripted]:
    """Return all scripted policies."""
    return {
        "reference": Scripted(reference, "reference", "perception", "reads, plans on a twin, corrects it by analyses"),
        **shortcuts(),
    }
