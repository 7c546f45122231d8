"""The tools through real episodes: what they answer, what they refuse, what they charge."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from harness import Completion, InlineEpisode, Log, Task, ToolCall
from harness_mole.landscape import HANDED_IN, landscape
from harness_mole.requirements import measure

Make = Callable[..., Any]


def torsions_of(bench: Any) -> list[float]:
    return list(bench.identity.start)


def test_energies_agree_with_the_landscape(conformer: Task, bench: Make) -> None:
    made = bench(conformer)
    identity, torsions = made.identity, torsions_of(made)
    place = landscape(identity.template, identity.bands, identity.mirrored)
    held = made.ask("energy", {"torsions": torsions})
    assert held["energy"] == round(min(9999.0, place.held(torsions)), 2)
    assert held["above_target"] == pytest.approx(held["energy"] - identity.target, abs=0.011)
    scanned = made.ask("scan", {"torsions": torsions, "bond": 2})
    assert scanned["angles"] == list(range(-180, 180, 20))
    assert min(scanned["energies"]) == scanned["energies"][scanned["angles"].index(scanned["lowest"]["angle"])]
    reached = made.ask("minimise", {"torsions": torsions})
    again = made.ask("minimise", {"torsions": reached["torsions"]})
    assert again["energy"] == pytest.approx(reached["energy"], abs=0.05)
    assert reached["energy"] <= held["energy"]


def test_what_minimise_returned_counts_with_the_energy_it_told(conformer: Task, bench: Make) -> None:
    """Eighty steps from there would sometimes end higher: a start far from a nitrogen or ring of the base geometry."""
    rng, higher = np.random.default_rng(5), 0
    for index in range(24):
        made = bench(conformer, index)
        place = landscape(made.identity.template, made.identity.bands, made.identity.mirrored)
        reached = made.ask("minimise", {"torsions": rng.uniform(-180, 180, len(torsions_of(made))).tolist()})
        handed = {"torsions": [angle - 360.0 if angle > 170 else angle for angle in reached["torsions"]]}
        made.episode.step(Completion(tool_calls=(ToolCall("s", "submit", json.dumps(handed)),)))
        outcome = made.episode.close()
        told = made.episode.log.metrics["energy"]
        assert round(told, 2) == reached["energy"]
        assert outcome.success == (reached["above_target"] <= 0)
        higher += place.relax(reached["torsions"], HANDED_IN).energy > told + 0.1
    assert higher > 0


def test_what_is_told_decides_to_the_printed_digit(conformer: Task) -> None:
    for index in range(12):
        identity = conformer.decode_identity(conformer.sample(index).identity)
        for above in (-0.01, 0.0, 0.01):
            log = Log(answer={"torsions": []}, metrics={"energy": identity.target + above}, turns=3)
            assert conformer.reward.score(identity, log).success == (above <= 0)


def test_conformer_budgets_are_told_and_enforced(conformer: Task, bench: Make) -> None:
    made = bench(conformer)
    for tool, budget in (("minimise", "minimisations"), ("energy", "energies")):
        total = made.sample.limits.budgets[budget]
        raw = json.dumps({"torsions": torsions_of(made)})
        calls = tuple(ToolCall(f"c{i}", tool, raw) for i in range(total + 1))
        answers = [json.loads(m.text) for m in made.episode.step(Completion(tool_calls=calls)).messages]
        assert answers[0]["budget"] == f"{total - 1} of {total} {budget} left"
        assert [a.get("error") for a in answers] == [None] * total + ["budget_exhausted"]


BAD_TORSIONS: list[tuple[str, Any, str, list[str]]] = [
    ("energy", {"torsions": [1.0]}, "invalid_arguments", ["torsions", "1 angles", "exactly"]),
    ("minimise", {"torsions": [0.0] * 12}, "invalid_arguments", ["torsions", "12 angles", "exactly"]),
    ("minimise", {"torsions": []}, "invalid_arguments", ["torsions", "length 0", "1 to 12"]),
    ("minimise", {"torsions": [0.0] * 13}, "invalid_arguments", ["torsions", "13", "1 to 12"]),
    ("submit", {"torsions": [400.0] * 6}, "invalid_arguments", ["torsions[0]", "400", "-360 to 360"]),
    ("submit", {"torsions": ["60"] * 6}, "invalid_arguments", ["torsions[0]", "'60'", "number"]),
    ("submit", {"torsions": [True] * 6}, "invalid_arguments", ["torsions[0]", "True", "number"]),
    ("submit", '{"torsions": [NaN]}', "malformed_call", ["JSON"]),
    ("submit", '{"torsions": [1e999]}', "malformed_call", ["JSON"]),
    ("energy", {"torsion": [0.0]}, "invalid_arguments", ["torsion", "'torsions'"]),
    ("energy", {}, "invalid_arguments", ["torsions", "missing"]),
    ("optimise", {}, "unknown_tool", ["optimise"]),
    ("energy", '{"torsions": [1,', "malformed_call", ["JSON"]),
]


@pytest.mark.parametrize(("tool", "arguments", "reason", "words"), BAD_TORSIONS)
def test_bad_torsions_are_refused_by_name(
    conformer: Task, bench: Make, tool: str, arguments: Any, reason: str, words: list[str]
) -> None:
    made = bench(conformer)
    answer = made.ask(tool, arguments)
    assert answer["error"] == reason or (reason == "malformed_call" and answer["error"] == "invalid_arguments")
    assert reason == "malformed_call" or all(word in answer["message"] for word in words), answer
    assert not any(made.episode.log.spent(budget) for budget in made.sample.limits.budgets)
    assert made.episode.log.turns == 1
    assert not made.episode.done


@pytest.mark.parametrize("bond", [0, 13, -1, 2.5, "1", None])
def test_bad_bonds_are_refused(conformer: Task, bench: Make, bond: Any) -> None:
    made = bench(conformer)
    answer = made.ask("scan", {"torsions": torsions_of(made), "bond": bond})
    assert answer["error"] == "invalid_arguments"
    assert answer["argument"] == "bond"
    assert made.episode.log.spent("scans") == 0


def test_a_bond_beyond_the_list_is_refused_with_the_range(conformer: Task, bench: Make) -> None:
    made = bench(conformer)
    count = len(torsions_of(made))
    answer = made.ask("scan", {"torsions": torsions_of(made), "bond": count + 1})
    assert answer["message"] == f"argument bond: got {count + 1}, allowed 1 to {count}"


def test_extreme_torsions_are_answered(conformer: Task, bench: Make) -> None:
    made = bench(conformer)
    count = len(torsions_of(made))
    for angle in (-360.0, 0.0, 1e-300, 179.999, 360.0):
        answer = made.ask("energy", {"torsions": [angle] * count})
        assert abs(answer["energy"]) <= 9999


def test_evaluation_agrees_with_measurement(lead: Task, bench: Make) -> None:
    made = bench(lead)
    from harness_mole import chemistry

    identity = made.identity
    answer = made.ask("evaluate", {"smiles": identity.lead})
    values, alerts = measure(chemistry.read(identity.lead), identity.lead, identity.core)
    assert {name: row["value"] for name, row in answer["requirements"].items()} == values
    assert answer["alerts_found"] == list(alerts)
    assert values["similarity"] == 1.0
    assert answer["missed"] == [n for n, row in answer["requirements"].items() if row["off"] != 0]
    assert len(answer["missed"]) >= 2


def test_the_hidden_edits_meet_every_requirement(task: Task) -> None:
    if task.options.variant != "lead":
        pytest.skip("leads only")
    for index in range(5):
        made = InlineEpisode(task, sample := task.sample(index, seed=3))
        made.open()
        identity = task.decode_identity(sample.identity)
        edits = [{"action": e.action, "atom": e.atom} | ({"group": e.group} if e.group else {}) for e in identity.edits]
        arguments = json.dumps({"smiles": identity.lead, "edits": edits})
        answer = json.loads(made.step(Completion(tool_calls=(ToolCall("a", "edit", arguments),))).messages[0].text)
        assert answer["missed"] == []
        made.step(Completion(tool_calls=(ToolCall("b", "submit", json.dumps({"smiles": answer["smiles"]})),)))
        assert made.close().success


BAD_LEADS: list[tuple[str, Any, list[str]]] = [
    ("evaluate", {"smiles": ""}, ["smiles", "length 0", "1 to 300"]),
    ("evaluate", {"smiles": "   "}, ["smiles", "SMILES"]),
    ("evaluate", {"smiles": "C" * 301}, ["smiles", "301"]),
    ("evaluate", {"smiles": "C1CC"}, ["smiles", "'C1CC'", "valid SMILES"]),
    ("evaluate", {"smiles": "CC.CC"}, ["smiles", "2 fragments", "1"]),
    ("evaluate", {"smiles": "C[N+](C)(C)C"}, ["smiles", "charge +1", "neutral"]),
    ("evaluate", {"smiles": "CCI"}, ["smiles", "I", "allowed elements"]),
    ("evaluate", {"smiles": 3}, ["smiles", "3", "string"]),
    ("submit", {"smiles": "nonsense"}, ["smiles", "'nonsense'", "valid SMILES"]),
    ("submit", {"smiles": None}, ["smiles", "None", "string"]),
    ("edit", {"smiles": "c1ccccc1", "edits": []}, ["edits", "length 0", "1 to 6"]),
    ("edit", {"smiles": "c1ccccc1", "edits": [{"action": "add", "atom": 1}]}, ["edits[0].action", "'add'"]),
    (
        "edit",
        {"smiles": "c1ccccc1", "edits": [{"action": "attach", "atom": 1, "group": "metyl"}]},
        ["edits[0].group", "'metyl'", "'methyl'"],
    ),
    ("edit", {"smiles": "c1ccccc1", "edits": [{"action": "attach", "atom": 9, "group": "methyl"}]}, ["atom", "got 9"]),
    ("edit", {"smiles": "c1ccccc1", "edits": [{"action": "attach", "atom": 1}]}, ["edits[0].group", "None"]),
    ("edit", {"smiles": "c1ccccc1", "edits": [{"action": "attach", "atom": -1, "group": "methyl"}]}, ["atom", "-1"]),
    ("edit", {"smiles": "c1cccc1", "edits": [{"action": "attach", "atom": 1, "group": "methyl"}]}, ["smiles"]),
]


@pytest.mark.parametrize(("tool", "arguments", "words"), BAD_LEADS)
def test_bad_molecules_and_edits_are_refused_by_name(
    lead: Task, bench: Make, tool: str, arguments: Any, words: list[str]
) -> None:
    made = bench(lead)
    answer = made.ask(tool, arguments)
    assert answer["error"] == "invalid_arguments"
    assert all(word in answer["message"] for word in words), answer["message"]
    assert made.episode.log.spent("evaluations") == 0
    assert not made.episode.done


def test_evaluations_are_shared_and_enforced(lead: Task, bench: Make) -> None:
    made = bench(lead)
    total = made.sample.limits.budgets["evaluations"]
    edit = {"smiles": "Cc1ccccc1", "edits": [{"action": "attach", "atom": 3, "group": "fluoro"}]}
    calls = [ToolCall("a", "evaluate", json.dumps({"smiles": "Cc1ccccc1"}))] * total
    calls.append(ToolCall("b", "edit", json.dumps(edit)))
    answers = [json.loads(m.text) for m in made.episode.step(Completion(tool_calls=tuple(calls))).messages]
    assert [a.get("error") for a in answers] == [None] * total + ["budget_exhausted"]


def test_chinese_is_spoken(conformer: Task, bench: Make) -> None:
    made = bench(conformer, language="zh")
    answer = made.ask("energy", {"torsions": torsions_of(made)})
    assert answer["budget"].startswith("剩余")
