"""Properties against published values of known drugs, the rules for molecules, and edits."""

from __future__ import annotations

import pytest
from rdkit import Chem

from harness_mole import chemistry
from harness_mole.chemistry import GROUPS, BadMolecule, Edit

DRUGS = {
    # name: (SMILES, molar mass, topological polar surface, measured logP): PubChem's entries and Hansch's collection
    "aspirin": ("CC(=O)Oc1ccccc1C(=O)O", 180.16, 63.6, 1.19),
    "paracetamol": ("CC(=O)Nc1ccc(O)cc1", 151.16, 49.3, 0.46),
    "ibuprofen": ("CC(C)Cc1ccc(cc1)C(C)C(=O)O", 206.28, 37.3, 3.97),
    "diazepam": ("CN1C(=O)CN=C(c2ccccc2)c2cc(Cl)ccc12", 284.74, 32.7, 2.82),
    "nicotine": ("CN1CCC[C@H]1c1cccnc1", 162.23, 16.1, 1.17),
    "procaine": ("CCN(CC)CCOC(=O)c1ccc(N)cc1", 236.31, 55.6, 2.14),
    "lidocaine": ("CCN(CC)CC(=O)Nc1c(C)cccc1C", 234.34, 32.3, 2.44),
    "propranolol": ("CC(C)NCC(O)COc1cccc2ccccc12", 259.34, 41.5, 3.48),
    "metoprolol": ("CC(C)NCC(O)COc1ccc(CCOC)cc1", 267.36, 50.7, 1.88),
    "fluoxetine": ("CNCCC(Oc1ccc(cc1)C(F)(F)F)c1ccccc1", 309.33, 21.3, 4.05),
}


@pytest.mark.parametrize("name", DRUGS)
def test_published_mass_and_polar_surface(name: str) -> None:
    smiles, mass, surface, _ = DRUGS[name]
    found = chemistry.properties(chemistry.read(smiles))
    assert found.weight == pytest.approx(mass, abs=0.02)
    assert found.tpsa == pytest.approx(surface, abs=0.1)


def test_logp_estimates_measured_values_as_published_for_the_method() -> None:
    """Wildman and Crippen report a standard deviation of 0.68 for their training set."""
    errors = [chemistry.properties(chemistry.read(s)).logp - logp for s, _, _, logp in DRUGS.values()]
    assert (sum(e * e for e in errors) / len(errors)) ** 0.5 < 0.9


def test_scores_order_molecules_as_their_authors_do() -> None:
    def scores(smiles: str) -> chemistry.Properties:
        return chemistry.properties(chemistry.read(smiles))

    strychnine = "O=C1C[C@@H]2OCC=C3CN4CC[C@]56[C@@H]4C[C@H]3[C@H]2[C@H]6N1c1ccccc15"
    assert scores(strychnine).sa > 5 > 2.5 > scores(DRUGS["aspirin"][0]).sa
    assert scores(DRUGS["fluoxetine"][0]).qed > 0.8 > scores("CCCCCCCCCCCCCCCCCC").qed
    assert scores("O=C1C=CC(=O)C=C1").alerts
    assert not scores("Cc1ccccc1").alerts


@pytest.mark.parametrize(
    ("smiles", "words"),
    [
        ("", ["0 characters", "1 to 300"]),
        ("   ", ["characters"]),
        ("C" * 301, ["301", "300"]),
        ("C" * 61, ["61 heavy atoms", "1 to 60"]),
        ("[H][H]", ["0 heavy atoms"]),
        ("CC.O", ["2 fragments", "1"]),
        ("C[N+](C)(C)C", ["charge +1", "atom 2", "neutral"]),
        ("CC[Si](C)C", ["Si", "atom 3", "C, N, O, F, S, Cl, Br"]),
        ("[13CH4]", ["isotope 13"]),
        ("[CH3]", ["radical"]),
        ("C1CC", ["valid SMILES"]),
        ("c1ccc1c", ["valid SMILES"]),
        ("C(C)(C)(C)(C)C", ["valid SMILES"]),
        ("not a molecule", ["valid SMILES"]),
        ("C\u0421", ["ASCII"]),
        ("C\x00C", ["SMILES"]),
        ("*C", ["*"]),
    ],
)
def test_molecules_that_break_a_rule_are_refused_with_what_is_allowed(smiles: str, words: list[str]) -> None:
    with pytest.raises(BadMolecule) as caught:
        chemistry.read(smiles)
    assert all(word in str(caught.value) for word in words), str(caught.value)


LEAD, CORE = "COc1ccccc1C", "c1ccccc1"


def test_edits_give_the_molecule_that_is_meant() -> None:
    assert Chem.CanonSmiles(chemistry.apply(LEAD, [Edit("attach", 4, "fluoro")], CORE)) == "COc1c(C)cccc1F"
    assert Chem.CanonSmiles(chemistry.apply(LEAD, [Edit("detach", 2)], CORE)) == "Cc1ccccc1"
    both = chemistry.apply(LEAD, [Edit("detach", 9), Edit("attach", 6, "cyano")], CORE)
    assert Chem.CanonSmiles(both) == Chem.CanonSmiles("COc1ccc(C#N)cc1")


@pytest.mark.parametrize("group", GROUPS)
def test_every_group_replaces_one_hydrogen(group: chemistry.GroupName) -> None:
    made = chemistry.read(chemistry.apply("c1ccccc1", [Edit("attach", 1, group)], CORE))
    alone = chemistry.read(GROUPS[group])
    whole = chemistry.properties(made).weight
    assert whole == pytest.approx(78.114 + chemistry.properties(alone).weight - 2 * 1.008, abs=0.01)
    assert not chemistry.properties(made).alerts


@pytest.mark.parametrize(
    ("edits", "words"),
    [
        ([Edit("attach", 3, "methyl")], ["edits[0].atom", "got 3", "allowed to attach"]),
        ([Edit("attach", 99, "methyl")], ["edits[0].atom", "got 99"]),
        ([Edit("attach", 0, "methyl")], ["edits[0].atom", "got 0"]),
        ([Edit("attach", 4)], ["edits[0].group", "None", "methyl"]),
        ([Edit("attach", 4, "methyl")] * 2, ["edits[1].atom", "hydrogen"]),
        ([Edit("detach", 3)], ["edits[0].atom", "allowed to detach: 2, 9"]),
    ],
)
def test_edits_that_cannot_be_made_are_named(edits: list[Edit], words: list[str]) -> None:
    with pytest.raises(BadMolecule) as caught:
        chemistry.apply(LEAD, edits, CORE)
    assert all(word in str(caught.value) for word in words), str(caught.value)


def test_stereochemistry_of_the_core_is_asked_for() -> None:
    lead = "C[C@@H](N)c1ccccc1"
    core = chemistry.core_of(lead)
    assert chemistry.keeps(chemistry.read("C[C@@H](NC)c1ccc(F)cc1"), core)
    assert not chemistry.keeps(chemistry.read("C[C@H](NC)c1ccc(F)cc1"), core)
    assert not chemistry.keeps(chemistry.read("CC(NC)c1ccc(F)cc1"), core)


def test_sealed_form_is_the_same_molecule_in_another_writing() -> None:
    for smiles, *_ in DRUGS.values():
        sealed = chemistry.sealed(smiles)
        assert Chem.CanonSmiles(sealed) == Chem.CanonSmiles(smiles)
        assert "c" not in sealed
        assert Chem.CanonSmiles(chemistry.shuffled(smiles, 5)) == Chem.CanonSmiles(smiles)
