"""Scripted policies of the conformer variant.

The reference turns one bond after the other to the best angle of its scan, minimises, and keeps every other well that its
scans have shown as a place to try next. It sees what an agent sees: the list of bonds and what the tools answer.
"""

from __future__ import annotations

import re
from collections.abc import Generator, Mapping, Sequence
from typing import Any, Final

from attrs import Factory, define, frozen

from harness import Move, Observation, Scripted, View, call
from harness_mole.landscape import Band, apart, wrap

Steps = Generator[Move, Observation, None]
Torsions = tuple[float, ...]

NEAR: Final = 40.0
"""Torsions that differ by less in every bond count as the same place."""


@frozen
class Brief:
    """What a script takes from its prompt: the start and the bands by bond."""

    start: Torsions
    bands: Mapping[int, Band]

    @property
    def centred(self) -> Torsions:
        """The start with held torsions in the middle of their bands."""
        return self.held(self.start)

    def held(self, torsions: Sequence[float]) -> Torsions:
        """Put held torsions into the middle of their bands, unless they are inside."""
        return tuple(
            wrap((self.bands[i].low + self.bands[i].high) / 2) if i in self.bands and self.bands[i].excess(t) else t
            for i, t in enumerate(torsions)
        )


def brief(view: View) -> Brief:
    """Read start and bands from the facts of the prompt."""
    start = tuple(float(x) for x in re.findall(r"-?\d+", view.facts["start"]))
    bands = {}
    for bond in range(len(start)):
        ends = re.findall(r"(-?\d+)°", view.facts[f"bond {bond + 1}"])
        if ends:
            bands[bond] = Band(bond, float(ends[0]), float(ends[1]))
    return Brief(start, bands)


@define
class Search:
    """State of the reference's search.

    Attributes:
        pool: Wells seen in scans and not minimised from: energy above the target and torsions.
        best: Lowest minimised energy above the target, and where.
    """

    told: Brief
    scans: int
    minimisations: int
    pool: list[tuple[float, Torsions]] = Factory(list)
    visited: list[Torsions] = Factory(list)
    best: tuple[float, Torsions] | None = None

    def sweep(self, torsions: Torsions, *, move: bool) -> Generator[Move, Observation, Torsions]:
        """Scan every bond once; `move` turns each to its best angle before the next is scanned."""
        for bond in self.order():
            if self.scans == 0:
                break
            self.scans -= 1
            seen = yield call("scan", torsions=list(torsions), bond=bond + 1)
            wells = self.wells(seen.data, torsions, bond)
            self.pool += wells
            if move and wells:
                torsions = min(wells)[1]
        return torsions

    def order(self) -> list[int]:
        """Bonds from the middle of the list outwards, held ones last."""
        count = len(self.told.start)
        return sorted(range(count), key=lambda b: (b in self.told.bands, abs(b - (count - 1) / 2)))

    def wells(self, data: Any, torsions: Torsions, bond: int) -> list[tuple[float, Torsions]]:
        """Minima of a scan that lie within the bond's band."""
        points, energies = data["angles"], data["energies"]
        shift = data["lowest"]["above_target"] - min(energies)
        found = []
        for place, energy in enumerate(energies):
            around = (energies[place - 1], energies[(place + 1) % len(energies)])
            if energy <= min(around) and energy + shift < 500:
                found.append((energy + shift, (*torsions[:bond], float(points[place]), *torsions[bond + 1 :])))
        return found

    def minimise(self, torsions: Torsions) -> Generator[Move, Observation, Torsions]:
        """Minimise, remember, return where it ended."""
        self.minimisations -= 1
        self.visited.append(torsions)
        seen = yield call("minimise", torsions=list(torsions))
        reached = tuple(seen.data["torsions"])
        self.visited.append(reached)
        if self.best is None or seen.data["above_target"] < self.best[0]:
            self.best = (seen.data["above_target"], reached)
        return reached

    def next(self) -> Torsions | None:
        """The lowest well of the pool that is away from everything visited."""
        for _, torsions in sorted(self.pool):
            if all(max(map(apart, torsions, seen)) > NEAR for seen in self.visited):
                return torsions
        return None

    @property
    def solved(self) -> bool:
        """Whether the target has been reached, with a little to spare."""
        return self.best is not None and self.best[0] <= -0.04


def reference(view: View) -> Steps:
    """Descend by scans, minimise, then try the best wells seen around what was reached."""
    search = Search(brief(view), view.limits.budgets["scans"], view.limits.budgets["minimisations"])
    torsions = search.told.centred
    for _ in range(2):
        torsions = yield from search.sweep(torsions, move=True)
    while search.minimisations and not search.solved:
        reached = yield from search.minimise(torsions)
        if search.solved:
            break
        if search.best is not None and search.best[1] == reached:
            yield from search.sweep(reached, move=False)
        torsions = search.next() or search.told.held(tuple(view.rng.uniform(-180, 180, len(torsions))))
    assert search.best is not None
    yield call("submit", torsions=list(search.best[1]))


# ---- policies that cannot succeed by skill


def start(view: View) -> Steps:
    """Submit the starting geometry."""
    yield call("submit", torsions=list(brief(view).start))


def all_anti(view: View) -> Steps:
    """Submit 180 degrees everywhere, held torsions in the middle of their bands."""
    told = brief(view)
    yield call("submit", torsions=list(told.held([180.0] * len(told.start))))


def one_random(view: View) -> Steps:
    """Submit random torsions, held ones in the middle of their bands."""
    yield call("submit", torsions=list(drawn(view)))


def minimised_start(view: View) -> Steps:
    """Submit what the starting geometry minimises to."""
    seen = yield call("minimise", torsions=list(brief(view).centred))
    yield call("submit", torsions=seen.data["torsions"])


def drawn(view: View) -> Torsions:
    """Random torsions that respect the bands."""
    told = brief(view)
    return told.held([float(view.rng.uniform(-180, 180)) for _ in told.start])


def random_play(view: View) -> Steps:
    """Random tools with random legal torsions until something random is submitted."""
    for _ in range(view.limits.turns):
        kind = ("submit", "minimise", "scan", "energy")[int(view.rng.integers(4))]
        torsions = [float(view.rng.uniform(-180, 180)) for _ in brief(view).start]
        extra = {"bond": int(view.rng.integers(1, len(torsions) + 1))} if kind == "scan" else {}
        yield call(kind, torsions=torsions, **extra)


def perturbed_anti(view: View) -> Steps:
    """Submit all-anti with 30 degrees of noise."""
    told = brief(view)
    angles = [wrap(180.0 + float(view.rng.normal(0, 30))) for _ in told.start]
    yield call("submit", torsions=list(told.held(angles)))


def random_search(view: View) -> Steps:
    """Random multistart with the full budget: the best of random single energies are minimised, the lowest submitted."""
    pool = []
    for _ in range(view.limits.budgets["energies"]):
        torsions = drawn(view)
        seen = yield call("energy", torsions=list(torsions))
        pool.append((seen.data["energy"], torsions))
    pool.sort()
    best: tuple[float, Torsions] | None = None
    for place in range(view.limits.budgets["minimisations"]):
        torsions = pool[place][1] if place < len(pool) else drawn(view)
        seen = yield call("minimise", torsions=list(torsions))
        found = (seen.data["above_target"], tuple(seen.data["torsions"]))
        best = found if best is None else min(best, found)
    assert best is not None
    yield call("submit", torsions=list(best[1]))


def fit_constant(identities: Sequence[Any], options: Any) -> Any:
    """The best constant answer: per bond from the end of the list, the commonest torsion of certified minima."""
    length = max(len(identity.torsions) for identity in identities)
    usual = []
    for bond in range(length):
        angles = [identity.torsions[bond] for identity in identities if len(identity.torsions) > bond]
        usual.append(max(range(-180, 180, 10), key=lambda centre: sum(apart(centre, a) < 25 for a in angles)))

    def play(view: View) -> Steps:
        told = brief(view)
        yield call("submit", torsions=list(told.held([float(a) for a in usual[: len(told.start)]])))

    return play


def policies() -> dict[str, Scripted]:
    """Return the scripted policies of the variant by name."""
    return {
        "reference": Scripted(reference, "reference", summary="scans, minimises, tries the best wells seen"),
        "random": Scripted(random_play, "lazy", summary="random tools with random legal torsions"),
        "start": Scripted(start, "lazy", summary="submits the starting geometry"),
        "all-anti": Scripted(all_anti, "lazy", summary="submits 180 degrees everywhere, held torsions inside their bands"),
        "one-random": Scripted(one_random, "lazy", summary="submits random torsions inside the bands"),
        "perturbed-anti": Scripted(perturbed_anti, "adversary", summary="all-anti with 30 degrees of noise"),
        "minimised-start": Scripted(minimised_start, "adversary", summary="submits what the start minimises to"),
        "constant": Scripted(fit=fit_constant, kind="adversary", ceiling=0.10, summary="the commonest torsions of training"),
        "search": Scripted(
            random_search, "adversary", ceiling={"conformer-hard": 0.25}, summary="random multistart, full budget"
        ),
    }
