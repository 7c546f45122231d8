"""The world of the lead variant: reading molecules strictly, their properties, and edits by name.

Everything here is RDKit behind plain functions of SMILES strings: no state but caches. A molecule that an agent may
hand in is one neutral fragment of listed elements with at most sixty heavy atoms; `read` says which rule another one
breaks. Properties are the published ones: Wildman-Crippen logP, Ertl's TPSA, QED of Bickerton et al., the synthetic
accessibility score of Ertl and Schuffenhauer (1 easy, 10 hard), and the PAINS and Brenk lists of structural alerts.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache, lru_cache
from importlib import import_module
from typing import Any, Final, Literal

from attrs import frozen

ELEMENTS: Final = ("C", "N", "O", "F", "S", "Cl", "Br")
MAX_HEAVY: Final = 60
MAX_TEXT: Final = 300

GroupName = Literal[
    "methyl",
    "ethyl",
    "isopropyl",
    "cyclopropyl",
    "fluoro",
    "chloro",
    "trifluoromethyl",
    "hydroxyl",
    "methoxy",
    "hydroxymethyl",
    "methoxymethyl",
    "dimethylamino",
    "cyano",
    "carboxamide",
    "methylcarbamoyl",
    "acetamido",
    "methylsulfonyl",
    "morpholino",
]

GROUPS: Final[Mapping[GroupName, str]] = {
    "methyl": "C",
    "ethyl": "CC",
    "isopropyl": "C(C)C",
    "cyclopropyl": "C1CC1",
    "fluoro": "F",
    "chloro": "Cl",
    "trifluoromethyl": "C(F)(F)F",
    "hydroxyl": "O",
    "methoxy": "OC",
    "hydroxymethyl": "CO",
    "methoxymethyl": "COC",
    "dimethylamino": "N(C)C",
    "cyano": "C#N",
    "carboxamide": "C(N)=O",
    "methylcarbamoyl": "C(=O)NC",
    "acetamido": "NC(C)=O",
    "methylsulfonyl": "S(C)(=O)=O",
    "morpholino": "N1CCOCC1",
}
"""Group that an edit attaches → SMILES, attached by its first atom."""


@frozen
class Edit:
    """One change of a molecule.

    Attributes:
        action: attach replaces a hydrogen of the atom by the group; detach takes the atom and all behind it away.
        atom: Number of the atom in the SMILES, from 1. To detach: first atom of a side group without required atoms.
        group: What to attach; not used to detach.
    """

    action: Literal["attach", "detach"]
    atom: int
    group: GroupName | None = None


@frozen
class Properties:
    """What is measured of a molecule; `alerts` names the structural alerts."""

    logp: float
    tpsa: float
    weight: float
    qed: float
    sa: float
    rotors: int
    alerts: tuple[str, ...]


class BadMolecule(ValueError):
    """A molecule that breaks a rule; the message says what was found and what is allowed."""


def read(smiles: str) -> Any:
    """Read a molecule that an agent hands in.

    Raises:
        BadMolecule: It is no SMILES, or breaks a rule.
    """
    from rdkit import Chem

    if not smiles.strip() or len(smiles) > MAX_TEXT or not smiles.isascii():
        raise BadMolecule(f"got {len(smiles)} characters, allowed 1 to {MAX_TEXT} ASCII characters of SMILES")
    mol = _parse(smiles)
    if mol is None:
        raise BadMolecule(f"got {smiles[:60]!r}, allowed a valid SMILES (syntax, valence, aromatic rings)")
    heavy = mol.GetNumHeavyAtoms()
    if not 1 <= heavy <= MAX_HEAVY:
        raise BadMolecule(f"got {heavy} heavy atoms, allowed 1 to {MAX_HEAVY}")
    if len(Chem.GetMolFrags(mol)) != 1:
        raise BadMolecule(f"got {len(Chem.GetMolFrags(mol))} fragments, allowed 1")
    _check_atoms(mol)
    return mol


def _parse(smiles: str) -> Any:
    from rdkit import Chem

    _quieten()
    try:
        return Chem.MolFromSmiles(smiles)
    except Exception:  # noqa: BLE001 - whatever RDKit raises on text it cannot read means the same
        return None


@cache
def _quieten() -> None:
    """Stop RDKit from writing about bad SMILES to stderr."""
    _rdkit("RDLogger").DisableLog("rdApp.*")


def _rdkit(name: str) -> Any:
    """A module of RDKit whose stubs say less than it holds."""
    return import_module(f"rdkit.{name}")


def _check_atoms(mol: Any) -> None:
    for atom in mol.GetAtoms():
        place = f"atom {atom.GetIdx() + 1}"
        if atom.GetSymbol() not in ELEMENTS:
            raise BadMolecule(f"got {atom.GetSymbol()} ({place}), allowed elements {', '.join(ELEMENTS)}")
        if atom.GetFormalCharge():
            raise BadMolecule(f"got charge {atom.GetFormalCharge():+d} ({place}), allowed neutral atoms only")
        if atom.GetNumRadicalElectrons():
            raise BadMolecule(f"got a radical ({place}), allowed closed shells only")
        if atom.GetIsotope():
            raise BadMolecule(f"got isotope {atom.GetIsotope()} ({place}), allowed natural elements only")


def properties(mol: Any) -> Properties:
    """Measure a molecule."""
    from rdkit.Chem import rdMolDescriptors

    return Properties(
        logp=float(_rdkit("Chem.Crippen").MolLogP(mol)),
        tpsa=float(rdMolDescriptors.CalcTPSA(mol)),
        weight=float(_rdkit("Chem.Descriptors").MolWt(mol)),
        qed=float(_rdkit("Chem.QED").qed(mol)),
        sa=float(_sascorer().calculateScore(mol)),
        rotors=int(rdMolDescriptors.CalcNumRotatableBonds(mol)),
        alerts=tuple(sorted({match.GetDescription() for match in _catalog().GetMatches(mol)})),
    )


@lru_cache(maxsize=4096)
def properties_of(canonical: str) -> Properties:
    """Measure a molecule by its canonical SMILES; what was measured lately is remembered."""
    return properties(_parse(canonical))


@cache
def _catalog() -> Any:
    from rdkit.Chem.FilterCatalog import FilterCatalog, FilterCatalogParams

    chosen = FilterCatalogParams()
    for name in ("PAINS_A", "PAINS_B", "PAINS_C", "BRENK"):
        chosen.AddCatalog(getattr(FilterCatalogParams.FilterCatalogs, name))
    return FilterCatalog(chosen)


@cache
def _sascorer() -> Any:
    """RDKit's contributed SA score, which lies in its wheel outside the package's import path."""
    import importlib.util
    from pathlib import Path

    from rdkit import RDConfig

    path = Path(RDConfig.RDContribDir) / "SA_Score" / "sascorer.py"
    spec = importlib.util.spec_from_file_location("harness_mole_sascorer", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@lru_cache(maxsize=1024)
def fingerprint(smiles: str) -> Any:
    """Morgan fingerprint, radius 2, 2048 bits."""
    return _morgan().GetFingerprint(_parse(smiles))


@cache
def _morgan() -> Any:
    from rdkit.Chem import rdFingerprintGenerator

    return rdFingerprintGenerator.GetMorganGenerator(radius=2, fpSize=2048)


def similarity(mol: Any, lead: str) -> float:
    """Tanimoto similarity of Morgan fingerprints to a lead."""
    from rdkit import DataStructs

    return float(DataStructs.TanimotoSimilarity(_morgan().GetFingerprint(mol), fingerprint(lead)))


@lru_cache(maxsize=1024)
def _pattern(core: str) -> Any:
    return _parse(core)


def keeps(mol: Any, core: str) -> bool:
    """Whether a molecule contains a substructure with its stereochemistry."""
    return bool(mol.HasSubstructMatch(_pattern(core), useChirality=True))


@lru_cache(maxsize=1024)
def core_of(lead: str) -> str:
    """The part of a lead that is kept: ring systems with linkers, every stereocentre with its neighbours."""
    from rdkit import Chem

    mol = _parse(lead)
    scaffold = mol.GetSubstructMatch(_rdkit("Chem.Scaffolds.MurckoScaffold").GetScaffoldForMol(mol))
    kept = set(scaffold)
    for atom, _ in _rdkit("Chem").FindMolChiralCenters(mol, includeUnassigned=True):
        kept |= {atom} | {n.GetIdx() for n in mol.GetAtomWithIdx(atom).GetNeighbors()}
    return str(Chem.MolFragmentToSmiles(mol, sorted(kept)))


def open_sites(mol: Any) -> tuple[int, ...]:
    """Numbers, from 1, of ring atoms and carbons with a hydrogen to replace; one of each set of equivalent atoms."""
    from rdkit import Chem

    seen, found = set(), []
    ranks = list(Chem.CanonicalRankAtoms(mol, breakTies=False))
    for atom in mol.GetAtoms():
        usable = atom.GetAtomicNum() == 6 and atom.GetTotalNumHs() > 0 and (atom.IsInRing() or atom.GetDegree() > 1)
        if usable and ranks[atom.GetIdx()] not in seen:
            seen.add(ranks[atom.GetIdx()])
            found.append(atom.GetIdx() + 1)
    return tuple(found)


def side_groups(mol: Any, core: str) -> tuple[int, ...]:
    """Numbers, from 1, of the first atoms of side groups that may be detached: joined to a kept atom, not kept."""
    kept = set(mol.GetSubstructMatch(_pattern(core), useChirality=True))
    found = []
    for atom in mol.GetAtoms():
        if atom.GetIdx() not in kept and not atom.IsInRing():
            joined = [n.GetIdx() in kept for n in atom.GetNeighbors()]
            single = all(
                b.GetBondTypeAsDouble() == 1.0 for b in atom.GetBonds() if b.GetOtherAtomIdx(atom.GetIdx()) in kept
            )
            if sum(joined) == 1 and single:
                found.append(atom.GetIdx() + 1)
    return tuple(found)


def apply(smiles: str, edits: Sequence[Edit], core: str) -> str:
    """Apply edits; atom numbers are those of the SMILES given. Returns SMILES with the remaining atoms in their order.

    Raises:
        BadMolecule: An edit cannot be made; the message begins with its place in the list.
    """
    from rdkit import Chem

    mol = read(smiles)
    sites, sides = _attachable(mol), side_groups(mol, core)
    editable, doomed = Chem.RWMol(mol), set()
    for place, edit in enumerate(edits):
        allowed = sites if edit.action == "attach" else sides
        if edit.atom not in allowed:
            raise BadMolecule(f"edits[{place}].atom: got {edit.atom}, allowed to {edit.action}: {_listed(allowed)}")
        if edit.action == "detach":
            doomed |= _branch(mol, edit.atom - 1, core)
        elif edit.group is None:
            raise BadMolecule(f"edits[{place}].group: got None, allowed {', '.join(GROUPS)}")
        else:
            _attach(editable, edit.atom - 1, GROUPS[edit.group], place)
    for atom in sorted(doomed, reverse=True):
        editable.RemoveAtom(atom)
    try:
        Chem.SanitizeMol(editable)
    except (Chem.MolSanitizeException, ValueError) as error:
        raise BadMolecule(f"edits: got {_shown(edits)}, allowed edits that leave a valid molecule ({error})") from None
    return str(Chem.MolToSmiles(editable, canonical=False))


def _attachable(mol: Any) -> tuple[int, ...]:
    return tuple(a.GetIdx() + 1 for a in mol.GetAtoms() if a.GetAtomicNum() in (6, 7) and a.GetTotalNumHs() > 0)


def _attach(editable: Any, atom: int, group: str, place: int) -> None:
    from rdkit import Chem

    target = editable.GetAtomWithIdx(atom)
    if target.GetTotalNumHs() == 0:
        raise BadMolecule(f"edits[{place}].atom: got {atom + 1}, allowed an atom that still has a hydrogen")
    if target.GetNumExplicitHs():
        target.SetNumExplicitHs(target.GetNumExplicitHs() - 1)
    first = editable.GetNumAtoms()
    editable.InsertMol(_parse(group))
    editable.AddBond(atom, first, Chem.BondType.SINGLE)
    target.UpdatePropertyCache(strict=False)


def _branch(mol: Any, start: int, core: str) -> set[int]:
    """The atom and everything behind it, seen from the kept part."""
    kept = set(mol.GetSubstructMatch(_pattern(core), useChirality=True))
    seen, todo = set(), [start]
    while todo:
        atom = todo.pop()
        if atom not in seen:
            seen.add(atom)
            todo += [n.GetIdx() for n in mol.GetAtomWithIdx(atom).GetNeighbors() if n.GetIdx() not in kept]
    return seen


def behind(mol: Any, atom: int, core: str) -> set[int]:
    """Numbers, from 1, of the atoms that go when a side group is detached at an atom."""
    return {place + 1 for place in _branch(mol, atom - 1, core)}


def _listed(atoms: Sequence[int]) -> str:
    return ", ".join(map(str, atoms)) or "none"


def _shown(edits: Sequence[Edit]) -> str:
    return "; ".join(f"{e.action} {e.group or ''} {e.atom}" for e in edits)


def shuffled(smiles: str, seed: int) -> str:
    """The same molecule with its atoms in another order."""
    from rdkit import Chem

    mol = _parse(smiles)
    return str(Chem.MolToRandomSmilesVect(mol, 1, randomSeed=seed)[0])


def sealed(smiles: str) -> str:
    """Canonical SMILES in Kekulé form, as hidden solutions are kept: no tool writes this form."""
    from rdkit import Chem

    mol = _parse(smiles)
    Chem.Kekulize(mol, clearAromaticFlags=True)
    return str(Chem.MolToSmiles(mol, kekuleSmiles=True))
