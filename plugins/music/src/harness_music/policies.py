"""Scripted policies: the reference, the lazy ones that must fail, and adversaries that are measured unfiltered.

All act on the brief that the prompt gives and on what the tools answer. The reference writes the smoothest passage
that keeps the rules of single chords, has it checked, and takes each rule of motion that is reported into its model:
how many checks that takes says how many rules bite in an exercise.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from harness.scripted import Move, Observation, Scripted, View, call
from harness_music.brief import Brief, names_json, passage_json, read_brief
from harness_music.pitch import (
    Passage,
    Pitch,
    passage_array,
    passage_of,
    read_passage,
)
from harness_music.rules import MOTION_RULES, WEIGHTS, Plan
from harness_music.sample import Exercise, Options, plan_of
from harness_music.solver import Lattice, choices, legal_voicings

Steps = Generator[Move, Observation, None]


def reference(view: View) -> Steps:
    """Write, check, take the gravest broken rule into the model, write again.

    There are as many rules of motion as checks, so the full budget always suffices.
    """
    told = yield call("ranges")
    brief = read_brief(view.facts).with_ranges(told.data)
    active: set[str] = set()
    passage = _smoothest(brief.plan, active)
    for _ in range(view.limits.budgets["checks"]):
        result = yield call("check", passage=passage_json(passage))
        broken = {fault["rule"] for fault in result.data["faults"]}
        if not broken:
            break
        active.add(max(broken, key=lambda rule: (WEIGHTS[rule], rule)))
        passage = _smoothest(brief.plan, active)
    yield call("submit", passage=passage_json(passage))


def _smoothest(plan: Plan, active: set[str]) -> Passage:
    passage = Lattice(plan, active).smoothest()
    if passage is None:
        raise ValueError("the prompt tells an exercise without a solution")
    return passage


# ---- lazy policies: each writes one passage from the brief and submits it


def _submit_at_once(write: Callable[[Brief], Passage]) -> Callable[[View], Steps]:
    def play(view: View) -> Steps:
        yield call("submit", passage=passage_json(write(read_brief(view.facts))))

    return play


def unchanged(brief: Brief) -> Passage:
    """Hand in what was told; where nothing was told, every voice copies the given line in its own octave."""
    if brief.repair:
        return read_passage(brief.start)
    line = next(voice for voice in brief.plan.given if all(voice))
    voices = []
    for v, given in enumerate(brief.plan.given):
        voices.append(
            tuple(kept or _into(note, brief.plan.ranges[v]) for kept, note in zip(given, line, strict=True) if note)
        )
    return tuple(voices)


def static_voices(brief: Brief) -> Passage:
    """Hold the upper voices' notes through all that is to be written."""
    return _forward(brief, lambda before, _choices: before)


def nearest_tones(brief: Brief) -> Passage:
    """Move each voice to the nearest tone of the next chord."""
    return _forward(brief, lambda before, options: min(options, key=lambda note: abs(note.semitone - before.semitone)))


def octave_bass(brief: Brief) -> Passage:
    """Keep the passage, or go to the nearest tones, and move the bass by an octave in every chord to write."""
    voices = list(read_passage(brief.start) if brief.repair else nearest_tones(brief))
    low, high = brief.plan.ranges[3]
    bass = list(voices[3])
    for i in brief.plan.open:
        note = bass[i]
        shift = 1 if note.semitone + 12 <= high.semitone or note.semitone - 12 < low.semitone else -1
        bass[i] = Pitch(note.letter, note.alter, note.octave + shift)
    return (*voices[:3], tuple(bass))


def _forward(brief: Brief, step: Callable[[Pitch, Sequence[Pitch]], Pitch]) -> Passage:
    """Write each voice from its note before; a voice without one starts in the middle of its choices."""
    voices = []
    for v in range(4):
        line: list[Pitch] = []
        for i, given in enumerate(brief.plan.given[v]):
            options = choices(brief.plan, i, v)
            line.append(given or (step(line[-1], options) if line else options[len(options) // 2]))
        voices.append(tuple(line))
    return tuple(voices)


def _into(note: Pitch, span: tuple[Pitch, Pitch]) -> Pitch:
    while note.semitone < span[0].semitone:
        note = Pitch(note.letter, note.alter, note.octave + 1)
    while note.semitone > span[1].semitone:
        note = Pitch(note.letter, note.alter, note.octave - 1)
    return note


def random_legal(view: View) -> Steps:
    """Submit chord tones drawn at random within each voice's range."""
    brief = read_brief(view.facts)
    yield call("submit", passage=passage_json(_random_tones(brief, view.rng)))


def _random_tones(brief: Brief, rng: np.random.Generator) -> Passage:
    lines = [[choices(brief.plan, i, v) for i in range(len(brief.plan.chords))] for v in range(4)]
    return tuple(tuple(options[int(rng.integers(len(options)))] for options in line) for line in lines)


# ---- adversaries: they may use the whole budget of checks


def _best_checked(view: View, drafts: Iterator[Passage]) -> Steps:
    """Check drafts while the budget lasts; submit the first clean one, else the best or one more."""
    best, least = next(drafts), np.inf
    draft = best
    for _ in range(view.limits.budgets["checks"]):
        result = yield call("check", passage=passage_json(draft))
        if result.data["weighted"] < least:
            best, least = draft, result.data["weighted"]
        if least == 0:
            break
        draft = next(drafts)
    yield call("submit", passage=passage_json(best))


def search(view: View) -> Steps:
    """Draw voicings without vertical faults at random, whole passages, until one is clean or the budget is spent."""
    brief = read_brief(view.facts)

    def drafts() -> Iterator[Passage]:
        voicings = [legal_voicings(brief.plan, i) for i in range(len(brief.plan.chords))]
        while True:
            yield passage_of([v[int(view.rng.integers(len(v)))].tolist() for v in voicings])

    yield from _best_checked(view, drafts())


def redraw(view: View) -> Steps:
    """Like `search`, but draw again only the chords named in faults, from the best passage so far."""
    plan = read_brief(view.facts).plan
    voicings = [legal_voicings(plan, i) for i in range(len(plan.chords))]
    best = np.array([v[int(view.rng.integers(len(v)))] for v in voicings])
    draft, least, faulty = best.copy(), np.inf, set(range(len(voicings)))
    for _ in range(view.limits.budgets["checks"]):
        result = yield call("check", passage=passage_json(passage_of(draft.tolist())))
        if result.data["weighted"] < least:
            best, least = draft.copy(), result.data["weighted"]
            faulty = _touched(result.data["faults"])
        if least == 0:
            break
        draft = best.copy()
        for i in faulty:
            draft[i] = voicings[i][int(view.rng.integers(len(voicings[i])))]
    yield call("submit", passage=passage_json(passage_of(best.tolist())))


def _touched(faults: Sequence[Mapping[str, Any]]) -> set[int]:
    arrived = {fault["chord"] - 1 for fault in faults}
    return arrived | {fault["chord"] - 2 for fault in faults if fault["rule"] in MOTION_RULES}


def smoothest_unchecked(view: View) -> Steps:
    """Submit the smoothest passage that keeps the rules of single chords, without any check."""
    yield call("submit", passage=passage_json(_smoothest(read_brief(view.facts).plan, set())))


def _perturbed(write: Callable[[Brief], Passage]) -> Callable[[View], Steps]:
    """Vary a lazy answer with the whole budget: in each draft two open notes are other tones of their chords."""

    def play(view: View) -> Steps:
        brief = read_brief(view.facts)

        def drafts() -> Iterator[Passage]:
            first = write(brief)
            yield first
            while True:
                yield _vary(first, brief.plan, view.rng)

        yield from _best_checked(view, drafts())

    return play


def _vary(passage: Passage, plan: Plan, rng: np.random.Generator) -> Passage:
    voices = [list(voice) for voice in passage]
    free = [(v, i) for v in range(4) for i in plan.open if plan.given[v][i] is None]
    for place in rng.choice(len(free), size=min(2, len(free)), replace=False):
        v, i = free[int(place)]
        options = choices(plan, i, v)
        voices[v][i] = options[int(rng.integers(len(options)))]
    return tuple(tuple(voice) for voice in voices)


# ---- the best constant answer: one fixed voicing for each chord symbol


def fit_constant(identities: Sequence[Exercise], options: Options) -> Callable[[View], Steps]:
    """Learn from model answers the commonest spacing of each chord: tone and octave above the bass, voice by voice."""
    counts: dict[str, Counter[tuple[tuple[int, int], ...]]] = {}
    for exercise in identities:
        notes = passage_array(read_passage(exercise.model))
        for chord, voicing in zip(plan_of(exercise).chords, notes, strict=True):
            rise = voicing[:3] - voicing[3]
            counts.setdefault(chord.symbol, Counter())[tuple((int(a), int(b)) for a, b in rise)] += 1
    table = {symbol: counter.most_common(1)[0][0] for symbol, counter in counts.items()}

    def play(view: View) -> Steps:
        plan = read_brief(view.facts).plan
        passage = [_spaced(plan, i, table.get(chord.symbol)) for i, chord in enumerate(plan.chords)]
        yield call("submit", passage=names_json(tuple(zip(*passage, strict=True))))

    return play


def _spaced(plan: Plan, i: int, spacing: tuple[tuple[int, int], ...] | None) -> tuple[str, ...]:
    """Put the fixed spacing on the given bass, or under the given soprano; given notes stay."""
    given = [plan.given[v][i] for v in range(4)]
    first = legal_voicings(plan, i)[0]
    if spacing is not None:
        base = first[3] if given[0] is None or given[3] is not None else first[0] - np.array(spacing[0])
        first = np.array([*(base + np.array(rise) for rise in spacing), base])
    told = passage_of([first.tolist()])
    return tuple((kept or told[v][0]).name for v, kept in enumerate(given))


LAZY = {"unchanged": unchanged, "greedy": nearest_tones, "octave-bass": octave_bass, "static": static_voices}


def policies(options: Options) -> Mapping[str, Scripted]:
    """Return the scripted policies of the task by name."""
    hard = {f"{variant}-hard": 0.25 for variant in ("repair", "harmonise")}
    named = {
        "reference": Scripted(reference, "reference", summary="checks, and takes the broken rules into its model"),
        "random": Scripted(random_legal, "lazy", summary="chord tones at random, submitted at once"),
        "search": Scripted(search, "adversary", ceiling=hard, summary="random voicings with all checks"),
        "redraw": Scripted(redraw, "adversary", summary="redraws the faulty chords with all checks"),
        "smoothest": Scripted(smoothest_unchecked, "adversary", summary="least motion, no check"),
        "constant": Scripted(None, "adversary", ceiling=0.1, fit=fit_constant, summary="one spacing a chord symbol"),
    }
    for name, write in LAZY.items():
        summary = (write.__doc__ or "").splitlines()[0].rstrip(".")
        named[name] = Scripted(_submit_at_once(write), "lazy", summary=summary)
        named[f"perturbed-{name}"] = Scripted(_perturbed(write), "adversary", summary=f"{name}, varied with all checks")
    return named
