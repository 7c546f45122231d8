"""Scores: the scale, monotone partial credit, and the sign of the margin."""

from __future__ import annotations

import pytest
from attrs import evolve

from harness import Task
from harness.records import Action, Log
from harness_mole.requirements import DIGITS, Requirement
from harness_mole.sample import TOLERANCE


def test_energy_score_is_monotone_and_one_sided(conformer: Task) -> None:
    identity = conformer.decode_identity(conformer.sample(0).identity)
    scores = []
    for gap in (-3.0, 0.0, 0.19, 0.21, 1.0, 5.0, 50.0, 5000.0):
        log = Log(answer={"torsions": []}, metrics={"energy": identity.energy + gap}, turns=3)
        score = conformer.reward.score(identity, log)
        assert score.success == (gap <= TOLERANCE)
        assert (score.margin >= 0) == score.success
        scores.append(score.total)
    assert scores == sorted(scores, reverse=True)
    assert scores[0] >= 0.8 > 0.6 >= scores[3]
    assert scores[-1] == 0


def test_nothing_submitted_earns_nothing(task: Task) -> None:
    identity = task.decode_identity(task.sample(0).identity)
    score = task.reward.score(identity, Log(turns=3))
    assert not score.success
    assert score.total == 0
    assert score.margin == -1


def test_spending_less_earns_more_once_it_is_solved(conformer: Task) -> None:
    identity = conformer.decode_identity(conformer.sample(0).identity)
    log = Log(answer={"torsions": []}, metrics={"energy": identity.energy}, turns=2)
    spent = tuple(Action(1, "minimise", {}, "ok", "minimisations") for _ in range(4))
    assert (
        conformer.reward.score(identity, log).total > conformer.reward.score(identity, evolve(log, actions=spent)).total
    )


def values_of(identity: object) -> dict[str, float]:
    return {r.name: r.low if r.low is not None else r.high for r in identity.requirements}  # type: ignore[attr-defined]


def test_every_requirement_of_a_lead_counts(lead: Task) -> None:
    identity = lead.decode_identity(lead.sample(0).identity)
    inside = values_of(identity)
    whole = lead.reward.score(identity, Log(answer={"smiles": "C"}, metrics={"values": inside}, turns=2))
    assert whole.success
    assert whole.total >= 0.8
    for requirement in identity.requirements:
        step = 10.0 ** -DIGITS[requirement.name]
        worse = []
        for factor in (1, 5, 20):
            value = requirement.low - factor * step if requirement.low is not None else requirement.high + factor * step
            metrics = {"values": inside | {requirement.name: value}}
            score = lead.reward.score(identity, Log(answer={"smiles": "C"}, metrics=metrics, turns=2))
            assert not score.success
            assert score.margin < 0
            assert requirement.name in score.detail
            worse.append(score.total)
        assert worse == sorted(worse, reverse=True)
        assert worse[0] <= 0.6


def test_leaving_the_lead_alone_earns_little_and_each_mended_requirement_more(lead: Task) -> None:
    for index in range(10):
        identity = lead.decode_identity(lead.sample(index).identity)
        names = [r.name for r in identity.requirements]
        held, values = dict(zip(names, identity.start, strict=True)), values_of(identity)
        missed = [r.name for r, start in zip(identity.requirements, identity.start, strict=True) if r.off(start)]
        totals = []
        for count in range(len(missed) + 1):
            metrics = {"values": held | {name: values[name] for name in missed[:count]}}
            totals.append(lead.reward.score(identity, Log(answer={"smiles": "C"}, metrics=metrics, turns=2)).total)
        assert totals == sorted(set(totals))
        assert totals[0] < 0.35  # seven of nine held weigh 7 beside 8 for the two that are missed
        assert totals[-2] <= 0.6 < totals[-1]


@pytest.mark.parametrize(
    ("value", "off", "room"), [(1.0, 0, 0.0), (1.5, 0, 0.5), (2.0, 0, 0.0), (0.9, -0.1, -0.1), (2.3, 0.3, -0.3)]
)
def test_distance_from_an_interval(value: float, off: float, room: float) -> None:
    asked = Requirement("logp", 1.0, 2.0)
    assert asked.off(value) == pytest.approx(off)
    assert asked.room(value) == pytest.approx(room)
