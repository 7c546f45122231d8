"""What counts: the four quantities, their targets, and the burden that weighs them in credits.

Apart from the reward layer, because the sampler that sets the targets and the tool that reports them (option `dense`)
need the same arithmetic.
"""

from __future__ import annotations

from typing import Final

from attrs import asdict

from harness_epidemic.country import Targets
from harness_epidemic.world import Result

QUANTITIES: Final = ("deaths", "overflow", "cost", "aftermath")

VALUES: Final = {"deaths": 100.0, "overflow": 2.0, "cost": 1.0, "aftermath": 1.5}
"""Credits per unit in the burden."""

LEAST: Final = {"deaths": 3, "overflow": 20, "cost": 50, "aftermath": 50}
"""Allowance on top of the slack, so that a target of nearly nothing can be met."""


def burden(result: Result) -> float:
    """Return everything an episode cost, in credits."""
    return float(sum(VALUES[name] * value for name, value in asdict(result).items()))


def targets_for(reached: Result, slack: float) -> Targets:
    """Return targets some share above what the planner reached."""
    return Targets(**{name: int(value * (1.0 + slack)) + LEAST[name] for name, value in asdict(reached).items()})


def margin(targets: Targets, result: Result) -> float:
    """Return the distance of the worst quantity from its target, relative to it; at least 0 if all are kept."""
    limits, values = asdict(targets), asdict(result)
    return float(max(-1.0, min(1.0 - values[name] / limits[name] for name in QUANTITIES)))


def standing(targets: Targets, result: Result) -> dict[str, str]:
    """Return each quantity beside its target."""
    limits, values = asdict(targets), asdict(result)
    return {name: f"{values[name]:.0f} of at most {limits[name]}" for name in QUANTITIES}
