"""The texts of the prompts, read from one file a language."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any


@cache
def texts(language: str) -> Mapping[str, Any]:
    """Return the phrases of a language: `wording` is the list of prompts, the rest are short forms."""
    return tomllib.loads(files("harness_bot").joinpath(f"wordings.{language}.toml").read_text("utf-8"))
