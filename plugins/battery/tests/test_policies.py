"""The scripted policies: the reference solves, the lazy ones do not, all work from what is told."""

import pytest

from harness.task import load_task
from harness.testing import play_inline
from harness_battery import brief
from harness_battery.sample import GROUPS


@pytest.mark.parametrize("group", GROUPS)
def test_reference_solves_fresh_proposals(group: str) -> None:
    """Uncertified proposals: at least seven of eight."""
    task = load_task("battery", group=group)
    played = [play_inline(task, task.sample(i, seed=21), task.policies["reference"]) for i in range(8)]
    assert sum(e.outcome.success for e in played) >= 7
    assert all(e.log.spent("simulations") <= 10 for e in played)


@pytest.mark.parametrize("name", ["nominal", "mid-range", "thick-dense", "thin-porous", "porous", "estimate-only"])
def test_lazy_policies_answer_and_mostly_fail(name: str) -> None:
    task = load_task("battery", group="medium")
    played = [play_inline(task, task.sample(i, seed=22), task.policies[name]) for i in range(6)]
    assert all(e.log.answer is not None for e in played), "a lazy policy that cannot play proves nothing"
    assert sum(e.outcome.success for e in played) <= 1


def test_reference_survives_sparse_feedback() -> None:
    task = load_task("battery", group="easy", options={"feedback": "verdicts"})
    episode = play_inline(task, task.sample(0), task.policies["reference"])
    assert episode.outcome.status == "scored"
    assert episode.log.answer is not None


def test_brief_reads_what_is_told() -> None:
    """What a script reads from the prompt is the instance, without its deviation."""
    seen = []

    def spy(view):
        seen.append(brief.read(view))
        yield from task.policies["nominal"].play(view)

    task = load_task("battery", group="hard")
    sample = task.sample(0)
    from attrs import evolve

    play_inline(task, sample, evolve(task.policies["nominal"], play=spy))
    identity = task.decode_identity(sample.identity)
    assert seen[0].required == identity.requirements
    assert seen[0].duty.c_rate == identity.duty.c_rate
    assert seen[0].duty.ambient_k == pytest.approx(identity.duty.ambient_k)
    assert seen[0].free.tolist() == [True] * 5
