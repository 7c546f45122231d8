"""The registry of scripted policies; they live in one module a variant."""

from __future__ import annotations

from harness import Scripted
from harness_mole import torsion_policies


def policies(variant: str) -> dict[str, Scripted]:
    """Return the scripted policies of a variant by name."""
    if variant == "conformer":
        return torsion_policies.policies()
    from harness_mole import lead_policies

    return lead_policies.policies()
