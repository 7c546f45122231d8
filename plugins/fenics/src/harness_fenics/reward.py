"""The reward layer: scores what was handed in from the identity and the measured evidence alone.

The evidence is one solve of the true plate, made at close: monitors, hottest point, bond and load for the controls of a
drive; the true temperatures of the held-back points of a puzzle. Success asks for every requirement at once. Partial
credit is the mean closeness of the temperatures and, in the drives, of the limits.
"""

from __future__ import annotations

from collections.abc import Sequence

from harness.records import Log, Score, Term
from harness_fenics.sample import Drive, Options, Puzzle

REACH = 60.0
"""Kelvin off a target (or above a limit) at which nothing is earned for it."""

OVERLOAD = 0.5
"""Share above the load limit at which nothing is earned for it."""


class FenicsReward:
    """Scores an episode of any variant."""

    id = "fenics-1"

    def __init__(self, options: Options) -> None:
        self.options = options

    def score(self, identity: Drive | Puzzle, log: Log) -> Score:
        """Score what was handed in; without it nothing is earned."""
        needed = "truth" if isinstance(identity, Puzzle) else "monitors"
        if log.answer is None or needed not in log.metrics:
            return Score(False, (Term("targets", 0.0),), margin=-1.0, detail="nothing was handed in")
        if isinstance(identity, Puzzle):
            return self._puzzle(identity, log)
        return self._drive(identity, log)

    def _drive(self, drive: Drive, log: Log) -> Score:
        seen = log.metrics
        off = [value - m.target for value, m in zip(seen["monitors"], drive.monitors, strict=True)]
        over = [seen["hottest"] - drive.hottest, seen["bond"] - drive.bond]
        overload = seen["load"] / drive.load - 1
        # a load is a plain sum of the controls: rounding in it is forgiven
        limits = [-excess / drive.tolerance for excess in over] + [-(overload - 1e-9) * 100]
        margin = _margin([1 - abs(value) / drive.tolerance for value in off] + limits)
        kept = [_closeness(max(0.0, excess), REACH) for excess in over] + [_closeness(max(0.0, overload), OVERLOAD)]
        progress = (Term("targets", _targets(off, drive.tolerance), 3), Term("limits", _mean(kept), 1))
        return Score(
            success=margin >= 0,
            progress=progress,
            efficiency=self._efficiency(off, drive.tolerance, log),
            margin=margin,
            reason="unsafe_action" if max(over) > 0 else None,
            detail=_drive_detail(off, drive.tolerance, over, overload),
        )

    def _puzzle(self, puzzle: Puzzle, log: Log) -> Score:
        assert log.answer is not None
        off = [float(given) - true for given, true in zip(log.answer["predictions"], log.metrics["truth"], strict=True)]
        margin = _margin([1 - abs(value) / puzzle.tolerance for value in off])
        outside = sum(abs(value) > puzzle.tolerance for value in off)
        return Score(
            success=margin >= 0,
            progress=(Term("targets", _targets(off, puzzle.tolerance)),),
            efficiency=self._efficiency(off, puzzle.tolerance, log),
            margin=margin,
            detail=f"{outside} of {len(off)} predictions outside their tolerance",
        )

    def _efficiency(self, off: Sequence[float], tolerance: float, log: Log) -> tuple[Term, ...]:
        precision = _mean([max(0.0, 1 - abs(value) / tolerance) for value in off])
        solves = 1 - log.spent("solves") / self.options.solve_budget
        probes = 1 - log.spent("probes") / self.options.probes
        return (
            Term("precision", precision, 2),
            Term("solves_unused", max(0.0, solves), 1),
            Term("probes_unused", max(0.0, probes), 1),
        )


def _margin(parts: Sequence[float]) -> float:
    return max(-1.0, min(1.0, *parts))


def _targets(off: Sequence[float], tolerance: float) -> float:
    return _mean([_closeness(max(0.0, abs(value) - tolerance), REACH) for value in off])


def _closeness(excess: float, reach: float) -> float:
    return max(0.0, 1 - excess / reach)


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)


def _drive_detail(off: Sequence[float], tolerance: float, over: Sequence[float], overload: float) -> str:
    missed = sum(abs(value) > tolerance for value in off)
    said = [f"{missed} of {len(off)} monitors outside their window"]
    for name, excess in zip(("hottest point", "bond"), over, strict=True):
        if excess > 0:
            said.append(f"over-temperature: {name} {excess:.2f} K above its limit")
    if overload > 1e-9:
        said.append(f"overload: {100 * overload:.2f} % above the limit")
    return "; ".join(said)
