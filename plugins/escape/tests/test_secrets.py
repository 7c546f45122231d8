"""Canaries: nothing that any policy is shown holds a code or cipher key, in either language, errors included."""

from __future__ import annotations

import pytest

from harness import load_task
from harness.jsonio import dumps
from harness.testing import play_inline, scripts_of

SEEN_BY = ("reference", "random", "wander", "use_everything", "guess_codes", "search")


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("level", ["easy", "medium", "hard", "tiny"])
def test_no_shown_byte_holds_a_secret(level: str, language: str) -> None:
    task = load_task("escape", level)
    schemas = dumps([spec.schema.openai() for spec in task.specs.values()])
    for index in range(10):
        sample = task.sample(index, seed=41, language=language)
        hidden = task.secrets(task.decode_identity(sample.identity))
        assert hidden
        for name in SEEN_BY:
            episode = play_inline(task, sample, scripts_of(task)[name], "t")
            shown = "\n".join(m.text for m in episode.messages if m.role != "assistant") + schemas.decode()
            for secret in hidden:
                assert secret.upper() not in shown.upper(), f"{name} was shown a secret of {level} {index}"


def test_the_reference_types_a_secret_so_the_search_above_can_find_one() -> None:
    task = load_task("escape", "easy")
    sample = task.sample(0, seed=41)
    episode = play_inline(task, sample, scripts_of(task)["reference"], "t")
    typed = "".join(call.arguments for message in episode.messages for call in message.tool_calls)
    assert any(secret in typed for secret in task.secrets(task.decode_identity(sample.identity)))
