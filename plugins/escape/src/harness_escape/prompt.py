"""The prompt layer: draws houses and flats and words them, three ways in each language.

What an instance needs to be told stands in `facts`; every wording carries all of it. The rules of the house
(emblems, codes, steps) are in every wording as well, and at level `hard` that the house acts by itself.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Final

from harness.records import Limits
from harness_escape import tiny, trial
from harness_escape.house import House, target_word
from harness_escape.lexicon import name
from harness_escape.options import Options
from harness_escape.sample import propose
from harness_escape.tiny import Flat

if TYPE_CHECKING:
    import numpy as np

SPARE_TURNS: Final = 8
"""Turns beyond the steps: malformed calls cost a turn but no step."""

NUDGES: Final = 2


@cache
def wordings(kind: str, language: str) -> tuple[str, ...]:
    """Return the wordings of a kind of prompt (`house`, `events`, `flat`) in a language."""
    table = tomllib.loads(files("harness_escape").joinpath("wordings.toml").read_text(encoding="utf-8"))
    return tuple(entry["text"] for entry in table[kind][language])


class HousePrompt:
    """Prompt layer of the levels with a house."""

    identity: type = House

    def __init__(self, options: Options) -> None:
        self._options = options

    def sample(self, rng: np.random.Generator) -> House:
        """Propose a house that the fair explorer has left within its budget."""
        house = propose(self._options.level, rng)
        return trial.tried(house, self._options.level, self._options.slack, self._options.events, rng)

    def messages(self, house: House, wording: int, language: str) -> str:
        """Word a house."""
        events = wordings("events", language)[0] if house.events else ""
        return wordings("house", language)[wording].format(events=events, **self.facts(house, language))

    def facts(self, house: House, language: str) -> Mapping[str, str]:
        """Return what every wording contains."""
        exit_word = target_word(house, len(house.things) + house.exit)
        limits = self.limits(house)
        return {
            "exit": name(exit_word, language),
            "steps": str(house.budget),
            "turns": str(limits.turns),
            "wrong_codes": str(self._options.wrong_codes),
        }

    def limits(self, house: House) -> Limits:
        """One call a turn where the house acts between calls."""
        calls = 1 if house.events else None
        return Limits(house.budget + SPARE_TURNS, {"steps": house.budget}, NUDGES, 5.0, calls)

    def secrets(self, house: House) -> tuple[str, ...]:
        """Return codes and cipher keys."""
        return trial.secrets(house)


class FlatPrompt:
    """Prompt layer of level `tiny`."""

    identity: type = Flat

    def sample(self, rng: np.random.Generator) -> Flat:
        """Propose a flat."""
        return tiny.propose_flat(rng)

    def messages(self, flat: Flat, wording: int, language: str) -> str:
        """Word a flat."""
        return wordings("flat", language)[wording].format(**self.facts(flat, language))

    def facts(self, flat: Flat, language: str) -> Mapping[str, str]:
        """Return what every wording contains."""
        return {"steps": str(tiny.BUDGET), "start": tiny.describe(flat, 0, language)}

    def limits(self, flat: Flat) -> Limits:
        """Every step may take a turn of its own."""
        return Limits(tiny.BUDGET, {"steps": tiny.BUDGET}, 1, 5.0, 1)

    def secrets(self, flat: Flat) -> tuple[str, ...]:
        """Return the two presses in the forms in which they could be read off together."""
        first, second = (tiny.button(i, "en") for i in flat.presses)
        return tuple(f"{first}{between}{second}" for between in (" ", ", ", "-", '","', " then "))
