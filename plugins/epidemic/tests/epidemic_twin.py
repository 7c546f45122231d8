"""A second opinion: the same disease as a chain-binomial process on whole people, written without the package's code.

One region, one day a step, loops over age bands, integer draws. The mean of its runs is what the expected flows of
the package ought to be.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

Person = dict[str, list[int]]


def run(
    heads: Sequence[int],
    infected: Sequence[int],
    contacts: Sequence[Sequence[float]],
    means: tuple[float, float, float],
    severity: Sequence[float],
    fatality: Sequence[float],
    days: int,
    rng: np.random.Generator,
) -> tuple[int, int]:
    """Return infections and deaths of one run.

    Args:
        contacts: Force on band a per infectious share of band b, per day.
        means: Mean latent, infectious and hospital days.
    """
    bands = range(len(heads))
    state: Person = {
        "S": [heads[a] - infected[a] for a in bands],
        "E": list(infected),
        **{name: [0 for _ in bands] for name in "IHDR"},
    }
    leave = [1 - math.exp(-1 / mean) for mean in means]
    infections = 0
    for _ in range(days):
        force = [sum(contacts[a][b] * state["I"][b] / heads[b] for b in bands) for a in bands]
        for a in bands:
            caught = int(rng.binomial(state["S"][a], 1 - math.exp(-force[a])))
            onset = int(rng.binomial(state["E"][a], leave[0]))
            ended = int(rng.binomial(state["I"][a], leave[1]))
            out = int(rng.binomial(state["H"][a], leave[2]))
            admitted = int(rng.binomial(ended, severity[a]))
            died = int(rng.binomial(out, fatality[a]))
            state["S"][a] -= caught
            state["E"][a] += caught - onset
            state["I"][a] += onset - ended
            state["H"][a] += admitted - out
            state["D"][a] += died
            state["R"][a] += ended - admitted + out - died
            infections += caught
    assert all(sum(state[name][a] for name in state) == heads[a] for a in bands)
    return infections, sum(state["D"])
