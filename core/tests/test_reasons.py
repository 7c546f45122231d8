from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from harness import Response, Score
from harness.reasons import CALL_ERRORS, INVALID, REASONS

PAGE = Path(__file__).parents[2] / "docs" / "episodes.md"


def test_the_page_lists_every_reason_in_order() -> None:
    listed = re.findall(r"^\| `(\w+)` \|", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    assert listed == list(REASONS)


def test_subsets_are_of_the_list() -> None:
    assert set(REASONS) >= INVALID | CALL_ERRORS
    assert not INVALID & CALL_ERRORS
    assert all(REASONS[name].startswith(("environment", "endpoint", "task package", "user")) for name in INVALID)


@pytest.mark.parametrize("make", [lambda r: Score(False, (), reason=r), lambda r: Response(done=True, reason=r)])
def test_a_task_names_reasons_of_the_list_for_which_the_policy_answers(make: Callable[[str], Any]) -> None:
    assert make("unsafe_action").reason == "unsafe_action"
    for wrong in ("unsafe_acton", "backend_lost"):
        with pytest.raises(ValueError, match="is no reason of a scored episode"):
            make(wrong)
