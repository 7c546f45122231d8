"""The sessions of continuous integration: `nox` alone is the short tier, the long tiers are asked for by name.

Every package is built as a wheel and installed, with that wheel and the core's alone, into a clean environment: what
a package declares it needs is proven, not assumed. The long tiers write small result files that are committed; the
short tier fails when one describes other sources than those in the tree.
"""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import nox

ROOT = Path(__file__).parent
WHEELS = ROOT / ".nox" / "wheels"
TASKS = sorted(path.parent.name for path in ROOT.glob("plugins/*/pyproject.toml"))
PACKAGES = {"core": ROOT / "core", **{name: ROOT / "plugins" / name for name in TASKS}}
SOURCES = ["core/src", *(f"plugins/{name}/src" for name in TASKS)]

nox.options.sessions = ["lint", "types", "core", *TASKS, "across", "dist", "scaffold"]
nox.options.error_on_missing_interpreters = True
os.environ.setdefault("OMP_NUM_THREADS", "1")


def built(session: nox.Session, *names: str) -> list[Path]:
    """Build the wheels of packages of this repository; return their paths, in order."""
    wheels = []
    for name in names:
        folder = WHEELS / name
        shutil.rmtree(folder, ignore_errors=True)
        session.run("python", "-m", "pip", "wheel", "-q", "--no-deps", "-w", str(folder), str(PACKAGES[name]))
        wheels += sorted(folder.glob("*.whl"))
    return wheels


def install(session: nox.Session, *names: str, test: bool = True) -> None:
    """Install packages from their wheels, and check that every harness distribution is one of them."""
    wheels = built(session, *names)
    extra = "[test]" if test else ""
    session.install("-q", *(f"{wheel}{extra}" for wheel in wheels))
    session.install("-q", "--force-reinstall", "--no-deps", *map(str, wheels))  # a reused environment has older ones
    check = ROOT / "tests" / "provenance.py"
    session.run("python", "-I", str(check), str(WHEELS), str(len(names)), silent=True)


@nox.session
def lint(session: nox.Session) -> None:
    """Style: ruff's rules and formatting."""
    session.install("-q", "ruff==0.17.6")
    session.run("ruff", "check", ".")
    session.run("ruff", "format", "--check", ".")


@nox.session
def types(session: nox.Session) -> None:
    """Types: mypy in strict mode over every package."""
    session.install("-q", "mypy==2.4.1", "types-PyYAML", "pytest", "pillow", *built(session, "core"), "openai")
    session.env["MYPYPATH"] = os.pathsep.join(SOURCES)
    packages = ["harness", *(f"harness_{name}" for name in TASKS)]
    session.run("mypy", *(word for package in packages for word in ("-p", package)))


@nox.session
def core(session: nox.Session) -> None:
    """The core alone, with its tests."""
    install(session, "core")
    session.run("pytest", "core/tests", *session.posargs)


def _plugin_session(name: str) -> None:
    @nox.session(name=name)
    def plugin(session: nox.Session) -> None:
        install(session, "core", name)
        session.run("pytest", f"plugins/{name}/tests", *session.posargs)

    plugin.__doc__ = f"The task package {name} beside the core, in a clean environment, with its tests."


for _name in TASKS:
    _plugin_session(_name)


@nox.session
def across(session: nox.Session) -> None:
    """Tests across packages: start-up budget, layers, docs, packaging."""
    install(session, "core")
    session.install("-q", "nox")
    session.run("pytest", "tests", *session.posargs)


@nox.session
def dist(session: nox.Session) -> None:
    """Built wheels in a clean environment, run from `/`: what a user of the released packages gets."""
    folder = ROOT / "dist"
    shutil.rmtree(folder, ignore_errors=True)
    for package in PACKAGES.values():
        session.run("python", "-m", "pip", "wheel", "-q", "--no-deps", "-w", str(folder), str(package))
    session.install("-q", "--find-links", str(folder), "harness-task-battery")
    run = Path(session.create_tmp()).resolve() / "run"
    shutil.rmtree(run, ignore_errors=True)
    session.chdir("/")
    session.run("python", "-I", str(ROOT / "tests" / "provenance.py"), str(folder), "2")
    session.run("harness", "list-tasks")
    session.run("harness", "rollout", "battery", "--policy", "reference", "-n", "4", "--out", str(run))
    report = json.loads((run / "report.json").read_text())["tasks"]["battery"]
    if (report["scored"], report["success"]) != (4, 1.0):
        session.error(f"battery from wheels: {report}")
    session.run("python", "-I", str(ROOT / "tests" / "first_line.py"), str(run / "traces.jsonl.zst"))


@nox.session
def scaffold(session: nox.Session) -> None:
    """What CONTRIBUTING promises: `harness new`, install, `harness check`, the package's own test."""
    install(session, "core")
    folder = Path(session.create_tmp()).resolve()
    shutil.rmtree(folder / "mytask", ignore_errors=True)
    session.run("harness", "new", "mytask", "--into", str(folder))
    session.install("-q", str(folder / "mytask"))
    session.run("harness", "check", "mytask")
    session.run("pytest", "-q", "--import-mode=importlib", "-p", "no:cacheprovider", str(folder / "mytask"))


# ---- long tiers, run before a change of theirs is called done


@nox.session
def certify(session: nox.Session) -> None:
    """Write held-out rows and measure the suite (200 fresh instances per group) of the tasks named after `--`.

    The packages are installed from the tree, since the results are written into it.
    """
    names = session.posargs or TASKS
    session.install("-q", "-e", str(PACKAGES["core"]), *(word for n in names for word in ("-e", str(PACKAGES[n]))))
    for name in names:
        session.run("harness", "certify", name)
        session.run("harness", "check", name, "--suite", "-n", "200", "--write")
        session.run("harness", "check", name)


@nox.session
def suite(session: nox.Session) -> None:
    """Play the held-out suite of all tasks with the reference policy; the result is committed."""
    install(session, "core", *TASKS, test=False)
    session.run("python", "benchmarks/suite.py", "-n", "100", "--write", *session.posargs)


@nox.session(name="fenics-dolfinx", python="3.12")
def fenics_dolfinx(session: nox.Session) -> None:
    """The finite elements of fenics beside real DOLFINx on the same problems; its wheel wants Python 3.12."""
    install(session, "core", "fenics")
    session.install("-q", "dolfinx-solver-real>=0.11")
    session.run("pytest", "plugins/fenics/tests/test_twin.py", env={"HARNESS_REQUIRE_DOLFINX": "1"})


@nox.session
def soak(session: nox.Session) -> None:
    """Kill a run at 50 random moments, cut its tail, resume: the same episodes and aggregate, no orphan."""
    install(session, "core")
    session.run("python", "core/tests/soak/kill9.py", "--kills", "50", *session.posargs)
