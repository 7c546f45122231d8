"""Shortcuts: policies that must not succeed, and unfiltered ones whose rates are published.

The lazy policies of the drives are constants, equal controls, the linear answer from one call per control (`linear`,
and for `flux` also in the temperature transformed by the told conductivity), secants that see the targets and not the
limits (`targets-only`), and in `transient` the balance of a steady state. Those of the puzzles stay with the sensors,
the middle of the ranges or the first linear fit.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

import numpy as np

from harness import Move, Scripted, View, call
from harness_fenics.policies import (
    Standing,
    Steps,
    aim,
    differences,
    fitted,
    measured,
    predicted,
)
from harness_fenics.problem import SIGMA
from harness_fenics.reading import Lens, drive_brief, drive_outputs, numbers, plain, puzzle_brief, told_lens
from harness_fenics.sample import Drive, Options, Puzzle
from harness_fenics.secant import Vector, step

Play = Callable[[View], Steps]

SEARCH_CEILING: Final = {f"{variant}-hard": 0.25 for variant in ("flux", "identify", "transient")}

# ---- drives


def constant_share(share: float) -> Play:
    """Hand in one share of the range for every control."""

    def play(view: View) -> Steps:
        brief = drive_brief(view)
        yield call("submit", controls=brief.controls(np.full(len(brief.weights), share)))

    return play


def equal(view: View) -> Steps:
    """Hand in equal controls that make nearly the allowed load."""
    brief = drive_brief(view)
    yield call("submit", controls=brief.controls(np.full(len(brief.weights), brief.even_share)))


def balance(view: View) -> Steps:
    """Hand in equal controls that hold the mean target in a steady state, by the told losses."""
    brief, facts = drive_brief(view), view.facts
    width, height = (value / 1000 for value in numbers(facts["plate"])[:2])
    coolant, left = numbers(facts["left_edge"])
    ambient, air, emissivity = numbers(facts["free_edges"])
    mean = float(brief.targets.mean())
    lost = height * left * (mean - coolant)
    lost += (2 * width + height) * (air * (mean - ambient) + emissivity * SIGMA * (mean**4 - ambient**4))
    _, derating, _ = numbers(facts["derating"])
    output = max(0.1, 1 - derating * (mean - ambient))
    share = lost / 1000 / output / float(brief.lengths.sum()) / brief.ceiling
    yield call("submit", controls=brief.controls(np.full(len(brief.weights), min(1.0, share))))


def linear(view: View) -> Steps:
    """One call per control and one more, then the answer of the linear model, limits included."""
    yield from _by_differences(view, plain)


def _by_differences(view: View, lens: Lens) -> Steps:
    brief = drive_brief(view)
    standing = yield from differences(view, np.full(len(brief.weights), brief.even_share), lens)
    yield call("submit", controls=brief.controls(_solution(standing, brief)))


def perturbed_linear(view: View) -> Steps:
    """The linear answer, each control off by up to 2 % of its range."""
    brief = drive_brief(view)
    standing = yield from differences(view, np.full(len(brief.weights), brief.even_share), plain)
    off = view.rng.uniform(-0.02, 0.02, len(brief.weights))
    yield call("submit", controls=brief.controls(_solution(standing, brief) + off))


def _solution(standing: Standing | None, brief: Any) -> Vector:
    if standing is None:
        return np.full(len(brief.weights), brief.even_share)
    return step(standing.model, standing.goal)


def transformed(view: View) -> Steps:
    """The linear answer in the integral of the told conductivity, in which pure conduction is linear."""
    yield from _by_differences(view, told_lens(view))


def targets_only(view: View) -> Steps:
    """All calls on the targets, none of the limits regarded."""
    brief = drive_brief(view)
    standing = yield from differences(view, np.full(len(brief.weights), brief.even_share), plain, limited=False)
    if standing is None:
        yield from equal(view)
        return
    goal = standing.goal
    for _ in range(view.limits.budgets["solves"] - len(brief.weights) - 1):
        point = step(standing.model, goal)
        seen = yield call("solve", controls=brief.controls(point))
        standing.model.correct(point, drive_outputs(seen.data, plain))
        if goal.misfit(standing.model.outputs) < 0.9:
            break
    yield call("submit", controls=brief.controls(standing.model.point))


def search(view: View) -> Steps:
    """Random controls with all calls; hand in the best."""
    brief, tried = drive_brief(view), []
    goal = aim(brief, plain)
    for _ in range(view.limits.budgets["solves"]):
        share = view.rng.uniform(0.05, 0.95, len(brief.weights))
        seen = yield call("solve", controls=brief.controls(share))
        if seen.error is None:
            tried.append((goal.misfit(drive_outputs(seen.data, plain)), share))
    best = min(tried, key=lambda each: each[0])[1] if tried else np.full(len(brief.weights), 0.5)
    yield call("submit", controls=brief.controls(best))


def random_drive(view: View) -> Steps:
    """Legal controls at random, solved, probed or handed in."""
    brief = drive_brief(view)
    width, height = numbers(view.facts["plate"])[:2]
    for _ in range(view.limits.turns):
        share = view.rng.uniform(0, 1, len(brief.weights))
        choice = int(view.rng.integers(4))
        if choice == 0:
            yield call("submit", controls=brief.controls(share))
        elif choice == 1:
            yield call("probe", x=float(view.rng.uniform(0, width)), y=float(view.rng.uniform(0, height)))
        else:
            yield call("solve", controls=brief.controls(share))


def fit_controls(seen: Sequence[Drive], options: Options) -> Play:
    """The best constant: the median share of each control over training instances."""
    shares = np.median([np.array(drive.answer) / drive.ceiling for drive in seen], axis=0)

    def play(view: View) -> Steps:
        yield call("submit", controls=drive_brief(view).controls(shares))

    return play


def of_drives(options: Options) -> dict[str, Scripted]:
    """Shortcuts of `flux` and `transient`."""
    own: Mapping[str, Scripted] = {
        "flux": {"transformed": Scripted(transformed, summary="linear answer in the conductivity integral")},
        "transient": {"balance": Scripted(balance, summary="equal controls by the steady energy balance")},
    }[options.variant]
    return {
        "random": Scripted(random_drive, summary="legal controls at random"),
        "zeros": Scripted(constant_share(0.0), summary="no heat"),
        "mid-range": Scripted(constant_share(0.5), summary="half of the range for every control"),
        "equal": Scripted(equal, summary="equal controls that make nearly the allowed load"),
        "linear": Scripted(linear, summary="linear model from one call per control and one more"),
        "targets-only": Scripted(targets_only, summary="secant steps that regard no limit"),
        **own,
        "perturbed-linear": Scripted(perturbed_linear, "adversary", summary="the linear answer with noise"),
        "constant": Scripted(None, "adversary", fit=fit_controls, ceiling=0.1, summary="best constant shares"),
        "search": Scripted(search, "adversary", ceiling=SEARCH_CEILING, summary="best of random controls"),
    }


# ---- puzzles


def _handed(values: Sequence[float] | Vector) -> Move:
    return call("submit", predictions=[float(np.clip(round(float(value), 2), 0, 5000)) for value in values])


def ambient(view: View) -> Steps:
    """Hand in the temperature of the surroundings."""
    brief = puzzle_brief(view)
    yield _handed([numbers(view.facts["free_edges"])[0]] * len(brief.held))


def nearest(view: View) -> Steps:
    """Hand in what the nearest sensor measured."""
    brief = puzzle_brief(view)
    places, seen = yield from measured(view, brief)
    far = ((places[None] - brief.held[:, None]) ** 2).sum(axis=2)
    yield _handed(seen[far.argmin(axis=1)])


def hottest(view: View) -> Steps:
    """Hand in the highest measurement for every point."""
    brief = puzzle_brief(view)
    _, seen = yield from measured(view, brief)
    yield _handed([seen.max()] * len(brief.held))


def surface(terms: Callable[[Vector], Vector]) -> Play:
    """Fit a surface to the measurements and read it at the held-back points."""

    def play(view: View) -> Steps:
        brief = puzzle_brief(view)
        places, seen = yield from measured(view, brief)
        weights = np.linalg.lstsq(terms(places), seen, rcond=None)[0]
        yield _handed(terms(brief.held) @ weights)

    return play


def plane(places: Vector) -> Vector:
    """Terms of a plane."""
    return np.column_stack([np.ones(len(places)), places])


def saddle(places: Vector) -> Vector:
    """Terms of harmonic polynomials to second degree: what conduction without a source would look like."""
    x, y = places.T / 50
    return np.column_stack([np.ones(len(places)), x, y, x * y, x**2 - y**2])


def first_fit(noise: float = 0.0) -> Play:
    """Measure, solve once per unknown and once more, and hand in the linear model's predictions."""

    def play(view: View) -> Steps:
        brief = puzzle_brief(view)
        _, seen = yield from measured(view, brief)
        model = yield from fitted(view, brief, seen, 0, np.full(len(brief.low), 0.5))
        off = view.rng.normal(0.0, noise, len(brief.held)) if noise else 0.0
        yield _handed(np.array(predicted(brief, model, seen)) + off)

    return play


def middle(view: View) -> Steps:
    """Solve once in the middle of all ranges and hand in the model's predictions."""
    brief = puzzle_brief(view)
    answer = yield call("solve", parameters=brief.parameters(np.full(len(brief.low), 0.5)))
    yield _handed(answer.data["model_at_held_back_points_K"])


def search_fit(view: View) -> Steps:
    """Measure, solve for random parameters with all calls, hand in the predictions of the best."""
    brief, tried = puzzle_brief(view), []
    yield from measured(view, brief)
    for _ in range(view.limits.budgets["solves"]):
        seen = yield call("solve", parameters=brief.parameters(view.rng.uniform(0, 1, len(brief.low))))
        if seen.error is None:
            tried.append((seen.data["rms_misfit_K"], seen.data["model_at_held_back_points_K"]))
    best = min(tried, key=lambda each: float(each[0]))[1] if tried else [400.0] * len(brief.held)
    yield _handed(best)


def random_puzzle(view: View) -> Steps:
    """Legal calls at random: measurements, parameters, predictions."""
    brief = puzzle_brief(view)
    for _ in range(view.limits.turns):
        choice = int(view.rng.integers(4))
        if choice == 0:
            yield _handed(view.rng.uniform(300, 900, len(brief.held)))
        elif choice == 1:
            yield call("solve", parameters=brief.parameters(view.rng.uniform(0, 1, len(brief.low))))
        else:
            place = {"x": view.rng.uniform(0, brief.width), "y": view.rng.uniform(0, brief.height)}
            yield call("probe", **{name: float(value) for name, value in place.items()})


def fit_predictions(seen: Sequence[Puzzle], options: Options) -> Play:
    """The best constant: the median true temperature over training instances."""
    from harness_fenics.world import temperatures

    level = float(np.median([temperatures(puzzle, puzzle.values, puzzle.held) for puzzle in seen]))

    def play(view: View) -> Steps:
        yield _handed([level] * len(puzzle_brief(view).held))

    return play


def of_puzzles() -> dict[str, Scripted]:
    """Shortcuts of `identify`."""
    return {
        "random": Scripted(random_puzzle, summary="legal calls at random"),
        "ambient": Scripted(ambient, summary="the temperature of the surroundings"),
        "nearest": Scripted(nearest, summary="what the nearest sensor measured"),
        "hottest": Scripted(hottest, summary="the highest measurement for every point"),
        "plane": Scripted(surface(plane), summary="linear interpolation of the measurements"),
        "harmonic": Scripted(surface(saddle), summary="harmonic interpolation of the measurements"),
        "mid-range": Scripted(middle, summary="the model in the middle of all ranges"),
        "linear": Scripted(first_fit(), summary="linear fit from one call per unknown and one more"),
        "perturbed-linear": Scripted(first_fit(1.0), "adversary", summary="the linear fit with noise"),
        "constant": Scripted(None, "adversary", fit=fit_predictions, ceiling=0.1, summary="best constant"),
        "search": Scripted(search_fit, "adversary", ceiling=SEARCH_CEILING, summary="best of random parameters"),
    }
