"""Discovery by entry points, and one plugin manager per task in play.

Entry points give identity and are read from distribution metadata; nothing is imported until it is asked for. pluggy
gives contributions: the manager of a task holds that task's module and the plugins chosen for the run, nothing else,
since pluggy asks everyone who is registered. `harness --help` passes through here, so this module imports next to
nothing.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from importlib_metadata import EntryPoint, entry_points

from harness.errors import TaskError, UnknownName, UserError

if TYPE_CHECKING:
    import pluggy


class Listing(NamedTuple):
    """One entry point as its metadata tells it.

    Attributes:
        faults: What is wrong as far as can be told without an import.
    """

    name: str
    distribution: str
    version: str
    target: str
    summary: str = ""
    faults: tuple[str, ...] = ()

    @property
    def qualified(self) -> str:
        """Name that also says which distribution is meant."""
        return f"{self.distribution}:{self.name}"


def listings(group: str = "harness.tasks") -> list[Listing]:
    """List the installed entry points of a group, by name; nothing is imported."""
    found = [_listing(point) for point in _points(group)]
    names = [item.name for item in found]
    return sorted((_with_clash(item, found, names) for item in found), key=lambda i: (i.name, i.distribution))


@cache
def _points(group: str) -> tuple[EntryPoint, ...]:
    return tuple(entry_points(group=group))


def forget() -> None:
    """Read distribution metadata again: packages were installed or put on the path meanwhile."""
    _points.cache_clear()


def _listing(point: EntryPoint) -> Listing:
    dist = point.dist
    missing = _missing_module(point.module)
    faults = (f"module {point.module!r} does not exist ({missing!r} was not found)",) if missing else ()
    if dist is None:
        return Listing(point.name, "?", "?", point.value, "", faults)
    about = _headers(point)
    return Listing(point.name, about["name"], about["version"], point.value, about.get("summary", ""), faults)


def _headers(point: EntryPoint) -> dict[str, str]:
    """Read the head of a distribution's metadata; the library would parse the whole text, once for each field."""
    dist = point.dist
    assert dist is not None
    text = dist.read_text("METADATA")
    if text is None:  # another layout
        return {"name": dist.name, "version": dist.version, "summary": dist.metadata.get("Summary") or ""}
    found: dict[str, str] = {}
    for line in text.splitlines():
        if not line:
            break
        name, _, value = line.partition(":")
        found.setdefault(name.lower(), value.strip())
    return found


def _missing_module(module: str) -> str:
    """Return the first part of a dotted name that cannot be found on disk, looking without importing."""
    first, *rest = module.split(".")
    try:
        spec = importlib.util.find_spec(first)
    except (ImportError, ValueError):
        return first
    if spec is None:
        return first
    places = [Path(p) for p in spec.submodule_search_locations or ()]
    for part in rest:
        hits = [p for p in places if (p / part).is_dir() or any(p.glob(f"{part}.*"))]
        if not hits:
            return part
        places = [p / part for p in hits]
    return ""


def _with_clash(item: Listing, found: Iterable[Listing], names: Sequence[str]) -> Listing:
    if names.count(item.name) < 2:
        return item
    others = [o.distribution for o in found if o.name == item.name and o.distribution != item.distribution]
    fault = f"also declared by {', '.join(others)}; choose with {item.qualified!r}"
    return Listing(item.name, item.distribution, item.version, item.target, item.summary, (*item.faults, fault))


def load(name: str, group: str, kind: str) -> object:
    """Import what an entry point names.

    Args:
        name: Entry point name, or `distribution:name` when two distributions declare it.
        group: Entry point group, such as `harness.tasks`.
        kind: What to call it in error texts.
    """
    distribution, _, short = name.rpartition(":")
    points = [p for p in _points(group) if p.name == short]
    if distribution:
        points = [p for p in points if p.dist is not None and p.dist.name == distribution]
    if not points:
        known = {p.name for p in _points(group)}
        raise UnknownName(kind, name, known, "" if known else f"no {kind} is installed: pip install harness-task-NAME")
    if len(points) > 1:
        owners = ", ".join(sorted(repr(f"{p.dist.name}:{short}") for p in points if p.dist is not None))
        raise UserError(f"{kind} {short!r} is declared by {len(points)} distributions: choose one of {owners}")
    return _import(points[0], kind)


def _import(point: EntryPoint, kind: str) -> object:
    try:
        return point.load()
    except Exception as error:
        owner = point.dist.name if point.dist is not None else "?"
        raise TaskError(
            f"{kind} {point.name!r} of {owner} cannot be imported ({point.value}): {type(error).__name__}: {error}"
        ) from error


def manager(task: object, name: str, plugins: Sequence[str] = ()) -> pluggy.PluginManager:
    """Build the plugin manager of one task.

    Args:
        task: Module (or object) with the task's hook implementations.
        name: Name to register it under.
        plugins: Names from the entry point group `harness.plugins`, in the order given; later ones are asked first.
    """
    import pluggy

    from harness import hookspecs

    made = pluggy.PluginManager("harness")
    made.add_hookspecs(hookspecs)
    _register(made, task, name)
    for plugin in plugins:
        _register(made, load(plugin, "harness.plugins", "plugin"), plugin)
    return made


def _register(made: pluggy.PluginManager, plugin: object, name: str) -> None:
    import pluggy

    try:
        made.register(plugin, name)
        made.check_pending()
    except pluggy.PluginValidationError as error:
        raise TaskError(f"plugin {name!r} does not fit the hooks: {error}") from error
