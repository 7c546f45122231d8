"""`harness doctor`: this installation and every plugin in it, each imported in a process of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import Any

import click
from attrs import asdict, frozen

from harness import plugins
from harness.cli._shared import json_option, print_json

GROUPS = (
    "harness.tasks",
    "harness.policies",
    "harness.backends",
    "harness.exporters",
    "harness.trainers",
    "harness.commands",
    "harness.plugins",
)
SECONDS = 60.0

_CODE = """
import sys
from importlib import import_module
module, _, attribute = sys.argv[1].partition(":")
found = import_module(module)
for part in filter(None, attribute.split(".")):
    found = getattr(found, part)
if sys.argv[2] == "harness.tasks":
    from harness.task import load_task
    load_task(sys.argv[3])
"""


@frozen
class Finding:
    """What was found of one plugin."""

    group: str
    name: str
    distribution: str
    version: str
    ok: bool
    detail: str = ""


def examine(item: plugins.Listing, group: str) -> Finding:
    """Import a plugin in a subprocess; what it prints, raises or sleeps harms nobody."""
    if item.faults:
        return Finding(group, item.name, item.distribution, item.version, False, "; ".join(item.faults))
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(p for p in sys.path if p)}
    command_line = [sys.executable, "-c", _CODE, item.target, group, item.qualified]
    try:
        done = subprocess.run(
            command_line, capture_output=True, text=True, timeout=SECONDS, check=False, env=environment
        )
    except subprocess.TimeoutExpired:
        return Finding(group, item.name, item.distribution, item.version, False, f"import takes over {SECONDS:g} s")
    detail = ""
    if done.returncode != 0:
        detail = (done.stderr.strip().splitlines() or ["it ended without a word"])[-1]
    elif done.stdout.strip():
        detail = f"prints at import: {done.stdout.strip().splitlines()[0][:80]}"
    return Finding(group, item.name, item.distribution, item.version, done.returncode == 0, detail)


@click.command("doctor", epilog="Example: harness doctor --json")
@json_option
def command(as_json: bool) -> int:
    """Check versions, and import every plugin in a process of its own. Exits with 1 if one is broken."""
    import platform

    from harness.runs import installed

    about: dict[str, Any] = {"python": platform.python_version(), "platform": platform.platform()}
    names = ("harness-envs", "anyio", "aiohttp", "attrs", "cattrs", "numpy", "orjson", "pluggy", "zstandard")
    about["versions"] = {name: installed(name) for name in names}
    findings = [examine(item, group) for group in GROUPS for item in plugins.listings(group)]
    broken = [f for f in findings if not f.ok]
    if as_json:
        print_json(about | {"plugins": [asdict(f) for f in findings], "ok": not broken})
        return int(bool(broken))
    click.echo(f"python {about['python']} on {about['platform']}")
    click.echo(", ".join(f"{name} {version}" for name, version in about["versions"].items()))
    for f in findings:
        mark = "ok  " if f.ok else "FAIL"
        click.echo(f"{mark} {f.group}: {f.name} ({f.distribution} {f.version}){' — ' + f.detail if f.detail else ''}")
    click.echo(f"{len(findings) - len(broken)} of {len(findings)} plugins are sound")
    return int(bool(broken))
