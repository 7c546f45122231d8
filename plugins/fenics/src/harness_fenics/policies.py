"""The scripted policies: the reference of each kind of world, and the registry of all.

The reference of a drive solves once with equal controls, once more for each control, and then follows Gauss-Newton
steps with secants under the limits until everything is met or its calls are spent. The reference of a puzzle first
measures around the sealed zone, then fits the model in the same way and hands in what it predicts. Neither sees
anything but the prompt and what the tools answer.
"""

from __future__ import annotations

from collections.abc import Generator
from typing import Any, Final

import numpy as np
from attrs import frozen

from harness import Move, Observation, Scripted, View, call, calls
from harness_fenics.reading import (
    DriveBrief,
    Lens,
    PuzzleBrief,
    drive_brief,
    drive_outputs,
    plain,
    puzzle_brief,
    requirements_met,
    told_lens,
)
from harness_fenics.sample import Options
from harness_fenics.secant import Affine, Goal, Vector, step

Steps = Generator[Move, Observation, None]

DIFFERENCE: Final = 0.2
"""Share of its range by which a control is moved to see what it does."""

LONGEST: Final = 0.35
"""Largest move of a control in one step, share of its range."""

CAREFUL: Final = 0.3
"""Share of the tolerance that is kept from every limit."""


# ---- drives


@frozen(eq=False)
class Standing:
    """Where a drive stands: what was asked, the model of the outputs, and how temperatures are looked at."""

    brief: DriveBrief
    model: Affine
    goal: Goal
    lens: Lens


def aim(brief: DriveBrief, lens: Lens, limited: bool = True) -> Goal:
    """The goal of a drive over the outputs monitors, bond, hottest, load."""
    wanted = lens(brief.targets)
    scale = lens(brief.targets + brief.tolerance) - wanted
    if not limited:
        return Goal(wanted, scale)
    pad = CAREFUL * max(brief.tolerance, 4.0)
    limits = np.array([brief.bond, brief.hottest]) - pad
    ceilings, firm = lens(limits), lens(limits + brief.tolerance) - lens(limits)
    return Goal(wanted, scale, np.append(ceilings, 0.995 * brief.load), np.append(firm, 0.01 * brief.load))


def differences(
    view: View, base: Vector, lens: Lens, limited: bool = True
) -> Generator[Move, Observation, Standing | None]:
    """Solve at a base and with each control moved alone; None when the calls do not suffice for all."""
    brief = drive_brief(view)
    if view.limits.budgets["solves"] < len(base) + 1:
        return None
    seen = yield call("solve", controls=brief.controls(base))
    model = Affine(base, drive_outputs(seen.data, lens))
    for number in range(len(base)):
        moved = base.copy()
        moved[number] += DIFFERENCE if base[number] < 0.6 else -DIFFERENCE
        seen = yield call("solve", controls=brief.controls(moved))
        model.difference(number, moved, drive_outputs(seen.data, lens))
    return Standing(brief, model, aim(brief, lens, limited), lens)


def refine(view: View, standing: Standing) -> Generator[Move, Observation, Vector]:
    """Spend the remaining calls on steps; return the shares to hand in."""
    model, goal, brief = standing.model, standing.goal, standing.brief
    for _ in range(view.limits.budgets["solves"] - len(model.point) - 1):
        wanted = step(model, goal)
        point = model.point + np.clip(wanted - model.point, -LONGEST, LONGEST)
        seen = yield call("solve", controls=brief.controls(point))
        model.correct(point, drive_outputs(seen.data, standing.lens))
        if requirements_met(seen.data) and goal.misfit(model.outputs) < 0.9:
            return point
        model.point, model.outputs = min(model.seen, key=lambda each: goal.misfit(each[1]))
    return step(model, goal)


def chosen_lens(view: View) -> Lens:
    """Look through the law's integral when it grows with temperature.

    Then conduction and radiation bend temperatures the same way and the integral straightens them; with other laws they
    bend in opposite ways, and temperatures as they are come closer to straight.
    """
    law = view.facts.get("law", "")
    return told_lens(view) if "t)" in law and "/ (1 +" not in law else plain


def drive_reference(view: View) -> Steps:
    """Differences, then secant steps under the limits; with few calls, equal controls scaled to the targets."""
    brief = drive_brief(view)
    count = len(brief.weights)
    standing = yield from differences(view, np.full(count, brief.even_share), chosen_lens(view))
    if standing is None:
        yield from _scaled(view, brief, count)
        return
    point = yield from refine(view, standing)
    yield call("submit", controls=brief.controls(point))


def _scaled(view: View, brief: DriveBrief, count: int) -> Steps:
    share, wanted = brief.even_share, float(brief.targets.mean())
    for _ in range(view.limits.budgets["solves"]):
        seen = yield call("solve", controls=brief.controls(np.full(count, share)))
        reached = float(drive_outputs(seen.data, plain)[: len(brief.targets)].mean())
        share = float(np.clip(share * (wanted - 300) / max(1.0, reached - 300), 0.0, 1.0))
    yield call("submit", controls=brief.controls(np.full(count, share)))


# ---- puzzles


def measured(view: View, brief: PuzzleBrief) -> Generator[Move, Observation, tuple[Vector, Vector]]:
    """Measure at well-spread places outside the zone, in one turn; return places (n, 2) and temperatures."""
    places = spots(brief, view.limits.budgets["probes"])
    seen = yield calls(*(call("probe", x=x, y=y) for x, y in places))
    return np.array(places), np.array([seen.item(number)["T_K"] for number in range(len(places))])


def spots(brief: PuzzleBrief, count: int) -> list[tuple[float, float]]:
    """Places to measure: around the sealed zone, and where the other unknowns show."""
    left, right, low, high = brief.zone
    others: list[tuple[float, float]] = []
    if len(brief.names) > 3:
        others += [(x, y) for x, y in brief.heaters]
    if "left_transfer" in brief.names:
        others += [(0.0, brief.height / 2), (0.0, 5.0)]
    others = [place for place in others if not (left <= place[0] <= right and low <= place[1] <= high)]
    others = others[: max(0, count - 6)]
    return ring((left - 1, right + 1, low - 1, high + 1), count - len(others)) + others


def ring(box: tuple[float, float, float, float], count: int) -> list[tuple[float, float]]:
    """Places equally spaced along a rectangle, from the middle of its left side."""
    left, right, low, high = box
    across, up = right - left, high - low
    made = []
    for number in range(count):
        along = (number / count * 2 * (across + up) + up / 2) % (2 * (across + up))
        if along < up:
            made.append((left, low + along))
        elif along < up + across:
            made.append((left + along - up, high))
        elif along < 2 * up + across:
            made.append((right, high - (along - up - across)))
        else:
            made.append((right - (along - 2 * up - across), low))
    return [(round(x, 1), round(y, 1)) for x, y in made]


def fit_outputs(answer: Any) -> Vector:
    """Model temperatures of an answer of `solve`: at the measured places, then at the held-back points."""
    measured_at = [each["model_K"] for each in answer["measurements"]]
    return np.array([*measured_at, *answer["model_at_held_back_points_K"]])


def guess(brief: PuzzleBrief, places: Vector, seen: Vector) -> Vector:
    """Shares to start from: the source where the measurements point, everything else in the middle of its range."""
    left, right, low, high = brief.zone
    near = [left - 3 < x < right + 3 and low - 3 < y < high + 3 for x, y in places]
    weights = (seen[near] - seen[near].min()) ** 2
    centre = (places[near] * weights[:, None]).sum(axis=0) / max(1e-9, weights.sum())
    base = np.full(len(brief.low), 0.5)
    base[:2] = np.clip((centre - brief.low[:2]) / (brief.high[:2] - brief.low[:2]), 0.25, 0.75)
    return base


def fitted(
    view: View, brief: PuzzleBrief, seen: Vector, steps: int, base: Vector
) -> Generator[Move, Observation, Affine]:
    """Fit the model to the measurements with at most so many calls after the differences."""
    answer = yield call("solve", parameters=brief.parameters(base))
    model = Affine(base, fit_outputs(answer.data))
    for number in range(min(len(base), view.limits.budgets["solves"] - 1)):
        moved = base.copy()
        moved[number] += DIFFERENCE if base[number] <= 0.5 else -DIFFERENCE
        answer = yield call("solve", parameters=brief.parameters(moved))
        model.difference(number, moved, fit_outputs(answer.data))
    goal = fit_goal(brief, seen)
    for _ in range(steps):
        wanted = step(model, goal)
        point = model.point + np.clip(wanted - model.point, -LONGEST, LONGEST)
        answer = yield call("solve", parameters=brief.parameters(point))
        model.correct(point, fit_outputs(answer.data))
        model.point, model.outputs = min(model.seen, key=lambda each: goal.total(each[1]))
    return model


def fit_goal(brief: PuzzleBrief, seen: Vector) -> Goal:
    """The goal of a fit: every measurement within its noise."""
    return Goal(seen, np.full(len(seen), max(brief.noise, 0.05)))


def predicted(brief: PuzzleBrief, model: Affine, seen: Vector) -> list[float]:
    """Temperatures at the held-back points after one more step of the model."""
    found = model.predict(step(model, fit_goal(brief, seen)))[len(seen) :]
    return [float(np.clip(round(float(value), 2), 0, 5000)) for value in found]


def puzzle_reference(view: View) -> Steps:
    """Measure, fit with all calls, hand in the predictions of the fit."""
    brief = puzzle_brief(view)
    places, seen = yield from measured(view, brief)
    steps = max(0, view.limits.budgets["solves"] - len(brief.low) - 1)
    model = yield from fitted(view, brief, seen, steps, guess(brief, places, seen))
    yield call("submit", predictions=predicted(brief, model, seen))


def policies(options: Options) -> dict[str, Scripted]:
    """Return all scripted policies of a variant by name."""
    from harness_fenics import shortcuts

    if options.variant == "identify":
        return {
            "reference": Scripted(puzzle_reference, "reference", summary="measures, fits by secants, predicts"),
            **shortcuts.of_puzzles(),
        }
    return {
        "reference": Scripted(drive_reference, "reference", summary="differences, then secant steps under the limits"),
        **shortcuts.of_drives(options),
    }
