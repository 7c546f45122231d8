"""Proposing instances: a plate, its heaters and monitors, a hidden solution, and requirements made from it.

In the drives the hidden solution is moved along the one direction that leaves the monitors alone to where the hottest
heater is coolest, and the limit is set just above that: whoever meets the targets in another way overheats the plate.
So the limit is active by construction, and targets alone do not solve an instance.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, TypeAlias

import numpy as np
from attrs import evolve

from harness.errors import Reject
from harness_fenics.engine import NoConvergence
from harness_fenics.problem import Exchange, Law, Patch, Plate, Segment, Source, Steady, Transient
from harness_fenics.sample import BANDS, LAYOUTS, PARAMETERS, Deviations, Drive, Monitor, Options, Puzzle, Unknown, Zone
from harness_fenics.world import MEGA, MILLI, read, temperatures

if TYPE_CHECKING:
    from numpy.random import Generator

    Vector: TypeAlias = np.ndarray[Any, np.dtype[np.float64]]

PITCH: Final = 5
"""Side of a mesh cell, mm."""

PLATES: Final = ((20, 12), (24, 12), (20, 14))
"""Cells along x and y."""

INSIDE: Final = (0.08, 0.94)
"""Share of its range in which every hidden control lies."""

LEAST_AUTHORITY: Final = 15.0
"""Kelvin by which the monitors must answer to the weakest combination of full-range controls."""

FARTHEST: Final = 0.6
"""Farthest move along the direction that the monitors do not feel, in shares of the range."""

LEAST_RELIEF: Final = 9.0
"""Kelvin by which that move must relieve some heater, so that its limit is felt."""

STEPS: Final = 16
"""Time steps per stage."""

DRAWS: Final = 8
"""Plates drawn before giving up; at most about one in four is of no use."""


class _Unusable(Exception):
    """A draw that makes no instance."""


def propose(options: Options, rng: Generator) -> Drive | Puzzle:
    """Draw plates until one makes an instance.

    Raises:
        Reject: Every draw overheats, stays cold, or leaves the monitors without authority.
    """
    reason: Exception | None = None
    for _ in range(DRAWS):
        try:
            return _puzzle(options, rng) if options.variant == "identify" else _drive(options, rng)
        except (NoConvergence, _Unusable) as error:
            reason = error
    raise Reject(f"{reason}, the last of {DRAWS} draws") from reason


# ---- parts


def _plate(rng: Generator) -> Plate:
    columns, rows = PLATES[int(rng.integers(len(PLATES)))]
    return Plate(columns, rows, PITCH * MILLI)


def _between(rng: Generator, low: float, high: float, digits: int = 0) -> float:
    return round(float(rng.uniform(low, high)), digits)


def _segments(plate: Plate, count: int, rng: Generator) -> tuple[Segment, ...]:
    """Heated stretches in `count` of six slots around the free edges, sorted along the rim."""
    half, middle = plate.columns // 2, plate.rows // 2
    slots = [("bottom", 2, half), ("bottom", half + 1, plate.columns - 1), ("right", 1, middle)]
    slots += [("right", middle + 1, plate.rows), ("top", half + 1, plate.columns - 1), ("top", 2, half)]
    made = []
    for number in sorted(rng.permutation(6)[:count]):
        edge, first, last = slots[int(number)]
        size = min(int(rng.integers(3, 6)), last - first)
        start = int(rng.integers(first, last - size + 1))
        made.append(Segment(edge, start * PITCH * MILLI, (start + size) * PITCH * MILLI))  # type: ignore[arg-type]
    return tuple(made)


def _near(plate: Plate, segment: Segment, rng: Generator) -> tuple[int, int]:
    """A point some way inward from a segment, mm."""
    along = round((segment.start + segment.stop) / 2 / MILLI) + int(rng.integers(-6, 7))
    depth = int(rng.integers(7, 14))
    if segment.edge == "right":
        return round(plate.width / MILLI) - depth, along
    return along, depth if segment.edge == "bottom" else round(plate.height / MILLI) - depth


def _law(rng: Generator) -> Law:
    kind = ("rising", "falling", "dipping")[int(rng.integers(3))]
    k0 = _between(rng, 9, 22, 1)
    if kind == "rising":
        return Law("rising", k0, _between(rng, 0.15, 0.4, 2))
    if kind == "falling":
        return Law("falling", round(1.7 * k0, 1), _between(rng, 0.12, 0.3, 2))
    return Law("dipping", round(1.4 * k0, 1), _between(rng, 0.2, 0.28, 2), _between(rng, 0.04, 0.06, 3))


def _exchange(rng: Generator, left: tuple[float, float]) -> Exchange:
    return Exchange(
        left=_between(rng, *left, -1),
        coolant=_between(rng, 288, 320),
        air=_between(rng, 10, 45),
        ambient=_between(rng, 290, 310),
        emissivity=_between(rng, 0.7, 0.95, 2),
    )


def _deviations(rng: Generator) -> Deviations:
    bands = (BANDS.conductivity, BANDS.transfer, BANDS.emissivity)
    return Deviations(*(1 + _between(rng, -band, band, 6) for band in bands))


# ---- drives


def _drive(options: Options, rng: Generator) -> Drive:
    start = _blank(options, rng)
    drive = _scaled(start, _between(rng, 1100, 1400) if start.steady else _between(rng, 600, 760))
    authority = _Authority(drive, _spread(options.controls, rng))
    point, weak = authority.shifted()
    answer = tuple(round(float(value), 1) for value in point * drive.ceiling)
    seen = read(drive, answer)
    monitors = tuple(
        evolve(monitor, target=round(value, 1)) for monitor, value in zip(drive.monitors, seen.monitors, strict=True)
    )
    if not 480 < seen.hottest < 1750:
        raise _Unusable(f"the hottest point would be at {seen.hottest:.0f} K")
    hottest = int(np.ceil(seen.hottest + options.slack))
    load = round(seen.load * _between(rng, 1.03, 1.07, 3), 2)
    bond = int(np.ceil(seen.peaks[weak] + options.slack))
    return evolve(drive, monitors=monitors, hottest=hottest, weak=weak, bond=bond, load=load, answer=answer)


def _blank(options: Options, rng: Generator) -> Drive:
    """A drive without scale, targets and limits."""
    plate, truth = _plate(rng), _deviations(rng)
    steady, heating = None, None
    if options.variant == "flux":
        steady = _steady(plate, options.controls, rng)
        segments, stages = steady.segments, 1
    else:
        heaters, stages = LAYOUTS[options.controls]
        heating = _heating(plate, heaters, stages, rng)
        segments = heating.segments
    return Drive(
        steady=steady,
        heating=heating,
        truth=truth,
        ceiling=100,
        monitors=_monitors(plate, segments, stages, rng),
        tolerance=options.tolerance / 10,
        hottest=0,
        weak=0,
        bond=0,
        load=0.0,
        answer=(0.0,) * options.controls,
    )


def _steady(plate: Plate, controls: int, rng: Generator) -> Steady:
    width, height = round(plate.width / MILLI), round(plate.height / MILLI)
    left, low = PITCH * int(rng.integers(4, plate.columns - 8)), PITCH * int(rng.integers(2, plate.rows - 6))
    factor = _between(rng, 0.25, 0.5, 2) if rng.random() < 0.5 else _between(rng, 2, 4, 1)
    across, up = PITCH * int(rng.integers(3, 6)), PITCH * int(rng.integers(3, 6))
    patch = Patch(left * MILLI, (left + across) * MILLI, low * MILLI, (low + up) * MILLI, factor)
    source = Source(
        x=int(rng.integers(20, width - 20)) * MILLI,
        y=int(rng.integers(15, height - 15)) * MILLI,
        width=int(rng.integers(7, 13)) * MILLI,
        peak=_between(rng, 1, 4, 1) * MEGA,
    )
    segments = _segments(plate, controls, rng)
    return Steady(plate, _exchange(rng, (60, 250)), segments, (0.0,) * controls, _law(rng), patch, source)


def _heating(plate: Plate, heaters: int, stages: int, rng: Generator) -> Transient:
    return Transient(
        plate=plate,
        exchange=_exchange(rng, (100, 400)),
        segments=_segments(plate, heaters, rng),
        settings=((0.0,) * heaters,) * stages,
        stage=_between(rng, 300, 600, -1),
        slew=0.0,
        derating=_between(rng, 0.0004, 0.0009, 5),
        conductivity=_between(rng, 14, 30, 1),
        heat_capacity=_between(rng, 2.2, 3.8, 1) * MEGA,
        steps=STEPS,
    )


def _monitors(plate: Plate, segments: tuple[Segment, ...], stages: int, rng: Generator) -> tuple[Monitor, ...]:
    """One point near each heater, asked for at the end of each stage, but one of them not at the end of the last."""
    points = [(chr(65 + number), *_near(plate, segment, rng)) for number, segment in enumerate(segments)]
    asked = [Monitor(*point, stage, 0.0) for stage in range(1, stages + 1) for point in points]
    dropped = len(asked) - 1 - int(rng.integers(len(segments)))
    return tuple(monitor for number, monitor in enumerate(asked) if number != dropped)


def _scaled(drive: Drive, wanted: float) -> Drive:
    """Set the range of the controls so that two thirds of it heat the plate about as wanted."""
    share = 0.5
    hottest = wanted
    for _ in range(2):
        if drive.heating is not None:
            rise = drive.ceiling * 1e3 / (drive.heating.stage * 0.25)
            drive = evolve(drive, heating=evolve(drive.heating, slew=float(round(rise))))
        hottest = read(drive, (share * drive.ceiling,) * len(drive.answer)).hottest
        factor = (wanted - 300) / (hottest - 300)
        drive = evolve(drive, ceiling=max(10, 5 * round(drive.ceiling * factor ** (1.6 if drive.steady else 1.2) / 5)))
    return drive


def _spread(count: int, rng: Generator) -> Vector:
    """Shares of the range, low for about half of the controls and high for the others."""
    high = rng.permutation(count) < (count + int(rng.integers(2))) // 2
    return np.asarray(np.where(high, rng.uniform(0.6, 0.9, count), rng.uniform(0.12, 0.4, count)))


class _Authority:
    """How monitors and heater peaks answer to the controls around a point, by differences."""

    def __init__(self, drive: Drive, share: Vector) -> None:
        self._drive, self._share, step = drive, share, 0.12
        base_monitors, base_peaks = self._outputs(share)
        monitors, peaks = [], []
        for number in range(len(share)):
            moved = share.copy()
            moved[number] += step
            seen_monitors, seen_peaks = self._outputs(moved)
            monitors.append((seen_monitors - base_monitors) / step)
            peaks.append((seen_peaks - base_peaks) / step)
        self._monitors, self._peaks, self._base = np.array(monitors).T, np.array(peaks).T, base_peaks

    def _outputs(self, share: Any) -> tuple[Any, Any]:
        seen = read(self._drive, tuple(float(value) for value in share * self._drive.ceiling))
        return np.array(seen.monitors), np.array(seen.peaks)

    def shifted(self) -> tuple[Vector, int]:
        """Move along the direction that the monitors do not feel, so that some heater is relieved.

        Returns:
            The point, as shares of the range, and the heater that is relieved most by the move.

        Raises:
            _Unusable: The monitors hardly feel some combination of controls, or there is no room to move.
        """
        _, sizes, directions = np.linalg.svd(self._monitors)
        if sizes[-1] < LEAST_AUTHORITY:
            raise _Unusable("the monitors hardly feel some combination of controls")
        moves = [self._reach(sign * directions[-1]) for sign in (1.0, -1.0)]
        move = min(moves, key=lambda each: float((self._peaks @ each).min()))
        relief = self._peaks @ move
        if relief.min() > -LEAST_RELIEF:
            raise _Unusable("there is no room to relieve a heater")
        return self._share + move, int(np.argmin(relief))

    def _reach(self, direction: Vector) -> Vector:
        """Follow a direction to the end of the allowed box, at most `FARTHEST`."""
        ends = np.where(direction > 0, INSIDE[1], INSIDE[0])
        felt = np.abs(direction) > 1e-9
        room = (ends - self._share)[felt] / direction[felt]
        return np.asarray(direction * min(FARTHEST, float(room.min())))


# ---- puzzles


def _puzzle(options: Options, rng: Generator) -> Puzzle:
    plate = _plate(rng)
    zone = _zone(plate, rng)
    unknowns = _unknowns(options.controls, zone, rng)
    values = tuple(_value(unknown, rng) for unknown in unknowns)
    width = int(rng.integers(6, 10)) * MILLI
    steady = Steady(
        plate=plate,
        exchange=_exchange(rng, (300, 1000)),
        segments=_segments(plate, 2, rng),
        fluxes=(_between(rng, 15, 60) * 1e3, _between(rng, 15, 60) * 1e3),
        law=Law("rising", _between(rng, 12, 24, 1), _between(rng, 0.05, 0.25, 2)),
        source=Source(0.0, 0.0, width, 0.0),
    )
    puzzle = Puzzle(
        steady=steady,
        unknowns=unknowns,
        zone=zone,
        held=_held(zone, rng),
        tolerance=options.tolerance / 10,
        noise=options.noise / 10,
        values=values,
    )
    truth = temperatures(puzzle, values, puzzle.held)
    if not 380 < max(truth) < 1000:
        raise _Unusable(f"the hottest held-back point would be at {max(truth):.0f} K")
    return puzzle


def _zone(plate: Plate, rng: Generator) -> Zone:
    width, height = round(plate.width / MILLI), round(plate.height / MILLI)
    across, up = int(rng.integers(36, 47)), int(rng.integers(28, 35))
    left = int(rng.integers(12, width - across - 11))
    low = int(rng.integers(10, height - up - 9))
    return Zone(left, left + across, low, low + up)


def _unknowns(count: int, zone: Zone, rng: Generator) -> tuple[Unknown, ...]:
    weakest = _between(rng, 8, 16)
    k0, transfer = _between(rng, 11, 16, 1), _between(rng, 250, 500, -1)
    bounds = {
        "source_x": (zone.left + 5.0, zone.right - 5.0),
        "source_y": (zone.low + 5.0, zone.high - 5.0),
        "source_peak": (weakest, 3.5 * weakest),
        "conductivity": (k0, 2 * k0),
        "slope": (0.02, 0.32),
        "left_transfer": (transfer, 3 * transfer),
    }
    return tuple(Unknown(name, *bounds[name]) for name in PARAMETERS[:count])


def _value(unknown: Unknown, rng: Generator) -> float:
    share = rng.uniform(0.04, 0.96)
    return round(float(unknown.low + share * (unknown.high - unknown.low)), 5)


def _held(zone: Zone, rng: Generator) -> tuple[tuple[int, int], ...]:
    """Three points well inside the zone, at least 9 mm apart."""
    found: list[tuple[int, int]] = []
    while len(found) < 3:
        x, y = int(rng.integers(zone.left + 6, zone.right - 5)), int(rng.integers(zone.low + 6, zone.high - 5))
        if all((x - other_x) ** 2 + (y - other_y) ** 2 >= 81 for other_x, other_y in found):
            found.append((x, y))
    return tuple(found)
