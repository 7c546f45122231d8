from __future__ import annotations

import re
from pathlib import Path

from harness.reasons import CALL_ERRORS, INVALID, REASONS

PAGE = Path(__file__).parents[2] / "docs" / "episodes.md"


def test_the_page_lists_every_reason_in_order() -> None:
    listed = re.findall(r"^\| `(\w+)` \|", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    assert listed == list(REASONS)


def test_subsets_are_of_the_list() -> None:
    assert set(REASONS) >= INVALID | CALL_ERRORS
    assert not INVALID & CALL_ERRORS
    assert all(REASONS[name].startswith(("environment", "endpoint", "task package", "user")) for name in INVALID)
