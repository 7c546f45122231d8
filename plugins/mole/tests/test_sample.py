"""Instances: what they are made of, that they differ, and that levels are levels."""

from __future__ import annotations

import numpy as np
import pytest

from harness import Task, load_task
from harness_mole import chemistry
from harness_mole.sample import LEVELS, NEAREST, ODDS, certified, leads, level_of


def test_torsions_lie_inside_the_narrowed_bands_or_where_the_minimum_is_strained() -> None:
    task = load_task("mole", group="conformer-hard")
    for index in range(40):
        identity = task.decode_identity(task.sample(index, seed=4).identity)
        for band in identity.bands:
            assert band.low < band.high
            assert abs(band.excess(identity.torsions[band.bond])) < NEAREST
        assert len(identity.bands) < len(identity.torsions) == len(identity.template.bonds)
        assert all(-180 <= angle <= 180 for angle in identity.start)


def test_levels_follow_the_odds_and_what_chance_finds() -> None:
    rows = {level: [row for _, row in certified(level)] for level in LEVELS}
    assert all(row["odds"] >= ODDS[level] for level in LEVELS for row in rows[level])
    assert all(row["hits"] == 0 for row in rows["hard"])
    assert max(row["odds"] for row in rows["easy"]) < ODDS["medium"]
    assert all(row["odds"] < ODDS["hard"] or row["hits"] for row in rows["medium"])
    assert level_of({"odds": 0.0, "hits": 0}) is None
    assert [level_of({"odds": 20.0, "hits": hits}) for hits in (0, 1)] == ["hard", "medium"]


def test_mirror_images_are_drawn_as_often_as_not() -> None:
    task = load_task("mole", group="conformer-medium")
    drawn = [task.prompt.sample(np.random.default_rng(i)).mirrored for i in range(200)]
    assert 70 < sum(drawn) < 130


def test_leads_are_what_they_should_be() -> None:
    assert len(leads()) == len(set(leads())) >= 200
    rng = np.random.default_rng(0)
    for smiles in rng.choice(leads(), 25, replace=False):
        mol = chemistry.read(str(smiles))
        found = chemistry.properties(mol)
        assert not found.alerts
        assert found.qed >= 0.5
        assert len(chemistry.open_sites(mol)) >= 4
        assert chemistry.keeps(mol, chemistry.core_of(str(smiles)))


def test_keys_tell_instances_apart(task: Task) -> None:
    keys = {task.sample(index, seed=6, split="train").key for index in range(60)}
    assert len(keys) >= 35  # sets of bands are few; what differs within them (ends of bands, start) is no key


@pytest.mark.parametrize("name", ["minimisations", "scans", "energies", "evaluations", "turns"])
def test_budgets_are_options_that_leave_identities_alone(name: str) -> None:
    plain = load_task("mole", group="conformer-easy")
    other = load_task("mole", group="conformer-easy", options={name: 7})
    assert other.sample(0).identity == plain.sample(0).identity
    assert other.options_digest == plain.options_digest
