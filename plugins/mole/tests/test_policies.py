"""The scripted policies: the reference reads the prompt only, fitted constants answer, nobody overdraws."""

from __future__ import annotations

import pytest

from harness import Task, load_task
from harness.testing import play_inline, quartered
from harness_mole.lead_policies import SHIFTS
from harness_mole.torsion_policies import brief


def test_scripts_read_start_and_bands_from_the_prompt(conformer: Task) -> None:
    from harness import InlineEpisode
    from harness.testing import make_view

    sample = conformer.sample(1)
    episode = InlineEpisode(conformer, sample)
    episode.open()
    for language in ("en", "zh"):
        told_in = conformer.sample(1, language=language)
        view = make_view(conformer, told_in, episode.messages, episode.tools, conformer.policies["reference"], ("t",))
        told, identity = brief(view), conformer.decode_identity(sample.identity)
        assert told.start == identity.start
        assert tuple(told.bands.values()) == identity.bands
        assert view.identity is None


def test_every_policy_ends_scored_within_its_budgets(task: Task) -> None:
    sample = task.sample(2, seed=12)
    for name, script in task.policies.items():
        if script.play is None:
            assert script.fit is not None
            continue
        episode = play_inline(task, sample, script, "t")
        assert episode.outcome.status == "scored", name
        for budget, total in sample.limits.budgets.items():
            assert episode.log.spent(budget) <= total
        assert not [a for a in episode.log.actions if a.status not in ("ok", "budget_exhausted") and name != "random"]


def test_the_reference_keeps_to_a_quarter_of_the_budgets(task: Task) -> None:
    from attrs import evolve

    sample = task.sample(3, seed=12)
    sample = evolve(sample, limits=quartered(sample.limits))
    episode = play_inline(task, sample, task.policies["reference"], "t")
    assert episode.log.answer is not None
    assert all(episode.log.spent(b) <= n for b, n in sample.limits.budgets.items())


@pytest.mark.parametrize("group", ["conformer-medium", "lead-medium"])
def test_the_constant_is_fitted_and_plays(group: str) -> None:
    from attrs import evolve

    task = load_task("mole", group=group)
    identities = [task.decode_identity(task.sample(i).identity) for i in range(8)]
    script = task.policies["constant"]
    assert script.fit is not None
    fitted = evolve(script, play=script.fit(identities, task.options))
    assert play_inline(task, task.sample(9), fitted, "t").outcome.status == "scored"


def test_the_table_of_shifts_is_that_of_benzene() -> None:
    from harness_mole import chemistry
    from harness_mole.chemistry import GROUPS, Edit

    bare = chemistry.properties_of("c1ccccc1")
    for group in GROUPS:
        made = chemistry.properties(chemistry.read(chemistry.apply("c1ccccc1", [Edit("attach", 1, group)], "c1ccccc1")))
        found = (made.logp - bare.logp, made.tpsa - bare.tpsa, made.weight - bare.weight, made.rotors - bare.rotors)
        assert SHIFTS[group] == pytest.approx(found, abs=0.06), group
