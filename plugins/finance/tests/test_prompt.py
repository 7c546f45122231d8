"""Every wording carries every fact, and none of the secrets."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from harness import Task

CASES = list(product(("en", "zh"), range(3)))


@pytest.mark.parametrize(("language", "wording"), CASES)
def test_every_wording_carries_every_fact(task: Task, language: str, wording: int) -> None:
    for number in range(20):
        identity = task.prompt.sample(np.random.default_rng(number))
        text = task.prompt.messages(identity, wording, language)
        assert isinstance(text, str)
        missing = {n: f for n, f in task.prompt.facts(identity, language).items() if f not in text}
        assert missing == {}
        assert "{" not in text
        assert not any(secret in text for secret in task.secrets(identity))


def test_facts_cover_budgets_limits_tolerances_and_rules(task: Task) -> None:
    identity = task.prompt.sample(np.random.default_rng(0))
    facts, limits = task.prompt.facts(identity, "en"), task.prompt.limits(identity)
    assert facts["lookups"] == f"{limits.budgets['lookups']} lookups"
    assert facts["checks"] == f"{limits.budgets['checks']} checks"
    assert facts["turns"] == f"{limits.turns} turns"
    assert facts["limit of leverage"] == f"leverage at most {identity.limits['leverage'] / 100:.2f}"
    assert {f"tolerance of {item}" for item in identity.tolerances} <= set(facts)
    assert facts["tolerance of revenue"] == f"revenue ±{identity.tolerances['revenue']:,}"
    assert sum(name.startswith("rule ") for name in facts) == 15


def test_wordings_differ(task: Task) -> None:
    identity = task.prompt.sample(np.random.default_rng(0))
    texts = {str(task.prompt.messages(identity, wording, language)) for language, wording in CASES}
    assert len(texts) == 6
