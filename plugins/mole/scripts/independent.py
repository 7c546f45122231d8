"""Search certified instances again with ten times the effort, by code of its own; write `results/independent.json`.

    python scripts/independent.py WORK_FOLDER [MOLECULE ...]      # one JSON file per molecule, kept between runs
    python scripts/independent.py --collect WORK_FOLDER      # put them into the package

Certification has two stages, a search of each free molecule and one of each instance under its bands; both are done
again at `TIMES` the minimisations, by random multistart with RDKit directly (no code of the package but its table).
A start draws every torsion at random, inside its band where it has one, and is given up after `SHORT` steps when it is
still `HOPELESS` above the best. An instance is also minimised from the free minima that are low under its bands. What
counts is by how much a certified minimum is beaten by an answer, which is torsions: a low place is minimised once more
from its printed torsions, until these lead to themselves.
"""

from __future__ import annotations

import hashlib
import json
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import rdkit
import zstandard
from rdkit import Chem
from rdkit.Chem import rdForceFieldHelpers, rdMolTransforms

from harness import load_task
from harness_mole.sample import LEVELS, TOLERANCE, ConformerIdentity

INSTANCES = 50
SEED = 41
TIMES = 10
SHORT, STEPS = 60, 2000
HOPELESS = 6.0
LOW = 60
Bands = Mapping[int, tuple[float, float]]
PACKAGE = Path(__file__).parents[1] / "src" / "harness_mole"


class Bench:
    """One molecule of the table under bands, as RDKit sees it."""

    def __init__(
        self, row: Mapping[str, Any], smiles: str, bands: Mapping[int, tuple[float, float]], sign: int
    ) -> None:
        mol = Chem.AddHs(Chem.MolFromSmiles(smiles))
        self.base = np.ascontiguousarray(np.array(row["coordinates"]).reshape(-1, 3) * [sign, 1, 1])
        self.quads, self.bands = [tuple(quad) for quad in row["bonds"]], bands
        mol.AddConformer(Chem.Conformer(mol.GetNumAtoms()))
        self.mol, self.conformer = mol, mol.GetConformer()
        self.conformer.SetPositions(self.base)
        properties = rdForceFieldHelpers.MMFFGetMoleculeProperties(mol)
        self.field = rdForceFieldHelpers.MMFFGetMoleculeForceField(mol, properties)
        for bond, (low, high) in bands.items():
            self.field.MMFFAddTorsionConstraint(*self.quads[bond], False, low, high, 0.01)

    def minimise(self, torsions: Sequence[float], enough: float = float("inf")) -> float:
        """Energy after minimisation; infinite when it is above `enough` after a few steps."""
        self.conformer.SetPositions(self.base)
        for quad, angle in zip(self.quads, torsions, strict=True):
            rdMolTransforms.SetDihedralDeg(self.conformer, *quad, float(angle))
        self.field.Minimize(maxIts=SHORT)
        if self.energy() > enough:
            return float("inf")
        self.field.Minimize(maxIts=STEPS)
        return self.energy()

    def energy(self) -> float:
        """Energy of the atoms where they are."""
        return float(self.field.CalcEnergy(self.conformer.GetPositions().ravel().tolist()))

    def torsions(self) -> list[float]:
        """Torsions of the atoms where they are, as a tool prints them."""
        return [round(rdMolTransforms.GetDihedralDeg(self.conformer, *quad), 1) for quad in self.quads]

    def settled(self, torsions: Sequence[float]) -> float:
        """Energy that torsions lead to, minimised from where they end until nothing changes."""
        energy = self.minimise(torsions)
        for _ in range(5):
            before, energy = energy, self.minimise(self.torsions())
            if abs(before - energy) < 0.02:
                break
        return energy

    def multistart(self, starts: int, rng: np.random.Generator) -> Iterator[tuple[float, list[float]]]:
        """Minimise random starts; yield energy and torsions of those near the best so far."""
        best = float("inf")
        for _ in range(starts):
            torsions = [rng.uniform(*self.bands.get(bond, (-180.0, 180.0))) for bond in range(len(self.quads))]
            energy = self.minimise(torsions, best + HOPELESS)
            best = min(best, energy)
            if energy < best + HOPELESS:
                yield energy, self.torsions()


def strain(bands: Bands, torsions: Sequence[float]) -> float:
    """Energy of bands at torsions."""
    total = 0.0
    for bond, (low, high) in bands.items():
        off = abs((torsions[bond] - (low + high) / 2 + 180) % 360 - 180) - (high - low) / 2
        total += 0.01 * max(0.0, off) ** 2
    return total


def beaten(identity: ConformerIdentity, row: Mapping[str, Any], free: Sequence[tuple[float, list[float]]]) -> float:
    """By how much the certified minimum of an instance is beaten (negative: by how much it is not)."""
    sign = -1 if identity.mirrored else 1
    bands = {band.bond: (band.low, band.high) for band in identity.bands}
    bench = Bench(row, identity.smiles, bands, sign)
    turned = [(energy, [sign * t for t in torsions]) for energy, torsions in free]
    starts = sorted(turned, key=lambda one: one[0] + strain(bands, one[1]))[:LOW]
    places = [(bench.minimise(torsions), bench.torsions()) for _, torsions in starts]
    effort = next(r["minimisations"] for r in row["rows"] if r["energy"] == identity.energy)
    rng = np.random.default_rng([SEED, round(1000 * abs(identity.energy))])
    places += bench.multistart(TIMES * effort, rng)
    lowest = min(bench.settled(torsions) for _, torsions in sorted(places)[:5])
    return identity.energy - lowest


def instances(table: Mapping[str, Any]) -> dict[str, list[tuple[str, ConformerIdentity]]]:
    """The instances that are searched again, by molecule."""
    found: dict[str, list[tuple[str, ConformerIdentity]]] = {name: [] for name in table}
    tasks = [load_task("mole", group=f"conformer-{level}") for level in LEVELS]
    for number in range(INSTANCES):
        task = tasks[number % len(tasks)]
        identity: Any = task.decode_identity(task.sample(number, seed=SEED).identity)
        found[identity.molecule].append((task.ref.group, identity))
    return found


def molecule(row: Mapping[str, Any], asked: Sequence[tuple[str, ConformerIdentity]]) -> dict[str, Any]:
    """Search a molecule, then its instances."""
    begun = time.process_time()
    starts = TIMES * row["minimisations"]
    free = list(Bench(row, row["smiles"], {}, 1).multistart(starts, np.random.default_rng(SEED)))
    rows = [{"group": group, "beaten_by": round(beaten(identity, row, free), 3)} for group, identity in asked]
    return {"molecule": row["name"], "starts": starts, "rows": rows, "seconds": time.process_time() - begun}


def collect(folder: Path) -> dict[str, Any]:
    """Summarise the molecules that were searched."""
    done = [json.loads(path.read_text()) for path in sorted(folder.glob("*.json"))]
    rows = [{"molecule": one["molecule"]} | row for one in done for row in one["rows"]]
    return {
        "table": hashlib.blake2b((PACKAGE / "landscapes.json.zst").read_bytes(), digest_size=8).hexdigest(),
        "rdkit": rdkit.__version__,
        "instances": len(rows),
        "molecules": len(done),
        "times_the_effort": TIMES,
        "starts_of_molecules": sum(one["starts"] for one in done),
        "beaten_by_at_most": max(row["beaten_by"] for row in rows),
        "beaten_beyond_tolerance": sum(row["beaten_by"] > TOLERANCE for row in rows),
        "cpu_seconds": round(sum(one["seconds"] for one in done)),
        "rows": rows,
    }


def main() -> None:
    """Search molecules that have no file yet, or collect the files."""
    if sys.argv[1] == "--collect":
        target = PACKAGE / "results" / "independent.json"
        target.parent.mkdir(exist_ok=True)
        target.write_text(json.dumps(collect(Path(sys.argv[2])), indent=1) + "\n")
        return
    folder, names = Path(sys.argv[1]), sys.argv[2:]
    folder.mkdir(exist_ok=True)
    data = zstandard.ZstdDecompressor().decompress((PACKAGE / "landscapes.json.zst").read_bytes())
    table = {row["name"]: row for row in json.loads(data)}
    for name, asked in instances(table).items():
        path = folder / f"{name}.json"
        if asked and not path.exists() and (not names or name in names):
            path.write_text(json.dumps(found := molecule(table[name], asked)))
            print(found, flush=True)


if __name__ == "__main__":
    main()
