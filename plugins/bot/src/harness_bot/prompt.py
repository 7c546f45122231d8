"""The prompt layer: proposes instances and words them, in three wordings of two languages."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np

from harness import Draft, Json, Limits, image, user
from harness.jsonio import dumps
from harness_bot.arms import ARMS, BASE, Arm
from harness_bot.paths import LONGEST_SEGMENT
from harness_bot.sample import GOAL_DEG, GOAL_MM, SCAN_RADIUS, Instance, Options, propose
from harness_bot.scene import tell
from harness_bot.sweep import SELF_APART
from harness_bot.wordings import texts

SPARE_TURNS = 16
"""Turns beyond one for each check and scan."""


class PathPrompt:
    """Instances of one level."""

    identity: type = Instance

    def __init__(self, options: Options) -> None:
        self._options = options

    def sample(self, rng: np.random.Generator) -> Instance:
        """Propose an instance."""
        return propose(rng, self._options)

    def messages(self, identity: Instance, wording: int, language: str) -> Sequence[Draft]:
        """Word an instance; with the option `pictures` it begins with one."""
        phrases = texts(language)
        chosen = phrases["wording"][wording]
        rules = [chosen["rules"].strip(), *([chosen["scan"]] if identity.scans else []), chosen["close"]]
        parts = [
            chosen["task"],
            phrases["arm"],
            chosen["scene"] + _scene(identity, chosen),
            _JOIN[language].join(rules),
        ]
        text = "\n\n".join(part.strip() for part in parts).format(**_fill(identity, language))
        if not self._options.pictures:
            return [user(text)]
        from harness_bot.picture import scene_picture

        return [user(image(scene_picture(identity)), text)]

    def facts(self, identity: Instance, language: str) -> Mapping[str, str]:
        """Return what every wording contains; the scripted reference reads the cell from here."""
        fill, arm = _fill(identity, language), ARMS[identity.arm]
        names = ("title", "start", "goal", "clearance", "waypoints", "segment", "tolerance", "apart", "checks")
        told = {name: fill[name] for name in (*names, "clearances", "turns")}
        if identity.scans:
            told |= {name: fill[name] for name in ("scans", "hidden", "radius")}
        told |= {"touching": fill["touching"]}
        told |= {f"joint {i + 1}": row for i, row in enumerate(_rows(arm))}
        told |= {f"capsule {name}": row for name, row in _capsules(arm).items()}
        return told | {f"told {o.name}": dumps(tell(o)).decode() for o in identity.told}

    def limits(self, identity: Instance) -> Limits:
        """Return the budgets and the turns."""
        budgets = {"checks": identity.checks, "clearances": identity.clearances}
        budgets |= {"scans": identity.scans} if identity.scans else {}
        return Limits(turns=identity.checks + identity.scans + SPARE_TURNS, budgets=budgets)

    def key(self, identity: Instance) -> Json:
        """Two instances are the same if arm, start, goal and bodies are; the hidden detour does not count."""
        bodies = [[o.kind, o.centre, o.size, o.turn, o.rise] for o in identity.obstacles]
        return [identity.arm, identity.start, identity.goal.position, identity.goal.rotation, bodies]

    def secrets(self, identity: Instance) -> Sequence[str]:
        """Return the via-points of the hidden detour, as JSON and as plain text."""
        vias = [list(via) for via in identity.detour[:-1]]
        return [dumps(via).decode() for via in vias] + [", ".join(f"{v:g}" for v in via) for via in vias]


def _scene(identity: Instance, chosen: Mapping[str, str]) -> str:
    """Say which bodies are told and how many are not."""
    parts = [chosen["told"] + "\n" + _TOLD] if identity.told else []
    return "\n".join(["", *parts, *([chosen["scanned"]] if identity.scans else [])])


_TOLD = "{bodies}"
_JOIN = {"en": " ", "zh": ""}


def _fill(identity: Instance, language: str) -> dict[str, str]:
    phrases, arm = texts(language), ARMS[identity.arm]
    limits = PathPrompt(Options()).limits(identity)
    numbers = {"clearance": identity.clearance, "waypoints": identity.waypoints, "segment": LONGEST_SEGMENT}
    numbers |= {"apart": 1000 * SELF_APART, "radius": SCAN_RADIUS, "hidden": len(identity.hidden)}
    numbers |= {"turns": limits.turns, "scans": identity.scans, **limits.budgets}
    told = {name: phrases[name].format(n=f"{value:g}") for name, value in numbers.items()}
    position, rotation = list(identity.goal.position), list(identity.goal.rotation)
    return told | {
        "title": arm.title,
        "axes": str(arm.axes),
        "convention": phrases[arm.convention],
        "start": _list(identity.start),
        "goal": f"position {_list(position)}, rotation {_list(rotation)}",
        "tolerance": phrases["tolerance"].format(mm=f"{GOAL_MM:g}", deg=f"{GOAL_DEG:g}"),
        "tool": _list(arm.tool),
        "touching": " / ".join(arm.touching),
        "rows": "\n".join(_rows(arm)),
        "capsules": "\n".join(_capsules(arm).values()),
        "bodies": "\n".join(dumps(tell(o)).decode() for o in identity.told),
    }


def _rows(arm: Arm) -> list[str]:
    """The table of the arm: a, d, alpha and the limits of each joint."""
    rows = []
    for i, (row, (low, high)) in enumerate(zip(arm.rows, arm.limits, strict=True), start=1):
        rows.append(f"{i} | {row.a:g} | {row.d:g} | {round(math.degrees(row.alpha)):g} | {low:g} | {high:g}")
    return rows


def _capsules(arm: Arm) -> dict[str, str]:
    return {
        c.name: f"{c.name} | {'base' if c.link == BASE else c.link} | {_list(c.start)} | {_list(c.end)} | {c.radius:g}"
        for c in arm.capsules
    }


def _list(values: Sequence[float]) -> str:
    return "[" + ", ".join(f"{value:g}" for value in values) + "]"
