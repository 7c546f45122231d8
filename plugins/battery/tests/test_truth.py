"""The simulator against truths that do not come from this package: PyBaMM's own reference cell, and sums by hand."""

import numpy as np
import pytest

from harness_battery import twin, world
from harness_battery.chemistry import CHEMISTRIES, Design
from harness_battery.world import Deviation, Duty

DUTY = Duty(1.0, 298.15, 20.0, charge_rate=0.8, charge_share=0.4)
PUBLISHED = Deviation()
THICK = Design(110.0, 0.33, 95.0, 0.30, 4.0)


def reference(name: str, design: Design, model_name: str, current: float, start: float, seconds: float):
    """Run PyBaMM's model with plain numbers in its published parameter set: no inputs, no symbolic mesh."""
    pybamm, cell = world.load_pybamm(), CHEMISTRIES[name]
    values = pybamm.ParameterValues(name)
    given = world.inputs_of(cell, design, DUTY, PUBLISHED, start)
    numbers = {k: v for k, v in given.items() if k in values}
    values.update(numbers | {"Current function [A]": current})
    values.update({"Contact resistance [Ohm]": 0.0}, check_already_exists=False)
    options = {"thermal": "lumped", "calculate discharge energy": "true"}
    simulation = pybamm.Simulation(
        getattr(pybamm.lithium_ion, model_name)(options),
        parameter_values=values,
        solver=pybamm.IDAKLUSolver(rtol=1e-6, atol=1e-8),
    )
    return simulation.solve([0, seconds])


@pytest.mark.parametrize("name", CHEMISTRIES)
@pytest.mark.parametrize("design", [None, THICK], ids=["published", "thick"])
def test_discharge_is_that_of_pybamm(name: str, design: Design | None) -> None:
    cell = CHEMISTRIES[name]
    chosen = design or cell.nominal()
    seen = world.discharge(name, chosen, DUTY, PUBLISHED)
    solved = reference(name, chosen, "SPMe", cell.nominal_capacity(chosen), 1.0, 4680)
    assert seen.capacity_ah == pytest.approx(float(solved["Discharge capacity [A.h]"].entries[-1]), rel=1e-3)
    assert seen.energy_wh == pytest.approx(float(solved["Discharge energy [W.h]"].entries[-1]), rel=2e-3)
    assert seen.peak_k == pytest.approx(float(solved["Volume-averaged cell temperature [K]"].entries.max()), abs=0.15)


@pytest.mark.parametrize("name", CHEMISTRIES)
def test_plating_is_that_of_pybamm(name: str) -> None:
    cell = CHEMISTRIES[name]
    current = -DUTY.charge_rate * cell.nominal_capacity(cell.nominal())
    seen = world.charge(name, cell.nominal(), DUTY, PUBLISHED)
    seconds = 3600 * DUTY.charge_share / DUTY.charge_rate
    solved = reference(name, cell.nominal(), "DFN", current, world.CHARGE_START, seconds)
    key = "Negative electrode surface potential difference at separator interface [V]"
    assert 1e3 * seen.plating_v == pytest.approx(1e3 * float(solved[key].entries.min()), abs=1.0)
    assert seen.share >= DUTY.charge_share


@pytest.mark.parametrize("name", CHEMISTRIES)
def test_fillings_are_those_of_pybamm(name: str) -> None:
    """PyBaMM's own balance of the electrodes, solved by another method, gives the same end points."""
    cell, pybamm = CHEMISTRIES[name], world.load_pybamm()
    x0, x100, y100, y0 = pybamm.lithium_ion.get_min_max_stoichiometries(world.parameters(name))
    negative, positive = cell.charges(cell.nominal())
    held = cell.lithium(cell.nominal()) / positive
    full, empty = (
        world.filling_at(name, volts, negative / positive, held) for volts in (cell.high_voltage, cell.low_voltage)
    )
    assert (full[0], full[1]) == pytest.approx((x100, y100), abs=2e-4)
    assert (empty[0], empty[1]) == pytest.approx((x0, y0), abs=2e-3)


def test_lithium_is_conserved() -> None:
    """Whatever the design, the fillings at rest hold exactly the lithium that the algebra counts."""
    for name, cell in CHEMISTRIES.items():
        negative, positive = cell.charges(THICK)
        x, y = world.filling_at(name, 3.7, negative / positive, cell.lithium(THICK) / positive)
        assert x * negative + y * positive == pytest.approx(cell.lithium(THICK), rel=1e-9)


def test_published_cell_holds_five_ampere_hours() -> None:
    """The LG M50 is sold with 5 A.h; a slow discharge of its parameter set must give that."""
    slow = Duty(0.1, 298.15, 20.0)
    seen = world.discharge("Chen2020", CHEMISTRIES["Chen2020"].nominal(), slow, PUBLISHED)
    assert seen.capacity_ah == pytest.approx(5.0, abs=0.2)
    assert seen.mean_v == pytest.approx(3.63, abs=0.08)


def test_mass_by_hand() -> None:
    """Chen2020, in kg/m2: 85.2 µm at 1657 + 0.25*1200, 75.6 µm at 3262 + 0.335*1200, separator, copper, aluminium."""
    by_hand = 0.0851995 * 1.957 + 0.0756 * 3.664 + 0.012 * 0.961 + 0.10752 + 0.0432
    cell = CHEMISTRIES["Chen2020"]
    assert cell.mass(cell.nominal()) == pytest.approx(0.1027 * by_hand, rel=1e-4)


def test_nominal_capacity_and_ratio_by_hand() -> None:
    """Faraday's law: 26.8 A.h a mole, 63104 mol/m3 of sites, 66.5 % active, 75.6 µm, 59 % of them cycled."""
    cell = CHEMISTRIES["Chen2020"]
    assert cell.nominal_capacity(cell.nominal()) == pytest.approx(
        26.8015 * 63104 * 0.665 * 75.6e-6 * 0.59 * 0.1027, rel=1e-4
    )
    assert cell.n_to_p(cell.nominal()) == pytest.approx(33133 * 0.75 * 85.2 / (63104 * 0.665 * 75.6 * 0.59), rel=1e-6)


def test_porosity_takes_active_material() -> None:
    cell = CHEMISTRIES["Ai2020"]
    dense, porous = (cell.positive.areal_charge(70.0, porosity) for porosity in (0.2, 0.4))
    assert dense / porous == pytest.approx((1 - 0.2 - 0.06) / (1 - 0.4 - 0.06))


@pytest.mark.parametrize("name", CHEMISTRIES)
def test_constants_are_those_of_pybamm(name: str) -> None:
    values, cell = world.parameters(name), CHEMISTRIES[name]
    area = float(values["Electrode height [m]"]) * float(values["Electrode width [m]"])
    assert cell.area == pytest.approx(area)
    assert cell.cooling_area == float(values["Cell cooling surface area [m2]"])
    assert (cell.low_voltage, cell.high_voltage) == (
        float(values["Lower voltage cut-off [V]"]),
        float(values["Upper voltage cut-off [V]"]),
    )
    for side, electrode in (("Negative", cell.negative), ("Positive", cell.positive)):
        told = (
            electrode.thickness_um * 1e-6,
            electrode.porosity,
            electrode.active,
            electrode.particle_um * 1e-6,
            electrode.site_density,
            electrode.initial,
            electrode.dry_density,
            electrode.collector_um * 1e-6,
            electrode.collector_density,
        )
        low = side.lower()
        keys = (
            f"{side} electrode thickness [m]",
            f"{side} electrode porosity",
            f"{side} electrode active material volume fraction",
            f"{side} particle radius [m]",
            f"Maximum concentration in {low} electrode [mol.m-3]",
            f"Initial concentration in {low} electrode [mol.m-3]",
            f"{side} electrode density [kg.m-3]",
            f"{side} current collector thickness [m]",
            f"{side} current collector density [kg.m-3]",
        )
        assert told == pytest.approx(tuple(float(values[key]) for key in keys))


@pytest.mark.parametrize(
    ("change", "sign"),
    [({"contact_ohm": 0.012}, -1), ({"kinetics": 0.5}, -1), ({"transport": 0.75}, -1), ({"active": 0.9}, -1)],
)
def test_deviation_costs_energy_and_heats(change: dict[str, float], sign: int) -> None:
    cell = CHEMISTRIES["Chen2020"]
    best = world.discharge("Chen2020", cell.nominal(), DUTY, PUBLISHED)
    worse = world.discharge("Chen2020", cell.nominal(), DUTY, Deviation(**change))
    assert np.sign(worse.energy_wh - best.energy_wh) == sign
    assert worse.peak_k > best.peak_k - 0.5


@pytest.mark.parametrize("name", CHEMISTRIES)
def test_twin_is_near_the_simulator(name: str) -> None:
    """The twin may only propose, but must be near enough to be of use: 3 % on designs that work."""
    rng, rows = np.random.default_rng(4), []
    cell, duty = CHEMISTRIES[name], Duty(1.2, 303.15, 20.0)
    while len(rows) < 12:
        row = np.array(
            [rng.uniform(60, 100), rng.uniform(0.25, 0.45), rng.uniform(60, 100), rng.uniform(0.3, 0.45), 5.0]
        )
        if 1.0 <= cell.n_to_p(twin.as_design(row)) <= 1.3:
            rows.append(row)
    deviation = Deviation(0.8, 0.95, 0.95, 0.005)
    guessed = twin.discharge(name, np.array(rows), duty, deviation)
    seen = [world.discharge(name, twin.as_design(row), duty, deviation) for row in rows]
    assert guessed.capacity_ah == pytest.approx([s.capacity_ah for s in seen], rel=0.03)
    assert guessed.energy_wh == pytest.approx([s.energy_wh for s in seen], rel=0.03)
    rise = np.array([s.peak_k for s in seen]) - duty.ambient_k
    assert guessed.peak_k - duty.ambient_k == pytest.approx(rise, rel=0.12)


def test_impossible_design_is_a_named_failure() -> None:
    nonsense = Design(85.2, -0.1, 75.6, 0.335, 5.86)
    with pytest.raises(world.SolverFailed) as failure:
        world.discharge("Chen2020", nonsense, DUTY, PUBLISHED)
    assert "kinetics" not in str(failure.value), "the solver's inputs are hidden"
