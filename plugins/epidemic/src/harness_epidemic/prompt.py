"""The prompt layer: words an instance in English or Chinese, and states what every wording must contain.

The texts live in `prompts.<language>.toml`. A wording is a frame around facts: regions, means, targets, budgets and
the rules of the country, whose numbers are filled in from the constants that the world works with.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any, Final

import numpy as np
from attrs import asdict

from harness.records import Limits
from harness_epidemic import disease, measures, tiny
from harness_epidemic.country import AFTERMATH, Identity
from harness_epidemic.options import budgets
from harness_epidemic.sample import Proposer
from harness_epidemic.score import QUANTITIES, VALUES
from harness_epidemic.weeks import EFFICACY, UPTAKE, VACCINATION_RATE
from harness_epidemic.world import BED_DELAY

NUDGES: Final = 2
CALL_SECONDS: Final = 10.0


@cache
def _book(language: str) -> Mapping[str, Any]:
    return tomllib.loads(files("harness_epidemic").joinpath(f"prompts.{language}.toml").read_text(encoding="utf-8"))


@cache
def rules(language: str) -> tuple[str, ...]:
    """Return the rules of every country, with their numbers."""
    numbers = {
        "distance_cut": _listed(100 * measures.DISTANCE_CUT),
        "distance_price": _listed(measures.DISTANCE_PRICE),
        "school_cut": _listed(100 * measures.SCHOOL_CUT[1:]),
        "school_price": _listed(measures.SCHOOL_PRICE[1:]),
        "mask_cut": f"{100 * measures.MASK_CUT:g}",
        "mask_price": measures.MASK_PRICE,
        "travel_cut": f"{100 * measures.TRAVEL_CUT:g}",
        "travel_price": measures.TRAVEL_PRICE,
        "test_use": measures.TESTS_PER_THOUSAND,
        "test_price": measures.TEST_PRICE,
        "trace_cut": f"{100 * measures.TRACE_CUT:g}",
        "vaccine_rate": f"{100 * VACCINATION_RATE:g}",
        "uptake": f"{100 * UPTAKE:g}",
        "efficacy": f"{100 * EFFICACY:g}",
        "bed_price": measures.BED_PRICE,
        "bed_delay": BED_DELAY,
        "uncared": f"{1 + disease.UNCARED:g}",
        "aftermath_weeks": AFTERMATH,
        **{f"{name}_value": f"{VALUES[name]:g}" for name in ("overflow", "aftermath")},
        "death_value": f"{VALUES['deaths']:g}",
    }
    return tuple(line.format(**numbers) for line in _book(language)["rules"]["lines"])


class EpidemicPrompt(Proposer):
    """Proposes countries and words them."""

    def messages(self, identity: Identity, wording: int, language: str) -> str:
        """Word the instance."""
        book, told = _book(language), self._told(identity, language)
        blocks = {
            "regions": "\n".join(f"- {line}" for line in self._regions(identity, language).values()),
            "rules": "\n".join(f"- {line}" for line in rules(language)),
            "targets": _joined((told[name] for name in QUANTITIES), language),
        }
        facts = {f"{name}_fact": text for name, text in told.items()}
        return str(book["wordings"]["texts"][wording]).format(**facts, **blocks)

    def facts(self, identity: Identity, language: str) -> dict[str, str]:
        """Everything that every wording of the language contains."""
        lines = {f"rule {number}": line for number, line in enumerate(rules(language), 1)}
        return self._told(identity, language) | self._regions(identity, language) | lines

    def limits(self, identity: Identity) -> Limits:
        """Turns, bulletins and orders of the episode."""
        granted = budgets(identity.weeks, self.options.level)
        return Limits(4 * granted["bulletins"] + 4, granted, NUDGES, CALL_SECONDS)

    def secrets(self, identity: Identity) -> tuple[str, ...]:
        """Return the hidden parameters, as they are written."""
        hidden = [value for value in asdict(identity.disease).values() if isinstance(value, float)]
        hidden += [identity.surveillance.rate, identity.surveillance.delay, *identity.seeded]
        hidden += [value for row in identity.mobility for value in row]
        return (*(repr(value) for value in hidden if len(repr(value)) >= 6), str(identity.seed))

    def _told(self, identity: Identity, language: str) -> dict[str, str]:
        limits = self.limits(identity)
        words = {"weeks": identity.weeks, "turns": limits.turns, "nudges": limits.nudges, **limits.budgets}
        words |= asdict(identity.supply) | asdict(identity.targets)
        return {name: str(text).format(**words) for name, text in _book(language)["facts"].items()}

    def _regions(self, identity: Identity, language: str) -> dict[str, str]:
        line = str(_book(language)["terms"]["region"])
        return {f"region {place}": line.format(**asdict(region)) for place, region in enumerate(identity.regions)}


class TinyPrompt(EpidemicPrompt):
    """Words the instances of level `tiny` in a few dozen tokens."""

    def messages(self, identity: Identity, wording: int, language: str) -> str:
        """Word the instance."""
        told = self._told(identity, language)
        targets = _joined((told[name] for name in QUANTITIES), language)
        facts = {f"{name}_fact": text for name, text in told.items()}
        text = str(_book(language)["tiny"]["texts"][wording])
        return text.format(**facts, targets=targets, days=tiny.STEP)

    def facts(self, identity: Identity, language: str) -> dict[str, str]:
        """Everything that every wording of the language contains."""
        return self._told(identity, language)

    def limits(self, identity: Identity) -> Limits:
        """A turn per step."""
        steps = identity.weeks // tiny.STEP
        return Limits(steps, {"steps": steps}, 1, CALL_SECONDS, 1)

    def _told(self, identity: Identity, language: str) -> dict[str, str]:
        limits, region = self.limits(identity), identity.regions[0]
        seen = tiny.first_report(identity)
        words = {"turns": limits.turns, "nudges": limits.nudges, **limits.budgets, **asdict(identity.targets)}
        words |= {"people": region.population, "beds": region.beds, **seen}
        words["cases"], words["rate"] = " ".join(map(str, seen["cases"])), f"{100 * tiny.RATE:.0f}"
        words["prices"] = " ".join(f"{price:g}" for price in tiny.prices())
        return {name: str(text).format(**words) for name, text in _book(language)["tiny"]["facts"].items()}


def _joined(texts: Any, language: str) -> str:
    return ("，" if language == "zh" else ", ").join(texts)


def _listed(numbers: Any) -> str:
    return ", ".join(f"{number:g}" for number in np.round(numbers, 6))
