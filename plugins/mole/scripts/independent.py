"""Search certified instances again with ten times the effort, by code of its own; write `results/independent.json`.

    python scripts/independent.py 50

Per instance: random multistart inside the bands, `STARTS` minimisations with RDKit directly (no code of the package
but its table), each from a geometry embedded afresh by a random rotation of every torsion. The library spends about
five hundred minimisations and its checks on a molecule. What counts is the largest amount by which a certified
minimum is beaten.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
from rdkit import Chem
from rdkit.Chem import rdForceFieldHelpers, rdMolTransforms

from harness import load_task
from harness_mole.sample import LEVELS, TOLERANCE, ConformerIdentity

STARTS = 5000


def lowest(identity: ConformerIdentity, rng: np.random.Generator, starts: int) -> float:
    """The lowest restrained energy of a random multistart."""
    template = identity.template
    mol = Chem.AddHs(Chem.MolFromSmiles(identity.smiles))
    base = np.array(template.coordinates).reshape(-1, 3) * ([-1, 1, 1] if identity.mirrored else [1, 1, 1])
    conformer = Chem.Conformer(mol.GetNumAtoms())
    conformer.SetPositions(np.ascontiguousarray(base))
    mol.AddConformer(conformer)
    conformer = mol.GetConformer()
    field = rdForceFieldHelpers.MMFFGetMoleculeForceField(mol, rdForceFieldHelpers.MMFFGetMoleculeProperties(mol))
    held = {band.bond: (band.low, band.high) for band in identity.bands}
    for bond, (low, high) in held.items():
        field.MMFFAddTorsionConstraint(*template.bonds[bond], False, low, high, 0.01)
    best = float("inf")
    for _ in range(starts):
        conformer.SetPositions(np.ascontiguousarray(base))
        for bond, quad in enumerate(template.bonds):
            rdMolTransforms.SetDihedralDeg(conformer, *quad, float(rng.uniform(*held.get(bond, (-180.0, 180.0)))))
        field.Minimize(maxIts=2000)
        best = min(best, float(field.CalcEnergy()))
    return best


def main() -> None:
    """Search instances of all levels and write the result."""
    count, starts = int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else STARTS
    tasks = [load_task("mole", group=f"conformer-{level}") for level in LEVELS]
    begun, rows = time.process_time(), []
    for number in range(count):
        task = tasks[number % len(tasks)]
        identity: Any = task.decode_identity(task.sample(number, seed=41).identity)
        found = lowest(identity, np.random.default_rng(number), starts)
        rows.append(
            {"group": task.ref.group, "molecule": identity.molecule, "beaten_by": round(identity.energy - found, 3)}
        )
        print(rows[-1], flush=True)
    worst = max(row["beaten_by"] for row in rows)
    result = {
        "instances": count,
        "minimisations_per_instance": starts,
        "beaten_by_at_most": worst,
        "beaten_beyond_tolerance": sum(row["beaten_by"] > TOLERANCE for row in rows),
        "cpu_seconds": round(time.process_time() - begun),
        "rows": rows,
    }
    target = Path(__file__).parents[1] / "src" / "harness_mole" / "results" / "independent.json"
    target.parent.mkdir(exist_ok=True)
    target.write_text(json.dumps(result, indent=1) + "\n")


if __name__ == "__main__":
    main()
