"""The page's table is the measured one."""

from __future__ import annotations

import re
from importlib.resources import files
from pathlib import Path

import orjson

PAGE = Path(__file__).parents[1] / "README.md"


def test_the_table_of_the_page_is_the_committed_suite() -> None:
    suite = orjson.loads(files("harness_escape").joinpath("results", "suite.json").read_bytes())
    rows = dict(re.findall(r"^\| `([\w-]+)` \| (.*) \|$", PAGE.read_text(encoding="utf-8"), re.MULTILINE))
    for policy in {name for group in suite["certification"].values() for name in group}:
        cells = [cell.strip() for cell in rows[policy].split("|")]
        assert cells == [cell(suite["certification"][group].get(policy)) for group in suite["certification"]]


def cell(result: dict | None) -> str:
    return "–" if result is None else f"{100 * result['success']:.1f} % · {result['mean_reward']:.3f}"
