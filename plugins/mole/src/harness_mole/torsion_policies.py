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

from harness import Move, Observation, Scripted, View, call, calls, generator
from harness_mole.landscape import Band, apart, wrap

Steps = Generator[Move, Observation, None]
Torsions = tuple[float, ...]
Choice = tuple[int, ...]

MOST_WELLS: Final = 5
POOL: Final = 400
"""Wells kept of a bond, and random choices of wells that are considered for the next energy."""

SHARING: Final = 1.5
NOISE: Final = 0.05
BOLDNESS: Final = 1.2
CLASH: Final = 6.0
"""Of the Gaussian process: weight of a shared well, noise, deviations below the mean, largest energy that counts."""

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
        base: Torsions of the bonds that are held, and of free ones that no scan has turned.
        wells: Free bond → angles of its wells, as scans have shown them.
        seen: Well chosen for each free bond → energy above the target, for everything measured by `energy`.
        visited: Torsions minimised from, and where that ended.
        best: Lowest minimised energy above the target, and where.
    """

    told: Brief
    left: dict[str, int]
    base: Torsions
    wells: dict[int, list[float]] = Factory(dict)
    seen: dict[Choice, float] = Factory(dict)
    visited: list[Torsions] = Factory(list)
    best: tuple[float, Torsions] | None = None

    @property
    def free(self) -> list[int]:
        """Free bonds."""
        return [bond for bond in range(len(self.told.start)) if bond not in self.told.bands]

    def look(self, torsions: Torsions) -> Generator[Move, Observation, Torsions]:
        """Scan the free bonds, note new wells, and turn each to the best before the next is scanned."""
        for bond in self.free[: self.left["scans"]]:
            self.left["scans"] -= 1
            seen = yield call("scan", torsions=list(torsions), bond=bond + 1)
            known = self.wells.setdefault(bond, [])
            for angle in _wells(seen.data["angles"], seen.data["energies"]):
                if len(known) < MOST_WELLS and all(apart(angle, well) > NEAR for well in known):
                    known.append(angle)
            torsions = _turned(torsions, bond, float(seen.data["lowest"]["angle"]))
        return torsions

    def torsions(self, choice: Choice) -> Torsions:
        """Torsions of a choice of wells, held ones as told."""
        torsions = self.base
        for bond, well in zip(self.free, choice, strict=True):
            torsions = _turned(torsions, bond, self.wells[bond][well]) if bond in self.wells else torsions
        return torsions

    def rebase(self, torsions: Torsions) -> Generator[Move, Observation, None]:
        """Start afresh from where a minimisation ended: its angles are wells, beside those of scans around it."""
        self.base, self.seen = torsions, {}
        self.wells = {bond: [torsions[bond]] for bond in self.free}
        yield from self.look(torsions)
        yield from self.measure([(0,) * len(self.free)])

    def nearest(self, torsions: Torsions) -> Choice:
        """The choice of wells nearest to torsions."""
        wells = [self.wells.get(bond, [0.0]) for bond in self.free]
        return tuple(
            min(range(len(w)), key=lambda i, w=w, bond=bond: apart(w[i], torsions[bond]))  # type: ignore[misc]
            for bond, w in zip(self.free, wells, strict=True)
        )

    def drawn(self, rng: Any, count: int) -> list[Choice]:
        """Random choices of wells."""
        sizes = [len(self.wells.get(bond, [0.0])) for bond in self.free]
        return [tuple(int(i) for i in row) for row in rng.integers(sizes, size=(count, len(sizes)))]

    def around(self, choice: Choice) -> list[Choice]:
        """All choices that differ in one bond."""
        sizes = [len(self.wells.get(bond, [0.0])) for bond in self.free]
        return [(*choice[:b], w, *choice[b + 1 :]) for b, size in enumerate(sizes) for w in range(size)]

    def measure(self, choices: Sequence[Choice]) -> Generator[Move, Observation, None]:
        """Measure the energies of choices not known yet, in one turn, as far as the budget goes."""
        new = [choice for choice in dict.fromkeys(choices) if choice not in self.seen][: self.left["energies"]]
        if new:
            self.left["energies"] -= len(new)
            answer = yield calls(*(call("energy", torsions=list(self.torsions(choice))) for choice in new))
            for place, choice in enumerate(new):
                self.seen[choice] = float(answer.item(place)["above_target"])

    def promising(self, rng: Any) -> Choice | None:
        """The choice not measured yet whose energy may be lowest, by what similar ones have shown."""
        lowest = sorted(self.seen, key=lambda c: self.seen[c])[:4]
        pool = [*self.drawn(rng, POOL), *(near for choice in lowest for near in self.around(choice))]
        pool = [choice for choice in dict.fromkeys(pool) if choice not in self.seen]
        if not pool:
            return None
        bound = _lower_bounds(list(self.seen), list(self.seen.values()), pool)
        return pool[int(bound.argmin())]

    def minimise(self, torsions: Torsions) -> Generator[Move, Observation, Torsions]:
        """Minimise, remember, return where it ended."""
        self.left["minimisations"] -= 1
        answer = yield call("minimise", torsions=list(torsions))
        reached = tuple(answer.data["torsions"])
        self.visited += [torsions, reached]
        if self.best is None or answer.data["above_target"] < self.best[0]:
            self.best = (answer.data["above_target"], reached)
        return reached

    def next(self) -> Torsions | None:
        """The lowest torsions measured that are away from everything visited."""
        for choice in sorted(self.seen, key=lambda c: self.seen[c]):
            torsions = self.torsions(choice)
            if all(max(map(apart, torsions, known)) > NEAR for known in self.visited):
                return torsions
        return None

    @property
    def solved(self) -> bool:
        """Whether the target has been reached, with a little to spare."""
        return self.best is not None and self.best[0] <= -0.04


def _lower_bounds(seen: Sequence[Choice], energies: Sequence[float], pool: Sequence[Choice]) -> Any:
    """Energy that choices may have: mean less deviation of a Gaussian process in which sharing wells is similarity."""
    import numpy as np

    known, asked = np.array(seen), np.array(pool)
    values = np.minimum(np.array(energies) - min(energies), CLASH)

    def alike(first: Any, second: Any) -> Any:
        same = (first[:, None] == second[None]).astype(float)
        return np.prod((1 + SHARING * same) / (1 + SHARING), axis=-1)

    middle, scale = values.mean(), values.std() + 0.5
    inverse = np.linalg.inv(alike(known, known) + NOISE * np.eye(len(known)))
    across = alike(asked, known)
    mean = across @ inverse @ ((values - middle) / scale)
    spread = np.sqrt(np.maximum(1e-9, 1 - np.einsum("ij,jk,ik->i", across, inverse, across)))
    return mean - BOLDNESS * spread


def _turned(torsions: Torsions, bond: int, angle: float) -> Torsions:
    return (*torsions[:bond], angle, *torsions[bond + 1 :])


def _wells(angles: Sequence[float], energies: Sequence[float]) -> tuple[float, ...]:
    """Minima of a scan, lowest first, at most four; each at the vertex of the parabola through its three points."""
    found = []
    for place, energy in enumerate(energies):
        before, after = energies[place - 1], energies[(place + 1) % len(energies)]
        if energy <= min(before, after):
            bend = before + after - 2 * energy
            shift = 0.5 * (before - after) / bend if bend > 0 else 0.0
            found.append((energy, round(wrap(angles[place] + shift * (angles[1] - angles[0])), 1)))
    return tuple(angle for _, angle in sorted(found)[:4])


def reference(view: View) -> Steps:
    """Note the wells of the free bonds, measure the choices that promise most, minimise the lowest now and then."""
    told, rng = brief(view), generator("mole reference", view.facts["smiles"], view.facts["start"])
    search = Search(told, dict(view.limits.budgets), told.centred)
    torsions = yield from search.look(told.centred)
    yield from search.measure([search.nearest(torsions), *search.drawn(rng, 1)])
    while search.left["minimisations"] and not search.solved:
        best = search.best
        place = search.next() or told.held(tuple(rng.uniform(-180, 180, len(torsions))))
        torsions = yield from search.minimise(place)
        if search.solved or not search.left["minimisations"]:
            break
        if search.best is not best:
            yield from search.rebase(torsions)
        until = search.left["energies"] - search.left["energies"] // search.left["minimisations"]
        while search.left["energies"] > until and (choice := search.promising(rng)):
            yield from search.measure([choice])
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
