"""The prompt layer: proposes exercises and words them, in three wordings of two languages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from harness import Limits
from harness.records import Json
from harness_music.notation import chord_rows, grid
from harness_music.pitch import VOICES
from harness_music.rules import WEIGHTS
from harness_music.sample import Exercise, Options, plan_of, propose
from harness_music.wordings import texts

SPARE_TURNS = 12
"""Turns beyond one for each check."""


class PartWritingPrompt:
    """Instances of one variant and level."""

    identity: type = Exercise

    def __init__(self, options: Options) -> None:
        self._options = options

    def sample(self, rng: np.random.Generator) -> Exercise:
        """Propose an exercise."""
        return propose(rng, self._options)

    def messages(self, identity: Exercise, wording: int, language: str) -> str:
        """Word an exercise."""
        chosen = texts(language)["wording"][wording]
        text = chosen[identity.variant].strip() + "\n\n" + chosen["body"].strip()
        return str(text.format(**_fill(identity, language)))

    def facts(self, identity: Exercise, language: str) -> Mapping[str, str]:
        """Return what every wording contains; the scripted reference reads the exercise from here."""
        fill = _fill(identity, language)
        told = {name: fill[name] for name in ("key", "metre", "marked", "ranges", "checks", "turns")}
        told |= {"passage": fill["grid"]}
        if identity.variant == "harmonise":
            told |= {"line": fill["line"]}
        told |= {f"chord {i + 1}": row for i, row in enumerate(chord_rows(plan_of(identity)))}
        return told | {f"rule {rule}": f"{rule} ({weight})" for rule, weight in WEIGHTS.items()}

    def limits(self, identity: Exercise) -> Limits:
        """Return the budget of checks and the turns."""
        return Limits(turns=identity.checks + SPARE_TURNS, budgets={"checks": identity.checks})

    def key(self, identity: Exercise) -> Json:
        """Two exercises are the same if they tell the same: the hidden model answer does not count."""
        return [
            identity.variant,
            identity.tonic,
            identity.mode,
            identity.symbols,
            identity.ranges,
            identity.line,
            identity.start,
        ]

    def secrets(self, identity: Exercise) -> Sequence[str]:
        """Return the model answer's lines, as text and as JSON, where they are not given."""
        hidden = [line for line, told in zip(identity.model, identity.start, strict=True) if line != told]
        plain = [" ".join(line) for line in hidden]
        quoted = [",".join(f'"{note}"' for note in line) for line in hidden]
        return [*plain, *quoted]


def _fill(identity: Exercise, language: str) -> dict[str, str]:
    phrases, plan = texts(language), plan_of(identity)
    spans = {voice: f"{low}–{high}" for voice, (low, high) in zip(VOICES, identity.ranges, strict=True)}
    return {
        "key": phrases["key"].format(tonic=identity.tonic, mode=phrases[identity.mode]),
        "metre": phrases["metre"].format(n=identity.metre),
        "marked": phrases["marked"].format(list=", ".join(str(i + 1) for i in identity.marked)),
        "ranges": phrases["voices"].format(**spans),
        "checks": phrases["checks"].format(n=identity.checks),
        "turns": phrases["turns"].format(n=identity.checks + SPARE_TURNS),
        "line": phrases[identity.line],
        "table": "\n".join(chord_rows(plan)),
        "grid": grid(identity.start, plan),
    }
