"""Instances: the known design meets what is asked with some slack, and the drawn flange keeps the rules."""

from __future__ import annotations

import numpy as np
import pytest
from attrs import asdict
from flange_cases import instance

from harness import Reject, Task
from harness_flangeplane.design import broken_rule, clears
from harness_flangeplane.joint import analyse
from harness_flangeplane.options import LEVELS, Options
from harness_flangeplane.sample import propose
from harness_flangeplane.stock import MATERIALS
from harness_flangeplane.tools import margins

SEEDS = range(30)


@pytest.mark.parametrize("seed", SEEDS)
def test_the_known_design_meets_everything_with_about_the_slack(level: str, seed: int) -> None:
    identity = instance(level, seed)
    assert broken_rule(identity.known, identity.joint.gasket) is None
    assert clears(identity.known, identity.joint.gasket_outer)
    found = margins(identity.known, analyse(identity.joint, identity.truth, identity.known), identity.required)
    wide = 1 - 1 / (1 + identity.slack)
    for name, margin in found.items():
        assert wide - 1e-9 <= margin <= identity.slack + 0.02, name


@pytest.mark.parametrize("seed", SEEDS)
def test_the_drawn_flange_keeps_the_rules(level: str, seed: int) -> None:
    identity = instance(level, seed)
    drawn, joint = identity.pictured, identity.joint
    assert broken_rule(drawn, joint.gasket) is None
    assert clears(drawn, joint.gasket_outer)
    assert drawn.thickness * 2 == round(drawn.thickness * 2)
    assert drawn.bolt_circle == round(drawn.bolt_circle)


def test_no_material_is_the_best_in_everything() -> None:
    for one, a in MATERIALS.items():
        for other, b in MATERIALS.items():
            worse = (
                b.modulus <= a.modulus
                and b.strength <= a.strength
                and b.price * b.density >= a.price * a.density
                and b.density >= a.density
            )
            assert one == other or not worse, (one, other)


def test_instances_are_of_all_kinds() -> None:
    found = [instance("medium", seed) for seed in range(60)]
    assert {identity.known.material for identity in found} == set(MATERIALS)
    assert len({identity.known.bolt for identity in found}) >= 4
    assert len({identity.pictured.bolts for identity in found}) >= 6
    assert len({identity.joint.pressure for identity in found}) == 4
    assert {identity.look for identity in found} == {0, 1, 2, 3}


def test_few_draws_are_rejected_by_the_sampler() -> None:
    rejected = 0
    for seed in range(100):
        try:
            propose(Options(**LEVELS["hard"]), np.random.default_rng(seed))  # type: ignore[arg-type]
        except Reject:
            rejected += 1
    assert rejected < 15


def test_a_place_gives_the_same_instance(task: Task) -> None:
    one, other = task.sample(3, seed=9), task.sample(3, seed=9)
    assert one.identity == other.identity
    identity = task.decode_identity(one.identity)
    assert asdict(identity.known) == one.identity["known"]
