"""Shortcuts: policies that must not succeed, and unfiltered ones whose rates are published.

Those that look hand in a right reading, so that it is the design that fails; those that do not look fail by the reading
whatever their analyses say.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Generator, Sequence
from itertools import product
from typing import TYPE_CHECKING, Any

from attrs import asdict, evolve

from harness import Move, Observation, Scripted, View, call
from harness_flangeplane.brief import Brief, blind, least, sighted
from harness_flangeplane.design import CLEARANCE, Design, Reading, broken_rule, clears, least_circle, slimmest
from harness_flangeplane.joint import Joint, analyse
from harness_flangeplane.options import Options
from harness_flangeplane.planner import MESH, Twin
from harness_flangeplane.sample import Identity, good_design, up
from harness_flangeplane.stock import BOLT_NAMES, MATERIAL_NAMES, MATERIALS

if TYPE_CHECKING:
    import numpy as np

Steps = Generator[Move, Observation, None]
Change = Callable[[Brief, Design], Design]

SEARCH_CEILING = {"hard": 0.25}
CONSTANT_CEILING = 0.10


def handing_in(change: Change) -> Callable[[View], Steps]:
    """Make a policy that reads the drawing and hands in a change of the flange in it."""

    def play(view: View) -> Steps:
        brief = sighted(view)
        assert brief.pictured is not None
        yield call("submit", design=asdict(change(brief, brief.pictured)), read=brief.reading)

    return play


def as_pictured(brief: Brief, drawn: Design) -> Design:
    """Keep the flange as it is."""
    return drawn


def thinnest(brief: Brief, drawn: Design) -> Design:
    """Take the least thickness, with as many bolts as that asks for."""
    for bolts in range(drawn.bolts, 41, 2):
        slim = _slimmest(brief, evolve(drawn, bolts=bolts))
        design = evolve(drawn, bolts=bolts, thickness=slim)
        if slim <= 6.0 or evolve(drawn, bolts=bolts + 2).spacing < drawn.size.pitch:
            return design
    return drawn


def _slimmest(brief: Brief, design: Design) -> float:
    return max(6.0, slimmest(design.size, design.spacing, brief.joint.gasket))


def thickest(brief: Brief, drawn: Design) -> Design:
    """Take the greatest thickness."""
    return evolve(drawn, thickness=120.0)


def smallest_rim(brief: Brief, drawn: Design) -> Design:
    """Keep thickness, bolts and material and take the smallest bolt circle and rim."""
    circle = max(least_circle(drawn.size, brief.joint.gasket_outer), drawn.bolts * drawn.size.pitch / math.pi)
    circle = math.ceil(circle * 100) / 100
    return evolve(drawn, bolt_circle=circle, outer_diameter=circle + 2 * drawn.size.edge)


def cheapest_material(brief: Brief, drawn: Design) -> Design:
    """Take the material of the cheapest plate."""
    return evolve(drawn, material=min(MATERIAL_NAMES, key=lambda name: MATERIALS[name].price * MATERIALS[name].density))


def perturbed(change: Change) -> Callable[[View], Steps]:
    """Make a policy that hands in a change with a thickness off by up to a fifth and a material at random."""

    def play(view: View) -> Steps:
        brief = sighted(view)
        assert brief.pictured is not None
        design = change(brief, brief.pictured)
        thickness = max(_slimmest(brief, design), design.thickness * float(view.rng.uniform(0.8, 1.2)))
        material = MATERIAL_NAMES[int(view.rng.integers(len(MATERIAL_NAMES)))]
        design = evolve(design, thickness=min(120.0, thickness), material=material)
        yield call("submit", design=asdict(design), read=brief.reading)

    return play


# ---- without looking


def typical(view: View) -> Steps:
    """Plan for a typical joint without looking at the drawing, and guess the reading."""
    brief = blind(view)
    plans = Twin(brief.joint, brief.required).plans()
    yield call("submit", design=asdict(plans[0].design if plans else _some(brief)), read=brief.reading)


def blind_search(view: View) -> Steps:
    """Climb on the margins with all analyses without looking at the drawing, and guess the reading."""
    brief = blind(view)
    plans = Twin(brief.joint, brief.required).plans()
    design = plans[0].design if plans else _some(brief)
    best: tuple[float, Design] | None = None
    for _ in range(view.limits.budgets["analyses"]):
        seen = yield call("analyse", design=asdict(design))
        if seen.error is not None:  # the gasket is larger than was thought
            design = _stretched(design, 1.06, brief.joint.gasket)
            continue
        if best is None or least(seen) > best[0]:
            best = least(seen), design
        design = _neighbour(best[1], brief, view.rng)
    chosen = best[1] if best else design
    # the smallest bolt circle that fits tells most of what can be told of the gasket
    gasket = max(20.0, round(chosen.bolt_circle - chosen.size.hole - CLEARANCE - 4))
    read = evolve(brief.read, gasket_outer=gasket, bore=max(10.0, gasket - 37))
    yield call("submit", design=asdict(chosen), read=asdict(read))


def _neighbour(design: Design, brief: Brief, rng: np.random.Generator) -> Design:
    """Change thickness, size and now and then the material of a design, within the rules."""
    for _ in range(50):
        other = _stretched(design, float(rng.uniform(0.96, 1.03)), brief.joint.gasket)
        thickness = min(120.0, max(6.0, round(design.thickness * float(rng.uniform(0.85, 1.18)), 3)))
        material = MATERIAL_NAMES[int(rng.integers(len(MATERIAL_NAMES)))] if rng.random() < 0.2 else design.material
        other = evolve(other, thickness=thickness, material=material)
        if broken_rule(other, brief.joint.gasket) is None:
            return other
    return design


def _stretched(design: Design, factor: float, gasket: str) -> Design:
    """Make bolt circle and rim larger or smaller, with bolts of about the same distance and a plate to suit."""
    circle, size = round(min(560.0, max(70.0, design.bolt_circle * factor)), 2), design.size
    wanted = 2 * math.floor(design.bolts * circle / design.bolt_circle / 2 + 0.5)
    bolts = max(4, min(40, wanted, 2 * math.floor(math.pi * circle / size.pitch / 2)))
    other = evolve(design, bolt_circle=circle, outer_diameter=up(circle + 2 * size.edge), bolts=bolts)
    return evolve(other, thickness=max(design.thickness, slimmest(size, other.spacing, gasket)))


def _some(brief: Brief) -> Design:
    design = good_design(brief.joint, "S355", "M16", 25.0, brief.joint.bolt_force / 160)
    assert design is not None
    return design


# ---- searches with the reading right


def search(view: View) -> Steps:
    """Read the drawing, analyse designs at random that keep the rules and the price, hand in the best."""
    brief = sighted(view)
    best = (-math.inf, brief.pictured)
    for _ in range(view.limits.budgets["analyses"]):
        design = _affordable(brief, view.rng)
        seen = yield call("analyse", design=asdict(design))
        if seen.error is None:
            best = max(best, (least(seen), design), key=lambda tried: tried[0])
    assert best[1] is not None
    yield call("submit", design=asdict(best[1]), read=brief.reading)


def _affordable(brief: Brief, rng: np.random.Generator) -> Design:
    """Draw designs until one is within weight and cost; the last one if none is."""
    design = _drawn(brief, brief.joint, rng)
    for _ in range(200):
        if design.cost <= brief.required.cost and design.blank <= brief.required.blank:
            return design
        design = _drawn(brief, brief.joint, rng)
    return design


def _drawn(brief: Brief, joint: Joint, rng: np.random.Generator) -> Design:
    """Draw a design that keeps the rules: any material and bolt, circle and rim up to a tenth larger than least."""
    while True:
        material = MATERIAL_NAMES[int(rng.integers(len(MATERIAL_NAMES)))]
        bolt = BOLT_NAMES[int(rng.integers(len(BOLT_NAMES)))]
        thickness = joint.gasket_outer * float(rng.uniform(0.04, 0.25))
        design = good_design(joint, material, bolt, max(6.0, min(120.0, thickness)), 0.0, 2 * int(rng.integers(4)))
        if design is None:
            continue
        circle = min(600.0, round(design.bolt_circle * float(rng.uniform(1, 1.1)), 2))
        rim = min(700.0, round((circle + 2 * design.size.edge) * float(rng.uniform(1, 1.1)) + 0.01, 2))
        design = evolve(design, bolt_circle=circle, outer_diameter=rim)
        if broken_rule(design, joint.gasket) is None:
            return design


def random_design(view: View) -> Steps:
    """Make legal calls at random with legal designs."""
    brief = blind(view)
    for _ in range(view.limits.turns):
        design = asdict(_drawn(brief, brief.joint, view.rng))
        choice = int(view.rng.integers(8))
        if choice == 0:
            bore, gasket, circle, thickness = (float(size) for size in view.rng.uniform(20, 300, 4))
            read = Reading(bore, gasket, circle, thickness, int(view.rng.integers(2, 30)), 25.0)
            yield call("submit", design=design, read=asdict(read))
        else:
            yield call(("cost", "analyse", "draw")[choice % 3], design=design)


# ---- the best constant

SHARES = (0.05, 0.07, 0.09, 0.11, 0.13, 0.16, 0.2)
"""Thicknesses that a constant may have, as shares of the gasket's outer diameter."""

FINALISTS = 10


def fitted(seen: Sequence[Identity], options: Options) -> Callable[[View], Steps]:
    """Return the constant design, in proportion to the gasket, that does best on training instances.

    All candidates are scored on some of the instances, the best of them on all.
    """
    candidates = list(product(MATERIAL_NAMES, BOLT_NAMES[:5], SHARES))
    few = sorted(candidates, key=lambda choice: -_score(choice, seen[:: max(1, len(seen) // 60)]))[:FINALISTS]
    best = max(few, key=lambda choice: _score(choice, seen))

    def play(view: View) -> Steps:
        brief = sighted(view)
        assert brief.pictured is not None
        design = _constant(best, brief.joint) or brief.pictured
        yield call("submit", design=asdict(design), read=brief.reading)

    return play


def _constant(choice: tuple[Any, Any, float], joint: Joint) -> Design | None:
    material, bolt, share = choice
    return good_design(joint, material, bolt, max(6.0, share * joint.gasket_outer), joint.bolt_force / 150)


def _score(choice: tuple[Any, Any, float], seen: Sequence[Identity]) -> float:
    """Mean of the least margin over instances, cut below, and of success."""
    from harness_flangeplane.tools import margins

    total = 0.0
    for identity in seen:
        design = _constant(choice, identity.joint)
        if design is None or not clears(design, identity.joint.gasket_outer):
            continue
        if design.cost > 1.5 * identity.required.cost or design.blank > 1.5 * identity.required.blank:
            continue
        worst = min(margins(design, analyse(identity.joint, identity.truth, design, *MESH), identity.required).values())
        total += (worst >= 0) + 0.1 * max(0.0, 1 + worst)
    return total


def shortcuts() -> dict[str, Scripted]:
    """Return the lazy policies and the adversaries."""
    lazies = {
        "pictured": (as_pictured, "the flange as it is drawn"),
        "thinnest": (thinnest, "the drawn flange, as thin as the rules allow"),
        "thickest": (thickest, "the drawn flange, as thick as can be"),
        "smallest-rim": (smallest_rim, "the drawn flange, bolt circle and rim as small as can be"),
        "cheapest-material": (cheapest_material, "the drawn flange of the cheapest plate"),
    }
    found = {name: Scripted(handing_in(change), "lazy", "perception", text) for name, (change, text) in lazies.items()}
    return found | {
        "random": Scripted(random_design, "lazy", "observation", "legal calls with legal designs"),
        "typical-bore": Scripted(typical, "lazy", "observation", "a plan for a typical joint, without looking"),
        "blind-search": Scripted(blind_search, "lazy", "observation", "all analyses on margins, without looking"),
        "perturbed-pictured": Scripted(perturbed(as_pictured), "adversary", "perception", "the drawn flange, changed"),
        "perturbed-smallest-rim": Scripted(perturbed(smallest_rim), "adversary", "perception", "smallest rim, changed"),
        "constant": Scripted(
            None, "adversary", "perception", "the best design in proportion", ceiling=CONSTANT_CEILING, fit=fitted
        ),
        "search": Scripted(search, "adversary", "perception", "random affordable designs", ceiling=SEARCH_CEILING),
    }
