"""The prompt layer: words an instance in English or Chinese, and states what every wording must contain.

The texts live in `prompts.<language>.toml`. A wording is a frame around facts: names, years, units, budgets, covenant
limits, tolerances and the rules that tie the figures together. The facts are the same strings in all wordings of a
language.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any

from harness.records import Limits
from harness_finance.accounts import CEILINGS, COVENANTS
from harness_finance.notes import CURRENCIES
from harness_finance.sample import Identity, Proposer

NUDGES = 2


@cache
def _book(language: str) -> Mapping[str, Any]:
    return tomllib.loads(files("harness_finance").joinpath(f"prompts.{language}.toml").read_text(encoding="utf-8"))


class FinancePrompt(Proposer):
    """Proposes companies and words them."""

    def messages(self, identity: Identity, wording: int, language: str) -> str:
        """Word the instance."""
        book = _book(language)
        blocks = {
            "rules": "\n".join(f"- {line}" for line in book["rules"]["lines"]),
            "limits": "; ".join(self._covenants(identity, language).values()),
            "tolerances": ", ".join(self._tolerances(identity, language).values()),
        }
        return str(book["wordings"]["texts"][wording]).format(**self._plain(identity, language), **blocks)

    def facts(self, identity: Identity, language: str) -> dict[str, str]:
        """Everything that every wording of the language contains."""
        rules = {f"rule {number}": line for number, line in enumerate(_book(language)["rules"]["lines"], 1)}
        told = self._covenants(identity, language) | self._tolerances(identity, language)
        return self._plain(identity, language) | told | rules

    def limits(self, identity: Identity) -> Limits:
        """Turns, lookups and checks of the episode."""
        budgets = {"lookups": self.options.lookups, "checks": self.options.checks}
        return Limits(turns=self.options.turns, budgets=budgets, nudges=NUDGES)

    def _plain(self, identity: Identity, language: str) -> dict[str, str]:
        words = {
            "name": identity.name,
            "currency": CURRENCIES[identity.currency][language],
            "first": identity.history[0].year,
            "last": identity.last.year,
            "coming": identity.coming,
            "turns": self.options.turns,
            "lookups": self.options.lookups,
            "checks": self.options.checks,
            "nudges": NUDGES,
        }
        return {name: str(text).format(**words) for name, text in _book(language)["facts"].items()}

    def _covenants(self, identity: Identity, language: str) -> dict[str, str]:
        terms = _book(language)["terms"]
        told = {}
        for name in COVENANTS:
            bound = terms["at_most" if name in CEILINGS else "at_least"]
            limit = bound.format(limit=f"{identity.limits[name] / 100:.2f}")
            told[f"limit of {name}"] = f"{name} {limit}"
        return told

    def _tolerances(self, identity: Identity, language: str) -> dict[str, str]:
        terms = _book(language)["terms"]
        return {
            f"tolerance of {item}": terms["tolerance" if size else "exact"].format(item=item, size=f"{size:,}")
            for item, size in identity.tolerances.items()
        }
