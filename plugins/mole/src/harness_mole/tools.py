"""The tool layer: a bench for each variant.

`ConformerTools` measures energies of one molecule at given torsions, `LeadTools` measures molecules and edits them.
Both say how far a result is from what is asked. What is submitted is measured once more when the episode closes, as
evidence for the score.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar

from attrs import Factory, define

from harness.errors import Refused
from harness.layers import Toolset
from harness.schema import Length, Range, Unit
from harness.tools import tool
from harness_mole import chemistry
from harness_mole.chemistry import BadMolecule, Edit
from harness_mole.landscape import HANDED_IN, Landscape, apart, landscape, wrap
from harness_mole.requirements import Requirement, measure
from harness_mole.sample import ConformerIdentity, LeadIdentity, library

STEP = 20
"""Degrees between the points of a scan."""

HIGHEST = 9999.0
"""Larger energies are printed as this: atoms lie on top of one another."""

SAME = 0.06
"""Degrees by which torsions handed in may differ from those that `minimise` printed, and still are the same."""

Torsions = Annotated[list[Annotated[float, Range(-360, 360)]], Length(1, 12), Unit("degrees")]


@define
class Conformer:
    """The world of a conformer episode.

    Attributes:
        submitted: Torsions handed in.
        told: What `minimise` has told: rows of an energy and its torsions as printed.
    """

    submitted: list[float] | None = None
    told: list[list[float]] = Factory(list)


class ConformerTools(Toolset):
    """Energies of one molecule as a function of its torsions."""

    World: ClassVar[type] = Conformer
    identity: ConformerIdentity
    world: Conformer

    @classmethod
    def warm(cls, options: Any) -> None:
        """Read the library."""
        library()

    @tool(budget="energies")
    def energy(self, torsions: Torsions) -> Mapping[str, Any]:
        """Return the energy with these torsions held there and everything else relaxed for 40 steps.

        Args:
            torsions: One angle per rotatable bond, in the order of the list.
        """
        angles = self._checked(torsions)
        energy = self._landscape().held(angles)
        first, second, distance = self._landscape().closest(angles)
        return {
            "energy": _printed(energy),
            "above_target": _printed(energy - self.identity.target),
            "band_energy": _printed(sum(b.energy(angles[b.bond]) for b in self.identity.bands)),
            "closest_atoms": f"{self._atom(first)} and {self._atom(second)}, {distance:.2f} Å",
        }

    @tool(budget="scans")
    def scan(self, torsions: Torsions, bond: Annotated[int, Range(1, 12)]) -> Mapping[str, Any]:
        """Turn one bond through the full circle in steps of 20 degrees, the rest as given, nothing relaxed.

        Args:
            torsions: One angle per rotatable bond; that of the turned bond is ignored.
            bond: Number of the bond in the list, from 1.
        """
        angles = self._checked(torsions)
        if bond > len(angles):
            raise Refused(f"argument bond: got {bond}, allowed 1 to {len(angles)}", argument="bond")
        points = list(range(-180, 180, STEP))
        energies = self._landscape().scan(angles, bond - 1, points)
        best = min(range(len(points)), key=lambda place: energies[place])
        return {
            "bond": bond,
            "angles": points,
            "energies": [_printed(energy) for energy in energies],
            "lowest": {"angle": points[best], "above_target": _printed(energies[best] - self.identity.target)},
        }

    @tool(budget="minimisations")
    def minimise(self, torsions: Torsions) -> Mapping[str, Any]:
        """Minimise the energy of the whole molecule from these torsions until it stays; return where it ends.

        Args:
            torsions: One angle per rotatable bond, in the order of the list.
        """
        reached = self._landscape().settle(self._checked(torsions))
        ended = [round(angle, 1) for angle in reached.torsions]
        self.world.told.append([reached.energy, *ended])
        return {
            "energy": round(reached.energy, 2),
            "above_target": round(reached.energy - self.identity.target, 2),
            "band_energy": round(reached.penalty, 2),
            "torsions": ended,
        }

    @tool(final=True)
    def submit(self, torsions: Torsions) -> str:
        """Hand in torsions, finally: what minimise returned counts as it told, all else after 80 steps of minimising.

        Args:
            torsions: One angle per rotatable bond, in the order of the list.
        """
        self.world.submitted = list(self._checked(torsions))
        return "The conformer is handed in."

    def calc_reward(self) -> Mapping[str, Any]:
        """Look up what was submitted among the ends that `minimise` told, else minimise it for a few steps."""
        handed = self.world.submitted
        if handed is None:
            return {}
        known = [row for row in self.world.told if max(map(apart, row[1:], handed)) < SAME]
        if known:
            return {"energy": min(row[0] for row in known), "torsions": handed}
        reached = self._landscape().relax(handed, HANDED_IN)
        return {"energy": reached.energy, "torsions": [round(angle, 2) for angle in reached.torsions]}

    def _landscape(self) -> Landscape:
        return landscape(self.identity.template, self.identity.bands, self.identity.mirrored)

    def _checked(self, torsions: list[float]) -> list[float]:
        wanted = len(self.identity.template.bonds)
        if len(torsions) != wanted:
            message = f"argument torsions: got {len(torsions)} angles, allowed exactly {wanted}"
            raise Refused(message, argument="torsions")
        return [wrap(float(angle)) for angle in torsions]

    def _atom(self, place: int) -> str:
        return self._landscape().atom_name(place)


def _printed(energy: float) -> float:
    return round(max(-HIGHEST, min(HIGHEST, energy)), 2)


@define
class Bench:
    """The world of a lead episode: the submitted molecule."""

    submitted: str | None = None


class LeadTools(Toolset):
    """Measuring and editing molecules."""

    World: ClassVar[type] = Bench
    identity: LeadIdentity
    world: Bench

    @classmethod
    def warm(cls, options: Any) -> None:
        """Load the tables of alerts and fragments."""
        chemistry.properties_of("Cc1ccccc1")

    @tool(budget="evaluations")
    def evaluate(self, smiles: Annotated[str, Length(1, chemistry.MAX_TEXT)]) -> Mapping[str, Any]:
        """Measure a molecule: every requirement with value, what is allowed, and the signed distance from it.

        Args:
            smiles: The molecule: one neutral fragment of C, N, O, F, S, Cl, Br and H, at most 60 heavy atoms.
        """
        return self._report(self._read(smiles))

    @tool(budget="evaluations")
    def edit(
        self, smiles: Annotated[str, Length(1, chemistry.MAX_TEXT)], edits: Annotated[list[Edit], Length(1, 6)]
    ) -> Mapping[str, Any]:
        """Change a molecule by named edits, all at once; return the new SMILES and its measurement.

        Args:
            smiles: The molecule to change, such as the lead.
            edits: What to attach and detach; atom numbers count the atoms of this SMILES from 1.
        """
        self._read(smiles)
        try:
            made = chemistry.apply(smiles, edits, self.identity.core)
        except BadMolecule as error:
            raise Refused(f"argument {error}", argument=str(error).split(":")[0]) from error
        return {"smiles": made} | self._report(self._read(made))

    @tool(final=True)
    def submit(self, smiles: Annotated[str, Length(1, chemistry.MAX_TEXT)]) -> str:
        """Hand in a molecule. This ends the task.

        Args:
            smiles: The molecule: one neutral fragment of C, N, O, F, S, Cl, Br and H, at most 60 heavy atoms.
        """
        self._read(smiles)
        self.world.submitted = smiles
        return "The molecule is handed in."

    def calc_reward(self) -> Mapping[str, Any]:
        """Measure what was submitted."""
        if self.world.submitted is None:
            return {}
        mol = chemistry.read(self.world.submitted)
        values, alerts = measure(mol, self.identity.lead, self.identity.core)
        return {"values": dict(values), "alerts": list(alerts)}

    def _read(self, smiles: str) -> Any:
        try:
            return chemistry.read(smiles)
        except BadMolecule as error:
            raise Refused(f"argument smiles: {error}", argument="smiles") from error

    def _report(self, mol: Any) -> dict[str, Any]:
        values, alerts = measure(mol, self.identity.lead, self.identity.core)
        asked = self.identity.requirements
        rows = {r.name: _row(r, values[r.name]) for r in asked}
        return {
            "requirements": rows,
            "missed": [r.name for r in asked if r.off(values[r.name]) != 0],
            "alerts_found": list(alerts),
            "atoms_to_attach_to": list(chemistry.open_sites(mol)),
            "atoms_to_detach": list(chemistry.side_groups(mol, self.identity.core)),
        }


def _row(requirement: Requirement, value: float) -> dict[str, Any]:
    return {"value": value, "low": requirement.low, "high": requirement.high, "off": requirement.off(value)}
