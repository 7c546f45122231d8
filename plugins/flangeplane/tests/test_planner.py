"""The twin and its search: what it reads, what it learns, what it finds."""

from __future__ import annotations

import pytest
from flange_cases import instance

from harness_flangeplane.design import broken_rule, clears
from harness_flangeplane.joint import analyse
from harness_flangeplane.planner import Twin
from harness_flangeplane.tools import margins, verdict


@pytest.mark.parametrize("seed", range(6))
def test_plans_keep_the_rules_and_are_as_good_as_the_known_design(seed: int) -> None:
    identity = instance("hard", seed)
    twin = Twin(identity.joint, identity.required, identity.truth)
    plans = twin.plans()
    assert [plan.worst for plan in plans] == sorted((plan.worst for plan in plans), reverse=True)
    for plan in plans:
        assert broken_rule(plan.design, identity.joint.gasket) is None
        assert clears(plan.design, identity.joint.gasket_outer)
    best = plans[0].design
    found = margins(best, analyse(identity.joint, identity.truth, best), identity.required)
    assert min(found.values()) > 0.5 * identity.slack


@pytest.mark.parametrize("seed", range(6))
def test_the_twin_agrees_with_an_analysis_after_learning_from_it(seed: int) -> None:
    identity = instance("hard", seed)
    twin = Twin(identity.joint, identity.required)
    true = analyse(identity.joint, identity.truth, identity.known)
    twin.learn(identity.known, verdict(identity.known, true, identity.required))
    found = twin.predict(identity.known)
    assert found.safety == pytest.approx(true.safety, rel=1e-3)
    assert found.rotation == pytest.approx(true.rotation, rel=1e-3)
    assert found.bolt_stress == pytest.approx(true.bolt_stress, rel=1e-3)
