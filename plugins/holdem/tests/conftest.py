"""Matches and episodes that several tests use."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np

from harness import Result
from harness.layers import Clock
from harness_holdem.match import Match, World
from harness_holdem.options import Options
from harness_holdem.sample import Identity, propose
from harness_holdem.tools import Seat

sys.path.insert(0, str(Path(__file__).parent))


def seat_of(seed: int = 0, world: World | None = None, identity: Identity | None = None, **options: Any) -> Seat:
    """A seat at the table of a fresh match (or of a world)."""
    chosen = Options(**options)
    identity = identity or propose(chosen, np.random.default_rng(seed))
    world = world if world is not None else Seat.create(identity, chosen)
    return Seat(identity, chosen, world, Clock())


def played_out(seat: Seat, action: str = "call") -> list[Result]:
    """Answer every decision by checking or calling (or another rule); return what was shown."""
    shown = []
    while not Match(seat.identity, seat.world).over:
        owed = Match(seat.identity, seat.world).table.spot.owed
        shown.append(seat.act(action if owed else "check"))  # type: ignore[arg-type]
    return shown
