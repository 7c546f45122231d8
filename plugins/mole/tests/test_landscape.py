"""Energies against RDKit used afresh, and certified minima against searches that do not share their code."""

from __future__ import annotations

import hashlib
import json
from importlib.resources import files

import numpy as np
import pytest
from rdkit import Chem
from rdkit.Chem import rdForceFieldHelpers, rdMolTransforms

from harness import Task, load_task
from harness_mole import sample
from harness_mole.landscape import (
    HANDED_IN,
    STIFFNESS,
    Band,
    Landscape,
    apart,
    landscape,
    mirror_smiles,
    rotatable,
    wrap,
)
from harness_mole.sample import LEVELS, TOLERANCE, ConformerIdentity, certified, library

NAMES = sorted(library())


def afresh(name: str, positions: list[list[float]], mirrored: bool = False) -> tuple[float, Chem.Mol]:
    """MMFF94 energy of coordinates by a molecule parsed anew."""
    template = library()[name]
    mol = Chem.AddHs(Chem.MolFromSmiles(mirror_smiles(template.smiles) if mirrored else template.smiles))
    conformer = Chem.Conformer(mol.GetNumAtoms())
    conformer.SetPositions(np.array(positions))
    mol.AddConformer(conformer)
    field = rdForceFieldHelpers.MMFFGetMoleculeForceField(mol, rdForceFieldHelpers.MMFFGetMoleculeProperties(mol))
    return float(field.CalcEnergy()), mol


@pytest.mark.parametrize("name", NAMES)
def test_relaxed_energies_are_mmff94_plus_the_bands(name: str) -> None:
    template = library()[name]
    rng = np.random.default_rng(1)
    torsions = [float(x) for x in rng.uniform(-180, 180, len(template.bonds))]
    bands = (Band(0, 40.0, 80.0), Band(len(torsions) - 1, 150.0, 210.0))
    held = Landscape(template, bands)
    relaxed = held.relax(torsions)
    energy, mol = afresh(name, held.relaxed_positions(torsions))
    angles = [rdMolTransforms.GetDihedralDeg(mol.GetConformer(), *quad) for quad in template.bonds]
    penalty = 0.0
    for angle, (low, high) in ((angles[0], (40, 80)), (angles[-1], (150, 210))):
        around = (angle - (low + high) / 2 + 180) % 360 - 180
        penalty += 0.01 * max(0.0, abs(around) - (high - low) / 2) ** 2
    assert relaxed.energy == pytest.approx(energy + penalty, abs=1e-3)
    assert relaxed.penalty == pytest.approx(penalty, abs=1e-3)
    assert max(apart(a, b) for a, b in zip(relaxed.torsions, angles, strict=True)) < 1e-6


@pytest.mark.parametrize("name", NAMES)
def test_base_geometry_has_the_stereochemistry_of_its_smiles(name: str) -> None:
    template = library()[name]
    positions = np.array(template.coordinates).reshape(-1, 3)
    _, mol = afresh(name, positions.tolist())
    said = Chem.FindMolChiralCenters(mol, useLegacyImplementation=False)
    Chem.AssignStereochemistryFrom3D(mol)
    assert Chem.FindMolChiralCenters(mol, useLegacyImplementation=False) == said
    assert list(template.bonds) == rotatable(Chem.AddHs(Chem.MolFromSmiles(template.smiles)))
    assert 6 <= len(template.bonds) <= 9


def test_rigid_energy_sets_every_torsion_and_nothing_else() -> None:
    template = library()[NAMES[0]]
    place, torsions = Landscape(template), [-170.0 + 40 * i for i in range(len(template.bonds))]
    assert place.rigid(torsions) == pytest.approx(place.rigid([t + 360 for t in torsions]), rel=1e-9)
    scanned = place.scan(torsions, 2, [10.0, torsions[2]])
    assert scanned[1] == pytest.approx(place.rigid(torsions), rel=1e-9, abs=1e-6)
    assert scanned[0] != pytest.approx(scanned[1], abs=1e-3)


def test_the_mirror_image_has_mirrored_energies() -> None:
    template = library()["propranolol"]
    rng = np.random.default_rng(2)
    torsions = [float(x) for x in rng.uniform(-180, 180, len(template.bonds))]
    plain = Landscape(template, (Band(1, 30.0, 90.0),))
    image = Landscape(template, (Band(1, -90.0, -30.0),), mirrored=True)
    assert image.rigid([-t for t in torsions]) == pytest.approx(plain.rigid(torsions), rel=1e-9)
    assert image.relax([-t for t in torsions]).energy == pytest.approx(plain.relax(torsions).energy, abs=0.01)
    assert Chem.CanonSmiles(mirror_smiles(template.smiles)) != Chem.CanonSmiles(template.smiles)


@pytest.mark.parametrize(
    ("low", "high", "angle", "excess"),
    [
        (30, 90, 60, 0),
        (30, 90, 100, 10),
        (30, 90, 10, -20),
        (150, 210, -160, 0),
        (150, 210, -140, 10),
        (-200, -140, 150, -10),
    ],
)
def test_bands_are_read_on_the_circle(low: float, high: float, angle: float, excess: float) -> None:
    band = Band(0, low, high)
    assert band.excess(angle) == pytest.approx(excess)
    assert band.energy(angle) == pytest.approx(STIFFNESS * excess**2)


@pytest.mark.parametrize(
    ("angle", "expected"), [(190, -170), (-190, 170), (180, 180), (-180, 180), (720, 0), (359.5, -0.5)]
)
def test_angles_wrap(angle: float, expected: float) -> None:
    assert wrap(angle) == pytest.approx(expected)


@pytest.mark.parametrize("name", NAMES)
def test_energies_are_of_the_atoms_where_they_are(name: str) -> None:
    """RDKit's force field answers from remembered distances when it is not told the coordinates."""
    template = library()[name]
    rng = np.random.default_rng(3)
    used = Landscape(template)
    for _ in range(3):
        torsions = [float(x) for x in rng.uniform(-180, 180, len(template.bonds))]
        fresh = Landscape(template)
        expected = [afresh(name, fresh_positions(fresh, torsions))[0], fresh.held(torsions), fresh.relax(torsions)]
        assert used.rigid(torsions) == pytest.approx(expected[0], rel=1e-9)
        assert [used.held(torsions), used.relax(torsions)] == expected[1:]
        assert used.scan(torsions, 0, [torsions[0]])[0] == pytest.approx(expected[0], rel=1e-9)


def fresh_positions(place: Landscape, torsions: list[float]) -> list[list[float]]:
    """Coordinates with the torsions set and nothing relaxed."""
    mol = Chem.Mol(place._mol)
    for quad, angle in zip(place.template.bonds, torsions, strict=True):
        rdMolTransforms.SetDihedralDeg(mol.GetConformer(), *quad, angle)
    rows: list[list[float]] = mol.GetConformer().GetPositions().tolist()
    return rows


@pytest.mark.parametrize("name", NAMES)
def test_where_a_minimisation_settles_its_own_torsions_lead(name: str) -> None:
    """Started from what it returned, a minimisation ends there again; past a plateau it may end lower, never higher."""
    place = Landscape(library()[name])
    rng = np.random.default_rng(7)
    gained = []
    for _ in range(8):
        settled = place.settle([float(x) for x in rng.uniform(-180, 180, len(place.template.bonds))])
        again = place.settle([round(angle, 1) for angle in settled.torsions])
        gained.append(settled.energy - again.energy)
    assert min(gained) > -0.05
    assert np.median(gained) < 0.05


@pytest.mark.parametrize("level", LEVELS)
def test_every_certified_place_counts_when_it_is_handed_in(level: str) -> None:
    for name, row in certified(level):
        bands = tuple(Band(int(bond), low, high) for bond, low, high in row["bands"])
        place = Landscape(library()[name], bands)
        assert place.relax([round(angle, 1) for angle in row["torsions"]], HANDED_IN).energy <= row["energy"] + 0.1


@pytest.mark.parametrize("level", ["easy", "medium", "hard"])
def test_handed_in_torsions_count_from_the_minimum_and_not_from_afar(level: str) -> None:
    task = load_task("mole", group=f"conformer-{level}")
    rng = np.random.default_rng(4)
    for index in range(12):
        identity: ConformerIdentity = task.decode_identity(task.sample(index, seed=23).identity)
        place = landscape(identity.template, identity.bands, identity.mirrored)
        settled = [round(angle, 1) for angle in place.settle(identity.torsions).torsions]
        assert place.relax(settled, HANDED_IN).energy <= identity.energy + 0.15
        assert place.relax(list(rng.uniform(-180, 180, len(settled))), HANDED_IN).energy > identity.energy + TOLERANCE


def test_order_of_calls_does_not_matter() -> None:
    template = library()[NAMES[0]]
    first, second = [60.0] * len(template.bonds), [180.0] * len(template.bonds)
    used, fresh = Landscape(template), Landscape(template)
    used.relax(second)
    used.scan(first, 0, [10.0, 20.0])
    assert used.relax(first) == fresh.relax(first)


@pytest.mark.parametrize("level", ["easy", "medium", "hard"])
def test_certified_minima_are_reached_from_their_torsions(level: str) -> None:
    task = load_task("mole", group=f"conformer-{level}")
    for index in range(12):
        identity: ConformerIdentity = task.decode_identity(task.sample(index, seed=21).identity)
        place = landscape(identity.template, identity.bands, identity.mirrored)
        assert place.settle(identity.torsions).energy == pytest.approx(identity.energy, abs=0.03)


@pytest.mark.parametrize("level", ["easy", "medium", "hard"])
def test_every_row_was_searched_with_a_hundred_times_the_budget(level: str) -> None:
    spent = {molecule["name"]: molecule["minimisations"] for molecule in sample._rows()}
    budget = load_task("mole", group=f"conformer-{level}").options.minimisations
    assert all(spent[name] + row["minimisations"] >= 100 * budget for name, row in certified(level))
    assert len(certified(level)) >= 100


def test_the_independent_search_is_of_this_table_and_beats_nothing() -> None:
    folder = files("harness_mole")
    found = json.loads(folder.joinpath("results", "independent.json").read_text())
    table = folder.joinpath("landscapes.json.zst").read_bytes()
    assert found["table"] == hashlib.blake2b(table, digest_size=8).hexdigest()
    assert found["times_the_effort"] >= 10
    assert found["instances"] == len(found["rows"]) > 0
    assert max(row["beaten_by"] for row in found["rows"]) <= TOLERANCE


@pytest.mark.slow
@pytest.mark.parametrize("level", ["easy", "medium", "hard"])
def test_an_independent_search_finds_nothing_lower(level: str) -> None:
    """Random multistart inside the bands, forty starts an instance; `scripts/independent.py` spends far more."""
    task: Task = load_task("mole", group=f"conformer-{level}")
    rng = np.random.default_rng(9)
    for index in range(2):
        identity: ConformerIdentity = task.decode_identity(task.sample(index, seed=22).identity)
        place = landscape(identity.template, identity.bands, identity.mirrored)
        lowest = min(place.settle(draw(identity, rng)).energy for _ in range(40))
        assert lowest >= identity.energy - TOLERANCE


def draw(identity: ConformerIdentity, rng: np.random.Generator) -> list[float]:
    """Random torsions, held ones inside their bands."""
    held = {band.bond: band for band in identity.bands}
    ends = [(held[i].low, held[i].high) if i in held else (-180.0, 180.0) for i in range(len(identity.torsions))]
    return [wrap(float(rng.uniform(low, high))) for low, high in ends]
