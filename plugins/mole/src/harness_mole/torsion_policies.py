"""Scripted policies of the conformer variant.

The reference notes the wells of every free bond from scans, descends over them by energies with torsions held, from
more than one start, and minimises the lowest places. It sees what an agent sees: the list of bonds and what the tools
answer.
"""

from __future__ import annotations

import re
from collections.abc import Generator, Mapping, Sequence
from typing import Any, Final

from attrs import Factory, define, frozen

from harness import Move, Observation, Scripted, View, call, calls
from harness_mole.landscape import Band, apart, wrap

Steps = Generator[Move, Observation, None]
Torsions = tuple[float, ...]

RESTARTS: Final = 6
"""Descents from random combinations of wells, while energies are left."""

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
        wells: Free bond → angles of its wells, as its scan has shown them.
        seen: Torsions → energy above the target, for everything measured by `energy`.
        visited: Torsions minimised from, and where that ended.
        best: Lowest minimised energy above the target, and where.
    """

    told: Brief
    left: dict[str, int]
    wells: dict[int, tuple[float, ...]] = Factory(dict)
    seen: dict[Torsions, float] = Factory(dict)
    visited: list[Torsions] = Factory(list)
    best: tuple[float, Torsions] | None = None

    @property
    def free(self) -> list[int]:
        """Free bonds, from the middle of the list outwards."""
        count = len(self.told.start)
        return sorted(set(range(count)) - set(self.told.bands), key=lambda b: abs(b - (count - 1) / 2))

    def look(self, torsions: Torsions) -> Generator[Move, Observation, Torsions]:
        """Scan the free bonds, note their wells, and turn each to the best before the next is scanned."""
        for bond in self.free:
            if self.left["scans"] == 0:
                break
            self.left["scans"] -= 1
            seen = yield call("scan", torsions=list(torsions), bond=bond + 1)
            self.wells[bond] = _wells(seen.data["angles"], seen.data["energies"])
            torsions = _turned(torsions, bond, float(seen.data["lowest"]["angle"]))
        return torsions

    def measure(self, places: Sequence[Torsions]) -> Generator[Move, Observation, None]:
        """Measure the energies with torsions held at places not known yet, in one turn, as far as the budget goes."""
        new = [torsions for torsions in dict.fromkeys(places) if torsions not in self.seen][: self.left["energies"]]
        if new:
            self.left["energies"] -= len(new)
            answer = yield calls(*(call("energy", torsions=list(torsions)) for torsions in new))
            for place, torsions in enumerate(new):
                self.seen[torsions] = float(answer.item(place)["above_target"])

    def descend(self, torsions: Torsions) -> Generator[Move, Observation, Torsions]:
        """Turn one free bond after the other to its best well, until nothing improves or the budget is spent."""
        yield from self.measure([torsions])
        improved = True
        while improved and self.left["energies"]:
            improved = False
            for bond in self.free:
                wells = [angle for angle in self.wells.get(bond, ()) if apart(angle, torsions[bond]) >= NEAR]
                yield from self.measure([_turned(torsions, bond, angle) for angle in wells])
                around = [torsions, *(_turned(torsions, bond, angle) for angle in wells)]
                best = min(around, key=lambda place: self.seen.get(place, float("inf")))
                torsions, improved = best, improved or best != torsions
        return torsions

    def minimise(self, torsions: Torsions) -> Generator[Move, Observation, Torsions]:
        """Minimise, remember, return where it ended."""
        self.left["minimisations"] -= 1
        answer = yield call("minimise", torsions=list(torsions))
        reached = tuple(answer.data["torsions"])
        self.visited += [torsions, reached]
        if self.best is None or answer.data["above_target"] < self.best[0]:
            self.best = (answer.data["above_target"], reached)
        return reached

    def anywhere(self, rng: Any) -> Torsions:
        """A random combination of wells, held torsions as in the start."""
        torsions = self.told.centred
        for bond, angles in self.wells.items():
            torsions = _turned(torsions, bond, angles[int(rng.integers(len(angles)))])
        return torsions

    def next(self) -> Torsions | None:
        """The lowest torsions measured that are away from everything visited."""
        for torsions in sorted(self.seen, key=lambda t: self.seen[t]):
            if all(max(map(apart, torsions, known)) > NEAR for known in self.visited):
                return torsions
        return None

    @property
    def solved(self) -> bool:
        """Whether the target has been reached, with a little to spare."""
        return self.best is not None and self.best[0] <= -0.04


def _turned(torsions: Torsions, bond: int, angle: float) -> Torsions:
    return (*torsions[:bond], angle, *torsions[bond + 1 :])


def _wells(angles: Sequence[float], energies: Sequence[float]) -> tuple[float, ...]:
    """Minima of a scan, lowest first, at most four."""
    found = [
        (energy, float(angles[place]))
        for place, energy in enumerate(energies)
        if energy <= min(energies[place - 1], energies[(place + 1) % len(energies)])
    ]
    return tuple(angle for _, angle in sorted(found)[:4])


def reference(view: View) -> Steps:
    """Note the wells of the free bonds, descend over them, minimise the lowest places one after the other."""
    search = Search(brief(view), dict(view.limits.budgets))
    torsions = yield from search.look(search.told.centred)
    for _ in range(2):
        torsions = yield from search.descend(torsions)
        if search.left["minimisations"]:
            torsions = yield from search.minimise(torsions)
        if search.solved:
            break
        torsions = yield from search.look(torsions)
    for _ in range(RESTARTS):
        if search.left["energies"] and not search.solved:
            yield from search.descend(search.anywhere(view.rng))
    while search.left["minimisations"] and not search.solved:
        place = search.next() or search.told.held(tuple(view.rng.uniform(-180, 180, len(torsions))))
        yield from search.minimise(place)
    assert search.best is not None
    yield call("submit", torsions=list(search.best[1]))


# ---- policies that cannot succeed by skill


def start(view: View) -> Steps:
    """Submit the starting geometry."""
    yield call("submit", torsions=list(brief(view).start))


def all_anti(view: View) -> Steps:
    """Submit 180 degrees everywhere."""
    yield call("submit", torsions=[180.0] * len(brief(view).start))


def one_random(view: View) -> Steps:
    """Submit random torsions."""
    yield call("submit", torsions=[float(view.rng.uniform(-180, 180)) for _ in brief(view).start])


def random_in_bands(view: View) -> Steps:
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
    """Random multistart with the full budget: the best of random energies are minimised, the lowest submitted."""
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
        "reference": Scripted(
            reference, "reference", summary="descends over the wells of its scans, minimises the lowest places"
        ),
        "random": Scripted(random_play, "lazy", summary="random tools with random legal torsions"),
        "start": Scripted(start, "lazy", summary="submits the starting geometry"),
        "all-anti": Scripted(all_anti, "lazy", summary="submits 180 degrees everywhere"),
        "one-random": Scripted(one_random, "lazy", summary="submits random torsions"),
        "perturbed-anti": Scripted(
            perturbed_anti, "adversary", summary="all-anti with 30 degrees of noise, inside the bands"
        ),
        "random-in-bands": Scripted(random_in_bands, "adversary", summary="submits random torsions inside the bands"),
        "minimised-start": Scripted(minimised_start, "adversary", summary="submits what the start minimises to"),
        "constant": Scripted(
            fit=fit_constant, kind="adversary", ceiling=0.10, summary="the commonest torsions of training"
        ),
        "search": Scripted(
            random_search, "adversary", ceiling={"conformer-hard": 0.25}, summary="random multistart, full budget"
        ),
    }
