"""The cell as algebra: published constants of two chemistries, a design, and what follows from it by hand.

Everything here is closed form and cheap; nothing imports the simulator. The constants are those of PyBaMM's parameter
sets of the same name (a test compares them), so that the nominal design is the published cell. One rule of the model
needs stating: an electrode consists of pores, a fixed share of binder and carbon, and active material, which gets what
is left. A more porous electrode therefore stores less.
"""

from __future__ import annotations

from collections.abc import Mapping

from attrs import field, frozen, validators

FARADAY_AH = 96485.33212 / 3600.0  # A.h per mol of electrons
ELECTROLYTE_DENSITY = 1200.0  # kg/m3, in every pore


@frozen
class Design:
    """What the designer chooses.

    Attributes:
        negative_thickness_um: Coating thickness of the negative electrode, µm.
        negative_porosity: Pore share of the negative electrode.
        positive_thickness_um: Coating thickness of the positive electrode, µm.
        positive_porosity: Pore share of the positive electrode.
        negative_particle_um: Particle radius of the negative active material, µm.
    """

    negative_thickness_um: float
    negative_porosity: float
    positive_thickness_um: float
    positive_porosity: float
    negative_particle_um: float


@frozen
class Bounds:
    """Least and greatest value of a design variable."""

    low: float
    high: float

    def middle(self) -> float:
        """Return the centre of the range."""
        return (self.low + self.high) / 2


BOUNDS: Mapping[str, Bounds] = {
    "negative_thickness_um": Bounds(40.0, 130.0),
    "negative_porosity": Bounds(0.15, 0.55),
    "positive_thickness_um": Bounds(40.0, 130.0),
    "positive_porosity": Bounds(0.15, 0.55),
    "negative_particle_um": Bounds(2.0, 12.0),
}


@frozen
class Electrode:
    """One electrode of a chemistry.

    Attributes:
        thickness_um: Nominal thickness, µm.
        porosity: Nominal pore share.
        active: Nominal share of active material; the rest is binder and carbon.
        particle_um: Nominal particle radius, µm.
        site_density: Lithium that the active material holds when full, mol/m3.
        initial: Lithium in it when the published cell is charged, mol/m3.
        dry_density: Density of the nominal dry coating, kg/m3.
        collector_um: Thickness of its metal foil, µm.
        collector_density: Density of the foil, kg/m3.
    """

    thickness_um: float
    porosity: float
    active: float
    particle_um: float
    site_density: float
    initial: float
    dry_density: float
    collector_um: float
    collector_density: float

    @property
    def inert(self) -> float:
        """Share of binder and carbon, the same in every design."""
        return 1.0 - self.porosity - self.active

    @property
    def solid_density(self) -> float:
        """Density of the coating without its pores, kg/m3."""
        return self.dry_density / (1.0 - self.porosity)

    def areal_charge(self, thickness_um: float, porosity: float) -> float:
        """Return the charge of all lithium sites of a coating, A.h/m2."""
        return FARADAY_AH * self.site_density * (1.0 - porosity - self.inert) * thickness_um * 1e-6

    def areal_mass(self, thickness_um: float, porosity: float) -> float:
        """Return the mass of a coating with electrolyte in its pores and with its foil, kg/m2."""
        solid = (1.0 - porosity) * self.solid_density + porosity * ELECTROLYTE_DENSITY
        return 1e-6 * (thickness_um * solid + self.collector_um * self.collector_density)


@frozen
class Chemistry:
    """A cell chemistry and format.

    Attributes:
        name: Name of the published parameter set.
        title: What the materials are.
        area: Electrode area, m2.
        cooling_area: Cooled surface of the cell, m2.
        separator_um: Thickness of the separator, µm.
        separator_porosity: Pore share of the separator.
        separator_density: Density of the dry separator, kg/m3.
        low_voltage: End of discharge, V.
        high_voltage: Full charge, V.
        usable: Share of the positive electrode's sites that cycles between the two voltages in the published cell.
        film: Share of the negative electrode's sites that the first charge binds for good at the nominal particle
            radius; it grows with surface, so inversely with the radius.
        negative: The negative electrode.
        positive: The positive electrode.
    """

    name: str
    title: Mapping[str, str]
    area: float
    cooling_area: float
    separator_um: float
    separator_porosity: float
    separator_density: float
    low_voltage: float
    high_voltage: float
    usable: float = field(validator=validators.and_(validators.gt(0), validators.lt(1)))
    film: float
    negative: Electrode
    positive: Electrode

    def nominal(self) -> Design:
        """Return the published cell's design."""
        n, p = self.negative, self.positive
        return Design(n.thickness_um, n.porosity, p.thickness_um, p.porosity, n.particle_um)

    def charges(self, design: Design) -> tuple[float, float]:
        """Return the charge of all lithium sites of the negative and the positive electrode, A.h/m2."""
        return (
            self.negative.areal_charge(design.negative_thickness_um, design.negative_porosity),
            self.positive.areal_charge(design.positive_thickness_um, design.positive_porosity),
        )

    def lithium(self, design: Design) -> float:
        """Return the cycling lithium as charge, A.h/m2: what the positive brings less what the first charge binds."""
        negative, positive = self.charges(design)
        bound = self.film * self.negative.particle_um / design.negative_particle_um
        return self._brought() * positive - bound * negative

    def _brought(self) -> float:
        """Return the share of its sites at which the positive electrode arrives filled, from the published cell."""
        negative, positive = self.charges(self.nominal())
        n, p = self.negative, self.positive
        held = n.initial / n.site_density * negative + p.initial / p.site_density * positive
        return (held + self.film * negative) / positive

    def nominal_capacity(self, design: Design) -> float:
        """Return the charge that the positive electrode is meant to give, A.h: the basis of the C-rate."""
        return self.area * self.usable * self.charges(design)[1]

    def n_to_p(self, design: Design) -> float:
        """Return the charge of all negative sites over the usable charge of the positive ones."""
        negative, positive = self.charges(design)
        return negative / (self.usable * positive)

    def mass(self, design: Design) -> float:
        """Return the mass of the electrode stack, kg: coatings, electrolyte, foils, separator; no housing."""
        n = self.negative.areal_mass(design.negative_thickness_um, design.negative_porosity)
        p = self.positive.areal_mass(design.positive_thickness_um, design.positive_porosity)
        separator = self.separator_density + self.separator_porosity * ELECTROLYTE_DENSITY
        return self.area * (n + p + 1e-6 * self.separator_um * separator)

    def volume(self, design: Design) -> float:
        """Return the volume of the electrode stack, m3."""
        coatings = design.negative_thickness_um + design.positive_thickness_um
        foils = self.negative.collector_um + self.positive.collector_um
        return self.area * 1e-6 * (coatings + foils + self.separator_um)


CHEMISTRIES: Mapping[str, Chemistry] = {
    "Chen2020": Chemistry(
        name="Chen2020",
        title={"en": "NMC 811 against graphite with SiOx", "zh": "NMC 811 正极,石墨-SiOx 负极"},
        area=0.065 * 1.58,
        cooling_area=0.00531,
        separator_um=12.0,
        separator_porosity=0.47,
        separator_density=397.0,
        low_voltage=2.5,
        high_voltage=4.2,
        usable=0.59,
        film=0.10,
        negative=Electrode(85.2, 0.25, 0.75, 5.86, 33133.0, 29866.0, 1657.0, 12.0, 8960.0),
        positive=Electrode(75.6, 0.335, 0.665, 5.22, 63104.0, 17038.0, 3262.0, 16.0, 2700.0),
    ),
    "Ai2020": Chemistry(
        name="Ai2020",
        title={"en": "LiCoO2 against graphite", "zh": "LiCoO2 正极,石墨负极"},
        area=34 * 0.051 * 0.047,
        cooling_area=0.0060484,
        separator_um=25.0,
        separator_porosity=0.5,
        separator_density=2470.0,
        low_voltage=3.0,
        high_voltage=4.2,
        usable=0.536,
        film=0.04,
        negative=Electrode(76.5, 0.33, 0.61, 5.0, 28700.0, 24108.0, 2470.0, 10.0, 8960.0),
        positive=Electrode(68.0, 0.32, 0.62, 3.0, 49943.0, 21725.0, 2470.0, 15.0, 2700.0),
    ),
}
