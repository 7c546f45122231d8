"""What a design gives, what it must give, and the distance between the two.

Quantities are rounded to the decimals in which they are shown before they are compared, so that what the policy reads
is what decides. Every margin is positive when there is room and negative when something is missing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache

from attrs import frozen

from harness_battery import world
from harness_battery.chemistry import CHEMISTRIES, Design
from harness_battery.world import Deviation, Duty

N_TO_P = (1.0, 1.3)
ZERO_CELSIUS = 273.15
DANGER_C = 80.0  # the separator softens: an unsafe cell, not merely a poor one


@frozen
class Requirements:
    """What the design must meet under the duty; None where the level does not ask.

    Attributes:
        capacity_ah: Least delivered capacity, A.h.
        energy_wh_per_kg: Least delivered energy over the mass of the stack, W.h/kg.
        peak_c: Highest temperature, °C.
        plating_mv: Least potential of the negative electrode against lithium during the fast charge, mV.
        charge_percent: Least share of the nominal capacity taken by the fast charge, %.
    """

    capacity_ah: float
    energy_wh_per_kg: float
    peak_c: float
    plating_mv: float | None = None
    charge_percent: float | None = None


@frozen
class Rule:
    """How one quantity is compared.

    Attributes:
        unit: Unit in which it is told.
        decimals: Decimals in which it is told and compared.
        scale: What counts as one whole unit of distance; 0 takes the required value itself.
        upper: Whether the requirement is an upper limit.
    """

    unit: str
    decimals: int
    scale: float
    upper: bool = False


RULES: Mapping[str, Rule] = {
    "capacity_ah": Rule("A.h", 3, 0.0),
    "energy_wh_per_kg": Rule("W.h/kg", 1, 0.0),
    "peak_c": Rule("degC", 2, 30.0, upper=True),
    "plating_mv": Rule("mV", 1, 50.0),
    "charge_percent": Rule("%", 1, 100.0),
}
N_TO_P_DECIMALS = 3


@frozen
class Margin:
    """Distance of one quantity from its requirement.

    Attributes:
        name: Name of the quantity.
        value: What the design gives.
        required: The requirement in words and numbers.
        margin: Distance in the unit of the quantity; negative when the requirement is not met.
        unit: That unit; empty for a ratio.
        share: The distance over the rule's scale, to compare quantities with each other.
    """

    name: str
    value: float
    required: str
    margin: float
    unit: str
    share: float

    @property
    def met(self) -> bool:
        """Whether the requirement holds."""
        return self.margin >= 0


def asked(required: Requirements) -> tuple[str, ...]:
    """Return the simulated quantities that an instance has requirements on."""
    return tuple(name for name in RULES if getattr(required, name) is not None)


@lru_cache(maxsize=256)
def _measured(name: str, design: Design, duty: Duty, deviation: Deviation) -> tuple[tuple[str, float], ...]:
    """Simulate, once per design and cell in a process: the submitted design is often one that was simulated."""
    cell = CHEMISTRIES[name]
    seen = world.discharge(name, design, duty, deviation)
    values = {
        "n_to_p": cell.n_to_p(design),
        "capacity_ah": seen.capacity_ah,
        "energy_wh_per_kg": seen.energy_wh / cell.mass(design),
        "peak_c": seen.peak_k - ZERO_CELSIUS,
        "mean_v": seen.mean_v,
    }
    if duty.charge_rate:
        fast = world.charge(name, design, duty, deviation)
        values |= {"plating_mv": 1e3 * fast.plating_v, "charge_percent": 100 * fast.share}
    return tuple((key, round(value, decimals_of(key))) for key, value in values.items())


def measure(name: str, design: Design, duty: Duty, deviation: Deviation) -> dict[str, float]:
    """Simulate a design under every part of the duty; return its quantities as they are told.

    Raises:
        world.SolverFailed: The model has no solution.
    """
    return dict(_measured(name, design, duty, deviation))


def decimals_of(quantity: str) -> int:
    """Return the decimals in which a quantity is told."""
    return RULES[quantity].decimals if quantity in RULES else N_TO_P_DECIMALS


def margins(required: Requirements, values: Mapping[str, float]) -> Iterator[Margin]:
    """Compare quantities with the requirements, N/P first."""
    low, high = N_TO_P
    ratio = values["n_to_p"]
    room = round(min(ratio - low, high - ratio), N_TO_P_DECIMALS)
    yield Margin("n_to_p", ratio, f"{low:.2f} to {high:.2f}", room, "", room)
    for name in asked(required):
        rule, limit = RULES[name], getattr(required, name)
        room = round((limit - values[name]) if rule.upper else (values[name] - limit), rule.decimals)
        sign = "<=" if rule.upper else ">="
        scale = rule.scale or limit
        yield Margin(name, values[name], f"{sign} {limit:.{rule.decimals}f}", room, rule.unit, room / scale)
