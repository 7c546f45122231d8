"""The prompt layer: words an instance in English or Chinese, and states what every wording must contain.

The texts live in `prompts.<language>.toml`. A wording is a frame around facts: the molecule, its bonds with their
bands, the target, or the lead and what is asked of its successor; and all budgets. The facts are the same strings in
all wordings of a language.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any

from harness.records import Limits
from harness_mole import chemistry
from harness_mole.chemistry import ELEMENTS, GROUPS, MAX_HEAVY
from harness_mole.landscape import HANDED_IN, STEPS, STIFFNESS, landscape
from harness_mole.requirements import DIGITS, Requirement
from harness_mole.sample import TOLERANCE, ConformerIdentity, LeadIdentity, Options, Proposer

NUDGES = 2


@cache
def _book(language: str) -> Mapping[str, Any]:
    return tomllib.loads(files("harness_mole").joinpath(f"prompts.{language}.toml").read_text(encoding="utf-8"))


class MolePrompt(Proposer):
    """Proposes instances of a variant and words them."""

    def messages(self, identity: ConformerIdentity | LeadIdentity, wording: int, language: str) -> str:
        """Word the instance."""
        text = str(_book(language)[self.options.variant]["texts"][wording])
        return text.format(**self._plain(identity, language), **self._blocks(identity, language))

    def facts(self, identity: ConformerIdentity | LeadIdentity, language: str) -> dict[str, str]:
        """Everything that every wording of the language contains."""
        return self._plain(identity, language) | self._lines(identity, language)

    def limits(self, identity: ConformerIdentity | LeadIdentity) -> Limits:
        """Turns and budgets of the episode."""
        return Limits(turns=self.options.turns, budgets=_budgets(self.options), nudges=NUDGES)

    def _plain(self, identity: ConformerIdentity | LeadIdentity, language: str) -> dict[str, str]:
        words = _budgets(self.options) | {"turns": self.options.turns, "nudges": NUDGES} | _words(identity)
        told = _book(language)["facts"] | _book(language)[self.options.variant]["facts"]
        return {name: str(text).format(**words) for name, text in told.items()}

    def _lines(self, identity: ConformerIdentity | LeadIdentity, language: str) -> dict[str, str]:
        terms = _book(language)["terms"]
        if isinstance(identity, ConformerIdentity):
            return {f"bond {number}": line for number, line in enumerate(_bonds(identity, terms), 1)}
        return {f"requirement {r.name}": _asked(r, terms) for r in identity.requirements}

    def _blocks(self, identity: ConformerIdentity | LeadIdentity, language: str) -> dict[str, str]:
        return {"lines": "\n".join(f"- {line}" for line in self._lines(identity, language).values())}


def _budgets(options: Options) -> dict[str, int]:
    return options.conformer_budgets() if options.variant == "conformer" else options.lead_budgets()


def _words(identity: ConformerIdentity | LeadIdentity) -> dict[str, Any]:
    if isinstance(identity, ConformerIdentity):
        return {
            "smiles": identity.smiles,
            "target": f"{identity.target:.2f}",
            "tolerance": TOLERANCE,
            "stiffness": STIFFNESS,
            "steps": STEPS,
            "handed_in": HANDED_IN,
            "start": ", ".join(f"{angle:.0f}" for angle in identity.start),
        }
    mol = chemistry.read(identity.lead)
    return {
        "smiles": identity.lead,
        "core": identity.core,
        "attach": ", ".join(map(str, chemistry.open_sites(mol))),
        "detach": ", ".join(map(str, chemistry.side_groups(mol, identity.core))) or "-",
        "groups": ", ".join(GROUPS),
        "elements": ", ".join(ELEMENTS),
        "heavy": MAX_HEAVY,
    }


def _bonds(identity: ConformerIdentity, terms: Mapping[str, str]) -> list[str]:
    """One line per rotatable bond: its four atoms, and its band if it has one."""
    place = landscape(identity.template, identity.bands, identity.mirrored)
    held = {band.bond: band for band in identity.bands}
    lines = []
    for bond, quad in enumerate(identity.template.bonds):
        atoms = "–".join(place.atom_name(atom).replace(" on ", "@") for atom in quad)
        band = held.get(bond)
        kind = terms["free"] if band is None else terms["held"].format(low=f"{band.low:g}", high=f"{band.high:g}")
        lines.append(terms["bond"].format(number=bond + 1, atoms=atoms, kind=kind))
    return lines


def _asked(requirement: Requirement, terms: Mapping[str, str]) -> str:
    if requirement.name in ("substructure", "alerts"):
        return terms[requirement.name]
    low, high = (
        None if end is None else f"{end:.{DIGITS[requirement.name]}f}" for end in (requirement.low, requirement.high)
    )
    kind = "between" if low and high else "at_least" if low else "at_most"
    return terms[kind].format(name=requirement.name, low=low, high=high)
