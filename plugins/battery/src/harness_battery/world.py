"""The cell on PyBaMM: a discharge and a fast charge of a design under a duty.

The discharge is the single-particle model with electrolyte (SPMe), the fast charge the Doyle-Fuller-Newman model (DFN),
because the simpler models disagree with it on the sign of the plating margin; both with a lumped temperature. Geometry,
duty and the cell's deviation are inputs of the solver, so that each model is built once in a process and then reused.
PyBaMM is imported here only, with its telemetry switched off, which also keeps it from writing a settings file.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from functools import cache
from typing import Any

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from harness_battery.chemistry import CHEMISTRIES, Chemistry, Design

REFERENCE_KELVIN = 298.15
CHARGE_START = 0.10  # state of charge at which the fast charge starts
CHARGE_OVERRUN = 1.25  # a fast charge is followed to this multiple of the asked share, to see how far it could go
DISCHARGE_HOURS = 1.3  # a discharge is followed for this multiple of the nominal duration

_VOLTAGE = "Voltage [V]"
_KELVIN = "Volume-averaged cell temperature [K]"
_CHARGE = "Discharge capacity [A.h]"
_ENERGY = "Discharge energy [W.h]"
_PLATING = "Negative electrode surface potential difference at separator interface [V]"
_POINTS = {"discharge": 20, "charge": 14}
_RELATIVE = {
    "discharge": 1e-5,
    "charge": 1e-4,
}  # the DFN is within 0.3 mV of a finer mesh and tolerance, at a third of the time
_INPUTS = (
    "Negative electrode thickness [m]",
    "Positive electrode thickness [m]",
    "Negative electrode porosity",
    "Positive electrode porosity",
    "Negative electrode active material volume fraction",
    "Positive electrode active material volume fraction",
    "Negative particle radius [m]",
    "Negative electrode density [kg.m-3]",
    "Positive electrode density [kg.m-3]",
    "Initial concentration in negative electrode [mol.m-3]",
    "Initial concentration in positive electrode [mol.m-3]",
    "Cell volume [m3]",
    "Ambient temperature [K]",
    "Initial temperature [K]",
    "Total heat transfer coefficient [W.m-2.K-1]",
    "Current function [A]",
)
_KINETICS = (
    "Negative electrode exchange-current density [A.m-2]",
    "Positive electrode exchange-current density [A.m-2]",
)
_TRANSPORT = ("Electrolyte diffusivity [m2.s-1]", "Electrolyte conductivity [S.m-1]")
_GRID = np.linspace(0.002, 0.998, 997)


class SolverFailed(Exception):
    """The model has no solution for a design: it is outside what a cell can do."""


@frozen
class Duty:
    """How the cell is used.

    Attributes:
        c_rate: Discharge current over nominal capacity, 1/h.
        ambient_k: Ambient and starting temperature, K.
        cooling: Heat-transfer coefficient of the cooled surface, W/(m2.K).
        charge_rate: Current of the fast charge over nominal capacity, 1/h; 0 when there is none.
        charge_share: Share of the nominal capacity to be charged.
    """

    c_rate: float
    ambient_k: float
    cooling: float
    charge_rate: float = 0.0
    charge_share: float = 0.0


@frozen
class Deviation:
    """In what this cell differs from the published one; known from measurements only.

    Attributes:
        kinetics: Factor of both exchange-current densities.
        transport: Factor of the electrolyte's diffusivity and conductivity.
        active: Share of the active material of both electrodes that is connected and takes part.
        contact_ohm: Contact resistance, ohm.
    """

    kinetics: float = 1.0
    transport: float = 1.0
    active: float = 1.0
    contact_ohm: float = 0.0


@frozen
class Discharge:
    """Result of a discharge: charge in A.h, energy in W.h, highest temperature in K, mean voltage in V."""

    capacity_ah: float
    energy_wh: float
    peak_k: float
    mean_v: float


@frozen
class Charge:
    """Result of a fast charge.

    Attributes:
        plating_v: Least potential of the negative electrode against lithium until the asked share is in, V.
        share: Share of the nominal capacity taken before full voltage, at most `CHARGE_OVERRUN` times the asked one.
    """

    plating_v: float
    share: float


@cache
def load_pybamm() -> Any:
    """Import PyBaMM, once, without telemetry and without its console output."""
    os.environ["PYBAMM_DISABLE_TELEMETRY"] = "true"
    import pybamm

    pybamm.set_logging_level("ERROR")
    return pybamm


@cache
def parameters(name: str) -> Any:
    """Return the published parameter set, as one electrode pair of the cell's whole area."""
    values = load_pybamm().ParameterValues(name)
    pairs = float(values["Number of electrodes connected in parallel to make a cell"])
    values.update(
        {
            "Electrode width [m]": float(values["Electrode width [m]"]) * pairs,
            "Number of electrodes connected in parallel to make a cell": 1.0,
        }
    )
    return values


@frozen(eq=False)
class OpenCircuit:
    """Open-circuit potentials over the filling of the sites, tabulated from the parameter set, V."""

    filling: NDArray[np.float64]
    negative: NDArray[np.float64]
    positive: NDArray[np.float64]


@cache
def open_circuit(name: str) -> OpenCircuit:
    """Tabulate the open-circuit potentials of a chemistry, once in a process."""
    pybamm, values = load_pybamm(), parameters(name)
    filling = pybamm.InputParameter("filling")
    tables = []
    for side in ("Negative", "Positive"):
        symbol = values.process_symbol(values[f"{side} electrode OCP [V]"](filling))
        tables.append(np.array([float(np.squeeze(symbol.evaluate(inputs={"filling": f}))) for f in _GRID]))
    return OpenCircuit(_GRID, tables[0], tables[1])


def filling_at(name: str, voltage: float, per_positive: Any, lithium: Any) -> tuple[Any, Any]:
    """Return how full both electrodes are when the cell rests at a voltage.

    Args:
        name: Chemistry.
        voltage: Open-circuit voltage, V.
        per_positive: Charge of the negative sites over that of the positive ones; a number or an array of designs.
        lithium: Cycling lithium over the charge of the positive sites; likewise.

    Returns:
        Filling of the negative and of the positive electrode, by bisection; the voltage rises with the first.
    """
    table, ratio, held = open_circuit(name), np.asarray(per_positive, float), np.asarray(lithium, float)
    low, high = np.full(ratio.shape, _GRID[0]), np.full(ratio.shape, _GRID[-1])
    for _ in range(28):
        x = (low + high) / 2
        y = held - x * ratio
        rest = np.interp(y, _GRID, table.positive) - np.interp(x, _GRID, table.negative)
        below = (rest < voltage) & (y > _GRID[0])
        low, high = np.where(below, x, low), np.where(below, high, x)
    x = (low + high) / 2
    return x, held - x * ratio


@cache
def _bench(name: str, kind: str) -> Any:
    """Build the model of a chemistry, once in a process: about half a second."""
    pybamm = load_pybamm()
    options = {"thermal": "lumped", "contact resistance": "true", "calculate discharge energy": "true"}
    model = (pybamm.lithium_ion.DFN if kind == "charge" else pybamm.lithium_ion.SPMe)(options)
    values = parameters(name).copy()
    _scale(values, _KINETICS, "kinetics")
    _scale(values, _TRANSPORT, "transport")
    values.update(dict.fromkeys(_INPUTS, "[input]"))
    values.update({"Contact resistance [Ohm]": "[input]"}, check_already_exists=False)
    meshes = model.default_submesh_types.copy()
    for place in ("negative electrode", "separator", "positive electrode", "negative particle", "positive particle"):
        meshes[place] = pybamm.SymbolicUniform1DSubMesh
    read = [_VOLTAGE, _KELVIN, _CHARGE, _ENERGY] + ([_PLATING] if kind == "charge" else [])
    return pybamm.Simulation(
        model,
        parameter_values=values,
        submesh_types=meshes,
        var_pts=dict.fromkeys(("x_n", "x_s", "x_p", "r_n", "r_p"), _POINTS[kind]),
        solver=pybamm.IDAKLUSolver(rtol=_RELATIVE[kind], atol=1e-6, output_variables=read),
    )


def _scale(values: Any, names: tuple[str, ...], factor: str) -> None:
    """Multiply parameter functions by an input."""
    symbol = load_pybamm().InputParameter(factor)
    for name in names:
        published = values[name]
        values.update({name: lambda *a, published=published, **k: symbol * published(*a, **k)})


def inputs_of(cell: Chemistry, design: Design, duty: Duty, deviation: Deviation, start: float) -> dict[str, float]:
    """Return the solver's inputs for a design at a state of charge, without the current."""
    negative, positive = cell.charges(design)
    ratio, lithium = negative / positive, cell.lithium(design) / positive
    full, empty = (filling_at(cell.name, v, ratio, lithium) for v in (cell.high_voltage, cell.low_voltage))
    x, y = (float(e + start * (f - e)) for f, e in zip(full, empty, strict=True))
    n, p = cell.negative, cell.positive
    an = deviation.active * (1 - design.negative_porosity - n.inert)
    ap = deviation.active * (1 - design.positive_porosity - p.inert)
    return {
        "Negative electrode thickness [m]": design.negative_thickness_um * 1e-6,
        "Positive electrode thickness [m]": design.positive_thickness_um * 1e-6,
        "Negative electrode porosity": design.negative_porosity,
        "Positive electrode porosity": design.positive_porosity,
        "Negative electrode active material volume fraction": an,
        "Positive electrode active material volume fraction": ap,
        "Negative particle radius [m]": design.negative_particle_um * 1e-6,
        "Negative electrode density [kg.m-3]": n.solid_density * (1 - design.negative_porosity),
        "Positive electrode density [kg.m-3]": p.solid_density * (1 - design.positive_porosity),
        "Initial concentration in negative electrode [mol.m-3]": x * n.site_density,
        "Initial concentration in positive electrode [mol.m-3]": y * p.site_density,
        "Cell volume [m3]": cell.volume(design),
        "Ambient temperature [K]": duty.ambient_k,
        "Initial temperature [K]": duty.ambient_k,
        "Total heat transfer coefficient [W.m-2.K-1]": duty.cooling,
        "kinetics": deviation.kinetics,
        "transport": deviation.transport,
        "Contact resistance [Ohm]": deviation.contact_ohm,
    }


def discharge(name: str, design: Design, duty: Duty, deviation: Deviation) -> Discharge:
    """Discharge a full cell at the duty's rate down to its low voltage.

    Raises:
        SolverFailed: The model has no solution.
    """
    cell = CHEMISTRIES[name]
    inputs = inputs_of(cell, design, duty, deviation, 1.0)
    inputs["Current function [A]"] = duty.c_rate * cell.nominal_capacity(design)
    solved = _solve(name, "discharge", 3600 * DISCHARGE_HOURS / duty.c_rate, inputs)
    capacity, energy = float(solved[_CHARGE][-1]), float(solved[_ENERGY][-1])
    return Discharge(capacity, energy, float(solved[_KELVIN].max()), energy / capacity if capacity > 0 else 0.0)


def charge(name: str, design: Design, duty: Duty, deviation: Deviation) -> Charge:
    """Charge a nearly empty cell at the duty's fast rate.

    Raises:
        SolverFailed: The model has no solution.
    """
    cell = CHEMISTRIES[name]
    nominal = cell.nominal_capacity(design)
    inputs = inputs_of(cell, design, duty, deviation, CHARGE_START)
    inputs["Current function [A]"] = -duty.charge_rate * nominal
    seconds = 3600 * CHARGE_OVERRUN * duty.charge_share / duty.charge_rate
    solved = _solve(name, "charge", seconds, inputs)
    taken = -solved[_CHARGE] / nominal
    within = taken <= duty.charge_share
    at_share = np.interp(duty.charge_share, taken, solved[_PLATING])
    return Charge(float(min(solved[_PLATING][within].min(), at_share)), float(taken[-1]))


def _solve(name: str, kind: str, seconds: float, inputs: Mapping[str, float]) -> dict[str, NDArray[np.float64]]:
    pybamm, bench = load_pybamm(), _bench(name, kind)
    try:
        solution = bench.solve([0, seconds], inputs=dict(inputs))
    except pybamm.SolverError as error:
        raise SolverFailed(str(error).split(" with inputs", 1)[0]) from None  # the inputs are hidden
    read = [_VOLTAGE, _KELVIN, _CHARGE, _ENERGY] + ([_PLATING] if kind == "charge" else [])
    return {key: np.asarray(solution[key].data, float) for key in read}
