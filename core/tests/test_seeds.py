from __future__ import annotations

import subprocess
import sys
from typing import Any

import numpy as np
import pytest

from harness import Reject, load_task, seeds


def test_neighbouring_words_share_nothing() -> None:
    draws = {seeds.generator("x", seed).integers(1 << 60) for seed in range(200)}
    assert len(draws) == 200
    assert seeds.digest("a", "b") != seeds.digest("ab")
    assert seeds.digest({"a": 1, "b": 2}) == seeds.digest({"b": 2, "a": 1})


def test_golden_draws_guard_against_changes_of_the_streams() -> None:
    """If this fails, numpy changed a stream or the hashing changed: every published instance would change with it."""
    rng = seeds.generator("golden", 1, "x")
    assert [int(v) for v in rng.integers(0, 1000, 5)] == GOLDEN_INTEGERS
    assert f"{rng.random():.12f} {rng.normal():.12f}" == GOLDEN_FLOATS
    assert seeds.hexdigest("golden", {"a": [1, 2.5, None]}) == GOLDEN_DIGEST


def test_splits_own_their_share_of_the_keys() -> None:
    owners = [seeds.owner(seeds.hexdigest(i)) for i in range(4000)]
    for split, share in seeds.SPLITS.items():
        assert owners.count(split) / 4000 == pytest.approx(share, abs=0.03)


@pytest.mark.parametrize("hash_seed", ["0", "1"])
def test_same_in_another_process(hash_seed: str) -> None:
    code = "from harness import seeds; print(seeds.hexdigest('a', {'k': [1]}), seeds.generator('a').integers(1 << 40))"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, env={"PYTHONHASHSEED": hash_seed}
    )
    assert done.stdout.split() == [seeds.hexdigest("a", {"k": [1]}), str(seeds.generator("a").integers(1 << 40))]


def test_quantises_floats_only() -> None:
    assert seeds.quantise({"a": 1.23456789, "b": [1, "x", 2.0000001]}) == {"a": 1.23457, "b": [1, "x", 2.0]}


GOLDEN_INTEGERS = [37, 399, 387, 686, 796]
GOLDEN_FLOATS = "0.637228566460 1.485775363270"
GOLDEN_DIGEST = "e45498cef5f441b8"


@pytest.mark.parametrize("split", ["train", "validation", "test"])
def test_rejections_weigh_in_each_split_as_much_as_draws(split: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A sampler that rejects half of its draws is accepted half of the time, whatever share the split owns."""
    task = load_task("toy", options={"size": 256})
    sample = task.prompt.sample

    def picky(rng: np.random.Generator) -> Any:
        if rng.random() < 0.5:
            raise Reject("a bad draw")
        return sample(rng)

    monkeypatch.setattr(task.prompt, "sample", picky)
    made = [next(task.proposals(0, split, index)).identity is not None for index in range(600)]
    assert 0.4 < sum(made) / len(made) < 0.6
