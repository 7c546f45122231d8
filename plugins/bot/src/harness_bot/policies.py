"""Scripted policies: the reference, the lazy ones that must fail, and adversaries that are measured unfiltered.

All act on the brief that the prompt gives and on what the tools answer. The reference plans among the bodies it knows,
has the path checked, looks around the place where it first runs into something unknown, and plans again: how many
rounds that takes says how much of the cell is in the way.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from harness import Move, Observation, Scripted, View, call, calls, generator
from harness_bot.arms import ARMS
from harness_bot.brief import Brief, path_json, pose_json, read_brief
from harness_bot.cell import cell_of
from harness_bot.paths import LIFT, cut, fixed_via, random_via, straight, through
from harness_bot.planner import plan
from harness_bot.poses import Pose
from harness_bot.sample import LEVEL_TABLE, Instance, Options, sweeper_of
from harness_bot.scene import Obstacle, read

Steps = Generator[Move, Observation, None]
Found = Generator[Move, Observation, Any]

_SEEDS = 12
"""Postures from which the reference looks for the goal at a time."""

_MARGIN = 0.003
"""Metres that the reference keeps beyond the clearance, so that rounding an angle does not matter."""

_ITERATIONS = (300, 1200)
_UNKNOWN_RADIUS = 0.06
"""Radius of the ball that stands for a body which was touched but cannot be scanned any more."""


def reference(view: View) -> Steps:
    """Plan among the known bodies, check, look around the first contact, plan again.

    The generator is keyed by what the prompt tells, so that an instance is played the same way every time.
    """
    brief = read_brief(view.facts)
    rng = generator("bot-reference", view.facts["start"], view.facts["goal"])
    goals: list[np.ndarray] = []
    scans = view.limits.budgets.get("scans", 0)
    path = yield from _plan(brief, goals, rng)
    for number in range(view.limits.budgets["checks"]):
        told = (yield call("check_path", waypoints=path_json(path))).data
        if told["valid"] or "first_break" not in told:
            break
        contact = told["first_break"]
        if scans:
            scans -= 1
            seen = (yield call("scan", point=contact["point"])).data["bodies"]
            brief = brief.with_bodies([read(body) for body in seen])
        if contact["against"] not in {body.name for body in brief.known}:
            x, y, z = contact["point"]
            brief = brief.with_bodies([Obstacle(f"touched {number}", "sphere", (x, y, z), (_UNKNOWN_RADIUS,))])
        path = yield from _plan(brief, goals, rng)
    yield call("submit", waypoints=path_json(path))


def _plan(brief: Brief, goals: list[np.ndarray], rng: np.random.Generator) -> Found:
    """Plan to the postures found for the goal; look for more of them when that fails; the straight line at last."""
    sweeper = brief.sweeper(_MARGIN)
    for most in _ITERATIONS:
        path = plan(sweeper, brief.start, goals, rng, most, brief.waypoints) if goals else None
        if path is None and len(goals) < _ENOUGH:
            yield from _find_goals(brief, goals, rng)
            path = plan(sweeper, brief.start, goals, rng, most, brief.waypoints)
        if path is not None:
            return path
    return cut(straight(brief.start, goals[0] if goals else brief.start))


def _find_goals(brief: Brief, goals: list[np.ndarray], rng: np.random.Generator) -> Found:
    """Ask for joint angles at the goal from several seeds in one turn; add those that are new, nearest first."""
    low, high = np.radians(np.array(brief.arm.usual)).T
    home = np.radians(np.array(brief.arm.home, dtype=float))
    seeds = [*(() if goals else (brief.start, home)), *(rng.uniform(low, high) for _ in range(_SEEDS - 2))]
    told = yield calls(*(_ask_inverse(brief.goal, seed) for seed in seeds))
    for answer in (told.item(i) for i in range(len(seeds))):
        posture = np.radians(np.array(answer["joints"]))
        if answer["reached"] and all(np.abs(posture - other).max() > 0.02 for other in goals):
            goals.append(posture)
    goals.sort(key=lambda q: float(np.abs(q - brief.start).max()))


_ENOUGH = 20


def _ask_inverse(goal: Pose, seed: np.ndarray) -> Move:
    return call("inverse", **pose_json(goal), seed=path_json(seed[None])[0])


# ---- lazy policies: each submits one path at once


def _goal_posture(brief: Brief) -> Found:
    """Ask for joint angles at the goal from the start, else from the folded home posture, else take what came."""
    told = (yield _ask_inverse(brief.goal, brief.start)).data
    if not told["reached"]:
        told = (yield _ask_inverse(brief.goal, np.radians(np.array(brief.arm.home, dtype=float)))).data
    return np.radians(np.array(told["joints"]))


def _straight(brief: Brief, view: View) -> Found:
    """Go straight to the goal in joint space."""
    goal = yield from _goal_posture(brief)
    return straight(brief.start, goal)


def _lift_over(brief: Brief, view: View) -> Found:
    """Raise the tool, go over, lower it."""
    goal = yield from _goal_posture(brief)
    between = []
    for posture in (brief.start, goal):
        at = (yield call("forward", joints=path_json(posture[None])[0])).data
        (x, y, z), (w, i, j, k) = at["position"], at["rotation"]
        told = (yield _ask_inverse(Pose((x, y, z + LIFT), (w, i, j, k)), posture)).data
        between += [np.radians(np.array(told["joints"]))] if told["reached"] else []
    return np.array((brief.start, *between, goal))


def _fixed_via(brief: Brief, view: View) -> Found:
    """Go through the folded home posture."""
    goal = yield from _goal_posture(brief)
    return fixed_via(brief.arm, brief.start, goal)


def _random_via(brief: Brief, view: View) -> Found:
    """Go through a posture drawn at random."""
    goal = yield from _goal_posture(brief)
    low, high = np.radians(np.array(brief.arm.usual)).T
    return through(brief.start, view.rng.uniform(low, high), goal)


def _stay(brief: Brief, view: View) -> Found:
    """Stay at the start."""
    yield call("forward", joints=path_json(brief.start[None])[0])
    return straight(brief.start, brief.start)


def _fitting(brief: Brief, path: np.ndarray) -> np.ndarray:
    """Cut a path to the longest segment; where that takes too many waypoints, go straight to its end."""
    made = cut(path)
    return made if len(made) <= brief.waypoints else cut(straight(path[0], path[-1]))


def _submit_at_once(make: Callable[[Brief, View], Found]) -> Callable[[View], Steps]:
    def play(view: View) -> Steps:
        brief = read_brief(view.facts)
        path = yield from make(brief, view)
        yield call("submit", waypoints=path_json(_fitting(brief, path)))

    return play


def random_legal(view: View) -> Steps:
    """Submit a walk of random steps within the limits."""
    brief = read_brief(view.facts)
    low, high = brief.arm.bounds.T
    path = [brief.start]
    for _ in range(int(view.rng.integers(1, brief.waypoints))):
        path.append(np.clip(path[-1] + view.rng.uniform(-1, 1, len(low)), low, high))
    yield call("submit", waypoints=path_json(np.array(path)))


# ---- adversaries: they may use the whole budget of checks

_VIA_SPREAD = np.radians(45)


def _best_checked(brief: Brief, view: View, drafts: Iterator[np.ndarray]) -> Steps:
    """Check drafts while the budget lasts; submit the first valid one, else the one that is clear for longest."""
    best, most = next(drafts), -1.0
    draft = best
    for _ in range(view.limits.budgets["checks"]):
        told = (yield call("check_path", waypoints=path_json(_fitting(brief, draft)))).data
        if told["clear_share"] > most:
            best, most = draft, told["clear_share"]
        if told["valid"]:
            break
        draft = next(drafts)
    yield call("submit", waypoints=path_json(_fitting(brief, best)))


def search(view: View) -> Steps:
    """Try random via-points about the straight line, one or two at a time, with all checks."""
    brief = read_brief(view.facts)
    goal = yield from _goal_posture(brief)

    def drafts() -> Iterator[np.ndarray]:
        while True:
            one = random_via(brief.arm, brief.start, goal, view.rng, _VIA_SPREAD)
            yield one
            yield np.array((*one[:2], random_via(brief.arm, one[1], goal, view.rng, _VIA_SPREAD / 2)[1], goal))

    yield from _best_checked(brief, view, drafts())


def _perturbed(make: Callable[[Brief, View], Found]) -> Callable[[View], Steps]:
    """Vary the inner waypoints of a lazy path with the whole budget of checks."""

    def play(view: View) -> Steps:
        brief = read_brief(view.facts)
        path = yield from make(brief, view)
        path = path if len(path) > 2 else through(path[0], (path[0] + path[1]) / 2, path[1])

        def drafts() -> Iterator[np.ndarray]:
            low, high = brief.arm.bounds.T
            while True:
                inner = path[1:-1] + view.rng.normal(0, _PERTURBATION, path[1:-1].shape)
                yield np.array((path[0], *np.clip(inner, low, high), path[-1]))

        yield from _best_checked(brief, view, drafts())

    return play


_PERTURBATION = np.radians(20)


# ---- the best constant answer: one via-point for all instances of a level

_CONSTANTS = 8


def fit_constant(identities: Sequence[Instance], options: Options) -> Callable[[View], Steps]:
    """Choose, of the folded posture and some random ones, the via-point that solves most training instances."""
    arm = ARMS[LEVEL_TABLE[options.level].arm]
    low, high = np.radians(np.array(arm.usual)).T
    rng = generator("bot-constant", options.level)
    home = np.radians(np.array(arm.home, dtype=float))
    vias = [home, *_standing(arm.name, rng, low, high, _CONSTANTS - 1)]
    wins = [0] * len(vias)
    for instance in identities:
        sweeper = sweeper_of(instance)
        start, goal = np.radians(np.array(instance.start)), np.radians(np.array(instance.detour[-1]))
        for i, via in enumerate(vias):
            wins[i] += sweeper.sweep(through(start, via, goal)).clear
    best = vias[int(np.argmax(wins))]

    def constant(brief: Brief, view: View) -> Found:
        goal = yield from _goal_posture(brief)
        return through(brief.start, best, goal)

    return _submit_at_once(constant)


def _standing(
    arm: str, rng: np.random.Generator, low: np.ndarray, high: np.ndarray, count: int
) -> Iterator[np.ndarray]:
    """Draw postures with the tool well above the floor."""
    bare = cell_of(arm, ())
    while count:
        posture = rng.uniform(low, high)
        if bare.tool(posture)[0][2] > 0.4:
            count -= 1
            yield posture


LAZY = {
    "stay": _stay,
    "straight": _straight,
    "lift-over": _lift_over,
    "fixed-via": _fixed_via,
    "random-via": _random_via,
}
PERTURBED = ("straight", "lift-over", "fixed-via")


def policies(options: Options) -> Mapping[str, Scripted]:
    """Return the scripted policies of the task by name."""
    named = {
        "reference": Scripted(reference, "reference", summary="plans, checks, looks around the first contact"),
        "random": Scripted(random_legal, "lazy", summary="a random walk within the limits, submitted at once"),
        "search": Scripted(search, "adversary", ceiling={"hard": 0.25}, summary="random via-points with all checks"),
        "constant": Scripted(None, "adversary", ceiling=0.1, fit=fit_constant, summary="one via-point for all"),
    }
    for name, make in LAZY.items():
        summary = (make.__doc__ or "").splitlines()[0].rstrip(".")
        named[name] = Scripted(_submit_at_once(make), "lazy", summary=summary)
    for name in PERTURBED:
        summary = f"{name}, its inner waypoints varied with all checks"
        named[f"perturbed-{name}"] = Scripted(_perturbed(LAZY[name]), "adversary", summary=summary)
    return named
