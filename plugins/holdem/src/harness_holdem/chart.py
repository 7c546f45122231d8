"""A fixed chart: the same thresholds on the own hand's strength against every opponent, fitted on training instances.

It is the best single answer to the task for a player who looks at the cards and the price but never at the opponent.
Fitting is a random search with successive halving over the thresholds; each candidate is judged by its mean regret
over the first hands of the training instances.
"""

from __future__ import annotations

from collections.abc import Sequence

import attrs
import numpy as np

from harness_holdem.betting import Spot
from harness_holdem.cards import holding
from harness_holdem.match import Match, World, regrets
from harness_holdem.planner import Situation
from harness_holdem.sample import Identity
from harness_holdem.strength import board_percentiles

_ROUNDS = ((16, 60), (5, 200), (2, 500))
_HANDS = 1


@attrs.frozen
class Chart:
    """Thresholds in percentile.

    Attributes:
        opening: bet, or raise before the flop, with a better hand when nobody has raised.
        stealing: bet with a worse hand when nobody has bet.
        raising: raise a bet with a better hand.
        defence: continue against a bet with this multiple of the minimum defence.
        size: bets and raises as a fraction of the pot.
    """

    opening: float
    stealing: float
    raising: float
    defence: float
    size: float

    def choose(self, situation: Situation) -> str:
        """Return the chart's action."""
        spot = situation.spot
        strength = float(board_percentiles(situation.board)[holding(situation.hero)])
        if spot.may_raise and spot.raises < 2 and self._raises(spot, strength):
            return f"raise {spot.of_pot(self.size)}"
        if spot.owed and strength < 1 - self.defence * (1 - 2 * spot.price) / (1 - spot.price):
            return "fold"
        return "call"

    def _raises(self, spot: Spot, strength: float) -> bool:
        if spot.owed == 0 or (spot.street == 0 and spot.raises == 0):
            return strength > self.opening or (spot.owed == 0 and strength < self.stealing)
        return strength > self.raising


def fitted(identities: Sequence[Identity]) -> Chart:
    """Return the chart with the least regret on training instances."""
    rng = np.random.default_rng(0)
    charts = [_drawn(rng) for _ in range(_ROUNDS[0][0])]
    for keep, instances in _ROUNDS:
        charts = sorted(charts[:keep], key=lambda chart: _loss(chart, identities[:instances]))
    return charts[0]


def _drawn(rng: np.random.Generator) -> Chart:
    return Chart(
        opening=float(rng.uniform(0.3, 0.95)),
        stealing=float(rng.uniform(-0.1, 0.4)),
        raising=float(rng.uniform(0.6, 1.05)),
        defence=float(rng.uniform(0.5, 1.6)),
        size=float(rng.choice([0.5, 0.75, 1.0, 1.5])),
    )


def _loss(chart: Chart, identities: Sequence[Identity]) -> float:
    return float(np.mean([_regret(chart, identity) for identity in identities]))


def _regret(chart: Chart, identity: Identity) -> float:
    """Return the chart's mean regret over the first hands of an instance."""
    identity = attrs.evolve(identity, deals=identity.deals[:_HANDS])
    world = World()
    match = Match(identity, world)
    while not match.over:
        match.act(chart.choose(match.situation))
    return sum(sum(regrets(identity, number, hand)) for number, hand in enumerate(world.hands)) / _HANDS
