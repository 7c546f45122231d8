"""Search the conformers of every molecule of the library and write `landscapes.json.zst`, their certified minima.

    python scripts/landscapes.py scripts/conformers.tsv WORK_FOLDER      # one JSON file per molecule, kept between runs
    python scripts/landscapes.py --collect WORK_FOLDER      # put them into the package

Search: all combinations of rotamer wells are scored rigidly, the best `STARTS` are minimised, then every single-bond
change of the lowest minima is, until none gives a new lowest one. Instances are sets of bands. A minimum inside all
bands is one of the restrained energy too; any point of lower restrained energy lies in the basin of a lower minimum,
so the certified minimum is the lowest of the lowest minimum inside and of restrained minimisations from every lower
one.
"""

from __future__ import annotations

import itertools
import json
import sys
import time
from multiprocessing import Pool
from pathlib import Path
from typing import Any

import numpy as np
import zstandard
from attrs import asdict, frozen

from harness_mole.landscape import Band, Landscape, Template, apart, rotatable, wrap

STARTS = 260
COMBINATIONS = 3000
LOWEST = 12
SAME = 0.02
TOLERANCE = 0.2
ROWS = 80
CHECKED = 12
REACH = 4.0


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
    """Bands around a minimum on all but two to five bonds."""
    total = len(search.wells)
    chosen = sorted(int(i) for i in rng.permutation(total)[: total - int(rng.integers(2, 6))])
    bands = []
    for bond in chosen:
        low, high = (target.torsions[bond] - rng.uniform(22, 42), target.torsions[bond] + rng.uniform(22, 42))
        bands.append(Band(bond, float(round(low)), float(round(high))))
    return tuple(bands)


def copied(search: Search, bands: tuple[Band, ...], minimum: Minimum) -> tuple[float, ...]:
    """Torsions of the equal copy of a minimum that is nearest to the bands: even bonds may be turned by 180 degrees."""
    torsions = list(minimum.torsions)
    for band in bands:
        turned = wrap(torsions[band.bond] + 180)
        if search.wells[band.bond][1] and band.energy(turned) < band.energy(torsions[band.bond]):
            torsions[band.bond] = turned
    return tuple(torsions)


def penalty(bands: tuple[Band, ...], torsions: tuple[float, ...]) -> float:
    """Energy of bands at torsions."""
    return sum(b.energy(torsions[b.bond]) for b in bands)


def row(search: Search, minima: list[Minimum], bands: tuple[Band, ...]) -> dict[str, Any] | None:
    """Certify the lowest energy under bands; None when too many minima would have to be checked for that."""
    placed = [Minimum(m.energy, copied(search, bands, m)) for m in minima]
    inside = [m for m in placed if penalty(bands, m.torsions) == 0.0]
    lower = [m for m in placed if m.energy < inside[0].energy]
    if len(lower) > CHECKED:
        return None
    held = Landscape(search.template, bands)
    reached = [held.relax(m.torsions) for m in (inside[0], *lower)]
    search.count += len(reached)
    best = min(reached, key=lambda r: r.energy)
    rivals = [m.energy - best.energy for m in inside if m.energy - best.energy > TOLERANCE]
    return {
        "bands": [[b.bond, b.low, b.high] for b in bands],
        "energy": round(best.energy, 4),
        "torsions": [round(t, 2) for t in best.torsions],
        "strained": round(best.penalty, 3),
        "rivals": sum(r < REACH for r in rivals),
        "lower": len(lower),
    }


def rows(search: Search) -> list[dict[str, Any]]:
    """Instances of a molecule, each with another set of bands."""
    rng, minima = np.random.default_rng(17), search.minima()
    found: dict[tuple[Any, ...], dict[str, Any]] = {}
    for _ in range(20 * ROWS):
        if len(found) >= ROWS:
            break
        bands = draw_bands(search, minima[int(rng.integers(min(60, len(minima))))], rng)
        key = tuple((b.bond, round(wrap((b.low + b.high) / 2) / 30)) for b in bands)
        if key not in found and (made := row(search, minima, bands)):
            found[key] = made
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
