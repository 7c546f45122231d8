"""Scripted policies: the reference, the lazy ones that must fail, and the adversaries whose rates are published.

The reference works as an engineer with a reduced model would: simulate a design, fit the unknown deviation of the cell
and the model's remaining error to what was measured, move to the best design of the corrected model, and submit once
every requirement is met. It reads prompt and results only.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
from attrs import evolve, frozen
from numpy.typing import NDArray

from harness import Move, Observation, Scripted, View, call, calls, generator
from harness_battery import brief, twin
from harness_battery.brief import Brief
from harness_battery.chemistry import BOUNDS
from harness_battery.requirements import N_TO_P, RULES, ZERO_CELSIUS, asked
from harness_battery.sample import BANDS, LEVELS, Identity, Options
from harness_battery.search import HIGH, LOW, Effort, best_design, rounded
from harness_battery.world import Deviation

Array = NDArray[np.float64]
Script: TypeAlias = Generator[Move, Observation, None]
Values: TypeAlias = dict[str, Array]

CARE = 0.95  # factor on the electrolyte's transport for every design that starved
SAME = 0.002  # designs closer than this share of every range count as one
MIDDLE = Deviation(**{name: (low + high) / 2 for name, (low, high) in BANDS.items()})
ROOM = {
    "n_to_p": 0.01,
    "capacity_ah": 0.004,
    "energy_wh_per_kg": 0.002,
    "peak_c": 0.01,
    "plating_mv": 0.06,
    "charge_percent": 0.02,
}
"""Share of distance that counts as comfortable: the reference aims for the same comfort in every quantity."""


@frozen(eq=False)
class Measured:
    """One simulation: the design and what it gave; without values where the model had no solution."""

    row: Array
    values: Mapping[str, float]
    worst: float


def predict(task: Brief, rows: Array, deviation: Deviation) -> Values:
    """Return the quantities of designs by the twin, named and scaled as the tool tells them."""
    stack, seen = twin.Stack(task.name, rows), twin.discharge(task.name, rows, task.duty, deviation)
    values: Values = {
        "n_to_p": stack.n_to_p,
        "capacity_ah": seen.capacity_ah,
        "energy_wh_per_kg": seen.energy_wh / stack.mass,
        "peak_c": seen.peak_k - ZERO_CELSIUS,
    }
    if task.duty.charge_rate:
        margin, share = twin.plating(task.name, rows, task.duty, deviation)
        values |= {"plating_mv": 1e3 * margin, "charge_percent": 100 * share}
    return values


def comfort(task: Brief, values: Values) -> Array:
    """Return how comfortably designs meet all requirements: the least distance in units of `ROOM`."""
    ratio = values["n_to_p"]
    rooms = [np.minimum(ratio - N_TO_P[0], N_TO_P[1] - ratio) / ROOM["n_to_p"]]
    for name in asked(task.required):
        rule, limit = RULES[name], getattr(task.required, name)
        room = (limit - values[name]) if rule.upper else (values[name] - limit)
        rooms.append(room / (rule.scale or limit) / ROOM[name])
    return np.asarray(np.min(rooms, axis=0), float)


# ---- the reference


def reference(view: View) -> Script:
    """Simulate, fit the cell, move to the best design of the fitted model; submit the best that was measured."""
    task, rng = brief.read(view), _own_rng(view)
    seen: list[Measured] = []
    row = _best(task, rng, seen)
    for _ in range(task.simulations):
        result = yield call("simulate", **task.arguments(row))
        seen.append(_note(task, row, result))
        if seen[-1].worst >= 0.25:
            break
        row = _best(task, rng, seen)
    yield call("submit", **task.arguments(max(seen, key=lambda m: m.worst).row))


def _own_rng(view: View) -> np.random.Generator:
    """Return a generator that depends on what is told only: an instance is always played the same way."""
    return generator("battery reference", {k: v for k, v in view.facts.items() if k != "materials"})


def _note(task: Brief, row: Array, result: Observation) -> Measured:
    told = result.data if result.error is None else None
    if not told:
        return Measured(row, {}, -np.inf)
    if "value" not in told["quantities"]["n_to_p"]:  # only verdicts are told
        return Measured(
            row, {}, 1.0 if told["all_met"] else -1.0 - sum(not q["met"] for q in told["quantities"].values())
        )
    values = {name: float(q["value"]) for name, q in told["quantities"].items()}
    worst = comfort(task, {name: np.array([v]) for name, v in values.items()})[0]
    return Measured(row, values, float(worst))


def _best(task: Brief, rng: np.random.Generator, seen: Sequence[Measured]) -> Array:
    """Return the most comfortable design of the twin as fitted to the measurements.

    A cell that starved of electrolyte does not say how a working one behaves: such measurements are left out,
    and each makes the model more careful about transport.
    """
    good = [m for m in seen if m.values and not _starved(task, m)]
    starved = sum(bool(m.values) for m in seen) - len(good)
    fitted = _fit(task, good, rng)
    deviation = evolve(fitted, transport=CARE**starved * fitted.transport)
    correct = _correction(task, good, deviation)
    tried = np.array([m.row for m in seen]) if seen else np.empty((0, len(BOUNDS)))

    def score(rows: Array) -> Array:
        values = comfort(task, correct(rows, predict(task, rows, deviation)))
        apart = (np.abs(rows[:, None] - tried[None]) / (HIGH - LOW)).max(axis=2)
        return np.asarray(values - 100.0 * (apart < SAME).any(axis=1), float)

    start = max(good, key=lambda m: m.worst).row if good else task.nominal()
    return best_design(score, rng, start, task.free, Effort(240, 6, 60))


def _starved(task: Brief, measured: Measured) -> bool:
    nominal = task.cell.nominal_capacity(task.design(measured.row))
    return measured.values["capacity_ah"] < 0.75 * nominal


def _fit(task: Brief, good: Sequence[Measured], rng: np.random.Generator) -> Deviation:
    """Return the deviation that explains the measurements best, by a narrowing cloud within the told bands."""
    if not good:
        return MIDDLE
    low, high = np.array(list(BANDS.values())).T
    points = np.vstack([(low + high) / 2, rng.uniform(low, high, (47, len(low)))])
    misfits = _misfits(task, good, points)
    for _ in range(4):
        best = np.argsort(misfits, kind="stable")[:6]
        step = 0.7 * rng.normal(size=(24, len(low))) * (points[best].std(axis=0) + 0.01 * (high - low))
        fresh = np.clip(points[best][rng.integers(0, len(best), len(step))] + step, low, high)
        points = np.vstack([points[best], fresh])
        misfits = np.concatenate([misfits[best], _misfits(task, good, fresh)])
    return Deviation(*map(float, points[int(np.argmin(misfits))]))


_TRUST = {"capacity_ah": 0.004, "energy_wh_per_kg": 0.006, "peak_c": 0.06, "plating_mv": 8.0}
"""Errors of the twin that are expected: relative, for the temperature relative to the rise, for the potential in mV."""


def _misfits(task: Brief, good: Sequence[Measured], points: Array) -> Array:
    """Return how badly each candidate deviation (a row) explains the measurements; all in one call of the twin."""
    rows = np.tile([m.row for m in good], (len(points), 1))
    candidates: Any = Deviation(*np.repeat(points, len(good), axis=0).T)  # the twin takes one deviation per row as well
    values = predict(task, rows, candidates)
    ambient, total = task.duty.ambient_k - ZERO_CELSIUS, np.zeros(len(points))
    for name, trust in _TRUST.items():
        if name in values:
            told = np.tile([m.values[name] for m in good], len(points))
            error = _error(name, told, values[name], ambient) / trust
            total += np.minimum(error**2, 25.0).reshape(len(points), -1).sum(axis=1)
    return total


def _error(name: str, told: Array, twin_says: Array, ambient: float) -> Array:
    """Return the twin's error: logarithmic for what is a product, a difference for what changes sign."""
    if name == "peak_c":
        return np.log(np.maximum(told - ambient, 0.1) / np.maximum(twin_says - ambient, 0.1))
    if name in ("plating_mv", "charge_percent"):
        return told - twin_says
    return np.log(np.maximum(told, 1e-6) / np.maximum(twin_says, 1e-6))


def _correction(task: Brief, good: Sequence[Measured], deviation: Deviation) -> Callable[[Array, Values], Values]:
    """Return a function that corrects the twin by its errors at the measured designs, weighted by nearness."""
    if not good:
        return lambda rows, values: values
    known = np.array([m.row for m in good])
    ambient = task.duty.ambient_k - ZERO_CELSIUS
    at = predict(task, known, deviation)
    errors = {n: _error(n, np.array([m.values[n] for m in good]), at[n], ambient) for n in at if n != "n_to_p"}

    def correct(rows: Array, values: Values) -> Values:
        apart = (((rows[:, None] - known[None]) / (HIGH - LOW)) ** 2).sum(axis=2)
        weight = 1 / (apart + 1e-4)
        weight /= weight.sum(axis=1, keepdims=True)
        return {n: v if n == "n_to_p" else _shift(n, v, weight @ errors[n], ambient) for n, v in values.items()}

    return correct


def _shift(name: str, value: Array, error: Array, ambient: float) -> Array:
    if name == "peak_c":
        return ambient + (value - ambient) * np.exp(error)
    if name in ("plating_mv", "charge_percent"):
        return value + error
    return np.asarray(value * np.exp(error), float)


# ---- lazy policies


def _submit(choose: Callable[[Brief, View], Array]) -> Callable[[View], Script]:
    """Return a script that submits a design without measuring anything."""

    def play(view: View) -> Script:
        task = brief.read(view)
        yield call("submit", **task.arguments(rounded(choose(task, view))))

    return play


def _corner(thick: bool, porous: bool) -> Callable[[Brief, View], Array]:
    """Return a chooser of a corner of the box, with the particle radius at its middle."""

    def choose(task: Brief, view: View) -> Array:
        side = np.array([thick, porous, thick, porous, False])
        row = np.where(side, HIGH, LOW)
        row[4] = (LOW[4] + HIGH[4]) / 2
        return np.asarray(row, float)

    return choose


def _porous(task: Brief, view: View) -> Array:
    """The published thicknesses at the greatest porosity."""
    return np.where([False, True, False, True, False], HIGH, task.nominal())


def estimate_only(view: View) -> Script:
    """Estimate sixty designs; of those that could deliver what is asked, submit the lightest for its nominal energy."""
    task = brief.read(view)
    rows = rounded(np.where(task.free, view.rng.uniform(LOW, HIGH, (60, len(LOW))), task.nominal()))
    seen = yield calls(*(call("estimate", **task.arguments(row)) for row in rows))
    told = [seen.item(i) for i in range(len(rows))]
    yield call("submit", **task.arguments(rows[int(np.argmax([_promise(task, t) for t in told]))]))


def _promise(task: Brief, told: Mapping[str, float]) -> float:
    """Rate an estimate: nominal energy per mass, less what is missing in N/P and in capacity at 95 % utilisation."""
    ratio, capacity = told["n_to_p"], told["nominal_capacity_ah"]
    lacking = (
        max(0.0, 1.02 - ratio) + max(0.0, ratio - 1.28) + max(0.0, task.required.capacity_ah / (0.95 * capacity) - 1)
    )
    return capacity / told["mass_g"] - 10 * lacking


# ---- adversaries


def _perturbed(task: Brief, view: View) -> Array:
    """The published design, each variable moved by up to a tenth."""
    row = task.nominal()
    return np.clip(row * view.rng.uniform(0.9, 1.1, row.shape), LOW, HIGH)


def _unmeasured(task: Brief, view: View) -> Array:
    """The best design of the reduced model for a cell in the middle of the told bands."""
    return _best(task, _own_rng(view), ())


def search(view: View) -> Script:
    """Spend the whole budget on random designs of valid N/P, submit the best."""
    task = brief.read(view)
    seen: list[Measured] = []
    for _ in range(task.simulations):
        row = _valid(task, view)
        result = yield call("simulate", **task.arguments(row))
        seen.append(_note(task, row, result))
        if seen[-1].worst >= 0:
            break
    yield call("submit", **task.arguments(max(seen, key=lambda m: m.worst).row))


def _valid(task: Brief, view: View) -> Array:
    """Return a random design of valid N/P."""
    for _ in range(200):
        row = rounded(np.where(task.free, view.rng.uniform(LOW, HIGH), task.nominal()))
        if N_TO_P[0] <= task.cell.n_to_p(task.design(row)) <= N_TO_P[1]:
            break
    return row


def fit_constant(identities: Sequence[Identity], options: Options) -> Callable[[View], Script]:
    """Return a script that submits the one design which meets most of the training instances, by the twin."""
    rng = np.random.Generator(np.random.PCG64(0))
    tasks = [Brief(i.chemistry, i.duty, i.requirements, _free(options), i.simulations) for i in identities]
    nominal = np.mean([t.nominal() for t in tasks], axis=0)

    def wins(rows: Array) -> Array:
        total = np.zeros(len(rows))
        for task, identity in zip(tasks, identities, strict=True):
            whole = np.where(task.free, rows, task.nominal())
            worst = comfort(task, predict(task, whole, identity.deviation))
            total += (worst >= 0) + 1e-3 * np.exp(np.clip(worst, -20, 0))
        return total

    best = best_design(wins, rng, nominal, _free(options), Effort(200, 4, 40))
    return _submit(lambda task, view: best)


def _free(options: Options) -> NDArray[np.bool_]:
    return np.array([True] * 4 + [LEVELS[options.level].fast_charge])


def policies_for(options: Options) -> Mapping[str, Scripted]:
    """Return the scripted policies by name."""

    def lazy(play: Any, summary: str) -> Scripted:
        return Scripted(play, kind="lazy", summary=summary)

    def adversary(play: Any, summary: str, **more: Any) -> Scripted:
        return Scripted(play, kind="adversary", summary=summary, **more)

    return {
        "reference": Scripted(
            reference, kind="reference", summary="fits a reduced model to its measurements and follows it"
        ),
        "nominal": lazy(_submit(lambda task, view: task.nominal()), "submits the published design"),
        "mid-range": lazy(_submit(lambda task, view: (LOW + HIGH) / 2), "submits the middle of every range"),
        "thick-dense": lazy(_submit(_corner(True, False)), "submits the corner of most material"),
        "thick-porous": lazy(_submit(_corner(True, True)), "submits the corner of thick and porous electrodes"),
        "thin-dense": lazy(_submit(_corner(False, False)), "submits the corner of thin and dense electrodes"),
        "thin-porous": lazy(_submit(_corner(False, True)), "submits the corner of least material"),
        "porous": lazy(_submit(_porous), "submits the published thicknesses at the greatest porosity"),
        "estimate-only": lazy(estimate_only, "submits the best of sixty designs by the free estimate"),
        "perturbed-nominal": adversary(_submit(_perturbed), "submits the published design, moved by up to a tenth"),
        "unmeasured": adversary(_submit(_unmeasured), "submits the best design of the reduced model without measuring"),
        "constant": adversary(
            None, "submits the best single design of 500 training instances", fit=fit_constant, ceiling=0.10
        ),
        "search": adversary(search, "random designs of valid N/P with the full budget", ceiling={"hard": 0.25}),
    }
