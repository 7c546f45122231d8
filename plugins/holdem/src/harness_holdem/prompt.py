"""The prompt layer: proposes matches and words them, three ways in each language (the texts lie in ``wordings``).

No wording names the families of opponents or their parameters; each says what the opponent's play may depend on,
which is what a player needs to know to learn it.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib.resources import files

import attrs
import numpy as np

from harness import Limits
from harness_holdem.options import Options
from harness_holdem.sample import Identity, propose

_TURNS_PER_HAND = 12


class MatchPrompt:
    """Proposes and words instances of the task."""

    identity: type = Identity

    def __init__(self, options: Options) -> None:
        self._options = options

    def sample(self, rng: np.random.Generator) -> Identity:
        """Propose a match."""
        return propose(self._options, rng)

    def messages(self, identity: Identity, wording: int, language: str) -> str:
        """Word the match."""
        told = self.facts(identity, language)
        return _wording(language, wording).format(where=_WHERE[language][self._options.variant], **told)

    def facts(self, identity: Identity, language: str) -> Mapping[str, str]:
        """Return the numbers that every wording carries."""
        return {
            "hands": str(len(identity.deals)),
            "stack": str(identity.stack),
            "blinds": f"{identity.big_blind // 2}/{identity.big_blind}",
            "pages": str(identity.pages),
            "page_hands": str(identity.page_hands),
            "allowance": f"{identity.allowance:g} bb",
            "turns": str(self.limits(identity).turns),
        }

    def limits(self, identity: Identity) -> Limits:
        """Return the limits: turns for every hand and every page, and pages of recorded hands."""
        turns = _TURNS_PER_HAND * len(identity.deals) + identity.pages + 6
        return Limits(turns=turns, budgets={"pages": identity.pages}, call_seconds=30.0)

    def secrets(self, identity: Identity) -> list[str]:
        """Return the deals, the family of the opponent, its parameters and the seeds."""
        numbers = [repr(value) for value in attrs.asdict(identity.style).values() if isinstance(value, float)]
        seeds = [str(identity.chance), str(identity.archive)]
        return [*identity.deals, identity.style.kind, *(text for text in (*numbers, *seeds) if len(text) >= 7)]


_WHERE = {
    "en": {
        "image": "The table is shown as a picture; the cards are to be seen in the picture only.",
        "text": "The table is shown as text fields; a card is a rank and a suit, such as Ah or Tc.",
    },
    "zh": {
        "image": "牌桌以图片显示，牌面只出现在图片中。",
        "text": "牌桌以文字字段显示；一张牌写作点数加花色，例如 Ah 或 Tc。",
    },
}


@cache
def _wording(language: str, wording: int) -> str:
    return files("harness_holdem").joinpath("wordings", f"{language}-{wording}.txt").read_text(encoding="utf-8").strip()
