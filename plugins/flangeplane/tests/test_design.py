"""The rules of geometry: each is broken alone, names its argument and bound, and nothing else is refused."""

from __future__ import annotations

import math

import pytest
from attrs import evolve

from harness_flangeplane.design import Design, broken_rule, clears, slimmest, widest

GOOD = Design("S355", "M16", 10, 190.0, 240.0, 24.0)


def test_a_sound_design_breaks_no_rule() -> None:
    assert broken_rule(GOOD, "graphite") is None
    assert clears(GOOD, 166.5)
    assert not clears(GOOD, 166.6)


@pytest.mark.parametrize(
    ("changes", "argument", "text"),
    [
        ({"bolts": 9}, "design.bolts", "even"),
        ({"outer_diameter": 235.9}, "design.outer_diameter", "at least 236.000 mm"),
        ({"bolts": 16}, "design.bolts", "at least 38 mm"),
        ({"bolts": 4}, "design.bolts", "at most 89.600 mm"),
        ({"thickness": 9.0}, "design.bolts", "at most 53.600 mm"),
    ],
)
def test_each_rule_names_its_argument_and_its_bound(changes: dict[str, float], argument: str, text: str) -> None:
    broken = broken_rule(evolve(GOOD, **changes), "graphite")
    assert broken is not None
    assert broken.argument == argument
    assert text in broken.text


def test_the_least_thickness_is_the_one_at_which_the_distance_is_just_allowed() -> None:
    thickness = slimmest(GOOD.size, GOOD.spacing, "graphite")
    assert broken_rule(evolve(GOOD, thickness=thickness), "graphite") is None
    assert broken_rule(evolve(GOOD, thickness=thickness - 0.02), "graphite") is not None
    assert widest(GOOD.size, thickness, "graphite") >= GOOD.spacing


def test_weight_and_price_are_those_of_a_full_disc_and_its_bolts() -> None:
    volume = math.pi / 4 * 2.4**2 * 0.24
    assert GOOD.blank == pytest.approx(volume * 7.85)
    assert GOOD.cost == pytest.approx(volume * 7.85 * 4.6 + 10 * 3.6)
