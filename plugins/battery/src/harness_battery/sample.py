"""Options, the hidden identity and its sampler.

An instance is a duty, a cell that deviates from the published one, and requirements which a good design of that very
cell just meets. The sampler finds such a design with the twin, measures it once with the simulator, and asks for a
little less than it gives. The design itself is not kept: the identity holds no answer.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from attrs import evolve, frozen
from numpy.typing import NDArray

from harness.errors import Reject
from harness.layers import Group, option
from harness_battery import twin, world
from harness_battery.chemistry import BOUNDS, CHEMISTRIES, Design
from harness_battery.requirements import ZERO_CELSIUS, Requirements
from harness_battery.search import Effort, best_design
from harness_battery.world import Deviation, Duty

Array = NDArray[np.float64]
PLATING_MV, PLATING_DOUBT_MV = 5.0, 12.0
PEAK_C = (45.0, 60.0)  # real limits of cells, 318 K to 333 K
CARE = 0.93  # the sampler designs for a little worse electrolyte, so that the twin's error does not starve the cell
COOLING, TYPICAL_COOLING = (3.0, 60.0), 15.0  # W/(m2.K), from forced to nearly still air
THICKNESS = list(BOUNDS).index("positive_thickness_um")
BANDS: Mapping[str, tuple[float, float]] = {
    "kinetics": (0.5, 1.5),
    "transport": (0.75, 1.25),
    "active": (0.88, 1.0),
    "contact_ohm": (0.0, 0.012),
}
"""Told ranges of what is hidden, by attribute of `world.Deviation`."""


@frozen
class Options:
    """Parameters of the task."""

    level: str = option("medium", "how tight the requirements are", choices=("easy", "medium", "hard"))
    chemistry: str = option("any", "cell chemistry", choices=("any", *CHEMISTRIES))
    feedback: str = option(
        "margins",
        "what a simulation tells: each margin, or only met or not",
        seeded=False,
        choices=("margins", "verdicts"),
    )


@frozen
class Level:
    """What makes a level.

    Attributes:
        simulations: Budget.
        slack: Share by which capacity and energy may fall short of the sampler's design.
        kelvin: Degrees by which it may be hotter.
        c_rates: Range of the discharge rate.
        fast_charge: Whether a fast charge is asked as well and the particle radius is free.
    """

    simulations: int
    slack: tuple[float, float]
    kelvin: float
    c_rates: tuple[float, float]
    fast_charge: bool = False


LEVELS: Mapping[str, Level] = {
    "easy": Level(10, (0.025, 0.011), 1.2, (0.9, 1.7)),
    "medium": Level(10, (0.018, 0.008), 0.8, (0.9, 2.2)),
    "hard": Level(10, (0.015, 0.006), 0.6, (0.9, 2.2), fast_charge=True),
}
GROUPS = {name: Group({"level": name}) for name in LEVELS}


@frozen
class Identity:
    """The hidden parameters of an instance."""

    chemistry: str
    duty: Duty
    deviation: Deviation
    requirements: Requirements
    simulations: int


def free_variables(options: Options) -> NDArray[np.bool_]:
    """Return which design variables the designer chooses, in the order of `twin.VARIABLES`."""
    return np.array([True, True, True, True, LEVELS[options.level].fast_charge])


def propose(rng: np.random.Generator, options: Options) -> Identity:
    """Draw an instance.

    Raises:
        Reject: The design that the twin found is no good cell, or too hot for any limit.
    """
    level = LEVELS[options.level]
    names = list(CHEMISTRIES)
    name = names[int(rng.integers(len(names)))] if options.chemistry == "any" else options.chemistry
    duty, deviation = _draw_duty(rng, level), _draw_deviation(rng)
    start = twin.as_rows([CHEMISTRIES[name].nominal()])[0]
    start[THICKNESS] = round(float(rng.uniform(55.0, 115.0)), 1)
    free = free_variables(options) & (np.arange(len(start)) != THICKNESS)
    careful = evolve(deviation, transport=CARE * deviation.transport)
    row = best_design(_wish(name, duty, careful), rng, start, free, Effort(120, 3, 40))
    duty = evolve(duty, cooling=_cooling(name, row, duty, deviation, rng))
    requirements = _require(name, twin.as_design(row), duty, deviation, level, rng)
    return Identity(name, duty, deviation, requirements, level.simulations)


def _draw_duty(rng: np.random.Generator, level: Level) -> Duty:
    c_rate = round(float(rng.uniform(*level.c_rates)), 2)
    ambient = round(round(float(rng.uniform(24.0, 40.0)), 1) + ZERO_CELSIUS, 2)
    if not level.fast_charge:
        return Duty(c_rate, ambient, TYPICAL_COOLING)
    rate, share = round(float(rng.uniform(0.6, 1.0)), 2), round(float(rng.uniform(0.35, 0.5)), 2)
    return Duty(c_rate, ambient, TYPICAL_COOLING, rate, share)


def _draw_deviation(rng: np.random.Generator) -> Deviation:
    return Deviation(
        kinetics=float(np.exp(rng.uniform(*np.log(BANDS["kinetics"])))),
        transport=float(rng.uniform(*BANDS["transport"])),
        active=float(rng.uniform(*BANDS["active"])),
        contact_ohm=float(rng.uniform(*BANDS["contact_ohm"])),
    )


def _wish(name: str, duty: Duty, deviation: Deviation) -> Any:
    """Return the sampler's score: specific energy under what must hold."""

    def score(rows: Array) -> Array:
        stack, seen = twin.Stack(name, rows), twin.discharge(name, rows, duty, deviation)
        value = np.log(seen.energy_wh / stack.mass)
        value -= 10 * np.maximum(0, 1.02 - stack.n_to_p) + 10 * np.maximum(0, stack.n_to_p - 1.28)
        value -= 2 * np.maximum(0, 0.9 - seen.capacity_ah / (deviation.active * stack.nominal))
        if duty.charge_rate:
            margin, share = twin.plating(name, rows, duty, deviation)
            value -= 0.02 * np.maximum(0, PLATING_MV + PLATING_DOUBT_MV - 1e3 * margin)
            value -= np.maximum(0, 1.15 * duty.charge_share - share)
        return np.asarray(value, float)

    return score


def _cooling(name: str, row: Array, duty: Duty, deviation: Deviation, rng: np.random.Generator) -> float:
    """Return the cooling at which the design gets as hot as a limit drawn from the real ones, or the least there is.

    Raises:
        Reject: No cooling within reason keeps it below the highest limit.
    """
    tried = np.geomspace(*COOLING, 12)
    coefficients: Any = tried  # the twin takes one per row as well
    many = evolve(duty, cooling=coefficients)
    peaks = twin.discharge(name, np.tile(row, (len(tried), 1)), many, deviation).peak_k - ZERO_CELSIUS
    low, high = max(PEAK_C[0], float(peaks[-1])), min(PEAK_C[1] - 4.5, float(peaks[0]))
    if float(peaks[-1]) >= PEAK_C[1] - 4.5:
        raise Reject("no cooling keeps the design below the highest limit")
    if low >= high:
        return COOLING[0]
    return round(float(np.interp(rng.uniform(low, high), peaks[::-1], tried[::-1])), 1)


def _require(
    name: str, design: Design, duty: Duty, deviation: Deviation, level: Level, rng: np.random.Generator
) -> Requirements:
    """Measure a design and ask for a little less, by the level's slack within a factor of two."""
    cell = CHEMISTRIES[name]
    try:
        seen = world.discharge(name, design, duty, deviation)
    except world.SolverFailed as error:
        raise Reject(f"the sampler's design does not simulate: {error}") from error
    if (
        seen.capacity_ah < 0.8 * deviation.active * cell.nominal_capacity(design)
        or not 1.01 <= cell.n_to_p(design) <= 1.29
    ):
        raise Reject("the sampler's design is no good cell")
    spare = [float(s) for s in rng.uniform(0.7, 1.4, 3)]
    need = Requirements(
        capacity_ah=round(seen.capacity_ah * (1 - spare[0] * level.slack[0]), 3),
        energy_wh_per_kg=round(seen.energy_wh / cell.mass(design) * (1 - spare[1] * level.slack[1]), 1),
        peak_c=max(PEAK_C[0], round(seen.peak_k - ZERO_CELSIUS + spare[2] * level.kelvin, 1)),
    )
    if need.peak_c > PEAK_C[1]:
        raise Reject("the sampler's design is hotter than any real limit")
    return _with_charge(need, name, design, duty, deviation) if level.fast_charge else need


def _with_charge(need: Requirements, name: str, design: Design, duty: Duty, deviation: Deviation) -> Requirements:
    """Add the fast charge's requirements, if the twin says that the design takes it."""
    margin, share = twin.plating(name, twin.as_rows([design]), duty, deviation)
    if 1e3 * margin[0] < PLATING_MV + PLATING_DOUBT_MV / 2 or share[0] < 1.06 * duty.charge_share:
        raise Reject("the sampler's design does not take the fast charge")
    return evolve(need, plating_mv=PLATING_MV, charge_percent=round(100 * duty.charge_share, 1))
