"""The joint: forces from first principles, and how an analysis answers to each measure of a design."""

from __future__ import annotations

import math
import time

import pytest
from attrs import evolve
from flange_cases import instance

from harness_flangeplane.design import Design
from harness_flangeplane.elements import POISSON
from harness_flangeplane.joint import PIPE_MODULUS, Joint, Truth, analyse
from harness_flangeplane.stock import MATERIAL_NAMES, MATERIALS

JOINT = Joint(120.0, 132.0, 164.0, 5.0, 40, "graphite")
DESIGN = Design("S355", "M16", 10, 190.0, 240.0, 24.0)


def test_bolts_carry_what_tightness_or_seating_asks() -> None:
    mean, width, pressure = 148.0, 8.0, 4.0
    running = math.pi / 4 * mean**2 * pressure + 2 * math.pi * width * mean * 2.0 * pressure
    assert JOINT.bolt_force == pytest.approx(running)
    low = evolve(JOINT, pressure=16)
    assert low.bolt_force == pytest.approx(math.pi * width * mean * 17.0)
    assert analyse(JOINT, Truth(), DESIGN).bolt_stress == pytest.approx(running / (10 * 157))


def test_the_pipe_is_a_long_shell() -> None:
    """Edge moment of a semi-infinite cylinder that turns by one radian without moving: 2 beta D."""
    radius, bending = 62.5, PIPE_MODULUS * 125 / (12 * (1 - POISSON**2))
    beta = (3 * (1 - POISSON**2)) ** 0.25 / math.sqrt(radius * 5.0)
    assert JOINT.pipe_stiffness == pytest.approx(2 * beta * bending * 60.0)


def test_a_thicker_plate_is_safer_and_turns_less() -> None:
    found = [analyse(JOINT, Truth(), evolve(DESIGN, thickness=thickness)) for thickness in (16, 20, 24, 30, 40)]
    assert [f.safety for f in found] == sorted(f.safety for f in found)
    assert [f.rotation for f in found] == sorted((f.rotation for f in found), reverse=True)
    assert found[0].rotation > 2 * found[-1].rotation


def test_a_longer_lever_turns_the_flange_more() -> None:
    near = analyse(JOINT, Truth(), DESIGN)
    far = analyse(JOINT, Truth(), evolve(DESIGN, bolt_circle=210.0, outer_diameter=260.0))
    assert far.rotation > near.rotation


def test_a_stiffer_material_turns_less_and_a_stronger_one_is_safer() -> None:
    found = {name: analyse(JOINT, Truth(), evolve(DESIGN, material=name)) for name in MATERIAL_NAMES}
    by_modulus = sorted(MATERIAL_NAMES, key=lambda name: MATERIALS[name].modulus)
    turned = [found[name].rotation for name in by_modulus]
    assert turned == sorted(turned, reverse=True)
    assert found["42CrMo4"].safety > found["S355"].safety > found["GJS-400"].safety


def test_a_better_weld_and_less_force_help() -> None:
    plain = analyse(JOINT, Truth(), DESIGN)
    assert analyse(JOINT, Truth(weld=1.0), DESIGN).rotation < plain.rotation
    assert analyse(JOINT, Truth(force=0.9), DESIGN).rotation < plain.rotation
    stronger = tuple(1.1 for _ in MATERIAL_NAMES)
    assert analyse(JOINT, Truth(strengths=stronger), DESIGN).safety == pytest.approx(1.1 * plain.safety)


def test_more_holes_weaken_the_plate() -> None:
    few = analyse(JOINT, Truth(), evolve(DESIGN, bolts=8))
    many = analyse(JOINT, Truth(), evolve(DESIGN, bolts=14))
    assert many.rotation > few.rotation
    assert many.bolt_stress < few.bolt_stress


@pytest.mark.parametrize("seed", range(6))
def test_an_analysis_converges_with_the_mesh(seed: int) -> None:
    identity = instance("medium", seed)
    used = analyse(identity.joint, identity.truth, identity.known)
    fine = analyse(identity.joint, identity.truth, identity.known, 96, 12)
    assert used.rotation == pytest.approx(fine.rotation, rel=0.01)
    assert used.stress == pytest.approx(fine.stress, rel=0.01)


def test_an_analysis_takes_milliseconds() -> None:
    analyse(JOINT, Truth(), DESIGN)
    begun = time.process_time()
    for step in range(20):
        analyse(JOINT, Truth(), evolve(DESIGN, thickness=20.0 + step))
    assert (time.process_time() - begun) / 20 < 0.05
