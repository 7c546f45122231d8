"""The same problems on scikit-fem and on real DOLFINx; skipped, with the reason, where there is no DOLFINx."""

from __future__ import annotations

import os

import numpy as np
import pytest

from harness_fenics import Exchange, Law, Patch, Plate, Segment, Source, Steady, Transient
from harness_fenics.engine import solve
from harness_fenics.problem import Problem
from harness_fenics.twin import missing, whereabouts

AGREEMENT = 1e-6

PLATE = Plate(20, 12, 0.005)
EXCHANGE = Exchange(left=180.0, coolant=295.0, air=25.0, ambient=298.0, emissivity=0.85)
SEGMENTS = (Segment("bottom", 0.02, 0.045), Segment("right", 0.01, 0.04), Segment("top", 0.05, 0.08))
PROBLEMS: dict[str, Problem] = {
    law.kind: Steady(
        PLATE,
        EXCHANGE,
        SEGMENTS,
        (80e3, 120e3, 40e3),
        law,
        Patch(0.03, 0.05, 0.02, 0.04, 0.3),
        Source(0.07, 0.03, 0.01, 2e6),
    )
    for law in (Law("rising", 15.0, 0.3), Law("falling", 24.0, 0.25), Law("dipping", 20.0, 0.25, 0.05))
}
PROBLEMS["transient"] = Transient(
    PLATE, EXCHANGE, SEGMENTS, ((160e3, 180e3, 90e3), (80e3, 60e3, 220e3)), 400.0, 900.0, 8e-4, 22.0, 3.2e6, 16
)


@pytest.mark.skipif(
    not whereabouts() and not os.environ.get("HARNESS_REQUIRE_DOLFINX"), reason=missing() if not whereabouts() else ""
)
@pytest.mark.slow
@pytest.mark.parametrize("name", list(PROBLEMS))
def test_both_engines_agree_node_by_node(name: str) -> None:
    ours, theirs = solve(PROBLEMS[name]), solve(PROBLEMS[name], "dolfinx")
    assert ours.snapshots.shape == theirs.snapshots.shape
    assert np.max(np.abs(ours.snapshots / theirs.snapshots - 1)) < AGREEMENT
    assert np.max(np.abs(ours.highest / theirs.highest - 1)) < AGREEMENT
    assert np.ptp(ours.highest) > 50


def test_missing_dolfinx_says_where_it_was_looked_for() -> None:
    text = missing()
    assert "harness-task-fenics[dolfinx]" in text
    assert "HARNESS_DOLFINX_PYTHON" in text
    assert "/usr/bin/python3" in text
