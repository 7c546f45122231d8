"""The world of the conformer variant: one molecule, its rotatable bonds, and MMFF94 energies of its conformers.

A `Template` is plain data: SMILES, the coordinates of a base geometry and the bonds that may be turned. Everything
else (bond lengths, ring conformers, the side on which nitrogens point) starts as it is in the base geometry, so an
energy is a pure function of the torsions, the bands and the mirror flag. Force fields are built once per process and
instance; a lock guards them, since they work on coordinates in place.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any, Final

from attrs import frozen

STIFFNESS: Final = 0.01
"""Energy of a torsion outside its band, in kcal/mol per square degree."""

MAX_STEPS: Final = 2400
"""Steps of a minimisation at most; ordinary ones need fewer than two hundred."""

ROUND: Final = 200
"""Steps after which a minimisation starts anew, with a fresh estimate of the curvature."""

REPEATS: Final = 5
SETTLED: Final = 0.02
"""A minimisation is repeated from where it ended at most REPEATS times, until its energy changes by less (kcal/mol)."""

HANDED_IN: Final = 80
"""Steps for which what is handed in is minimised: enough from a minimum's own torsions, too few from afar."""

CLAMP: Final = 1.0
"""Stiffness of torsions that are held while the rest is relaxed, in kcal/mol per square degree."""

STEPS: Final = 40
"""Steps of that relaxation."""

Quad = tuple[int, int, int, int]


@frozen
class Band:
    """A torsion that is held between two angles (degrees); outside, its energy grows with `STIFFNESS`.

    Attributes:
        bond: Place of the bond in the list of rotatable bonds, from 0.
        low: Lower end; may be below -180.
        high: Upper end, above `low` by less than 360.
    """

    bond: int
    low: float
    high: float

    def excess(self, angle: float) -> float:
        """Degrees by which an angle lies outside, with sign: negative below, positive above."""
        middle, half = (self.low + self.high) / 2, (self.high - self.low) / 2
        off = wrap(angle - middle)
        return 0.0 if abs(off) <= half else off - half if off > 0 else off + half

    def energy(self, angle: float) -> float:
        """Energy of the band in kcal/mol."""
        return STIFFNESS * self.excess(angle) ** 2


@frozen
class Template:
    """A molecule of the library.

    Attributes:
        name: International non-proprietary name.
        smiles: SMILES whose atom order the torsions refer to.
        coordinates: Flat x, y, z of the base geometry in ångström, hydrogens after the heavy atoms.
        bonds: Atom quadruples of the rotatable bonds, from 0.
    """

    name: str
    smiles: str
    coordinates: tuple[float, ...]
    bonds: tuple[Quad, ...]


@frozen
class Relaxed:
    """A minimised conformer.

    Attributes:
        energy: MMFF94 and bands together, kcal/mol.
        penalty: Part of the bands.
        torsions: Degrees in (-180, 180].
    """

    energy: float
    penalty: float
    torsions: tuple[float, ...]


def wrap(angle: float) -> float:
    """Bring an angle into (-180, 180]."""
    turned = (angle + 180.0) % 360.0 - 180.0
    return 180.0 if turned == -180.0 else turned


def apart(first: float, second: float) -> float:
    """Absolute difference of two angles, 0 to 180."""
    return abs(wrap(first - second))


class Landscape:
    """Energies of one molecule under fixed bands; made by `landscape`, shared by all episodes of a process."""

    def __init__(self, template: Template, bands: Sequence[Band] = (), mirrored: bool = False) -> None:
        from rdkit.Chem import rdForceFieldHelpers

        self.template, self.bands = template, tuple(bands)
        self._mol = _built(template, mirrored)
        self._conformer = self._mol.GetConformer()
        self._base = self._conformer.GetPositions()
        self._lock = threading.Lock()
        self._properties = rdForceFieldHelpers.MMFFGetMoleculeProperties(self._mol)
        self._plain = rdForceFieldHelpers.MMFFGetMoleculeForceField(self._mol, self._properties)
        self._field = rdForceFieldHelpers.MMFFGetMoleculeForceField(self._mol, self._properties)
        for band in self.bands:
            quad = template.bonds[band.bond]
            self._field.MMFFAddTorsionConstraint(*quad, False, band.low, band.high, STIFFNESS)

    def rigid(self, torsions: Sequence[float]) -> float:
        """Energy with everything but the torsions as in the base geometry, bands included."""
        with self._lock:
            self._place(torsions)
            return self._energy(self._field)

    def held(self, torsions: Sequence[float]) -> float:
        """Energy with the torsions held and the rest relaxed for a limited number of steps, bands included."""
        from rdkit.Chem import rdForceFieldHelpers

        with self._lock:
            self._place(torsions)
            field = rdForceFieldHelpers.MMFFGetMoleculeForceField(self._mol, self._properties)
            for quad, angle in zip(self.template.bonds, torsions, strict=True):
                field.MMFFAddTorsionConstraint(*quad, False, float(angle), float(angle), CLAMP)
            field.Minimize(maxIts=STEPS)
            return self._energy(self._plain) + sum(band.energy(torsions[band.bond]) for band in self.bands)

    def scan(self, torsions: Sequence[float], bond: int, angles: Iterable[float]) -> list[float]:
        """Rigid energies while one bond is turned through angles."""
        from rdkit.Chem import rdMolTransforms

        found = []
        with self._lock:
            self._place(torsions)
            for angle in angles:
                rdMolTransforms.SetDihedralDeg(self._conformer, *self.template.bonds[bond], angle)
                found.append(self._energy(self._field))
        return found

    def relax(self, torsions: Sequence[float], steps: int = MAX_STEPS) -> Relaxed:
        """Minimise from torsions set in the base geometry."""
        with self._lock:
            self._place(torsions)
            for done in range(0, steps, ROUND):
                if self._field.Minimize(maxIts=min(ROUND, steps - done)) == 0:
                    break
            energy = self._energy(self._field)
            return Relaxed(energy, energy - self._energy(self._plain), self._read())

    def settle(self, torsions: Sequence[float]) -> Relaxed:
        """Minimise, and again from the torsions that were reached, until these lead to themselves.

        A clash can push a start over to a nitrogen or ring that torsions do not tell; what is returned here is where
        its own torsions, as printed, end too.
        """
        reached = self.relax(torsions)
        for _ in range(REPEATS):
            before, reached = reached, self.relax([round(angle, 1) for angle in reached.torsions])
            if abs(reached.energy - before.energy) < SETTLED:
                break
        return reached

    def relaxed_positions(self, torsions: Sequence[float]) -> list[list[float]]:
        """Coordinates after `relax`, for export and for checks against a force field built afresh."""
        self.relax(torsions)
        with self._lock:
            rows: list[list[float]] = self._conformer.GetPositions().tolist()
        return rows

    def closest(self, torsions: Sequence[float]) -> tuple[int, int, float]:
        """The two atoms, at least four bonds apart, that are closest for their kind: their places and distance (Å)."""
        with self._lock:
            self._place(torsions)
            positions = self._conformer.GetPositions()
        return _closest(self._mol, positions)

    def atom_name(self, place: int) -> str:
        """Name of an atom: element and number in the SMILES from 1, or `H on C4`."""
        atom = self._mol.GetAtomWithIdx(place)
        if atom.GetAtomicNum() > 1:
            return f"{atom.GetSymbol()}{place + 1}"
        return f"H on {self.atom_name(atom.GetNeighbors()[0].GetIdx())}"

    def _place(self, torsions: Sequence[float]) -> None:
        from rdkit.Chem import rdMolTransforms

        self._conformer.SetPositions(self._base)
        for quad, angle in zip(self.template.bonds, torsions, strict=True):
            rdMolTransforms.SetDihedralDeg(self._conformer, *quad, float(angle))

    def _energy(self, field: Any) -> float:
        """Energy of a force field where the atoms are now.

        Without coordinates RDKit answers from distances that it remembers of the last geometry.
        """
        return float(field.CalcEnergy(self._conformer.GetPositions().ravel().tolist()))

    def _read(self) -> tuple[float, ...]:
        from rdkit.Chem import rdMolTransforms

        return tuple(wrap(rdMolTransforms.GetDihedralDeg(self._conformer, *quad)) for quad in self.template.bonds)


def _built(template: Template, mirrored: bool) -> Any:
    """Molecule with hydrogens and the base geometry as its conformer."""
    import numpy as np
    from rdkit import Chem

    mol = Chem.AddHs(Chem.MolFromSmiles(template.smiles))
    positions = np.array(template.coordinates, dtype=float).reshape(-1, 3)
    if mirrored:
        positions = positions * np.array([-1.0, 1.0, 1.0])
    conformer = Chem.Conformer(mol.GetNumAtoms())
    conformer.SetPositions(np.ascontiguousarray(positions))
    mol.AddConformer(conformer)
    return mol


def mirror_smiles(smiles: str) -> str:
    """SMILES of the mirror image, atoms in the same order."""
    return smiles.replace("@@", "\0").replace("@", "@@").replace("\0", "@")


def _closest(mol: Any, positions: Any) -> tuple[int, int, float]:
    import numpy as np
    from rdkit import Chem

    table = Chem.GetPeriodicTable()
    radii = np.array([table.GetRvdw(atom.GetAtomicNum()) for atom in mol.GetAtoms()])
    distances = np.linalg.norm(positions[:, None] - positions[None], axis=-1)
    gaps = np.where(Chem.GetDistanceMatrix(mol) >= 4, distances - radii[:, None] - radii[None], np.inf)
    first, second = (int(place) for place in np.unravel_index(int(np.argmin(gaps)), gaps.shape))
    return first, second, float(distances[first, second])


@lru_cache(maxsize=64)
def landscape(template: Template, bands: tuple[Band, ...] = (), mirrored: bool = False) -> Landscape:
    """Return the landscape of a molecule under bands; one per process."""
    return Landscape(template, bands, mirrored)


def rotatable(mol: Any) -> list[Quad]:
    """Atom quadruples of the bonds that may be turned, in atom order.

    Single, acyclic, not amide-like, no end that is a symmetric top (methyl, CF3, tert-butyl), and hydroxyl groups on
    sp3 carbon.
    """
    from rdkit import Chem

    heavy = Chem.MolFromSmarts("[!$(*#*)&!D1&!H3]-&!@[!$(*#*)&!D1&!H3]")
    hydroxyl = Chem.MolFromSmarts("[CX4]-[OX2H]")
    stiff = {frozenset(m) for m in mol.GetSubstructMatches(Chem.MolFromSmarts("[NX3]-&!@[C,S]=[O,S]"))}
    stiff = {frozenset(tuple(pair)[:2]) for pair in stiff} | {
        frozenset(m[:2]) for m in mol.GetSubstructMatches(Chem.MolFromSmarts("[NX3,OX2]-&!@[C;$(C=O)]"))
    }
    plain = Chem.RemoveHs(mol)
    pairs = [tuple(m) for m in plain.GetSubstructMatches(heavy)] + [m[:2] for m in plain.GetSubstructMatches(hydroxyl)]
    found = []
    for first, second in sorted(tuple(sorted(pair)) for pair in pairs):
        if frozenset((first, second)) in stiff or _is_top(mol, first, second) or _is_top(mol, second, first):
            continue
        found.append((_outer(mol, first, second), first, second, _outer(mol, second, first)))
    return found


def _is_top(mol: Any, atom: int, axis: int) -> bool:
    """Whether an atom carries three equal terminal neighbours beside the axis, so that turning it changes nothing."""
    others = [n for n in mol.GetAtomWithIdx(atom).GetNeighbors() if n.GetIdx() != axis]
    return len(others) == 3 and all(
        n.GetDegree() in (1, 4) and _leaf(mol, n, atom) == _leaf(mol, others[0], atom) for n in others
    )


def _leaf(mol: Any, atom: Any, parent: int) -> str:
    """Name of a terminal group: the element, or `CH3`; unique to the atom when it is neither."""
    rest = [n.GetSymbol() for n in atom.GetNeighbors() if n.GetIdx() != parent]
    if not rest:
        return str(atom.GetSymbol())
    return "CH3" if atom.GetSymbol() == "C" and rest == ["H", "H", "H"] else f"atom {atom.GetIdx()}"


def _outer(mol: Any, atom: int, axis: int) -> int:
    """The neighbour that defines a torsion: the first heavy one in atom order, else the first hydrogen."""
    others = sorted(
        (n.GetAtomicNum() == 1, n.GetIdx()) for n in mol.GetAtomWithIdx(atom).GetNeighbors() if n.GetIdx() != axis
    )
    return int(others[0][1])


def templates(rows: Iterable[Mapping[str, Any]]) -> dict[str, Template]:
    """Read templates from JSON rows."""
    return {
        row["name"]: Template(
            row["name"],
            row["smiles"],
            tuple(float(x) for x in row["coordinates"]),
            tuple((int(a), int(b), int(c), int(d)) for a, b, c, d in row["bonds"]),
        )
        for row in rows
    }
