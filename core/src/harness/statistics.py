"""The few statistics that reports need, with their sources."""

from __future__ import annotations

import math

Z95 = 1.959963984540054


def wilson(successes: float, n: int) -> tuple[float, float]:
    """95 % Wilson score interval of a proportion (Wilson 1927). (0, 1) when n is 0.

    With k plays of each instance, pass the sum of the instances' rates and the number of instances: conservative, since
    plays of one instance are not independent.
    """
    if n == 0:
        return 0.0, 1.0
    rate, z2 = successes / n, Z95 * Z95
    centre = (rate + z2 / (2 * n)) / (1 + z2 / n)
    half = Z95 * math.sqrt(rate * (1 - rate) / n + z2 / (4 * n * n)) / (1 + z2 / n)
    return max(0.0, centre - half), min(1.0, centre + half)


def pass_at_k(successes: int, n: int, k: int) -> float:
    """Unbiased estimate of the chance that at least one of k plays succeeds (Chen et al. 2021, eq. 1)."""
    if n - successes < k:
        return 1.0
    return 1.0 - math.prod(1.0 - k / i for i in range(n - successes + 1, n + 1))
