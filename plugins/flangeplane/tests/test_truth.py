"""The finite elements against truths that are none of their own: Lamé's ring, Roark's plates, finer meshes, statics."""

from __future__ import annotations

import math

import numpy as np
import pytest

from harness_flangeplane.elements import POISSON, Ring, Shape

STEEL = 210_000.0


def plain(shape: Shape, modulus: float = STEEL) -> Ring:
    return Ring(shape, np.full(shape.columns, modulus))


@pytest.mark.parametrize(("inner", "outer", "height"), [(50, 80, 20), (60, 160, 40), (100, 130, 12), (30, 150, 60)])
def test_a_ring_under_internal_pressure_is_lame_s(inner: float, outer: float, height: float) -> None:
    ring = plain(Shape(inner, outer, height))
    ring.blow_bore(10.0)
    ring.fix(outer)
    bent = ring.solve()
    share = 10.0 * inner**2 / (outer**2 - inner**2)
    hoop = share * (1 + outer**2 / inner**2)
    spread = share * inner / STEEL * ((1 - POISSON) + (1 + POISSON) * outer**2 / inner**2)
    faces = bent.faces()
    assert faces.hoop[0] == pytest.approx([hoop, hoop], rel=0.02)
    middle = len(faces.radius) // 2
    squeezed = share * (1 - outer**2 / faces.radius[middle] ** 2)
    assert faces.radial[middle] == pytest.approx([squeezed, squeezed], rel=0.02)
    assert bent.spread() == pytest.approx(spread, rel=0.02)
    assert bent.spread(outer=True) == pytest.approx(2 * share * outer / STEEL, rel=0.02)


def roark_2e(inner: float, outer: float, load: float, bending: float) -> tuple[float, float, float]:
    """Roark, table 11.2, case 2e (outer edge fixed, inner edge free, uniform load): deflection and slope at the inner
    edge, radial moment at the outer edge."""
    ratio, nu = inner / outer, POISSON
    c1 = (1 + nu) / 2 * ratio * math.log(1 / ratio) + (1 - nu) / 4 * (1 / ratio - ratio)
    c4 = ((1 + nu) * ratio + (1 - nu) / ratio) / 2
    c7 = (1 - nu**2) / 2 * (1 / ratio - ratio)
    l11 = (1 + 4 * ratio**2 - 5 * ratio**4 - 4 * ratio**2 * (2 + ratio**2) * math.log(1 / ratio)) / 64
    l14 = (1 - ratio**4 - 4 * ratio**2 * math.log(1 / ratio)) / 16
    l17 = (1 - (1 - nu) / 4 * (1 - ratio**4) - ratio**2 * (1 + (1 + nu) * math.log(1 / ratio))) / 4
    deflection = -load * outer**4 / bending * (c1 * l14 / c4 - l11)
    slope = load * outer**3 * l14 / (bending * c4)
    moment = -load * outer**2 * (l17 - c7 / c4 * l14)
    return deflection, slope, moment


@pytest.mark.parametrize(
    ("ratio", "deflection", "slope", "moment"),
    [(0.1, -0.0166, 0.0159, -0.1246), (0.3, -0.0132, 0.0256, -0.1135),
     (0.5, -0.0053, 0.0149, -0.0800), (0.7, -0.0009, 0.0040, -0.0361)],
)  # fmt: skip
def test_a_clamped_annular_plate_is_roark_s(ratio: float, deflection: float, slope: float, moment: float) -> None:
    outer, load = 200.0, 0.1
    height = 0.03 * outer * (1 - ratio)
    bending = STEEL * height**3 / (12 * (1 - POISSON**2))
    exact = roark_2e(ratio * outer, outer, load, bending)
    scales = (load * outer**4 / bending, load * outer**3 / bending, load * outer**2)
    for value, scale, told in zip(exact, scales, (deflection, slope, moment), strict=True):
        assert value / scale == pytest.approx(told, abs=0.00006), "the table is printed to four decimals"
    ring = plain(Shape(ratio * outer, outer, height))
    ring.press(ratio * outer, outer, -load)
    ring.fix(outer, outer_edge=True)
    bent = ring.solve()
    assert bent.deflection(ratio * outer) == pytest.approx(exact[0], rel=0.02)
    near = ratio * outer + 1e-3 * outer
    assert (bent.deflection(near) - bent.deflection(ratio * outer)) / (1e-3 * outer) == pytest.approx(
        exact[1], rel=0.02
    )


def test_bending_stress_in_the_clamped_plate_is_roark_s() -> None:
    inner, outer, height, load = 60.0, 200.0, 4.0, 0.05
    bending = STEEL * height**3 / (12 * (1 - POISSON**2))
    moment = roark_2e(inner, outer, load, bending)[2]
    ring = plain(Shape(inner, outer, height, columns=48))
    ring.press(inner, outer, -load)
    ring.fix(outer, outer_edge=True)
    faces = ring.solve().faces()
    ends = faces.radial[-2:, 0]
    places = faces.radius[-2:]
    edge = ends[1] + (outer - places[1]) * (ends[1] - ends[0]) / (places[1] - places[0])
    assert abs(edge) == pytest.approx(abs(6 * moment / height**2), rel=0.02)


def test_a_slender_ring_turns_as_a_ring_in_torsion_does() -> None:
    """Ring under an even couple M per radian: the rotation is 12 M / (E t^3 ln(b/a)) (Timoshenko)."""
    inner, outer, height, force = 190.0, 210.0, 20.0, 100.0
    ring = plain(Shape(inner, outer, height))
    width = 2.0
    for start, sign, back in ((inner, 1, False), (outer - width, -1, True)):
        mean = start + width / 2
        ring.press(start, start + width, sign * force / (width * mean), back)
    ring.fix(outer)
    bent = ring.solve()
    arm = (outer - width / 2) - (inner + width / 2)
    couple = force * arm
    turned = (bent.deflection(outer) - bent.deflection(inner)) / (outer - inner)
    expected = -12 * couple / (STEEL * height**3 * math.log(outer / inner))
    assert turned == pytest.approx(expected, rel=0.02)


def loaded(columns: int, layers: int) -> Ring:
    ring = plain(Shape(60, 150, 25, columns, layers))
    ring.press(75, 90, 20.0)
    ring.press(110, 130, -20.0 * (90**2 - 75**2) / (130**2 - 110**2), back=True)
    ring.blow_bore(2.0)
    ring.fix(82)
    return ring


def test_rotation_and_stress_converge_with_the_mesh() -> None:
    seen = []
    for columns, layers in ((12, 2), (24, 4), (48, 8), (96, 16)):
        bent = loaded(columns, layers).solve()
        seen.append(((bent.deflection(120) - bent.deflection(82.5)) / 37.5, float(bent.faces().equivalent.max())))
    finest = seen[-1]
    errors = [[abs(value / best - 1) for value, best in zip(found, finest, strict=True)] for found in seen[:-1]]
    assert all(later <= earlier for earlier, later in zip(errors[0], errors[1], strict=True))
    assert all(later <= earlier for earlier, later in zip(errors[1], errors[2], strict=True))
    assert max(errors[1]) < 0.01, "the mesh that the task uses"


def test_loads_balance_so_that_the_support_carries_nothing() -> None:
    ring = loaded(24, 4)
    assert ring._load[1::2].sum() == pytest.approx(0, abs=1e-6 * np.abs(ring._load).sum())


def test_a_stiff_bore_does_not_turn_and_a_free_one_does() -> None:
    free, held = loaded(24, 4), loaded(24, 4)
    held.stiffen_bore(1e13)
    turned = [float(bent.moved[2 * bent.ring._grid.bore[-1]] - bent.moved[0]) for bent in (free.solve(), held.solve())]
    assert abs(turned[1]) < 1e-3 * abs(turned[0])


def test_displacements_scale_with_the_modulus_and_stresses_do_not() -> None:
    found = []
    for modulus in (STEEL, STEEL / 3):
        ring = plain(Shape(60, 150, 25), modulus)
        ring.blow_bore(5.0)
        ring.fix(100)
        bent = ring.solve()
        found.append((bent.spread(), float(bent.faces().equivalent.max())))
    assert found[1][0] == pytest.approx(3 * found[0][0])
    assert found[1][1] == pytest.approx(found[0][1])
