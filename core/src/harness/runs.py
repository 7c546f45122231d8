"""A run on disk: a folder with `run.json` (what was asked), `traces.jsonl.zst`, `images/` and `report.json`.

`RunSpec` is what was asked, as plain data; its digest says which runs may be continued or compared. A folder is resumed
only by the same specification with the same versions of task and reward.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import orjson
from attrs import asdict, field, frozen, validators
from importlib_metadata import PackageNotFoundError, version

from harness import seeds
from harness.errors import UserError
from harness.plan import Place, plan
from harness.records import Json
from harness.report import episode_name
from harness.schema import Misfit, conform, conform_fields
from harness.task import Task, TaskRef, task_of

TRACE = "traces.jsonl.zst"


def _strings(values: Iterable[str]) -> tuple[str, ...]:
    return tuple(values)


@frozen
class RunSpec:
    """What a run plays.

    Attributes:
        tasks: Task names; each plays `n` instances.
        data: File of sample rows to play instead of drawing instances.
        k: Plays of each instance.
        certify: Whether drawn instances of certified tasks must be certified.
        options: Options set on top of the groups' presets.
    """

    tasks: tuple[str, ...] = field(converter=_strings, factory=tuple)
    data: str | None = None
    policy: str = "reference"
    n: int = field(default=8, validator=validators.ge(1))
    k: int = field(default=1, validator=validators.ge(1))
    seed: int = seeds.DEFAULT_SEED
    split: str = "train"
    groups: tuple[str, ...] = field(converter=_strings, factory=tuple)
    options: Mapping[str, Json] = field(factory=dict)
    language: str = "en"
    plugins: tuple[str, ...] = field(converter=_strings, factory=tuple)
    certify: bool = True
    agent: Mapping[str, Json] = field(factory=dict)

    @classmethod
    def from_json(cls, value: Json, where: Path) -> RunSpec:
        """Read a specification strictly.

        Raises:
            UserError: A setting is unknown or of another type; the message names the file and the setting.
        """
        try:
            spec: RunSpec = conform(value, cls)
        except Misfit as error:
            raise UserError(f"{where}: {error}") from None
        return spec

    def to_json(self) -> dict[str, Json]:
        """Return the specification as JSON."""
        return {k: list(v) if isinstance(v, tuple) else v for k, v in asdict(self).items()}

    @property
    def digest(self) -> str:
        """Digest of everything that decides what is played and how it is scored."""
        return seeds.hexdigest(self.to_json())

    def places(self) -> list[Place]:
        """Lay out the instances of the run."""
        if self.data is not None:
            return list(rows_as_places(Path(self.data), self))
        found: list[Place] = []
        for task in self.tasks:
            found += plan(
                task,
                self.n,
                groups=self.groups,
                options=self.options,
                plugins=self.plugins,
                seed=self.seed,
                split=self.split,
                language=self.language,
            )
        return found


def rows_as_places(path: Path, spec: RunSpec) -> Iterator[Place]:
    """Read sample rows as written by `harness sample`."""
    from harness.rows import read_rows

    count = 0
    for count, row in enumerate(read_rows(path), start=1):
        try:
            place = conform_fields({k: v for k, v in row.items() if k in _PLACE}, _PLACE, _NEEDED)
        except Misfit as error:
            raise UserError(f"{path}, row {count}: {error}; expected rows of `harness sample`") from None
        options = place["options"] | dict(spec.options)
        ref = TaskRef(place["task"], place["group"], options, spec.plugins)
        yield Place(ref, place["index"], place["seed"], place["split"], place.get("language", "en"), row)
    if not count:
        raise UserError(f"{path} holds no rows; write some with `harness sample TASK -n 8 --out {path}`")


_PLACE: dict[str, Any] = {
    "task": str,
    "group": str,
    "index": int,
    "seed": int,
    "split": str,
    "key": str,
    "language": str,
    "options": dict[str, Any],
    "identity": dict[str, Any],
}
"""Fields of a row that say which instance it is."""

_NEEDED = frozenset(_PLACE) - {"language"}


class RunFolder:
    """The folder of one run."""

    def __init__(self, path: Path) -> None:
        self.path = path

    @property
    def trace(self) -> Path:
        """The trace file."""
        return self.path / TRACE

    @classmethod
    def create(cls, path: Path, spec: RunSpec, tasks: Iterable[Task]) -> RunFolder:
        """Make a new folder and write what was asked.

        Raises:
            UserError: The folder already holds a run.
        """
        if (path / "run.json").exists():
            raise UserError(f"{path} already holds a run; continue it with --resume {path}, or choose another --out")
        if path.exists() and any(path.iterdir()):
            raise UserError(f"{path} exists and is not empty; choose another --out")
        path.mkdir(parents=True, exist_ok=True)
        about = {"spec": spec.to_json(), "digest": spec.digest, "versions": versions(tasks), "created": now()}
        draft = path / "run.json.part"
        draft.write_bytes(orjson.dumps(about, option=orjson.OPT_INDENT_2))
        draft.replace(path / "run.json")
        return cls(path)

    def spec(self) -> RunSpec:
        """Read what was asked.

        Raises:
            UserError: The folder holds no run, or one of another shape.
        """
        return RunSpec.from_json(self.about()["spec"], self.path / "run.json")

    def about(self) -> dict[str, Any]:
        """Read `run.json`."""
        path = self.path / "run.json"
        if not path.is_file():
            raise UserError(f"{self.path} is no run folder: it has no run.json")
        try:
            value: dict[str, Any] = orjson.loads(path.read_bytes())
        except orjson.JSONDecodeError as error:
            raise UserError(f"{path} is no JSON: {error}") from None
        if not isinstance(value, dict) or not {"spec", "versions"} <= value.keys():
            raise UserError(f"{path} does not describe a run: expected an object with `spec` and `versions`")
        return value

    def check_versions(self, tasks: Iterable[Task]) -> None:
        """Refuse to continue a run with other versions of task or reward; harness and simulators are only recorded."""
        was, now_ = self.about()["versions"], versions(tasks)["tasks"]
        for name, wanted in was.get("tasks", {}).items():
            for part in ("version", "reward"):
                if now_.get(name, {}).get(part) != wanted.get(part):
                    raise UserError(
                        f"{self.path} was begun with {part} {wanted.get(part)!r} of {name}; installed is "
                        f"{now_.get(name, {}).get(part)!r}: install that version again, or start a new run"
                    )

    def finished(self) -> set[tuple[str, str, str, int, int]]:
        """Names of the episodes that need not be played again: those that were scored."""
        if not self.trace.exists():
            return set()
        from harness.trace import episodes

        done: dict[Any, bool] = {}
        for record in episodes(self.trace, torn="recover"):
            done[episode_name(record)] = record["outcome"]["status"] == "scored"
        return {name for name, scored in done.items() if scored}


def versions(tasks: Iterable[Task]) -> dict[str, Json]:
    """Versions of everything that decides results."""
    about: dict[str, Json] = {"harness": installed("harness-envs"), "tasks": {}}
    for task in tasks:
        about["tasks"][task.name] = {
            "version": task.card.version,
            "distribution": installed(f"harness-task-{task.name}"),
            "reward": task.reward.id,
            "plugins": list(task.ref.plugins),
            "simulators": {name: installed(name) for name in task.card.simulators},
        }
    return about


def installed(distribution: str) -> str | None:
    """Version of an installed distribution; None when it is not installed."""
    try:
        return version(distribution)
    except PackageNotFoundError:
        return None


def now() -> str:
    """The time in UTC, to the second."""
    return dt.datetime.now(dt.UTC).isoformat(timespec="seconds")


def tasks_of(places: Iterable[Place]) -> dict[str, Task]:
    """One task per name, for versions and cards."""
    return {place.ref.name: task_of(place.ref) for place in places}
