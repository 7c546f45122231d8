"""The prompt layer: three wordings in English and three in Chinese, each with every fact of the instance.

`facts` holds each number with its unit exactly as every wording writes it; the wordings are templates over them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from attrs import astuple

from harness import Limits
from harness.records import Json
from harness_battery import sample
from harness_battery.chemistry import BOUNDS, CHEMISTRIES
from harness_battery.requirements import N_TO_P, RULES, ZERO_CELSIUS
from harness_battery.sample import BANDS, Identity, Options
from harness_battery.wordings import CLOSINGS, FAST_CHARGE, OPENINGS, PARTICLE
from harness_battery.world import CHARGE_START

EXTRA_TURNS = 8  # turns beyond one for each simulation


class DesignPrompt:
    """Proposes instances and words them."""

    identity = Identity

    def __init__(self, options: Options) -> None:
        self.options = options

    def sample(self, rng: np.random.Generator) -> Identity:
        """Propose an instance."""
        return sample.propose(rng, self.options)

    def messages(self, identity: Identity, wording: int, language: str) -> str:
        """Word an instance."""
        facts = self.facts(identity, language)
        parts = [OPENINGS[language][wording]]
        if identity.duty.charge_rate:
            parts += [PARTICLE[language][wording], FAST_CHARGE[language][wording]]
        parts.append(CLOSINGS[language][wording])
        return "\n\n".join(part.format(**facts) for part in parts)

    def facts(self, identity: Identity, language: str) -> Mapping[str, str]:
        """Return every fact of the instance as it is written."""
        told = _cell_facts(identity, language) | _bounds_facts() | _requirement_facts(identity)
        told["simulations"] = str(self.limits(identity).budgets["simulations"])
        told["turns"] = str(self.limits(identity).turns)
        if identity.duty.charge_rate:
            told |= _charge_facts(identity)
        else:
            del told["negative_particle_um"]
        return told

    def limits(self, identity: Identity) -> Limits:
        """Return the budget of the level, and turns to spare."""
        return Limits(turns=identity.simulations + EXTRA_TURNS, budgets={"simulations": identity.simulations})

    def key(self, identity: Identity) -> Json:
        """Quantise to what is told, plus three digits of the deviation."""
        duty, cell = identity.duty, identity.deviation
        told = [duty.c_rate, round(duty.ambient_k, 1), duty.cooling, duty.charge_rate, duty.charge_share]
        hidden = [float(f"{v:.3g}") for v in astuple(cell)]
        return [identity.chemistry, told, hidden, [getattr(identity.requirements, name) for name in RULES]]

    def secrets(self, identity: Identity) -> Sequence[str]:
        """Return the cell's deviation as it would be printed."""
        cell = identity.deviation
        return [repr(v) for v in astuple(cell)]


def _cell_facts(identity: Identity, language: str) -> dict[str, str]:
    cell, duty = CHEMISTRIES[identity.chemistry], identity.duty
    return {
        "chemistry": identity.chemistry,
        "materials": cell.title[language],
        "area": f"{cell.area:.4f} m2",
        "cooling_area": f"{cell.cooling_area:.5f} m2",
        "separator": f"{cell.separator_um:g} µm",
        "foils": f"{cell.negative.collector_um:g} µm + {cell.positive.collector_um:g} µm",
        "inert": f"{cell.negative.inert:.2f} / {cell.positive.inert:.2f}",
        "particles": f"{cell.negative.particle_um:g} µm / {cell.positive.particle_um:g} µm",
        "voltages": f"{cell.high_voltage:.1f} V - {cell.low_voltage:.1f} V",
        "c_rate": f"{duty.c_rate:.2f} C",
        "ambient": f"{duty.ambient_k - ZERO_CELSIUS:.1f} degC",
        "cooling": f"{duty.cooling:.1f} W/(m2.K)",
        "kinetics_band": _band("kinetics"),
        "transport_band": _band("transport"),
        "active_band": _band("active"),
        "contact_band": f"{_band('contact_ohm', 1e3)} mohm",
    }


def _band(name: str, factor: float = 1.0) -> str:
    low, high = BANDS[name]
    return f"{factor * low:g} - {factor * high:g}"


def _bounds_facts() -> dict[str, str]:
    """Write the range of every design variable as `name: low - high`."""
    units = {name: " µm" if name.endswith("_um") else "" for name in BOUNDS}
    return {name: f"{name}: {b.low:g} - {b.high:g}{units[name]}" for name, b in BOUNDS.items()}


def _requirement_facts(identity: Identity) -> dict[str, str]:
    need = identity.requirements
    return {
        "n_to_p": f"{N_TO_P[0]:.2f} - {N_TO_P[1]:.2f}",
        "capacity_ah": f">= {need.capacity_ah:.3f} A.h",
        "energy_wh_per_kg": f">= {need.energy_wh_per_kg:.1f} W.h/kg",
        "peak_c": f"<= {need.peak_c:.1f} degC",
    }


def _charge_facts(identity: Identity) -> dict[str, str]:
    duty, need = identity.duty, identity.requirements
    return {
        "charge_rate": f"{duty.charge_rate:.2f} C",
        "charge_start": f"{100 * CHARGE_START:.0f} %",
        "charge_percent": f">= {need.charge_percent:.1f} %",
        "plating_mv": f">= {need.plating_mv:.1f} mV",
    }
