"""The texts of the prompts, read from one file a language."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import Any


@cache
def texts(language: str) -> Mapping[str, Any]:
    """Return the phrases of a language: `wording` is the list of prompts, the rest are short forms."""
    return tomllib.loads(files("harness_music").joinpath(f"wordings.{language}.toml").read_text("utf-8"))


def rule_name(rule: str, language: str) -> str:
    """Return a rule's name in a language; in English the rule is its own name."""
    return str(texts(language).get("rules", {}).get(rule, rule))


def fault_detail(name: str, values: Sequence[str], language: str) -> str:
    """Return the phrase that says by how much a rule is broken; empty for a fault that needs none."""
    return str(texts(language)["details"][name]).format(*values) if name else ""
