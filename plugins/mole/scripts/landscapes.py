"""Search the conformers of every molecule of the library and write `landscapes.json.zst`, their certified minima.

    python scripts/landscapes.py scripts/conformers.tsv WORK_FOLDER      # one JSON file per molecule, kept between runs
    python scripts/landscapes.py --collect WORK_FOLDER      # put them into the package

Search of a molecule: all combinations of rotamer wells are scored rigidly, the best `STARTS` are minimised, then every
single-bond change of the lowest minima is, until none gives a new lowest one. Instances are sets of bands. Each is
searched again with its bands on: from the lowest minimum inside and every lower one outside, from the `INSIDE` best
combinations by rigid energy, and from every single-bond change of the best until nothing lower appears.
"""

from __future__ import annotations

import itertools
import json
import sys
import time
from collections.abc import Mapping, Sequence
from multiprocessing import Pool
from pathlib import Path
from typing import Any

import numpy as np
import zstandard
from attrs import asdict, frozen

from harness_mole.landscape import STIFFNESS, Band, Landscape, Relaxed, Template, apart, rotatable, wrap
from harness_mole.sample import LEVELS, ODDS, level_of

STARTS = 400
COMBINATIONS = 3000
LOWEST = 12
SAME = 0.02
TOLERANCE = 0.2
CHECKED = 12
REACH = 4.0
ROWS = 20
TRIES = 1200
RANKED = 300
POOL = 200
INSIDE = 30
SHORT = 60
HOPELESS = 6.0
HIDDEN = 0.5
DRAWS = 30


@frozen
class Minimum:
    """One minimum of the free molecule."""

    energy: float
    torsions: tuple[float, ...]


def template_of(name: str, smiles: str) -> Template:
    """Embed and minimise a base geometry: the lowest of ten, so that its rings are relaxed."""
    from rdkit import Chem
    from rdkit.Chem import AllChem

    mol = Chem.AddHs(Chem.MolFromSmiles(smiles))
    AllChem.EmbedMultipleConfs(mol, 10, randomSeed=11)
    found = AllChem.MMFFOptimizeMoleculeConfs(mol, maxIters=2000)
    best = min(range(len(found)), key=lambda place: found[place][1])
    positions = mol.GetConformer(best).GetPositions()
    return Template(name, smiles, tuple(round(float(x), 4) for x in positions.ravel()), tuple(rotatable(mol)))


def wells(mol: Any, quad: tuple[int, ...]) -> tuple[tuple[float, ...], bool]:
    """Starting angles of a bond, and whether turning it by 180 degrees changes nothing."""
    from rdkit import Chem

    ends = [mol.GetAtomWithIdx(i) for i in quad[1:3]]
    flat = [a for a in ends if a.GetHybridization() == Chem.HybridizationType.SP2]
    if not flat:
        return (-60.0, 60.0, 180.0), False
    ranks = list(Chem.CanonicalRankAtoms(mol, breakTies=False))
    even = False
    for atom, other in (ends, ends[::-1]):
        rest = [n.GetIdx() for n in atom.GetNeighbors() if n.GetIdx() != other.GetIdx()]
        even |= atom.GetIsAromatic() and len(rest) == 2 and ranks[rest[0]] == ranks[rest[1]]
    angles = (0.0, 90.0) if even else (0.0, 90.0, 180.0, -90.0)
    if len(flat) == 1 and flat[0].GetIsAromatic():
        angles = (30.0, 90.0, 150.0) if even else (-120.0, -60.0, 60.0, 120.0)
    return angles, even


class Search:
    """Search of one free molecule."""

    def __init__(self, template: Template) -> None:
        self.template, self.free = template, Landscape(template)
        mol = self.free._mol
        self.wells = [wells(mol, quad) for quad in template.bonds]
        self.found: list[Minimum] = []
        self.tried: set[tuple[int, ...]] = set()
        self.count = 0

    def run(self) -> None:
        """Enumerate, then improve."""
        rng = np.random.default_rng(5)
        choices = [w[0] for w in self.wells]
        combos = list(itertools.islice(itertools.product(*choices), 200_000))
        if len(combos) > COMBINATIONS:
            combos = [combos[i] for i in rng.permutation(len(combos))[:COMBINATIONS]]
        ranked = sorted(combos, key=self.free.rigid)
        for combo in ranked[:STARTS]:
            self.start(combo)
        for _ in range(4):
            before = self.minima()[0].energy
            for low in self.minima()[:LOWEST]:
                for bond, angles in enumerate(choices):
                    for angle in angles:
                        if apart(angle, low.torsions[bond]) > 45:
                            self.start((*low.torsions[:bond], angle, *low.torsions[bond + 1 :]))
            if self.minima()[0].energy > before - SAME:
                break

    def start(self, torsions: tuple[float, ...]) -> None:
        """Minimise from torsions not tried before (to 15 degrees)."""
        key = tuple(round(wrap(t) / 15) for t in torsions)
        if key in self.tried:
            return
        self.tried.add(key)
        self.count += 1
        relaxed = self.free.relax(torsions)
        self.found.append(Minimum(relaxed.energy, relaxed.torsions))

    def minima(self) -> list[Minimum]:
        """Distinct minima in order of energy; equal ones with other torsions are kept."""
        kept: list[Minimum] = []
        for one in sorted(self.found, key=lambda m: m.energy):
            near = [k for k in kept[-40:] if one.energy - k.energy < SAME]
            if not any(max(map(apart, k.torsions, one.torsions)) < 12 for k in near):
                kept.append(one)
        return kept


def draw_bands(search: Search, target: Minimum, rng: np.random.Generator) -> tuple[Band, ...]:
    """Bands around a minimum on all but two to seven bonds, and on one at least."""
    total = len(search.wells)
    free = int(rng.integers(2, min(8, total)))
    chosen = sorted(int(i) for i in rng.permutation(total)[: total - free])
    bands = []
    for bond in chosen:
        low, high = (target.torsions[bond] - rng.uniform(22, 42), target.torsions[bond] + rng.uniform(22, 42))
        bands.append(Band(bond, float(round(low)), float(round(high))))
    return tuple(bands)


def placed(search: Search, bands: tuple[Band, ...], minima: list[Minimum]) -> tuple[np.ndarray, np.ndarray]:
    """Torsions of the equal copy of each minimum that is nearest to the bands, and its band energy.

    Even bonds may be turned by 180 degrees without changing the molecule.
    """
    torsions = np.array([m.torsions for m in minima])
    energy = np.zeros(len(minima))
    for band in bands:
        ends = [torsions[:, band.bond]]
        ends += [ends[0] + 180.0] if search.wells[band.bond][1] else []
        off = [(end - (band.low + band.high) / 2 + 180.0) % 360.0 - 180.0 for end in ends]
        outside = [np.maximum(0.0, np.abs(o) - (band.high - band.low) / 2) for o in off]
        turned = outside[-1] < outside[0]
        torsions[:, band.bond] = np.where(turned, ends[-1], ends[0])
        energy += STIFFNESS * np.where(turned, outside[-1], outside[0]) ** 2
    return torsions, energy


class Inside:
    """Search of one molecule under bands."""

    def __init__(self, search: Search, bands: tuple[Band, ...], target: tuple[float, ...]) -> None:
        self.held = Landscape(search.template, bands)
        fixed = {band.bond for band in bands}
        self.choices = [(target[b],) if b in fixed else w[0] for b, w in enumerate(search.wells)]
        self.best: Relaxed | None = None
        self.tried: set[tuple[int, ...]] = set()

    def start(self, torsions: Sequence[float]) -> None:
        """Minimise from torsions not tried before; give up early on what stays far above the best."""
        key = tuple(round(wrap(float(t)) / 15) for t in torsions)
        if key in self.tried:
            return
        self.tried.add(key)
        if self.best is None or self.held.relax(torsions, SHORT).energy < self.best.energy + HOPELESS:
            reached = self.held.relax(torsions)
            if self.best is None or reached.energy < self.best.energy:
                settled = self.held.settle(reached.torsions)
                if self.best is None or settled.energy < self.best.energy:
                    self.best = settled

    def run(self, known: Sequence[Sequence[float]], pool: np.ndarray, rng: np.random.Generator) -> Relaxed:
        """Minimise known starts, then the best combinations by rigid energy, then the neighbours of the best."""
        for torsions in known:
            self.start(torsions)
        combos = [tuple(c[int(rng.integers(len(c)))] for c in self.choices) for _ in range(RANKED)]
        combos += [
            tuple(c[0] if len(c) == 1 else float(t) for c, t in zip(self.choices, one, strict=True)) for one in pool
        ]
        for combo in sorted(set(combos), key=self.held.rigid)[:INSIDE]:
            self.start(combo)
        before = None
        while self.best is not before:
            assert self.best is not None
            before, around = self.best, self.best.torsions
            for bond, angles in enumerate(self.choices):
                for angle in angles if len(angles) > 1 else ():
                    if apart(angle, around[bond]) > 45:
                        self.start((*around[:bond], angle, *around[bond + 1 :]))
        return before


def odds(energies: np.ndarray, lowest: float) -> float:
    """Number of energies above the lowest by more than the tolerance and less than `REACH`, for each below that."""
    wins = int((energies <= lowest + TOLERANCE).sum())
    return round(int((energies < lowest + REACH).sum() - wins) / max(1, wins), 1)


def hits(search: Search, held: Landscape, lowest: float) -> int:
    """How many of `DRAWS` random starts inside the bands end at the lowest energy."""
    rng = np.random.default_rng(23)
    bands = {band.bond: band for band in held.bands}
    found = 0
    for _ in range(DRAWS):
        drawn = rng.uniform(-180.0, 180.0, len(search.template.bonds))
        start = [(bands[i].low + bands[i].high) / 2 if i in bands else float(t) for i, t in enumerate(drawn)]
        near = held.relax(start, SHORT).energy < lowest + HOPELESS
        found += near and held.relax(start).energy <= lowest + TOLERANCE
    return found


def row(
    search: Search, minima: list[Minimum], bands: tuple[Band, ...], room: Mapping[str, int], rng: np.random.Generator
) -> dict[str, Any] | None:
    """Certify the lowest energy under bands; None where that is no use.

    It is none where the level has no room, where too many minima are lower, and where the lowest place does not look
    low with its torsions held: there it hangs on a nitrogen or ring that torsions do not tell.
    """
    torsions, strain = placed(search, bands, minima)
    energies = np.array([m.energy for m in minima])
    inside = np.flatnonzero(strain == 0.0)
    first = int(inside[0])
    level = level_of({"odds": odds(energies[inside], energies[first])})
    if first > CHECKED or level is None or not room[level]:
        return None
    searched = Inside(search, bands, tuple(torsions[first]))
    best = searched.run(torsions[[first, *range(first)]], torsions[:POOL], rng)
    if searched.held.held([round(t, 1) for t in best.torsions]) > best.energy + HIDDEN:
        return None
    final = odds(energies[inside], best.energy)
    return {
        "bands": [[b.bond, b.low, b.high] for b in bands],
        "energy": round(best.energy, 4),
        "torsions": [round(t, 2) for t in best.torsions],
        "strained": round(best.penalty, 3),
        "odds": final,
        "hits": hits(search, searched.held, best.energy) if final >= ODDS["hard"] else None,
        "lower": first,
        "minimisations": len(searched.tried),
    }


def rows(search: Search) -> list[dict[str, Any]]:
    """Instances of a molecule, each with another set of bands, as many of each level as can be had."""
    rng, minima = np.random.default_rng(17), search.minima()
    room = dict.fromkeys(LEVELS, ROWS)
    found: dict[tuple[Any, ...], dict[str, Any]] = {}
    for _ in range(TRIES):
        bands = draw_bands(search, minima[int(rng.integers(min(60, len(minima))))], rng)
        key = tuple((b.bond, round(wrap((b.low + b.high) / 2) / 30)) for b in bands)
        made = None if key in found else row(search, minima, bands, room, rng)
        level = level_of(made) if made else None
        if made and level and room[level]:
            found[key] = made
            room[level] -= 1
    return list(found.values())


def molecule(name: str, smiles: str) -> dict[str, Any]:
    """Search one molecule."""
    search = Search(template_of(name, smiles))
    search.run()
    made = rows(search)
    low = [m for m in search.minima() if m.energy < search.minima()[0].energy + REACH]
    return asdict(search.template) | {
        "minimisations": search.count,
        "minima": len(low),
        "rows": made,
        "low": [asdict(m) for m in low],
    }


def write(task: tuple[str, str, Path]) -> str:
    """Search one molecule and write its file; return a line of progress."""
    name, smiles, path = task
    begun = time.process_time()
    made = molecule(name, smiles)
    path.write_text(json.dumps(made))
    counts = f"{len(made['bonds'])} bonds, {made['minimisations']} minimisations, {made['minima']} minima"
    return f"{name}: {counts}, {len(made['rows'])} rows, {time.process_time() - begun:.0f} s"


def main() -> None:
    """Search the molecules of a list that have no file yet, or collect the files."""
    if sys.argv[1] == "--collect":
        folder = Path(sys.argv[2])
        everything = [json.loads(path.read_text()) for path in sorted(folder.glob("*.json"))]
        for one in everything:
            del one["low"]
        target = Path(__file__).parents[1] / "src" / "harness_mole" / "landscapes.json.zst"
        target.write_bytes(zstandard.ZstdCompressor(level=19).compress(json.dumps(everything).encode()))
        return
    folder = Path(sys.argv[2])
    folder.mkdir(exist_ok=True)
    wanted = [line.split() for line in Path(sys.argv[1]).read_text().splitlines()]
    todo = [(name, smiles, folder / f"{name}.json") for name, smiles in wanted]
    with Pool(2) as pool:
        for line in pool.imap_unordered(write, [one for one in todo if not one[2].exists()]):
            print(line, flush=True)


if __name__ == "__main__":
    main()
