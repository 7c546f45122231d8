"""Completions by dynamic programming over voicings: proof that an exercise can be solved, and how rarely.

For each chord all voicings that keep the vertical rules and the given notes are listed; between neighbours a boolean
table says which moves are free of faults. Counting, sampling and the smoothest path are then sums and minima along the
chain. It is exact: if it finds no completion there is none.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import reduce
from itertools import product

import numpy as np

from harness_music import rules
from harness_music.chords import Chord
from harness_music.pitch import Ints, Passage, Pitch, passage_of, pitches_between
from harness_music.rules import MOTION_RULES, Bools, Plan


def choices(plan: Plan, chord: int, voice: int) -> tuple[Pitch, ...]:
    """Return what a voice may sing in a chord: the given note, or the chord's tones in its range, upwards."""
    given = plan.given[voice][chord]
    if given is not None:
        return (given,)
    told = plan.chords[chord]
    tones = (told.bass,) if voice == 3 else told.tones
    notes = [note for tone in tones for note in pitches_between(tone, *plan.ranges[voice])]
    return tuple(sorted(notes, key=lambda note: note.semitone))


def all_voicings(plan: Plan, chord: int) -> Ints:
    """Return every combination of the voices' choices, shape (n, 4, 2), with vertical faults or without."""
    notes = [[(p.position, p.semitone) for p in choices(plan, chord, voice)] for voice in range(4)]
    return np.array(list(product(*notes)), dtype=np.int64).reshape(-1, 4, 2)


def legal_voicings(plan: Plan, chord: int) -> Ints:
    """Return the voicings of a chord without vertical faults, shape (n, 4, 2)."""
    notes = all_voicings(plan, chord)
    return notes[_vertical(notes, plan.chords[chord])]


def _vertical(notes: Ints, chord: Chord) -> Bools:
    bad = [rules.crossing(notes[:, u], notes[:, v]) for u, v in rules.NEIGHBOURS]
    bad += [rules.too_far(notes[:, u], notes[:, v]) for u, v in rules.NEIGHBOURS[:2]]
    bad += [rules.is_class(notes, tone).sum(axis=1) == 0 for tone in chord.needed]
    bad += [rules.is_class(notes, tone).sum(axis=1) > 1 for tone in (chord.leading, chord.seventh)]
    if chord.six_four:
        bad.append(rules.is_class(notes, chord.bass).sum(axis=1) < 2)
    return np.logical_not(reduce(np.logical_or, bad))


def legal_moves(
    first: Ints, second: Ints, chord: Chord, following: Chord, kept: Collection[str] = MOTION_RULES
) -> Bools:
    """Return which voicings of the first chord may go to which of the second, shape (n, m), under the kept rules."""
    before, after = first[:, None], second[None, :]
    bad = np.zeros((len(first), len(second)), dtype=bool)
    for v in range(4):
        one, two = before[:, :, v], after[:, :, v]
        if "leap" in kept:
            bad |= rules.bad_leap(one, two, rules.WIDEST_LEAP[v])
        if "leading-tone" in kept:
            bad |= rules.leading_unresolved(one, two, chord, following)
        if "seventh" in kept:
            bad |= rules.seventh_unresolved(one, two, chord, following)
    for u, v in rules.PAIRS:
        lines = before[:, :, u], after[:, :, u], before[:, :, v], after[:, :, v]
        bad |= _bad_pair(lines, (u, v), kept)
    return np.logical_not(bad)


def _bad_pair(lines: tuple[Ints, Ints, Ints, Ints], pair: tuple[int, int], kept: Collection[str]) -> Bools:
    bad = np.zeros((len(lines[0]), lines[1].shape[1]), dtype=bool)
    for interval, kind in (("fifths", rules.FIFTH), ("octaves", rules.OCTAVE)):
        if f"parallel-{interval}" in kept:
            bad |= rules.parallel(*lines, kind)
        if pair == (0, 3) and f"direct-{interval}" in kept:
            bad |= rules.direct(*lines, kind)
    if pair in rules.NEIGHBOURS and "overlap" in kept:
        bad |= rules.overlap(*lines)
    return bad


class Lattice:
    """All completions of an exercise: voicings of each chord and the legal moves between them.

    Args:
        plan: The exercise.
        kept: The rules of motion to keep; vertical rules always hold.
    """

    def __init__(self, plan: Plan, kept: Collection[str] = MOTION_RULES) -> None:
        self.plan = plan
        self.voicings = [legal_voicings(plan, i) for i in range(len(plan.chords))]
        self.moves = [
            legal_moves(a, b, plan.chords[i], plan.chords[i + 1], kept)
            for i, (a, b) in enumerate(zip(self.voicings, self.voicings[1:], strict=False))
        ]
        self.completions = self._count()

    def _count(self) -> list[Ints]:
        """Per chord: how many ways lead from each voicing to the end."""
        ways = [np.ones(len(self.voicings[-1]), dtype=np.int64)]
        for moves in reversed(self.moves):
            ways.append(moves.astype(np.int64) @ ways[-1])
        return ways[::-1]

    @property
    def count(self) -> int:
        """How many completions there are."""
        return int(self.completions[0].sum())

    @property
    def candidates(self) -> int:
        """How many passages keep the vertical rules and the given notes."""
        return int(np.prod([float(len(v)) for v in self.voicings]))

    def smoothest(self) -> Passage | None:
        """Return the completion with the least motion in semitones (the first of equals), or None."""
        if self.count == 0:
            return None
        cost = np.where(self.completions[0] > 0, 0, _FAR)
        steps = []
        for i, moves in enumerate(self.moves):
            total = cost[:, None] + np.where(moves, motion_between(self.voicings[i], self.voicings[i + 1]), _FAR)
            steps.append(total.argmin(axis=0))
            cost = total.min(axis=0)
        return self._follow(steps, int(cost.argmin()))

    def _follow(self, steps: Sequence[Ints], last: int) -> Passage:
        path = [last]
        for step in reversed(steps):
            path.append(int(step[path[-1]]))
        return self.passage(path[::-1])

    def sample(self, rng: np.random.Generator, calm: int) -> Passage | None:
        """Draw a completion step by step, likelier the less its voices move; by whole numbers, so it repeats anywhere.

        Args:
            rng: Source of randomness.
            calm: Semitones of motion, all voices together, that halve a step's chance.
        """
        if self.count == 0:
            return None
        path = [draw(rng, (self.completions[0] > 0).astype(np.int64))]
        for i, moves in enumerate(self.moves):
            motion = motion_between(self.voicings[i][path[-1] : path[-1] + 1], self.voicings[i + 1])[0]
            weight = np.maximum(1 << np.maximum(20 - motion // calm, 0), 1)
            path.append(draw(rng, weight * (moves[path[-1]] & (self.completions[i + 1] > 0))))
        return self.passage(path)

    def passage(self, path: Sequence[int]) -> Passage:
        """Return the passage of one voicing index a chord."""
        return passage_of([self.voicings[i][j].tolist() for i, j in enumerate(path)])


_FAR = 1 << 40


def motion_between(first: Ints, second: Ints) -> Ints:
    """Return the semitones that all voices move, shape (n, m)."""
    distance: Ints = np.abs(first[:, None, :, 1] - second[None, :, :, 1]).sum(axis=2)
    return distance


def draw(rng: np.random.Generator, weights: Ints) -> int:
    """Draw an index by whole-number weights."""
    ends = np.cumsum(weights)
    return int(np.searchsorted(ends, rng.integers(int(ends[-1])), side="right"))
