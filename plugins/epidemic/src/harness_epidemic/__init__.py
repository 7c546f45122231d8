"""Intervention planning: steer an epidemic through bulletins that come late, incomplete and noisy."""

from harness_epidemic.country import Disease, Identity, Region, Supply, Surveillance, Targets
from harness_epidemic.measures import Policy
from harness_epidemic.world import Result, World

__all__ = ["Disease", "Identity", "Policy", "Region", "Result", "Supply", "Surveillance", "Targets", "World"]
