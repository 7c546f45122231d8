"""The dealer: a message without a call is answered with whose turn it is, twice, then the match is closed."""

from __future__ import annotations

import re

import pytest

from harness import Completion, InlineEpisode, load_task


@pytest.mark.parametrize(("language", "text"), [("en", r"your turn in hand \d of 6"), ("zh", r"第 \d 手（共 6 手）")])
def test_dealer_reminds_and_then_closes(language: str, text: str) -> None:
    task = load_task("holdem", "text-easy")
    episode = InlineEpisode(task, task.sample(0, seed=31, language=language))
    episode.open()
    shown = [episode.step(Completion("I fold.")) for _ in range(3)]
    assert re.search(text, shown[0].messages[-1].text)
    assert [turn.done for turn in shown] == [False, False, True]
    outcome = episode.close()
    assert not outcome.success
    assert outcome.reason == "no_answer"
    assert outcome.reward < 0.2
