"""Proposing instances of both variants: options, identities, and the two samplers.

A conformer instance is a molecule of the library, perhaps mirrored, with bands on some of its torsions; what lies
lowest inside the bands was certified when the library was made, and narrowing a band around that torsion cannot
change it. A lead instance is written backwards: edits are applied to a lead, and the windows are laid around what
results.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any, Final

from attrs import field, frozen

from harness.errors import Reject
from harness.layers import option
from harness_mole import chemistry
from harness_mole.chemistry import GROUPS, BadMolecule, Edit
from harness_mole.landscape import Band, Template, mirror_smiles, templates, wrap
from harness_mole.requirements import DIGITS, Name, Requirement, measure

if TYPE_CHECKING:
    import numpy as np

LEVELS: Final = ("easy", "medium", "hard")

TOLERANCE: Final = 0.2
"""Energy above the certified minimum, in kcal/mol, that still counts as reaching it."""

NEAREST: Final = 12.0
"""Degrees that the ends of a band keep from the certified torsion."""

TRIES: Final = 5
"""Sets of edits that a lead sampler tries before it rejects its draw."""


@frozen
class Options:
    """Parameters of the task; the groups are presets of them."""

    variant: str = option("conformer", "what is asked", choices=("conformer", "lead"))
    level: str = option("medium", "difficulty of the instances", choices=LEVELS)
    minimisations: int = option(5, "calls of minimise (conformer)", seeded=False, choices=tuple(range(1, 13)))
    scans: int = option(40, "calls of scan (conformer)", seeded=False, choices=tuple(range(61)))
    energies: int = option(24, "calls of energy (conformer)", seeded=False, choices=tuple(range(201)))
    evaluations: int = option(12, "calls of evaluate and edit (lead)", seeded=False, choices=tuple(range(1, 41)))
    turns: int = option(120, "assistant turns", seeded=False, choices=tuple(range(5, 151)))

    def conformer_budgets(self) -> dict[str, int]:
        """Budgets of the conformer variant."""
        return {"minimisations": self.minimisations, "scans": self.scans, "energies": self.energies}

    def lead_budgets(self) -> dict[str, int]:
        """Budgets of the lead variant."""
        return {"evaluations": self.evaluations}


@frozen
class ConformerIdentity:
    """The hidden parameters of a conformer instance.

    Attributes:
        molecule: Name in the library.
        mirrored: Whether the mirror image is asked.
        bands: Torsions that are held; told.
        start: Torsions of the starting geometry in degrees; told.
        energy: Certified minimum in kcal/mol, bands included.
        torsions: Where it lies; hidden.
    """

    molecule: str
    mirrored: bool
    bands: tuple[Band, ...]
    start: tuple[float, ...]
    energy: float
    torsions: tuple[float, ...] = field(repr=False)

    @property
    def template(self) -> Template:
        """The molecule as the library has it, not mirrored."""
        return library()[self.molecule]

    @property
    def smiles(self) -> str:
        """The SMILES shown."""
        return mirror_smiles(self.template.smiles) if self.mirrored else self.template.smiles

    @property
    def target(self) -> float:
        """The largest energy that counts as reaching the minimum, as told."""
        return round(self.energy + TOLERANCE, 2)


@frozen
class LeadIdentity:
    """The hidden parameters of a lead instance.

    Attributes:
        lead: SMILES shown.
        core: Required substructure.
        requirements: What is asked, in the order in which it is told.
        start: What the lead has of each, in the same order.
        edits: Edits that lead to a solution; hidden.
        solution: That solution, in the form of `chemistry.sealed`; hidden.
    """

    lead: str
    core: str
    requirements: tuple[Requirement, ...]
    start: tuple[float, ...]
    edits: tuple[Edit, ...] = field(repr=False)
    solution: str = field(repr=False)


# ---- conformers


@cache
def _rows() -> tuple[Mapping[str, Any], ...]:
    import json

    import zstandard

    data = files("harness_mole").joinpath("landscapes.json.zst").read_bytes()
    return tuple(json.loads(zstandard.ZstdDecompressor().decompress(data, max_output_size=1 << 26)))


@cache
def library() -> Mapping[str, Template]:
    """The molecules of the conformer variant by name."""
    return templates(_rows())


ODDS: Final[Mapping[str, float]] = {"easy": 1.5, "medium": 5.0, "hard": 15.0}
"""Least number of losing minima for each winning one, by level."""


@cache
def certified(level: str) -> tuple[tuple[str, Mapping[str, Any]], ...]:
    """Rows of a level: molecule and certified row."""
    return tuple((molecule["name"], row) for molecule in _rows() for row in molecule["rows"] if level_of(row) == level)


def level_of(row: Mapping[str, Any]) -> str | None:
    """Level of a certified row: by how many minima within 4 kcal/mol inside the bands lose for each that wins.

    A row that one of thirty random starts solves is not hard, whatever its odds.
    """
    reached = [level for level, least in ODDS.items() if row["odds"] >= least]
    if reached and reached[-1] == "hard" and row.get("hits"):
        return "medium"
    return reached[-1] if reached else None


def propose_conformer(options: Options, rng: np.random.Generator) -> ConformerIdentity:
    """Draw a certified row, mirror it or not, narrow its bands, and draw a starting geometry."""
    rows = certified(options.level)
    name, row = rows[int(rng.integers(len(rows)))]
    mirrored = bool(rng.integers(2))
    torsions = tuple(float(t) for t in row["torsions"])
    bands = tuple(_narrowed(Band(int(b), low, high), torsions[int(b)], rng) for b, low, high in row["bands"])
    if mirrored:
        torsions = tuple(round(wrap(-t), 2) for t in torsions)
        bands = tuple(Band(b.bond, -b.high, -b.low) for b in bands)
    start = tuple(float(round(rng.uniform(-179, 180))) for _ in torsions)
    return ConformerIdentity(name, mirrored, bands, start, float(row["energy"]), torsions)


def _narrowed(band: Band, torsion: float, rng: np.random.Generator) -> Band:
    """Draw the ends of a band anew, between the certified ones and `NEAREST` degrees from the certified torsion."""
    middle = (band.low + band.high) / 2
    around = middle + wrap(torsion - middle)
    low = rng.uniform(band.low, max(band.low, around - NEAREST))
    high = rng.uniform(min(band.high, around + NEAREST), band.high)
    return Band(band.bond, float(round(low)), float(round(high)))


# ---- leads

WIDTHS: Final[Mapping[str, Mapping[Name, float]]] = {
    "easy": {"logp": 0.9, "tpsa": 18.0, "weight": 26.0, "qed": 0.06, "sa": 0.4, "similarity": 0.08},
    "medium": {"logp": 0.6, "tpsa": 12.0, "weight": 18.0, "qed": 0.05, "sa": 0.3, "similarity": 0.07},
    "hard": {"logp": 0.5, "tpsa": 9.0, "weight": 12.0, "qed": 0.05, "sa": 0.3, "similarity": 0.06},
}
"""Width of two-sided windows; for the one-sided ones, the slack given beyond the hidden solution."""

EDITS: Final[Mapping[str, int]] = {"easy": 2, "medium": 2, "hard": 3}


@cache
def leads() -> tuple[str, ...]:
    """The leads, as canonical SMILES."""
    return tuple(files("harness_mole").joinpath("leads.txt").read_text(encoding="ascii").split())


def propose_lead(options: Options, rng: np.random.Generator) -> LeadIdentity:
    """Draw a lead and edits, and lay windows around what results.

    Raises:
        Reject: No set of edits that was drawn gives an alert-free molecule clearly unlike the lead.
    """
    plain = leads()[int(rng.integers(len(leads())))]
    lead, core = chemistry.shuffled(plain, int(rng.integers(1, 1 << 30))), chemistry.core_of(plain)
    mol = chemistry.read(lead)
    before, _ = measure(mol, lead, core)
    for _ in range(TRIES):
        edits = _draw_edits(mol, core, EDITS[options.level], rng)
        try:
            solution = chemistry.read(chemistry.apply(lead, edits, core))
        except BadMolecule:
            continue
        values, alerts = measure(solution, lead, core)
        if alerts or not values["substructure"] or values["qed"] < 0.35:
            continue
        asked = _requirements(values, WIDTHS[options.level], rng)
        if sum(r.off(before[r.name]) != 0 for r in asked) >= 2:
            start = tuple(before[requirement.name] for requirement in asked)
            return LeadIdentity(lead, core, asked, start, edits, chemistry.sealed(chemistry.apply(lead, edits, core)))
    raise Reject("no drawn edits of this lead are free of alerts and change enough")


def _draw_edits(mol: Any, core: str, count: int, rng: np.random.Generator) -> tuple[Edit, ...]:
    """Edits at distinct places; one in five detaches a side group where there is one."""
    sites, sides = list(chemistry.open_sites(mol)), list(chemistry.side_groups(mol, core))
    edits: list[Edit] = []
    if sides and rng.random() < 0.2 * count:
        edits.append(Edit("detach", int(sides[int(rng.integers(len(sides)))])))
        gone = chemistry.behind(mol, edits[0].atom, core)
        sites = [s for s in sites if s not in gone]
    groups = list(GROUPS)
    places = rng.permutation(len(sites))[: count - len(edits)]
    edits += [Edit("attach", int(sites[int(p)]), groups[int(rng.integers(len(groups)))]) for p in places]
    return tuple(edits)


def _requirements(
    values: Mapping[Name, float], widths: Mapping[Name, float], rng: np.random.Generator
) -> tuple[Requirement, ...]:
    asked: list[Requirement] = []
    for name in ("logp", "tpsa", "weight"):
        below = widths[name] * rng.uniform(0.2, 0.8)
        low, high = values[name] - below, values[name] - below + widths[name]
        asked.append(
            Requirement(name, round(max(0.0, low) if name != "logp" else low, DIGITS[name]), round(high, DIGITS[name]))
        )
    return (
        *asked,
        Requirement("qed", low=round(max(0.0, values["qed"] - widths["qed"]), DIGITS["qed"])),
        Requirement("sa", high=round(values["sa"] + widths["sa"], DIGITS["sa"])),
        Requirement("rotors", high=values["rotors"] + 1),
        Requirement(
            "similarity", low=round(max(0.0, values["similarity"] - widths["similarity"]), DIGITS["similarity"])
        ),
        Requirement("substructure", low=1.0),
        Requirement("alerts", high=0.0),
    )


class Proposer:
    """The proposing half of the prompt layer."""

    def __init__(self, options: Options) -> None:
        self.options = options
        self.identity: type = ConformerIdentity if options.variant == "conformer" else LeadIdentity

    def sample(self, rng: np.random.Generator) -> ConformerIdentity | LeadIdentity:
        """Propose an instance."""
        propose = propose_conformer if self.options.variant == "conformer" else propose_lead
        return propose(self.options, rng)

    def key(self, identity: ConformerIdentity | LeadIdentity) -> Any:
        """What makes two instances the same: molecule and certified minimum, or lead and solution."""
        if isinstance(identity, ConformerIdentity):
            bonds = [band.bond for band in identity.bands]
            return [identity.molecule, identity.mirrored, bonds, [round(t / 5) for t in identity.torsions]]
        return [chemistry.sealed(identity.lead), identity.solution]

    def secrets(self, identity: ConformerIdentity | LeadIdentity) -> tuple[str, ...]:
        """What would give the solution away, in the form in which an identity holds it."""
        if isinstance(identity, ConformerIdentity):
            return (", ".join(map(str, identity.torsions)), f"{identity.energy:.4f}")
        return (identity.solution,)
