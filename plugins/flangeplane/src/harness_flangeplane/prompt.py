"""The prompt layer: proposes instances, shows the drawing and words what it does not say, in three ways a language.

Texts lie in `prompts.<language>.toml`: facts and frames around blocks of them. No fact depends on what stands in the
drawing, other than through the requirements.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from attrs import asdict

from harness import Draft, Limits, image, user
from harness_flangeplane.joint import DEVIATION
from harness_flangeplane.options import Options
from harness_flangeplane.reading import LENGTH, SHARE
from harness_flangeplane.sample import Identity, propose
from harness_flangeplane.stock import BOLTS, GASKETS, MATERIALS

if TYPE_CHECKING:
    import numpy as np

NUDGES = 2
SPARE_TURNS = 10
"""Turns beyond one for each analysis and each drawing."""

_BLOCKS = {"rules": ("even", "rim", "pitch", "spread", "clear"), "tolerance": ("tolerance", "jacks")}
_LISTS = {"materials": "material ", "bolts": "bolt ", "required": "required "}
_AND = {"en": "; ", "zh": "；"}


class FlangePrompt:
    """Proposes and words instances."""

    identity: type = Identity

    def __init__(self, options: Options) -> None:
        self._options = options

    def sample(self, rng: np.random.Generator) -> Identity:
        """Propose an instance."""
        return propose(self._options, rng)

    def messages(self, identity: Identity, wording: int, language: str) -> Sequence[Draft]:
        """Word the instance and show the drawing of the flange as it was built."""
        from harness_flangeplane.drawing import draw, style_of

        facts = self.facts(identity, language)
        blocks = {
            name: f"{_AND[language]}".join(facts[n] for n in names if n in facts) for name, names in _BLOCKS.items()
        }
        for name, start in _LISTS.items():
            blocks[name] = "\n".join(f"- {text}" for fact, text in facts.items() if fact.startswith(start))
        text = str(_book(language)["wordings"]["texts"][wording]).format(**(dict(facts) | blocks))
        drawn = draw(identity.joint, identity.pictured, style_of(identity))
        return [user(text, image(drawn.data, facts=drawn.labels))]

    def facts(self, identity: Identity, language: str) -> Mapping[str, str]:
        """Return what every wording carries."""
        texts, limits = _book(language)["facts"], self.limits(identity)

        def say(name: str, /, **values: Any) -> str:
            return str(texts[name]).format(**values)

        facts = {f"material {name}": say("material", name=name, **asdict(kind)) for name, kind in MATERIALS.items()}
        facts |= {f"bolt {name}": say("bolt", name=name, **asdict(bolt)) for name, bolt in BOLTS.items()}
        facts |= {f"required {name}": say(name, **{name: value}) for name, value in asdict(identity.required).items()}
        facts |= {name: say(name) for name in ("force", "model", "read", *_BLOCKS["rules"])}
        facts |= {"jacks": say("jacks")} if identity.jacks else {}
        band = 100 * identity.doubt
        tolerance = say("scaled" if identity.scale_bar else "printed", length=LENGTH, share=100 * SHARE)
        return facts | {
            "gasket": say("gasket", kind=identity.joint.gasket, **asdict(GASKETS[identity.joint.gasket])),
            "doubt": say("doubt", force=band, modulus=round(DEVIATION * band, 3)),
            "tolerance": tolerance,
            "analyses": say("analyses", **limits.budgets),
            "drawings": say("drawings", **limits.budgets),
            "turns": say("turns", turns=limits.turns),
            "nudges": say("nudges", nudges=limits.nudges),
        }

    def limits(self, identity: Identity) -> Limits:
        """Return the turns, analyses and drawings of the episode."""
        analyses, drawings = identity.budgets
        budgets = {"analyses": analyses, "drawings": drawings}
        return Limits(turns=analyses + drawings + SPARE_TURNS, budgets=budgets, nudges=NUDGES)

    def secrets(self, identity: Identity) -> list[str]:
        """Return the known design's thickness and how the real joint deviates."""
        truth = identity.truth
        values = (truth.force, truth.weld, *truth.moduli, *truth.strengths)
        return [text for text in (repr(identity.known.thickness), *map(repr, values)) if len(text) >= 6]


@cache
def _book(language: str) -> Mapping[str, Any]:
    return tomllib.loads(files("harness_flangeplane").joinpath(f"prompts.{language}.toml").read_text(encoding="utf-8"))
