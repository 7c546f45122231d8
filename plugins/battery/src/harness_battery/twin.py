"""A cheap stand-in for the simulator: quasi-steady particles and electrolyte, for hundreds of designs at once.

Concentrations relax towards the profiles that a constant current would sustain, reactions are spread evenly over each
electrode, one temperature is stepped along. That leaves errors of about one per cent in capacity and energy, so the
twin proposes and the simulator decides: the sampler uses it to find a good design of a proposed cell, the reference
policy to interpolate between its measurements. It never sees a hidden deviation unless it is given one.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from harness_battery.chemistry import BOUNDS, CHEMISTRIES, Design
from harness_battery.world import (
    CHARGE_OVERRUN,
    CHARGE_START,
    REFERENCE_KELVIN,
    Deviation,
    Duty,
    filling_at,
    load_pybamm,
    open_circuit,
    parameters,
)

Array = NDArray[np.float64]
GAS, FARADAY = 8.314462618, 96485.33212
STEPS = 40
PASSES = 2
SALT = 1000.0  # mol/m3 of electrolyte at rest
VARIABLES = tuple(BOUNDS)


@frozen
class Side:
    """Numbers of one electrode read from the parameter set: SI units; `rate` is for A/m2 from (mol/m3)^1.5."""

    diffusivity: float
    rate: float
    activation: float
    conductivity: float
    tortuosity: float
    heat: float


@frozen(eq=False)
class Tables:
    """Numbers of a chemistry read from the parameter set once in a process."""

    negative: Side
    positive: Side
    transference: float
    thermodynamic: float
    salt: Array
    diffusivity: Array
    conductivity: Array
    fixed_heat: float  # J/(m2.K) of foils and separator
    entropy: tuple[Array, Array]  # V/K over the filling of the negative and the positive electrode


@cache
def tables(name: str) -> Tables:
    """Read the twin's numbers from the published parameter set."""
    values = parameters(name)
    salt = np.linspace(1.0, 3000.0, 301)
    number = _reader(name)
    electrolyte = [np.array([number(f"Electrolyte {what}", c, REFERENCE_KELVIN) for c in salt]) for what in _MOVES]
    foils = 1e-6 * sum(
        getattr(CHEMISTRIES[name], side.lower()).collector_um
        * float(values[f"{side} current collector density [kg.m-3]"])
        * float(values[f"{side} current collector specific heat capacity [J.kg-1.K-1]"])
        for side in ("Negative", "Positive")
    )
    separator = float(values["Separator density [kg.m-3]"] * values["Separator specific heat capacity [J.kg-1.K-1]"])
    return Tables(
        negative=_side(name, "Negative"),
        positive=_side(name, "Positive"),
        transference=float(values["Cation transference number"]),
        thermodynamic=number("Thermodynamic factor", SALT, REFERENCE_KELVIN),
        salt=salt,
        diffusivity=electrolyte[0],
        conductivity=electrolyte[1],
        fixed_heat=foils + 1e-6 * CHEMISTRIES[name].separator_um * separator,
        entropy=(_entropy(name, "Negative"), _entropy(name, "Positive")),
    )


_MOVES = ("diffusivity [m2.s-1]", "conductivity [S.m-1]")


def _reader(name: str) -> Any:
    """Return a function that evaluates a parameter, constant or not, at given arguments."""
    pybamm, values = load_pybamm(), parameters(name)

    def number(key: str, *arguments: float) -> float:
        value = values[key]
        if callable(value):
            value = value(*(pybamm.Scalar(a) for a in arguments))
        return float(np.squeeze(values.process_symbol(pybamm.convert_to_symbol(value)).evaluate()))

    return number


def _entropy(name: str, side: str) -> Array:
    """Tabulate the entropic change of an electrode over its filling, V/K."""
    number = _reader(name)
    return np.array([number(f"{side} electrode OCP entropic change [V.K-1]", f) for f in open_circuit(name).filling])


def _side(name: str, side: str) -> Side:
    values, number = parameters(name), _reader(name)
    sites = getattr(CHEMISTRIES[name], side.lower()).site_density
    key = f"{side} electrode exchange-current density [A.m-2]"
    cool, warm = (number(key, SALT, sites / 2, sites, k) for k in (REFERENCE_KELVIN, REFERENCE_KELVIN + 20))
    activation = GAS * np.log(warm / cool) / (1 / REFERENCE_KELVIN - 1 / (REFERENCE_KELVIN + 20))
    return Side(
        diffusivity=number(f"{side} particle diffusivity [m2.s-1]", 0.5, REFERENCE_KELVIN),
        rate=cool / (np.sqrt(SALT) * sites / 2),
        activation=float(activation),
        conductivity=float(values[f"{side} electrode conductivity [S.m-1]"]),
        tortuosity=float(values[f"{side} electrode Bruggeman coefficient (electrolyte)"]),
        heat=float(values[f"{side} electrode specific heat capacity [J.kg-1.K-1]"]),
    )


def as_rows(designs: list[Design]) -> Array:
    """Return designs as rows of numbers in the order of `VARIABLES`."""
    return np.array([[getattr(d, v) for v in VARIABLES] for d in designs], float)


def as_design(row: Array) -> Design:
    """Return a row of numbers as a design."""
    return Design(*(float(v) for v in row))


@frozen(eq=False)
class Estimate:
    """What the twin says of each design, by array: as `world.Discharge` and `world.Charge` say it of one."""

    capacity_ah: Array
    energy_wh: Array
    peak_k: Array


class Stack:
    """Designs of one chemistry side by side, with what stays the same during a run."""

    def __init__(self, name: str, rows: Array, active: Any = 1.0) -> None:
        self.name, self.cell, self.table = name, CHEMISTRIES[name], tables(name)
        column = dict(zip(VARIABLES, rows.T, strict=True))
        self.ln, self.lp = column["negative_thickness_um"] * 1e-6, column["positive_thickness_um"] * 1e-6
        self.en, self.ep = column["negative_porosity"], column["positive_porosity"]
        self.rn = column["negative_particle_um"] * 1e-6
        self.rp = np.full(len(rows), self.cell.positive.particle_um * 1e-6)
        self.ls, self.es = self.cell.separator_um * 1e-6, self.cell.separator_porosity
        arrays: Any = Design(*rows.T)  # the algebra of a design works on columns as well
        self.nominal: Array = np.asarray(self.cell.nominal_capacity(arrays), float)
        self.n_to_p: Array = np.asarray(self.cell.n_to_p(arrays), float)
        self.mass: Array = np.asarray(self.cell.mass(arrays), float)
        self.qn, self.qp = (active * q for q in self.cell.charges(arrays))
        self.lithium = active * self.cell.lithium(arrays)
        n, p = self.cell.negative, self.cell.positive
        self.an, self.ap = active * (1 - self.en - n.inert), active * (1 - self.ep - p.inert)
        self.bn, self.bp = self.en**self.table.negative.tortuosity, self.ep**self.table.positive.tortuosity
        self.bs = self.es**1.5
        self.heat = self.table.fixed_heat + (
            self.ln * n.solid_density * (1 - self.en) * self.table.negative.heat
            + self.lp * p.solid_density * (1 - self.ep) * self.table.positive.heat
        )

    def filling(self, voltage: float) -> tuple[Array, Array]:
        """Return the fillings of both electrodes at rest at a voltage."""
        return filling_at(self.name, voltage, self.qn / self.qp, self.lithium / self.qp)


@frozen(eq=False)
class Moment:
    """The cell at one time under current: voltage at the terminals, heat per area, both by design."""

    voltage: Array
    heat: Array
    plating: Array


def moment(
    stack: Stack, deviation: Deviation, current: Array, seconds: Any, state: tuple[Array, Array, Array]
) -> Moment:
    """Return voltage, heat and plating potential some time into a constant current (A/m2, discharge > 0)."""
    x, y, kelvin = state
    cell, table = stack.cell, stack.table
    profile = _electrolyte(stack, deviation, current, seconds)
    sn, fn = _surface(
        cell.negative.site_density, table.negative.diffusivity, stack.rn, -current / (stack.ln * stack.an), seconds
    )
    sp, fp = _surface(
        cell.positive.site_density, table.positive.diffusivity, stack.rp, current / (stack.lp * stack.ap), seconds
    )
    rest = open_circuit(stack.name)
    hn, hp = (np.interp(f, rest.filling, e) for f, e in zip((x + sn, y + sp), table.entropy, strict=True))
    un = np.interp(x + sn, rest.filling, rest.negative) + (kelvin - REFERENCE_KELVIN) * hn
    up = np.interp(y + sp, rest.filling, rest.positive) + (kelvin - REFERENCE_KELVIN) * hp
    eta_n = _overpotential(
        table.negative, cell.negative.site_density, x + sn, profile[0], -fn * deviation.kinetics**-1, kelvin
    )
    eta_p = _overpotential(
        table.positive, cell.positive.site_density, y + sp, profile[1], fp * deviation.kinetics**-1, kelvin
    )
    kappa = deviation.transport * np.interp(SALT, table.salt, table.conductivity)
    ionic = stack.ln / (3 * kappa * stack.bn) + stack.ls / (kappa * stack.bs) + stack.lp / (3 * kappa * stack.bp)
    solid = stack.lp / (3 * table.positive.conductivity) + stack.ln / (3 * table.negative.conductivity)
    factor = 2 * (1 - table.transference) * table.thermodynamic * GAS * kelvin / FARADAY
    diffusion = factor * np.log(profile[0] / profile[1])
    loss = eta_n + eta_p + diffusion + current * (ionic + solid + cell.area * deviation.contact_ohm)
    starved = np.where(profile[2] < 20.0, 3.0, 0.0)  # no salt left at the far end: the voltage collapses
    near = factor * np.log(profile[0] / profile[3])
    plating = un + eta_n + near + current * stack.ln / (3 * kappa * stack.bn)
    return Moment(up - un - loss - starved, current * (loss - kelvin * (hp - hn)), plating)


def _surface(sites: float, diffusivity: float, radius: Array, into: Array, seconds: Any) -> tuple[Array, Array]:
    """Return by how much the surface is fuller than the mean, and the reaction current per particle surface, A/m2."""
    flux = into * radius / 3  # A/m2 of particle surface, into the particle
    grown = 1 - np.exp(-20.19 * diffusivity * seconds / radius**2)
    return flux * radius / (5 * FARADAY * diffusivity * sites) * grown, flux


def _overpotential(side: Side, sites: float, filling: Array, salt: Array, flux: Array, kelvin: Array) -> Array:
    """Return the reaction's overpotential, positive for a positive flux, by the symmetric Butler-Volmer law."""
    held = np.clip(filling, 0.002, 0.998)
    warm = np.exp(side.activation / GAS * (1 / REFERENCE_KELVIN - 1 / kelvin))
    exchange = side.rate * warm * np.sqrt(salt * held * (1 - held)) * sites
    return 2 * GAS * kelvin / FARADAY * np.arcsinh(flux / (2 * exchange))


def _electrolyte(stack: Stack, deviation: Deviation, current: Array, seconds: Any) -> tuple[Array, Array, Array, Array]:
    """Return the salt, mol/m3: means of both electrodes, at the positive foil, at the separator's negative side."""
    table = stack.table
    move = deviation.transport * np.interp(0.8 * SALT, table.salt, table.diffusivity)
    pores = stack.en * stack.ln + stack.es * stack.ls + stack.ep * stack.lp
    pull = (1 - table.transference) * current / (FARADAY * move)
    drop_n, drop_s, drop_p = (
        pull * w for w in (stack.ln / (2 * stack.bn), stack.ls / stack.bs, stack.lp / (2 * stack.bp))
    )
    mean_n = -drop_n / 3
    mean_s = -drop_n - drop_s / 2
    mean_p = -drop_n - drop_s - 2 * drop_p / 3
    shift = -(stack.en * stack.ln * mean_n + stack.es * stack.ls * mean_s + stack.ep * stack.lp * mean_p) / pores
    length = stack.ln / stack.bn + stack.ls / stack.bs + stack.lp / stack.bp
    grown = 1 - np.exp(-(np.pi**2) * move * seconds / (length * pores))
    ends = (mean_n + shift, mean_p + shift, shift - drop_n - drop_s - drop_p, shift - drop_n)
    n, p, least, edge = (SALT + grown * e for e in ends)
    return np.maximum(n, 5.0), np.maximum(p, 5.0), np.minimum(least, SALT + grown * shift), np.maximum(edge, 5.0)


def discharge(name: str, rows: Array, duty: Duty, deviation: Deviation) -> Estimate:
    """Estimate the discharge of each design down to the low voltage.

    All times are computed at once, first at a guessed temperature, then at the one that the first pass leads to.
    """
    stack = Stack(name, rows, deviation.active)
    current: Array = duty.c_rate * stack.nominal / stack.cell.area
    step = 3600 / duty.c_rate * 1.08 / STEPS
    seconds = step * np.arange(STEPS + 1)[:, None]
    x, y = stack.filling(stack.cell.high_voltage)
    x, y = x - current * seconds / 3600 / stack.qn, y + current * seconds / 3600 / stack.qp
    kelvin = np.full(x.shape, duty.ambient_k + 5.0)
    for _ in range(PASSES):
        now = moment(stack, deviation, current, seconds, (x, y, kelvin))
        kelvin = _warm(stack, duty, now.heat, step)
    steps, volt = _until(now.voltage, stack.cell.low_voltage)
    hours = steps * step / 3600
    until = np.where(np.arange(STEPS + 1)[:, None] <= np.ceil(steps), kelvin, duty.ambient_k)
    return Estimate(current * hours * stack.cell.area, current * hours * volt * stack.cell.area, until.max(axis=0))


def _warm(stack: Stack, duty: Duty, heat: Array, step: float) -> Array:
    """Return the temperature over time that a heat per area (W/m2) leads to."""
    cooled = duty.cooling * stack.cell.cooling_area / stack.cell.area / stack.heat
    kept, rise, rises = np.exp(-cooled * step), np.zeros(heat.shape[1]), []
    for number in range(len(heat)):
        rises.append(rise)
        rise = rise * kept + heat[number] / stack.heat * (1 - kept) / cooled
    return duty.ambient_k + np.array(rises)


def _until(volts: Array, low: float) -> tuple[Array, Array]:
    """Return at how many steps each column first falls to a voltage, and its mean until then."""
    below = volts <= low
    first = np.where(below.any(axis=0), below.argmax(axis=0), len(volts) - 1)
    pick = np.arange(volts.shape[1])
    before = np.maximum(first - 1, 0)
    v0, v1 = volts[before, pick], volts[first, pick]
    part = np.where(below[first, pick] & (v0 > v1), (v0 - low) / np.maximum(v0 - v1, 1e-9), 1.0)
    steps = before + np.clip(part, 0.02, 1.0)
    area = np.cumsum((volts[1:] + volts[:-1]) / 2, axis=0)
    whole = np.where(before > 0, area[np.maximum(before - 1, 0), pick], 0.0)
    total = whole + (steps - before) * (v0 + np.maximum(v1, low)) / 2
    return steps, total / steps


def plating(name: str, rows: Array, duty: Duty, deviation: Deviation) -> tuple[Array, Array]:
    """Estimate the plating margin of each design's fast charge, V, and the share taken before full-charge voltage."""
    stack = Stack(name, rows, deviation.active)
    current: Array = -duty.charge_rate * stack.nominal / stack.cell.area
    full, empty = stack.filling(stack.cell.high_voltage), stack.filling(stack.cell.low_voltage)
    x, y = (e + CHARGE_START * (f - e) for f, e in zip(full, empty, strict=True))
    steps = 16
    seconds = (
        3600 * duty.charge_share / duty.charge_rate * np.arange(1, int(steps * CHARGE_OVERRUN) + 1)[:, None] / steps
    )
    taken = current * seconds / 3600
    kelvin = np.full(taken.shape, duty.ambient_k + 4.0 * duty.charge_rate)
    now = moment(stack, deviation, current, seconds, (x - taken / stack.qn, y + taken / stack.qp, kelvin))
    over = now.voltage >= stack.cell.high_voltage
    first = np.where(over.any(axis=0), over.argmax(axis=0) + 0.5, len(seconds))
    return now.plating[steps - 1], first / steps * duty.charge_share
