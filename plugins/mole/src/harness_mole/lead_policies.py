"""Scripted policies of the lead variant.

The reference thinks as a chemist with a table would: every group shifts logP, polar surface, weight and rotatable
bonds by about the same amount wherever it is put. It lists combinations of groups whose shifts fit the windows, tries
them in the order of the misfit that it expects, and learns from each answer how far the table was off.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Generator, Mapping, Sequence
from itertools import combinations, combinations_with_replacement
from typing import Any, Final

from attrs import Factory, define, frozen

from harness import Move, Observation, Scripted, View, call
from harness_mole.requirements import REACH, Name

Steps = Generator[Move, Observation, None]
Change = tuple[str, int, str]
"""An edit as a script writes it: action, atom, group."""

SHIFTS: Final[Mapping[str, tuple[float, float, float, int]]] = {
    "methyl": (0.31, 0.0, 14.0, 0),
    "ethyl": (0.56, 0.0, 28.1, 1),
    "isopropyl": (1.12, 0.0, 42.1, 1),
    "cyclopropyl": (0.88, 0.0, 40.1, 1),
    "fluoro": (0.14, 0.0, 18.0, 0),
    "chloro": (0.65, 0.0, 34.4, 0),
    "trifluoromethyl": (1.02, 0.0, 68.0, 0),
    "hydroxyl": (-0.29, 20.2, 16.0, 0),
    "methoxy": (0.01, 9.2, 30.0, 1),
    "hydroxymethyl": (-0.51, 20.2, 30.0, 1),
    "methoxymethyl": (0.15, 9.2, 44.1, 2),
    "dimethylamino": (0.07, 3.2, 43.1, 1),
    "cyano": (-0.13, 23.8, 25.0, 0),
    "carboxamide": (-0.9, 43.1, 43.0, 1),
    "methylcarbamoyl": (-0.64, 29.1, 57.1, 1),
    "acetamido": (-0.04, 29.1, 57.1, 1),
    "methylsulfonyl": (-0.6, 34.1, 78.1, 1),
    "morpholino": (-0.16, 12.5, 85.1, 1),
}
"""Group → shift of logP, polar surface (Å²), weight (g/mol) and rotatable bonds when it replaces a hydrogen."""

SUMS: Final[tuple[Name, ...]] = ("logp", "tpsa", "weight", "rotors")


@frozen
class Brief:
    """What a script takes from its prompt."""

    lead: str
    attach: tuple[int, ...]
    detach: tuple[int, ...]
    groups: tuple[str, ...]


def brief(view: View) -> Brief:
    """Read lead, places and groups from the facts of the prompt."""
    attach, detach = (tuple(map(int, re.findall(r"\d+", view.facts[name]))) for name in ("attach", "detach"))
    return Brief(view.facts["smiles"], attach, detach, tuple(view.facts["groups"].split(", ")))


def edit_call(smiles: str, changes: Sequence[Change]) -> Move:
    """Call the edit tool."""
    edits = [{"action": a, "atom": n, **({"group": g} if a == "attach" else {})} for a, n, g in changes]
    return call("edit", smiles=smiles, edits=edits)


def misfit(report: Mapping[str, Any]) -> float:
    """Sum of the distances from all requirements, each in units of its reach; 0 when all are met."""
    rows = report["requirements"].items()
    return float(sum(abs(row["off"]) / REACH[name] for name, row in rows))


@define
class Bench:
    """What the reference has learnt in an episode.

    Attributes:
        start: Report of the lead.
        drift: Value → mean difference between what was found and what the table had said.
        poor: Groups and places → how often they came with an alert or an unmet soft requirement.
    """

    told: Brief
    start: Mapping[str, Any]
    left: int
    drift: dict[str, float] = Factory(dict)
    removed: dict[int, tuple[float, ...]] = Factory(dict)
    poor: dict[str | int, float] = Factory(lambda: defaultdict(float))
    tried: set[tuple[Change, ...]] = Factory(set)
    best: tuple[float, str] = (float("inf"), "")

    def note(self, smiles: str, report: Mapping[str, Any]) -> None:
        """Remember the best molecule."""
        self.best = min(self.best, (misfit(report), smiles))

    def values(self, report: Mapping[str, Any]) -> tuple[float, ...]:
        """The additive values of a report."""
        return tuple(float(report["requirements"][name]["value"]) for name in SUMS)

    def expected(self, base: Sequence[float], groups: Sequence[str]) -> float:
        """Misfit that the table expects of groups on a base."""
        total = 0.0
        for place, name in enumerate(SUMS):
            row = self.start["requirements"][name]
            value = base[place] + sum(SHIFTS[g][place] for g in groups) + self.drift.get(name, 0.0)
            low = row["low"] if row["low"] is not None else value
            high = row["high"] if row["high"] is not None else value
            middle, half = (low + high) / 2, max((high - low) / 2, 1e-9)
            outside = max(low - value, value - high, 0.0)
            total += 10 * outside / REACH[name] + (0.2 * abs(value - middle) / half if row["low"] is not None else 0.0)
        return total

    def plans(self) -> list[tuple[float, tuple[Change, ...]]]:
        """Plans in the order of the misfit expected of them."""
        bases: list[tuple[tuple[float, ...], tuple[Change, ...]]] = [(self.values(self.start), ())]
        bases += [(self.removed[atom], (("detach", atom, ""),)) for atom in self.removed]
        found = []
        for base, gone in bases:
            for count in range(1, 4):
                for groups in combinations_with_replacement(self.told.groups, count):
                    score = self.expected(base, groups) + sum(self.poor[g] for g in groups) + 0.05 * len(gone)
                    found.append((score, gone, groups))
        found.sort()
        return [(score, (*gone, *self.places(groups))) for score, gone, groups in found[:60]]

    def places(self, groups: Sequence[str]) -> tuple[Change, ...]:
        """Put groups where fewest plans have failed, in neighbouring places."""
        sets = list(combinations(self.told.attach, min(len(groups), len(self.told.attach))))
        chosen = min(sets, key=lambda atoms: (sum(self.poor[atom] for atom in atoms), atoms[-1] - atoms[0]))
        return tuple(("attach", atom, group) for atom, group in zip(chosen, groups, strict=False))

    def learn(self, changes: tuple[Change, ...], report: Mapping[str, Any]) -> None:
        """Correct the table by a quarter of its error, and blame what came with soft failures."""
        gone = [atom for action, atom, _ in changes if action == "detach"]
        base = self.removed[gone[0]] if gone else self.values(self.start)
        groups = [group for action, _, group in changes if action == "attach"]
        found = self.values(report)
        for place, name in enumerate(SUMS):
            said = base[place] + sum(SHIFTS[g][place] for g in groups) + self.drift.get(name, 0.0)
            self.drift[name] = self.drift.get(name, 0.0) + 0.5 * (found[place] - said)
        missed = set(report["missed"])
        for _, atom, group in changes:
            if missed & {"alerts"}:
                self.poor[group] += 0.3
            if missed & {"similarity", "sa", "qed"}:
                self.poor[atom] += 1
                self.poor[group] += 0.1


def reference(view: View) -> Steps:
    """Measure the lead and what can be taken away, then try combinations of groups by the table."""
    told = brief(view)
    left = view.limits.budgets["evaluations"]
    seen = yield call("evaluate", smiles=told.lead)
    bench = Bench(told, seen.data, left - 1)
    bench.note(told.lead, seen.data)
    for atom in told.detach[:2]:
        if bench.left > 4:
            gone = yield edit_call(told.lead, [("detach", atom, "")])
            if not gone.error:
                bench.left -= 1
                bench.removed[atom] = bench.values(gone.data)
    for _ in range(view.limits.turns - 5):
        if bench.left == 0 or bench.best[0] == 0:
            break
        changes = next((plan for _, plan in bench.plans() if plan not in bench.tried), None)
        if changes is None:
            break
        bench.tried.add(changes)
        made = yield edit_call(told.lead, changes)
        if made.error:
            continue
        bench.left -= 1
        bench.note(made.data["smiles"], made.data)
        bench.learn(changes, made.data)
    yield call("submit", smiles=bench.best[1])


# ---- policies that cannot succeed by skill


def unchanged(view: View) -> Steps:
    """Submit the lead."""
    yield call("submit", smiles=brief(view).lead)


def _edited(view: View, changes: Sequence[Change]) -> Steps:
    made = yield edit_call(brief(view).lead, changes)
    yield call("submit", smiles=brief(view).lead if made.error else made.data["smiles"])


def add_methyl(view: View) -> Steps:
    """Put a methyl group in the first place."""
    yield from _edited(view, [("attach", brief(view).attach[0], "methyl")])


def common_drug(view: View) -> Steps:
    """Submit paracetamol, whatever is asked."""
    yield call("submit", smiles="CC(=O)Nc1ccc(O)cc1")


def draw_changes(view: View) -> tuple[Change, ...]:
    """One to three random edits at distinct places."""
    told = brief(view)
    atoms = [int(a) for a in view.rng.permutation(told.attach)[: int(view.rng.integers(1, 4))]]
    changes: list[Change] = [("attach", a, told.groups[int(view.rng.integers(len(told.groups)))]) for a in atoms]
    if told.detach and view.rng.random() < 0.2:
        changes[0] = ("detach", told.detach[int(view.rng.integers(len(told.detach)))], "")
    return tuple(changes)


def one_random(view: View) -> Steps:
    """Submit the lead with random edits, unseen but for its SMILES."""
    yield from _edited(view, draw_changes(view))


def random_play(view: View) -> Steps:
    """Random tools with random legal arguments until something random is submitted."""
    smiles = brief(view).lead
    for _ in range(view.limits.turns):
        kind = int(view.rng.integers(3))
        if kind == 0:
            yield call("submit", smiles=smiles)
        elif kind == 1:
            yield call("evaluate", smiles=smiles)
        else:
            made = yield edit_call(brief(view).lead, draw_changes(view))
            smiles = smiles if made.error else made.data["smiles"]


def perturbed_lead(view: View) -> Steps:
    """Submit the lead with one random group in a random place."""
    told = brief(view)
    atom, group = (seq[int(view.rng.integers(len(seq)))] for seq in (told.attach, told.groups))
    yield from _edited(view, [("attach", int(atom), str(group))])


def random_search(view: View) -> Steps:
    """Spend the whole budget on random edits of the lead; submit the best."""
    best = (float("inf"), brief(view).lead)
    for _ in range(view.limits.budgets["evaluations"]):
        made = yield edit_call(brief(view).lead, draw_changes(view))
        if not made.error:
            best = min(best, (misfit(made.data), made.data["smiles"]))
            if best[0] == 0:
                break
    yield call("submit", smiles=best[1])


def fit_constant(identities: Sequence[Any], options: Any) -> Any:
    """The best constant answer: the groups that training solutions have most often, in the first places."""
    counts = Counter(tuple(sorted(e.group for e in i.edits if e.group)) for i in identities)
    groups = counts.most_common(1)[0][0]

    def play(view: View) -> Steps:
        places = brief(view).attach
        yield from _edited(view, [("attach", a, g) for a, g in zip(places, groups, strict=False)])

    return play


def policies() -> dict[str, Scripted]:
    """Return the scripted policies of the variant by name."""
    return {
        "reference": Scripted(reference, "reference", summary="combines groups by a table of shifts, and corrects it"),
        "random": Scripted(random_play, "lazy", summary="random tools with random legal arguments"),
        "unchanged": Scripted(unchanged, "lazy", summary="submits the lead"),
        "add-methyl": Scripted(add_methyl, "lazy", summary="puts a methyl group in the first place"),
        "common-drug": Scripted(common_drug, "lazy", summary="submits paracetamol"),
        "one-random": Scripted(one_random, "lazy", summary="submits the lead with random edits"),
        "perturbed-lead": Scripted(perturbed_lead, "adversary", summary="submits the lead with one random group"),
        "constant": Scripted(fit=fit_constant, kind="adversary", ceiling=0.10, summary="usual groups of training"),
        "search": Scripted(
            random_search, "adversary", ceiling={"lead-hard": 0.25}, summary="random edits with the full budget"
        ),
    }
