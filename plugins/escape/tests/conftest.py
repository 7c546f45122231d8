"""Houses and episodes that several tests use."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

from harness import Reject
from harness_escape.house import House
from harness_escape.sample import propose
from harness_escape.trial import tried

sys.path.insert(0, str(Path(__file__).parent))

LEVELS = ("easy", "medium", "hard")


def house_of(level: str, seed: int) -> House:
    """Return the first accepted house of a level from a seed on."""
    for attempt in range(20):
        rng = np.random.default_rng([seed, attempt])
        try:
            return tried(propose(level, rng), level, 1.2, True, rng)
        except Reject:
            continue
    raise AssertionError(f"20 draws gave no {level} house")


@pytest.fixture(scope="session")
def houses() -> dict[str, list[House]]:
    """Twenty-five accepted houses of each level."""
    return {level: [house_of(level, seed) for seed in range(25)] for level in LEVELS}
