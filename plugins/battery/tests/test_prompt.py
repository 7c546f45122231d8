"""The wordings: every fact in each of them, in both languages, and nothing left unfilled."""

import pytest

from harness.task import load_task
from harness_battery.sample import GROUPS


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("group", GROUPS)
def test_every_wording_carries_every_fact(group: str, language: str) -> None:
    task = load_task("battery", group=group)
    identity = task.decode_identity(task.sample(0).identity)
    facts = task.prompt.facts(identity, language)
    texts = [task.render(identity, wording, language)[0][0].text for wording in range(3)]
    assert len(set(texts)) == 3
    for text in texts:
        assert "{" not in text
        assert [name for name, fact in facts.items() if fact not in text] == []


def test_hidden_numbers_are_secrets() -> None:
    task = load_task("battery", group="hard")
    for index in range(5):
        sample = task.sample(index)
        identity = task.decode_identity(sample.identity)
        shown = "\n".join(m.text for w in range(3) for m in task.render(identity, w, "en")[0])
        assert len(task.secrets(identity)) == 4
        assert not any(secret in shown for secret in task.secrets(identity))
