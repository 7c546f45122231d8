"""Compute ``preflop.json``: the mean river percentile of each of the 169 starting classes over all 2,598,960 boards.

Run once (about three minutes of CPU): ``python scripts/preflop.py``. The means ship with the package; a test
recomputes them on a sample.
"""

from __future__ import annotations

import json
from itertools import combinations, islice
from pathlib import Path

import numpy as np

from harness_holdem.cards import DECK, HOLDINGS
from harness_holdem.strength import percentiles, starting_class, values

TARGET = Path(__file__).parents[1] / "src" / "harness_holdem" / "preflop.json"


def main() -> None:
    """Walk over all boards in chunks and write the means, best class first."""
    total, seen = np.zeros(len(HOLDINGS)), np.zeros(len(HOLDINGS))
    boards = combinations(DECK, 5)
    while chunk := list(islice(boards, 4000)):
        found = values(np.array(chunk))
        total += percentiles(found).sum(axis=0, dtype=np.float64)
        seen += (found >= 0).sum(axis=0)
    means = {
        starting_class(pair.tolist()): round(float(mean), 5) for pair, mean in zip(HOLDINGS, total / seen, strict=True)
    }
    ordered = dict(sorted(means.items(), key=lambda item: -item[1]))
    TARGET.write_text(json.dumps(ordered, indent=0) + "\n")


if __name__ == "__main__":
    main()
