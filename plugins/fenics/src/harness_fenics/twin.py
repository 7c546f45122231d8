"""The engine `dolfinx`: hands a problem to DOLFINx, in this process or through an interpreter that has it.

In this process if the extra `dolfinx` is installed (Python 3.12 or later), else through the interpreter named by
`HARNESS_DOLFINX_PYTHON`, else through the system's Python where Debian's `python3-dolfinx` lives. It answers with the
same `Fields`, node by node, but is no faster and needs a C compiler: it is there to check the default engine against.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from functools import cache
from importlib import util
from pathlib import Path
from typing import Any, Final

import numpy as np
from attrs import asdict

from harness.errors import UserError
from harness_fenics.engine import Fields
from harness_fenics.grid import cells_of
from harness_fenics.problem import Problem, Steady

VARIABLE: Final = "HARNESS_DOLFINX_PYTHON"
SYSTEM: Final = "/usr/bin/python3"
PROGRAM: Final = Path(__file__).with_name("dolfinx_program.py")
SECONDS: Final = 300


def solve_on_dolfinx(problem: Problem) -> Fields:
    """Solve a problem on DOLFINx.

    Raises:
        UserError: No interpreter with DOLFINx was found; the message says where it was looked for.
    """
    where = whereabouts()
    if not where:
        raise UserError(missing())
    ask = payload_of(problem)
    if where == sys.executable:
        from harness_fenics.dolfinx_program import solve_payload

        answer = solve_payload(ask)
    else:
        answer = _elsewhere(where, ask)
    return Fields(np.asarray(answer["snapshots"]), np.asarray(answer["highest"]))


@cache
def whereabouts() -> str:
    """Path of an interpreter that has DOLFINx; empty if none is known."""
    if util.find_spec("dolfinx_solver") or util.find_spec("dolfinx"):
        return sys.executable
    for path in (os.environ.get(VARIABLE, ""), SYSTEM):
        if path and Path(path).exists() and _has_dolfinx(path):
            return path
    return ""


def missing() -> str:
    """Say where DOLFINx was looked for."""
    return (
        "DOLFINx was not found: not in this Python (install harness-task-fenics[dolfinx] on Python 3.12 or later), "
        f"not through {VARIABLE}, not in {SYSTEM} (Debian: apt install python3-dolfinx python3-scipy)"
    )


def payload_of(problem: Problem) -> dict[str, Any]:
    """Write a problem as JSON values, with its mesh."""
    points, cells = cells_of(problem.plate)
    extra: dict[str, Any] = (
        {} if isinstance(problem, Steady) else {"schedule": problem.schedule(), "damping": problem.damping}
    )
    return {
        **asdict(problem),
        **extra,
        "kind": "steady" if isinstance(problem, Steady) else "transient",
        "width": problem.plate.width,
        "height": problem.plate.height,
        "points": points.tolist(),
        "cells": cells.tolist(),
    }


def _has_dolfinx(python: str) -> bool:
    code = "import importlib.util as u; print(any(u.find_spec(n) for n in ('dolfinx', 'dolfinx_solver')))"
    try:
        done = subprocess.run([python, "-c", code], capture_output=True, text=True, check=False, timeout=60)
    except (OSError, subprocess.TimeoutExpired):
        return False
    return done.stdout.strip() == "True"


def _elsewhere(python: str, ask: dict[str, Any]) -> Any:
    done = subprocess.run(
        [python, str(PROGRAM)], input=json.dumps(ask), capture_output=True, text=True, check=False, timeout=SECONDS
    )
    if done.returncode != 0:
        raise UserError(f"DOLFINx in {python} failed: {done.stderr.strip()[-500:]}")
    return json.loads(done.stdout.strip().splitlines()[-1])
