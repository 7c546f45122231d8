"""The tool layer: solving, measuring and submitting, in two kinds of worlds.

`DriveTools` (variants `flux` and `transient`) solve the true plate for given controls and say how far every
requirement is. `PuzzleTools` (variant `identify`) measure the true plate outside the sealed zone and solve a model of
it for assumed parameters. The worlds hold only what the policy did; the plate is rebuilt from the identity.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, ClassVar

from attrs import Factory, define

from harness.errors import Infeasible, Refused
from harness.layers import Result, Toolset
from harness.schema import Length, Unit
from harness.tools import tool
from harness_fenics.engine import NoConvergence
from harness_fenics.grid import grid_of
from harness_fenics.problem import Plate
from harness_fenics.propose import PITCH, PLATES
from harness_fenics.sample import UNITS, Drive, Puzzle
from harness_fenics.world import MILLI, Reading, read, temperature_at, temperatures

UNSETTLED = "the model found no temperature field for these values"


@define
class Bench:
    """World of a drive: the controls of the last solve, and those that were handed in."""

    last: list[float] = Factory(list)
    submitted: list[float] = Factory(list)


@define
class Notebook:
    """World of a puzzle: where was measured, in mm, and what was seen, in K."""

    places: list[list[float]] = Factory(list)
    seen: list[float] = Factory(list)


class DriveTools(Toolset):
    """The callable affordances of a drive."""

    World: ClassVar[type] = Bench
    identity: Drive
    world: Bench

    @classmethod
    def warm(cls, options: Any) -> None:
        """Assemble the plates once per worker."""
        warm_plates()

    @tool(budget="solves")
    def solve(self, controls: Annotated[list[float], Length(3, 6), Unit("kW/m2")]) -> Result:
        """Solve the plate for given controls; tells how far every requirement is from being met.

        Args:
            controls: One value per control, in the order of the task.
        """
        chosen = self._controls(controls)
        seen = self._read(chosen)
        self.world.last = list(chosen)
        over = max(seen.hottest - self.identity.hottest, seen.peaks[self.identity.weak] - self.identity.bond)
        return Result(verdict(self.identity, seen), metrics={"over_temperature": round(max(0.0, over), 3)})

    @tool(budget="probes")
    def probe(self, x: Annotated[float, Unit("mm")], y: Annotated[float, Unit("mm")]) -> Mapping[str, Any]:
        """Read the temperature at any point of the last solved plate, at the end.

        Args:
            x: Distance from the left edge.
            y: Distance from the lower edge.
        """
        require_inside(self.identity.told.plate, x, y)
        if not self.world.last:
            raise Refused("nothing has been solved yet: call solve first")
        found = temperature_at(self.identity, tuple(self.world.last), x, y)
        return {"x_mm": x, "y_mm": y, "T_K": round(found, 2)}

    @tool(final=True)
    def submit(self, controls: Annotated[list[float], Length(3, 6), Unit("kW/m2")]) -> str:
        """Hand in the controls. This ends the task.

        Args:
            controls: One value per control, in the order of the task.
        """
        self.world.submitted = list(self._controls(controls))
        return "The controls are handed in."

    def calc_reward(self) -> Mapping[str, Any]:
        """Solve for the controls that were handed in."""
        if not self.world.submitted:
            return {}
        try:
            seen = read(self.identity, tuple(self.world.submitted))
        except NoConvergence:
            return {}
        bond = seen.peaks[self.identity.weak]
        return {"monitors": list(seen.monitors), "hottest": seen.hottest, "bond": bond, "load": seen.load}

    def _controls(self, controls: Sequence[float]) -> tuple[float, ...]:
        drive, count = self.identity, len(self.identity.answer)
        if len(controls) != count:
            raise Refused(
                f"argument controls: got {len(controls)} values, allowed exactly {count}", argument="controls"
            )
        for number, value in enumerate(controls):
            if not 0 <= value <= drive.ceiling:
                place = f"controls[{number}]"
                raise Refused(f"argument {place}: got {value}, allowed 0 to {drive.ceiling} kW/m2", argument=place)
        return tuple(float(value) for value in controls)

    def _read(self, controls: tuple[float, ...]) -> Reading:
        try:
            return read(self.identity, controls)
        except NoConvergence:
            raise Infeasible(UNSETTLED, argument="controls") from None


def verdict(drive: Drive, seen: Reading) -> dict[str, Any]:
    """Say how far every requirement is: differences are what was reached less what is asked, in the told units."""
    monitors = {}
    for monitor, value in zip(drive.monitors, seen.monitors, strict=True):
        off = value - monitor.target
        where = {"stage": monitor.stage} if drive.heating else {}
        told = {"T_K": round(value, 2), "off_K": round(off, 2), "met": abs(off) <= drive.tolerance}
        monitors[f"{monitor.name}{monitor.stage if drive.heating else ''}"] = where | told
    hottest = _limit(seen.hottest, drive.hottest) | {"at_mm": [round(place, 1) for place in seen.place]}
    bond = {"heater": f"H{drive.weak + 1}"} | _limit(seen.peaks[drive.weak], drive.bond)
    excess, unit = seen.load - drive.load, "MJ/m" if drive.heating else "kW/m"
    load: dict[str, Any] = {
        f"value_{unit}": round(seen.load, 4),
        "above_limit": round(excess, 4),
        "met": excess <= 1e-9 * drive.load,
    }
    if not load["met"]:
        load["unsafe"] = f"overload: {excess:.4f} {unit} above the limit"
    peaks = {f"H{number}_K": round(value, 2) for number, value in enumerate(seen.peaks, 1)}
    return {"monitors": monitors, "hottest": hottest, "bond": bond, "load": load, "heater_peaks": peaks}


def _limit(value: float, limit: float) -> dict[str, Any]:
    """Say how far a temperature is above its limit, and call it unsafe if it is."""
    over = value - limit
    told = {"T_K": round(value, 2), "above_limit_K": round(over, 2), "met": over <= 0}
    return told | ({"unsafe": f"over-temperature: {over:.2f} K above the limit"} if over > 0 else {})


class PuzzleTools(Toolset):
    """The callable affordances of a puzzle."""

    World: ClassVar[type] = Notebook
    identity: Puzzle
    world: Notebook

    @classmethod
    def warm(cls, options: Any) -> None:
        """Assemble the plates once per worker."""
        warm_plates()

    @tool(budget="probes")
    def probe(self, x: Annotated[float, Unit("mm")], y: Annotated[float, Unit("mm")]) -> Mapping[str, Any]:
        """Measure the temperature of the real plate at a point outside the sealed zone; measurements are noisy.

        Args:
            x: Distance from the left edge.
            y: Distance from the lower edge.
        """
        require_inside(self.identity.steady.plate, x, y)
        zone = self.identity.zone
        if zone.holds(x, y):
            raise Refused(
                f"arguments x and y: got ({x:g}, {y:g}) mm, allowed outside the sealed zone "
                f"x {zone.left} to {zone.right}, y {zone.low} to {zone.high} mm",
                argument="x",
            )
        (true,) = temperatures(self.identity, self.identity.values, ((x, y),))
        noise = self.identity.noise * float(self.rng("probe", self.clock.call).standard_normal())
        self.world.places.append([x, y])
        self.world.seen.append(round(true + noise, 2))
        return {"x_mm": x, "y_mm": y, "T_K": self.world.seen[-1]}

    @tool(budget="solves")
    def solve(self, parameters: list[float]) -> Mapping[str, Any]:
        """Solve the model for assumed parameters; compares it with every measurement so far.

        Args:
            parameters: One value per unknown, in the order and units of the task.
        """
        values = self._parameters(parameters)
        places = tuple((x, y) for x, y in self.world.places)
        try:
            found = temperatures(self.identity, values, places + tuple(self.identity.held))
        except NoConvergence:
            raise Infeasible(UNSETTLED, argument="parameters") from None
        compared = [
            {"x_mm": x, "y_mm": y, "model_K": round(model, 2), "model_minus_measured_K": round(model - seen, 2)}
            for (x, y), model, seen in zip(places, found, self.world.seen, strict=False)
        ]
        count = len(places)
        misfit = sum((m - s) ** 2 for m, s in zip(found, self.world.seen, strict=False)) / count if count else None
        return {
            "measurements": compared,
            "rms_misfit_K": None if misfit is None else round(misfit**0.5, 3),
            "model_at_held_back_points_K": [round(value, 2) for value in found[count:]],
        }

    @tool(final=True)
    def submit(self, predictions: Annotated[list[float], Length(3, 3), Unit("K")]) -> str:
        """Hand in the temperatures of the held-back points. This ends the task.

        Args:
            predictions: One temperature per held-back point, in the order of the task.
        """
        for number, value in enumerate(predictions):
            if not 0 <= value <= 5000:
                place = f"predictions[{number}]"
                raise Refused(f"argument {place}: got {value}, allowed 0 to 5000 K", argument=place)
        return "The predictions are handed in."

    def calc_reward(self) -> Mapping[str, Any]:
        """Solve for the true temperatures of the held-back points."""
        return {"truth": temperatures(self.identity, self.identity.values, self.identity.held)}

    def _parameters(self, parameters: Sequence[float]) -> tuple[float, ...]:
        unknowns = self.identity.unknowns
        if len(parameters) != len(unknowns):
            raise Refused(
                f"argument parameters: got {len(parameters)} values, allowed exactly {len(unknowns)}",
                argument="parameters",
            )
        for number, (value, unknown) in enumerate(zip(parameters, unknowns, strict=True)):
            if not unknown.low <= value <= unknown.high:
                place, unit = f"parameters[{number}]", UNITS[unknown.name]
                raise Refused(
                    f"argument {place} ({unknown.name}): got {value}, "
                    f"allowed {unknown.low:g} to {unknown.high:g} {unit}",
                    argument=place,
                )
        return tuple(float(value) for value in parameters)


def require_inside(plate: Plate, x: float, y: float) -> None:
    """Refuse a point beside the plate."""
    for name, value, size in (("x", x, plate.width), ("y", y, plate.height)):
        if not 0 <= value <= size / MILLI:
            raise Refused(f"argument {name}: got {value:g}, allowed 0 to {size / MILLI:g} mm", argument=name)


def warm_plates() -> None:
    """Assemble every plate that instances use."""
    for columns, rows in PLATES:
        grid_of(Plate(columns, rows, PITCH * MILLI))
