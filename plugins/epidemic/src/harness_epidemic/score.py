"""What counts: the four quantities, their targets, the burden that weighs them in credits, and the score they make.

Apart from the reward layer, because the sampler that sets the targets and the tool that reports them (option `dense`)
need the same arithmetic.
"""

from __future__ import annotations

from typing import Final

from attrs import asdict

from harness.records import Score, Term
from harness_epidemic.country import Identity, Targets
from harness_epidemic.options import budgets
from harness_epidemic.world import Result

QUANTITIES: Final = ("deaths", "overflow", "cost", "aftermath")

VALUES: Final = {"deaths": 100.0, "overflow": 2.0, "cost": 1.0, "aftermath": 1.5}
"""Credits per unit in the burden."""

FULL_SPARE: Final = 0.5
"""Mean share of the targets left over at which nothing more can be earned."""

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


def rate(identity: Identity, result: Result, level: str, orders: int) -> Score:
    """Score what an episode came to, and the orders that it took."""
    distance, bar, told = margin(identity.targets, result), identity.bar, standing(identity.targets, result)
    gap = (bar.naive - burden(result)) / (bar.naive - bar.planner)
    limits, values = asdict(identity.targets), asdict(result)
    spare = sum(1 - values[name] / limits[name] for name in QUANTITIES) / len(QUANTITIES)
    efficiency = [Term("spare", _clip(spare / FULL_SPARE), 3)]
    if level != "tiny":
        efficiency.append(Term("orders_unused", _clip(1 - orders / budgets(identity.weeks, level)["orders"])))
    detail = "; ".join(f"{name} {told[name]}" for name in QUANTITIES)
    return Score(distance >= 0, (Term("gap", _clip(gap)),), tuple(efficiency), distance, detail=detail)


def _clip(value: float) -> float:
    return min(1.0, max(0.0, value))


def standing(targets: Targets, result: Result) -> dict[str, str]:
    """Return each quantity beside its target."""
    limits, values = asdict(targets), asdict(result)
    return {name: f"{values[name]:.0f} of at most {limits[name]}" for name in QUANTITIES}
