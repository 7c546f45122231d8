"""The tool layer: check a passage within the budget, look up what each voice may sing, submit."""

from __future__ import annotations

from harness import Refused, Toolset, tool
from harness.records import Json
from harness_music.pitch import VOICES, Passage
from harness_music.rules import Fault, Plan, find_faults, weigh
from harness_music.sample import Exercise, Options, plan_of
from harness_music.solver import choices
from harness_music.wordings import fault_detail, rule_name
from harness_music.world import Desk, Unreadable, Voices, passage_from


class Studio(Toolset):
    """Part-writing at a desk: the exercise never changes, only what has been checked is remembered."""

    World = Desk
    identity: Exercise
    options: Options
    world: Desk

    @tool(budget="checks")
    def check(self, passage: Voices) -> dict[str, Json]:
        """List all faults of a whole passage: rule, bar, beat, voices and notes. Costs one check.

        Args:
            passage: Four lists of notes, given notes included.
        """
        report = self._report(self._read(passage))
        self.world.weighted.append(report["weighted"])
        return report

    @tool
    def ranges(self) -> dict[str, Json]:
        """Show each voice's lowest and highest note and, chord by chord, the notes it may sing. Free."""
        plan = plan_of(self.identity)
        told: dict[str, Json] = {}
        for v, voice in enumerate(VOICES):
            low, high = plan.ranges[v]
            notes = [" ".join(note.name for note in choices(plan, i, v)) for i in range(len(plan.chords))]
            told[voice] = {"lowest": low.name, "highest": high.name, "notes": notes}
        return told

    @tool(final=True)
    def submit(self, passage: Voices) -> dict[str, Json]:
        """Hand in the passage. Final: ends the exercise.

        Args:
            passage: Four lists of notes, given notes included.
        """
        return self._report(self._read(passage))

    def _read(self, passage: Voices) -> Passage:
        try:
            return passage_from(passage, len(self.identity.symbols))
        except Unreadable as error:
            raise Refused(str(error), argument=error.argument) from None

    def _report(self, passage: Passage) -> dict[str, Json]:
        plan = plan_of(self.identity)
        faults = find_faults(passage, plan)
        listed = [fault_json(fault, plan, self.clock.language) for fault in faults]
        return {"clean": not faults, "count": len(faults), "weighted": weigh(faults), "faults": listed}


def fault_json(fault: Fault, plan: Plan, language: str) -> dict[str, Json]:
    """Return a fault as the policy sees it."""
    bar, beat = plan.place(fault.chord)
    told: dict[str, Json] = {"rule": fault.rule, "chord": fault.chord + 1, "bar": bar, "beat": beat}
    name = rule_name(fault.rule, language)
    told |= {"name": name} if name != fault.rule else {}
    told |= {"voices": list(fault.voices), "notes": fault.notes}
    detail = fault_detail(fault.detail, fault.values, language)
    return told | ({"detail": detail} if detail else {})
