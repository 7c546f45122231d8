"""The prompt: every fact in every wording, nothing hidden in any."""

from __future__ import annotations

import pytest

from harness import Task


@pytest.mark.parametrize("language", ["en", "zh"])
def test_every_wording_carries_every_fact_and_no_secret(task: Task, language: str) -> None:
    for index in range(3):
        identity = task.decode_identity(task.sample(index, seed=8).identity)
        facts = task.prompt.facts(identity, language)
        texts = [str(task.prompt.messages(identity, wording, language)) for wording in range(3)]
        assert len(set(texts)) == 3
        for text in texts:
            assert [name for name, fact in facts.items() if fact not in text] == []
            assert not any(secret in text for secret in task.secrets(identity))
            assert "{" not in text


def test_bonds_are_described_by_their_atoms(conformer: Task) -> None:
    identity = conformer.decode_identity(conformer.sample(0, seed=8).identity)
    facts = conformer.prompt.facts(identity, "en")
    held = {band.bond for band in identity.bands}
    for bond in range(len(identity.template.bonds)):
        line = facts[f"bond {bond + 1}"]
        assert line.count("–") == 3
        assert ("held between" in line) == (bond in held)
    assert facts["target"] == f"{identity.energy + 0.2:.2f} kcal/mol"


def test_requirements_are_told_as_they_are_compared(lead: Task) -> None:
    identity = lead.decode_identity(lead.sample(0, seed=8).identity)
    facts = lead.prompt.facts(identity, "en")
    for requirement in identity.requirements:
        line = facts[f"requirement {requirement.name}"]
        for end in (requirement.low, requirement.high):
            if end is not None and requirement.name not in ("substructure", "alerts"):
                assert any(float(word) == end for word in line.replace(";", " ").split() if _number(word))


def _number(word: str) -> bool:
    try:
        float(word)
    except ValueError:
        return False
    return True
