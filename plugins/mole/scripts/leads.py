"""Choose the leads and write `leads.txt`: drug-like NCI compounds from RDKit's wheel, and the drugs named in a list.

    python scripts/leads.py scripts/drugs.tsv

A lead is free of alerts, has at least four places to change, QED of 0.5 or more, an SA score of at most 3.5, and a
connected core that holds every stereocentre.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

from rdkit import Chem, RDConfig

from harness_mole import chemistry

COUNT = 260


def suitable(smiles: str) -> str | None:
    """The canonical SMILES of a suitable lead, else None."""
    try:
        mol = chemistry.read(smiles)
    except chemistry.BadMolecule:
        return None
    if not 13 <= mol.GetNumHeavyAtoms() <= 24 or not any(a.GetIsAromatic() for a in mol.GetAtoms()):
        return None
    if any(label == "?" for _, label in Chem.FindMolChiralCenters(mol, includeUnassigned=True)):
        return None
    if any(b.GetStereo() != Chem.BondStereo.STEREONONE for b in mol.GetBonds()):
        return None
    found = chemistry.properties(mol)
    if found.alerts or found.qed < 0.5 or found.sa > 3.5 or len(chemistry.open_sites(mol)) < 4:
        return None
    canonical = str(Chem.MolToSmiles(mol))
    core = chemistry.core_of(canonical)
    usable = "." not in core and Chem.MolFromSmiles(core) is not None and chemistry.keeps(mol, core)
    return canonical if usable else None


def candidates(drugs: Path) -> Iterator[str]:
    """SMILES of the drugs, then of the NCI file."""
    yield from (line.split()[1] for line in drugs.read_text().splitlines())
    nci = Path(RDConfig.RDDataDir) / "NCI" / "first_5K.smi"
    yield from (line.split()[0] for line in nci.read_text().splitlines() if line.strip())


def main() -> None:
    """Write the file."""
    found: dict[str, None] = {}
    for smiles in candidates(Path(sys.argv[1])):
        if (lead := suitable(smiles)) is not None:
            found[lead] = None
        if len(found) == COUNT:
            break
    target = Path(__file__).parents[1] / "src" / "harness_mole" / "leads.txt"
    target.write_text("\n".join(sorted(found)) + "\n")
    print(len(found), "leads")


if __name__ == "__main__":
    main()
