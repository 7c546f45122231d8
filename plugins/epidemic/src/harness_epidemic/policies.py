"""Scripted policies: the planner, the lazy that must fail, adversaries to be published.

All see only what a model sees: the facts of the prompt, and what the tools answer.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from typing import Final

import numpy as np
from attrs import asdict, frozen

from harness.scripted import Move, Observation, Play, Scripted, View, call, calls
from harness_epidemic.belief import Brief
from harness_epidemic.country import Identity, Region, Supply
from harness_epidemic.measures import LEVELS, LOCKDOWN, SCHOOLS, TRAVEL, Policy
from harness_epidemic.naive import CONSTANT, sweep
from harness_epidemic.planner import LADDER, LONGEST, Planner, search_plan
from harness_epidemic.score import QUANTITIES, VALUES

Turns = Generator[Move, Observation, None]

LAST: Final = 6
"""Weeks before the end from which an ending without a plan starts."""

PERIOD: Final = 4
"""Weeks between two shipments of a policy that holds a constant level."""


def read_brief(view: View) -> Brief:
    """Read the facts of the prompt."""
    facts = view.facts
    lines = [text for name, text in facts.items() if name.startswith("region ")]
    first, doses = _numbers(facts["doses"])
    supply = Supply(first, doses, _number(facts["tests"]), _number(facts["beds"]), _number(facts["treasury"]))
    budgets = view.limits.budgets
    return Brief(_number(facts["weeks"]), tuple(map(_region, lines)), supply, budgets["bulletins"], budgets["orders"])


def _region(line: str) -> Region:
    name = re.split("[:：]", line)[0]
    population, beds = _numbers(line[len(name) :])
    return Region(name, population, beds)


def _numbers(text: str) -> list[int]:
    return [int(number) for number in re.findall(r"\d+", text)]


def _number(text: str) -> int:
    return _numbers(text)[0]


# ---- the reference


def reference(view: View) -> Turns:
    """Plan: read a bulletin, look ahead, order, let the weeks until the next reading pass."""
    planner = Planner(read_brief(view))
    for _ in range(view.limits.budgets["bulletins"]):
        seen = yield call("bulletin")
        yield calls(*(call(name, **arguments) for name, arguments in planner.decide(seen.data)))
    yield call("close_out")


# ---- the lazy


def close_out(view: View) -> Turns:
    """Do nothing at all."""
    yield call("close_out")


def hold(policy: Policy) -> Play:
    """Return a policy that holds one package, and sends out evenly what arrives."""

    def play(view: View) -> Turns:
        yield calls(_enact("all", policy), call("allocate", region="all", tests=_number(view.facts["tests"])))
        yield from _pass(_number(view.facts["weeks"]))

    return play


def _pass(weeks: int) -> Turns:
    """Let weeks pass, and send out evenly what has arrived every few weeks."""
    while weeks > 0:
        seen = yield call("advance", weeks=min(PERIOD, weeks))
        weeks -= PERIOD
        store = seen.data["store"] if isinstance(seen.data, dict) and "store" in seen.data else {}
        if weeks > 0 and (store.get("doses") or store.get("tests")):
            yield call("allocate", region="all", doses=store["doses"], tests=store["tests"])


def _enact(region: str, policy: Policy) -> Move:
    return call("set_policy", region=region, **asdict(policy))


def spend_all(view: View) -> Turns:
    """Buy all beds, send out all there is, order much of everything, and leave it at that."""
    brief = read_brief(view)
    supplies = call("allocate", region="all", tests=brief.supply.tests, beds=brief.supply.beds)
    yield calls(supplies, _enact("all", Policy(3, "hybrid", True, "restricted", 2)), call("close_out"))


@frozen
class Rule:
    """A case-threshold rule: above `up` weekly cases per 100,000 take the strict package, below `down` the mild one."""

    up: float
    down: float
    strict: int
    mild: int


RULES: Final[Mapping[str, Rule]] = {
    "easy": Rule(150.0, 75.0, 3, 2),
    "medium": Rule(1600.0, 800.0, 3, 1),
    "hard": Rule(1600.0, 800.0, 3, 2),
}
"""The rule of each level that does best on 80 training proposals, of the grid of `scripts/tune.py`."""


def follow(rule: Callable[[View], Rule]) -> Play:
    """Return a policy that follows a case-threshold rule in every region, at every bulletin."""

    def play(view: View) -> Turns:
        brief, chosen = read_brief(view), rule(view)
        packages = dict.fromkeys((region.name for region in brief.regions), 0)
        for _ in range(brief.bulletins):
            seen = yield call("bulletin")
            moves = [_shipment(seen.data["store"])] if any(seen.data["store"][k] for k in ("doses", "tests")) else []
            for region in brief.regions:
                cases = seen.data["regions"][region.name]["cases"][-1] / region.population * 1e5
                wanted = decide(chosen, cases, packages[region.name])
                if wanted != packages[region.name]:
                    packages[region.name] = wanted
                    moves.append(_enact(region.name, LADDER[wanted]))
            yield calls(*moves, *_advances(min(brief.step, seen.data["weeks_left"])))
        yield call("close_out")

    return play


def decide(rule: Rule, cases: float, package: int) -> int:
    """Return the package of a region by its weekly cases per 100,000 people."""
    if cases > rule.up:
        return rule.strict
    return rule.mild if cases < rule.down or package == 0 else package


def _advances(weeks: int) -> Iterator[Move]:
    for start in range(0, weeks, LONGEST):
        yield call("advance", weeks=min(LONGEST, weeks - start))


def _shipment(store: Mapping[str, int]) -> Move:
    return call("allocate", region="all", doses=store["doses"], tests=store["tests"])


def random_legal(view: View) -> Turns:
    """Order random things in regions that exist, and let random numbers of weeks pass."""
    brief, rng = read_brief(view), view.rng
    names, left = ["all", *(region.name for region in brief.regions)], brief.weeks
    while left > 0:
        region = names[int(rng.integers(len(names)))]
        weeks = min(left, int(rng.integers(1, LONGEST + 1)))
        yield calls(_enact(region, _random_policy(rng)), call("advance", weeks=weeks))
        left -= weeks


def _random_policy(rng: np.random.Generator) -> Policy:
    return Policy(
        int(rng.integers(LEVELS)),
        SCHOOLS[int(rng.integers(3))],
        bool(rng.integers(2)),
        TRAVEL[int(rng.integers(2))],
        int(rng.integers(3)),
    )


# ---- adversaries


def perturbed_rule(level: str) -> Play:
    """Return a policy that follows the tuned rule with thresholds and packages changed at random."""

    def changed(view: View) -> Rule:
        rule, rng = RULES[level], view.rng
        factor = float(np.exp(rng.normal(0.0, 0.7)))
        strict = int(np.clip(rule.strict + rng.integers(-1, 2), 2, len(LADDER) - 1))
        return Rule(rule.up * factor, rule.down * factor, strict, int(np.clip(rule.mild + rng.integers(-1, 2), 0, 2)))

    return follow(changed)


def perturbed_level(view: View) -> Turns:
    """Hold a random package, and change to another in a random week."""
    weeks = _number(view.facts["weeks"])
    turn = int(view.rng.integers(2, weeks - 1))
    for length in (turn, weeks - turn):
        yield _enact("all", LADDER[int(view.rng.integers(len(LADDER)))])
        yield from _pass(length)


def ending(package: Policy) -> Play:
    """Return a policy that plans like the reference, but leaves it at one package for the last six weeks."""

    def play(view: View) -> Turns:
        planner = Planner(read_brief(view))
        for _ in range(view.limits.budgets["bulletins"]):
            seen = yield call("bulletin")
            if seen.data["weeks_left"] <= LAST:
                yield _enact("all", package)
                break
            yield calls(*(call(name, **arguments) for name, arguments in planner.decide(seen.data)))
        yield call("close_out")

    return play


def fit_constant(identities: Sequence[Identity], options: object) -> Play:
    """Return the policy that holds the package that succeeds most often on training instances."""
    choices = _packages()
    wins, losses = np.zeros(len(choices)), np.zeros(len(choices))
    for identity in identities:
        found, targets = sweep(identity, choices), asdict(identity.targets)
        wins += np.all([found[name] <= targets[name] for name in QUANTITIES], axis=0)
        losses += sum(VALUES[name] * found[name] for name in QUANTITIES) / identity.bar.planner
    return hold(choices[int(np.lexsort((losses, -wins))[0])])


def _packages() -> tuple[Policy, ...]:
    grid = [
        Policy(distancing, schools, masks, "open", testing)
        for distancing in range(LEVELS)
        for schools in ("open", "hybrid")
        for masks in (False, True)
        for testing in range(3)
    ]
    return (*grid, LOCKDOWN)


def search(view: View) -> Turns:
    """Search at random over whole plans on a middling model of the first bulletin, and carry out the best blindly."""
    brief = read_brief(view)
    seen = yield call("bulletin")
    plan = search_plan(brief, seen.data, view.rng)
    package = -1
    for start, wanted in plan:
        end = next((week for week, _ in plan if week > start), brief.weeks)
        if wanted != package:
            package = wanted
            yield _enact("all", LADDER[wanted])
        yield from _pass(end - start)
    yield call("close_out")


def policies(level: str) -> dict[str, Scripted]:
    """Return all scripted policies of a level by name."""
    levels = {
        f"level-{place}": Scripted(hold(policy), "lazy", summary=f"holds distancing {place} to the end")
        for place, policy in enumerate(CONSTANT)
    }
    return {
        "reference": Scripted(reference, "reference", summary="the planner: estimates, looks weeks ahead, orders"),
        "random": Scripted(random_legal, "lazy", summary="random measures in regions that exist"),
        "close-out": Scripted(close_out, "lazy", summary="closes out at once"),
        **levels,
        "lockdown": Scripted(hold(LOCKDOWN), "lazy", summary="everything at its strictest to the end"),
        "spend-all": Scripted(spend_all, "lazy", summary="spends all there is in week 0"),
        "threshold": Scripted(
            follow(lambda view: RULES[level]), "lazy", summary="case thresholds, tuned on training draws"
        ),
        "perturbed-threshold": Scripted(perturbed_rule(level), "adversary", summary="threshold, changed at random"),
        "perturbed-level": Scripted(perturbed_level, "adversary", summary="two random packages, one after the other"),
        "lift-late": Scripted(ending(Policy()), "adversary", summary="the reference, but lifts everything at the end"),
        "lock-late": Scripted(ending(LOCKDOWN), "adversary", summary="the reference, but orders everything at the end"),
        "constant": Scripted(
            None, "adversary", ceiling=0.10, fit=fit_constant, summary="best package of 500 training instances"
        ),
        "search": Scripted(
            search, "adversary", ceiling={"hard": 0.25}, summary="random search over whole plans on a middling model"
        ),
    }
