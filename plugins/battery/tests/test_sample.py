"""The sampler: repeatable anywhere, within the told bands and the real limits, golden draws kept."""

import json
import os
import subprocess
import sys

import pytest
from attrs import asdict

from harness import generator
from harness.task import load_task
from harness_battery.chemistry import CHEMISTRIES
from harness_battery.sample import BANDS, GROUPS, PEAK_C, Options, propose

PROGRAM = """
import json
from harness.task import load_task
task = load_task("battery", group="hard")
print(json.dumps([dict(task.sample(i, seed=3).identity) for i in (1, 0)]))
"""


def test_same_identity_in_another_process_and_order() -> None:
    told = [
        subprocess.run(
            [sys.executable, "-c", PROGRAM],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("0", "1")
    ]
    assert told[0] == told[1]
    task = load_task("battery", group="hard")
    here = [dict(task.sample(i, seed=3).identity) for i in (0, 1)]
    assert json.loads(told[0]) == here[::-1]


@pytest.mark.parametrize("group", GROUPS)
def test_instances_are_real(group: str) -> None:
    task = load_task("battery", group=group)
    for index in range(6):
        identity = task.decode_identity(task.sample(index, seed=11).identity)
        assert identity.chemistry in CHEMISTRIES
        assert PEAK_C[0] <= identity.requirements.peak_c <= PEAK_C[1]
        for name, (low, high) in BANDS.items():
            assert low <= getattr(identity.deviation, name) <= high
        assert (identity.requirements.plating_mv is not None) == (group == "hard")


def test_chemistry_option_is_kept() -> None:
    task = load_task("battery", group="medium", options={"chemistry": "Ai2020"})
    assert {task.sample(i).identity["chemistry"] for i in range(4)} == {"Ai2020"}


def test_golden_draws() -> None:
    """Plain draws of the generator: they change only if numpy's streams or the order of drawing do."""
    identity = asdict(propose(generator("battery", "golden"), Options(level="medium")))
    assert identity["chemistry"] == GOLDEN["chemistry"]
    assert identity["duty"]["c_rate"] == GOLDEN["c_rate"]
    assert identity["deviation"]["kinetics"] == pytest.approx(GOLDEN["kinetics"], rel=1e-12)
    assert identity["deviation"]["active"] == pytest.approx(GOLDEN["active"], rel=1e-12)


GOLDEN = {"chemistry": "Chen2020", "c_rate": 2.02, "kinetics": 0.6846252333205092, "active": 0.9722919919809286}
