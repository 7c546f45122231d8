"""The prompt layer: words an instance in English or Chinese, and states what every wording must contain.

The texts live in `prompts.<language>.toml`: templates of facts, and for each variant three frames around blocks of
them. All told numbers come from here, formatted once, so that a fact is the same string in all wordings of a language.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from attrs import asdict

from harness.records import Json, Limits
from harness_fenics.problem import Exchange, Plate, Segment, Steady, Transient
from harness_fenics.sample import BANDS, UNITS, Drive, Options, Puzzle
from harness_fenics.world import KILO, MEGA, MILLI

if TYPE_CHECKING:
    from numpy.random import Generator

NUDGES = 2
SEPARATOR = {"en": "; ", "zh": "；"}


@cache
def _book(language: str) -> Mapping[str, Any]:
    return tomllib.loads(files("harness_fenics").joinpath(f"prompts.{language}.toml").read_text(encoding="utf-8"))


class FenicsPrompt:
    """Proposes instances and words them; the identity's class depends on the variant."""

    def __init__(self, options: Options) -> None:
        self.options = options
        self.identity: type = Puzzle if options.variant == "identify" else Drive

    def sample(self, rng: Generator) -> Drive | Puzzle:
        """Propose an instance."""
        from harness_fenics.propose import propose

        return propose(self.options, rng)

    def messages(self, identity: Drive | Puzzle, wording: int, language: str) -> str:
        """Word the instance."""
        told = _Told(self.options, language)
        frame = str(_book(language)[self.options.variant]["texts"][wording])
        return frame.format(**told.blocks(identity))

    def facts(self, identity: Drive | Puzzle, language: str) -> dict[str, str]:
        """Everything that every wording of the language contains."""
        return _Told(self.options, language).facts(identity)

    def limits(self, identity: Drive | Puzzle) -> Limits:
        """Turns, solves and probes of the episode."""
        budgets = {"solves": self.options.solve_budget, "probes": self.options.probes}
        return Limits(turns=self.options.turns, budgets=budgets, nudges=NUDGES)

    def key(self, identity: Drive | Puzzle) -> Json:
        """The told problem with its targets; hidden deviations do not make another instance."""
        if isinstance(identity, Puzzle):
            return asdict(identity)
        return {name: value for name, value in asdict(identity).items() if name not in ("truth", "answer")}

    def secrets(self, identity: Drive | Puzzle) -> list[str]:
        """The hidden solution as it could be printed, and the hidden figures of the true plate."""
        if isinstance(identity, Puzzle):
            return [str(value) for value in identity.values if len(str(value)) > 6]
        truth = identity.truth
        deviations = (truth.conductivity, truth.transfer, truth.emissivity)
        answer = ", ".join(f"{value:g}" for value in identity.answer)
        return [answer, answer.replace(" ", ""), *(str(value) for value in deviations if len(str(value)) > 6)]


class _Told:
    """The facts of an instance in one language, by name and by block."""

    def __init__(self, options: Options, language: str) -> None:
        self._options, self._language = options, language
        self._book = _book(language)
        self._texts: Mapping[str, str] = self._book["facts"]

    def facts(self, identity: Drive | Puzzle) -> dict[str, str]:
        groups = self._groups(identity)
        return {name: text for group in groups.values() for name, text in group.items()}

    def blocks(self, identity: Drive | Puzzle) -> dict[str, str]:
        """One string per placeholder of the frames."""
        groups = self._groups(identity)
        single = groups.pop("single")
        return single | {name: SEPARATOR[self._language].join(group.values()) for name, group in groups.items()}

    def _say(self, name: str, /, **values: Any) -> str:
        return self._texts[name].format(**values)

    def _groups(self, identity: Drive | Puzzle) -> dict[str, dict[str, str]]:
        budgets = {
            "solves": self._say("solves", solves=self._options.solve_budget),
            "probes": self._say("probes", probes=self._options.probes),
            "turns": self._say("turns", turns=self._options.turns),
            "nudges": self._say("nudges", nudges=NUDGES),
        }
        made = self._puzzle(identity) if isinstance(identity, Puzzle) else self._drive(identity)
        made["single"] |= budgets
        return made

    # ---- drives

    def _drive(self, drive: Drive) -> dict[str, dict[str, str]]:
        variant, problem = self._options.variant, drive.told
        model = self._steady(drive.steady) if drive.steady else self._heating(drive.heating)
        bands = {name: 100 * band for name, band in asdict(BANDS).items()}
        names = self._control_names(len(problem.segments), drive.stages)
        single = {
            "doubt": self._say("doubt", **bands),
            "order": self._say(f"order_{variant}", names=", ".join(names)),
            "bounds": self._say("bounds", ceiling=drive.ceiling),
            "tolerance": self._say("tolerance", tolerance=drive.tolerance),
        }
        limits = {
            "hottest": self._say(f"hottest_{variant}", hottest=drive.hottest),
            "bond": self._say(f"bond_{variant}", weak=drive.weak + 1, bond=drive.bond),
            "load": self._say(f"load_{variant}", load=drive.load),
        }
        monitors = {
            f"monitor {number}": self._say(f"monitor_{variant}", **asdict(monitor))
            for number, monitor in enumerate(drive.monitors, 1)
        }
        heaters = {
            f"heater {number}": self._say("heater", number=number, place=self._place(segment))
            for number, segment in enumerate(problem.segments, 1)
        }
        return {"single": single, "model": model, "heaters": heaters, "monitors": monitors, "limits": limits}

    def _control_names(self, heaters: int, stages: int) -> list[str]:
        if self._options.variant == "flux":
            return [f"H{number}" for number in range(1, heaters + 1)]
        numbers = range(1, heaters + 1)
        return [self._say("name_transient", heater=h, stage=s) for s in range(1, stages + 1) for h in numbers]

    def _steady(self, problem: Steady) -> dict[str, str]:
        assert problem.patch is not None
        assert problem.source is not None
        patch, source = problem.patch, problem.source
        sides = {side: round(getattr(patch, side) / MILLI) for side in ("left", "right", "low", "high")}
        return {
            "plate": self._plate(problem.plate),
            "law": self._book["laws"][problem.law.kind].format(**asdict(problem.law)),
            "patch": self._say("patch", **sides, factor=patch.factor),
            "source": self._say(
                "source",
                peak=source.peak / MEGA,
                width=round(source.width / MILLI),
                x=round(source.x / MILLI),
                y=round(source.y / MILLI),
            ),
            **self._edges(problem.exchange),
        }

    def _heating(self, problem: Transient | None) -> dict[str, str]:
        assert problem is not None
        ambient = problem.exchange.ambient
        return {
            "plate": self._plate(problem.plate),
            "material": self._say("material", k=problem.conductivity, c=problem.heat_capacity / MEGA),
            "heating": self._say("heating", ambient=ambient, stages=len(problem.settings), stage=problem.stage),
            "slew": self._say("slew", slew=problem.slew / KILO),
            "derating": self._say("derating", derating=problem.derating, ambient=ambient),
            **self._edges(problem.exchange),
        }

    # ---- puzzles

    def _puzzle(self, puzzle: Puzzle) -> dict[str, dict[str, str]]:
        known = [unknown.name for unknown in puzzle.unknowns]
        single = {
            "order": self._say("order_identify", names=", ".join(known)),
            "names": self._say("names"),
            "zone": self._say("zone", **asdict(puzzle.zone)),
            "noise": self._say("noise", noise=puzzle.noise),
            "accuracy": self._say("accuracy", tolerance=puzzle.tolerance),
        }
        heaters = {
            f"heater {number}": self._say("driven", number=number, place=self._place(segment), flux=flux / KILO)
            for number, (segment, flux) in enumerate(zip(puzzle.steady.segments, puzzle.steady.fluxes, strict=True), 1)
        }
        unknowns = {
            f"unknown {unknown.name}": self._say("unknown", **asdict(unknown), unit=UNITS[unknown.name])
            for unknown in puzzle.unknowns
        }
        held = {
            f"held {number}": self._say("held", number=number, x=x, y=y) for number, (x, y) in enumerate(puzzle.held, 1)
        }
        model = self._unknown_model(puzzle.steady, known)
        return {"single": single, "model": model, "heaters": heaters, "unknowns": unknowns, "held": held}

    def _unknown_model(self, problem: Steady, unknown: Iterable[str]) -> dict[str, str]:
        assert problem.source is not None
        which = "known_none" if "slope" in unknown else "known_slope" if "conductivity" in unknown else "known_all"
        known = self._say(which, k0=problem.law.k0, a=problem.law.a)
        return {
            "plate": self._plate(problem.plate),
            "law": self._say("unknown_law", known=known),
            "source": self._say("hidden_source", width=round(problem.source.width / MILLI)),
            **self._edges(problem.exchange, left_known="left_transfer" not in unknown),
        }

    # ---- parts

    def _plate(self, plate: Plate) -> str:
        return self._say("plate", width=round(plate.width / MILLI), height=round(plate.height / MILLI))

    def _edges(self, exchange: Exchange, left_known: bool = True) -> dict[str, str]:
        left = "left_edge" if left_known else "left_unknown"
        values = asdict(exchange)
        return {"left_edge": self._say(left, **values), "free_edges": self._say("free_edges", **values)}

    def _place(self, segment: Segment) -> str:
        bounds = {"start": round(segment.start / MILLI), "stop": round(segment.stop / MILLI)}
        return str(self._book["edges"][segment.edge]).format(**bounds)
