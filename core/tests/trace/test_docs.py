"""The page on traces keeps up with the schema, and its example runs."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from harness import trace as traces
from harness.trace import SCHEMA, TraceWriter

from .samples import episode

PAGE = Path(__file__).parents[3] / "docs" / "trace.md"


def properties(schema: Any) -> Iterator[str]:
    if isinstance(schema, dict):
        yield from schema.get("properties", {}) if isinstance(schema.get("properties"), dict) else ()
        for child in schema.values():
            yield from properties(child)
    elif isinstance(schema, list):
        for child in schema:
            yield from properties(child)


def test_every_key_of_the_schema_is_explained() -> None:
    schema = json.loads((Path(traces.__file__).parent / "schema.json").read_text())
    told = set(re.findall(r'[`"](\w+)[`"]', PAGE.read_text()))
    assert set(properties(schema)) - told == set()


def test_the_page_is_of_this_schema() -> None:
    assert f"**schema {SCHEMA}**" in PAGE.read_text()


def test_the_example_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "run").mkdir()
    with TraceWriter("run/traces.jsonl.zst", {}) as writer:
        for number in range(3):
            writer.write(episode(number))
    (code,) = re.findall(r"```python\n(.*?)```", PAGE.read_text(), re.DOTALL)
    names: dict[str, Any] = {}
    exec(code, names)
    assert names["same"] == names["last"] == episode(2)
    assert capsys.readouterr().out.split("\n")[:2] == ["header", "episode"]
    assert (tmp_path / "run" / "images" / names["digest"][:2] / f"{names['digest']}.png").exists()
