"""The rollout: many episodes, a bounded number at a time, written as they finish.

One failing episode never harms another and never ends the run. What ends a run early is an endpoint that refuses to
serve us, or one that is down for good; then, as after Ctrl-C, everything finished is on disk and `--resume` plays the
rest.
"""

from __future__ import annotations

import gc
import time
from collections import Counter, defaultdict
from collections.abc import Awaitable, Iterator, Mapping, Sequence
from contextlib import AsyncExitStack, contextmanager
from typing import Any, TypeVar

import anyio
from attrs import define, field, frozen

from harness import certify
from harness.backends import Backend, InlineBackend, Job, ProcessBackend
from harness.episode import Episode, InlineEpisode
from harness.errors import ContextOverflow, EndpointDown, EndpointRefused, HarnessError, PolicyFault, UnknownName
from harness.logging import Logger, Observer, RunInfo
from harness.plan import Place
from harness.policies import Context, Policy
from harness.records import Json, Sample
from harness.runs import RunFolder, RunSpec, now, tasks_of, versions
from harness.task import Task, task_of
from harness.trace import BlobStore, RecordError, TraceWriter, episode_record

T = TypeVar("T")

RETRIES = 2
"""How often an episode that ended invalid is played again."""

DOWN_LIMIT = 3
"""Episodes in a row that find the endpoint down before the run ends."""


@frozen
class Play:
    """One episode to be played: a place and the number of the repetition."""

    place: Place
    repetition: int

    @property
    def name(self) -> tuple[str, str, str, int, int]:
        """What identifies the episode within the run."""
        place = self.place
        return task_of(place.ref).name, place.split, place.ref.group, place.index, self.repetition


@define
class InFlight:
    """What an episode is doing right now, for the line that Ctrl-C prints."""

    label: str
    doing: str = "opening"
    since: float = field(factory=time.monotonic)

    def now(self, doing: str) -> None:
        """Say what is done from now on."""
        self.doing, self.since = doing, time.monotonic()


class Stopped(HarnessError):
    """The run ended before all episodes were played."""


@define
class Tally:
    """Progress of a run, handed to whoever shows it."""

    total: int
    done: int = 0
    kept: int = 0
    scored: int = 0
    success: int = 0
    reward: float = 0.0
    invalid: int = 0
    in_flight: int = 0
    most_in_flight: int = 0

    def add(self, record: Mapping[str, Json]) -> None:
        """Count a finished episode."""
        outcome = record["outcome"]
        self.done += 1
        if outcome["status"] == "scored":
            self.scored += 1
            self.success += bool(outcome["success"])
            self.reward += outcome["reward"]
        else:
            self.invalid += 1


class Samples:
    """Makes the samples of a run, each once, however many repetitions ask for it at the same time."""

    def __init__(self, backend: Backend, certified: bool, k: int) -> None:
        self._backend, self._certified, self._k = backend, certified, k
        self._caches: dict[tuple[bytes, int, str], certify.RowCache] = {}
        self._heldout: dict[bytes, dict[int, dict[str, Json]]] = {}
        self._locks: defaultdict[Place, anyio.Lock] = defaultdict(anyio.Lock)
        self._made: dict[Place, Sample] = {}
        self._left: Counter[Place] = Counter()

    async def get(self, place: Place) -> Sample:
        """Return the sample of a place: from its file, the held-out rows, the cache, or drawn and certified now."""
        if self._k == 1:
            return await self._make(place)
        async with self._locks[place]:
            if place not in self._made:
                self._made[place] = await self._make(place)
            return self._made[place]

    def release(self, place: Place) -> None:
        """Forget a sample when its last repetition is done."""
        if self._k == 1:
            return
        self._left[place] += 1
        if self._left[place] >= self._k:
            self._made.pop(place, None)
            self._locks.pop(place, None)
            del self._left[place]

    async def _make(self, place: Place) -> Sample:
        task = task_of(place.ref)
        row = place.row or self._shipped(task, place)
        if row is None:
            certified = self._certified and task.card.certified
            if not certified and not task.card.heavy:
                return task.sample(place.index, seed=place.seed, split=place.split, language=place.language)
            row = await self._drawn(task, place, certified)
        return certify.sample_of(task, row, seed=place.seed, split=place.split, language=place.language)

    def _shipped(self, task: Task, place: Place) -> dict[str, Json] | None:
        if not certify.uses_heldout(task, place.seed, place.split):
            return None
        ref = place.ref.encode()
        if ref not in self._heldout:
            self._heldout[ref] = {row["index"]: row for row in certify.heldout_rows(task)}
        return self._heldout[ref].get(place.index)

    async def _drawn(self, task: Task, place: Place, wanted: bool) -> dict[str, Json]:
        """Draw in a worker, and certify there if that is wanted."""
        cache = self._cache(task, place) if wanted else None
        known = cache.get(place.index) if cache else None
        if known is not None:
            return known
        request = certify.request_for(task, place.index, place.seed, place.split, wanted)
        reply = await self._backend.call(Job(certify.TARGET, request, certify.SECONDS, label=f"certify {place.label}"))
        row = certify.read_row(reply)
        if cache:
            cache.put(row)
        return row

    def _cache(self, task: Task, place: Place) -> certify.RowCache:
        name = (place.ref.encode(), place.seed, place.split)
        if name not in self._caches:
            self._caches[name] = certify.RowCache(task, place.seed, place.split)
        return self._caches[name]


def make_backend(kind: str, tasks: Sequence[Task], workers: int | None = None) -> Backend:
    """Make the backend of a run: `auto` takes worker processes if any task is heavy or instances are certified."""
    if kind == "auto":
        kind = "process" if any(task.card.heavy or task.card.certified for task in tasks) else "inline"
    if kind == "inline":
        return InlineBackend()
    if kind == "process":
        return ProcessBackend(workers)
    from harness import plugins

    known = {item.name for item in plugins.listings("harness.backends")} | {"auto", "inline", "process"}
    if kind not in known:
        raise UnknownName("backend", kind, known)
    factory: Any = plugins.load(kind, "harness.backends", "backend")
    made: Backend = factory(workers)
    return made


async def play_episode(
    task: Task, sample: Sample, policy: Policy, backend: Backend, context: Context, watch: InFlight | None = None
) -> Episode:
    """Play one sample to its end and close it; whatever happens inside becomes its outcome.

    Raises:
        EndpointRefused: The endpoint will not serve this run.
        EndpointDown: The endpoint cannot be reached; whether the run goes on is for the caller to say.
    """
    watch = watch or InFlight(sample.task_id)
    episode = Episode(task, sample, backend)
    player = None
    try:
        await episode.open()
        lookup = episode.blobs.__getitem__
        player = await _asked(policy.start(Context(sample, context.repetition, context.seed, lookup, context.task)))
        while not episode.done:
            watch.now("waiting for the policy")
            completion = await _asked(player.reply(episode.messages, episode.tools))
            watch.now(f"running {completion.tool_calls[0].name}" if completion.tool_calls else "answering")
            await episode.step(completion)
    except ContextOverflow as error:
        episode.end("context_overflow", str(error))
    except PolicyFault as error:
        episode.abort("policy_error", str(error))
        if isinstance(error, EndpointRefused | EndpointDown):
            raise
    except anyio.get_cancelled_exc_class():
        episode.abort("cancelled", "the run was interrupted")
        raise
    finally:
        if player is not None:
            with anyio.move_on_after(5, shield=True):
                await player.close()
        watch.now("scoring")
        await episode.close()
    return episode


async def _asked(answer: Awaitable[T]) -> T:
    """Wait for a policy; what it raises, and did not mean to, is its fault and no other episode's."""
    try:
        return await answer
    except HarnessError:
        raise
    except Exception as error:
        raise PolicyFault(f"the policy raised {type(error).__name__}: {error}") from error


@contextmanager
def _loaded_set_aside() -> Iterator[None]:
    """Spare the garbage collector what is loaded by now: while episodes are played it looks at theirs only."""
    gc.freeze()
    try:
        yield
    finally:
        gc.unfreeze()


class Rollout:
    """One run: its plan, its policy, where its world code runs and where it is written.

    Attributes:
        troubles: What made episodes invalid → how many.
        cut: Bytes of an unfinished record that were cut off when a torn trace was continued.
    """

    def __init__(
        self,
        spec: RunSpec,
        policy: Policy,
        *,
        folder: RunFolder | None = None,
        backend: str | Backend = "auto",
        workers: int | None = None,
        concurrency: int = 32,
        places: Sequence[Place] | None = None,
    ) -> None:
        self.spec, self.policy, self.folder = spec, policy, folder
        self.places = list(places if places is not None else spec.places())
        self.tasks = tasks_of(self.places)
        self.concurrency = concurrency
        made = make_backend(backend, list(self.tasks.values()), workers) if isinstance(backend, str) else backend
        self._backend: Backend = made
        self.tally = Tally(len(self.places) * spec.k)
        self.in_flight: dict[int, InFlight] = {}
        self.records: list[dict[str, Json]] = []
        self.troubles: Counter[str] = Counter()
        self.cut = 0
        self._down = 0
        self._failure: HarnessError | None = None
        self._observers: list[Observer] = []
        self._loggers: list[Logger] = []

    async def run(self) -> None:
        """Play everything that is not on disk yet.

        Raises:
            Stopped: The endpoint refused or stayed down; the message says what to do next.
        """
        plays = self._pending()
        async with AsyncExitStack() as stack:
            stack.push_async_callback(self._close_policy)
            stack.callback(self._close_loggers)
            writer = stack.enter_context(self._writer()) if self.folder else None
            await stack.enter_async_context(self._backend)
            self._attach()
            stack.enter_context(_loaded_set_aside())
            await self._play_all(plays, self._backend, writer)
            if writer is not None and self._failure is None:
                writer.close({"episodes": self.tally.done})
        if self._failure is not None:
            raise Stopped(self._farewell(self._failure)) from self._failure

    def describe_in_flight(self) -> list[str]:
        """Say of each episode in flight what it is doing and for how long."""
        moment = time.monotonic()
        flights = sorted(self.in_flight.values(), key=lambda f: f.since)
        return [f"{f.label}: {f.doing} for {moment - f.since:.1f} s" for f in flights]

    # ---- parts

    def _pending(self) -> list[Play]:
        finished = self.folder.finished() if self.folder else set()
        plays = [Play(place, repetition) for place in self.places for repetition in range(self.spec.k)]
        pending = [play for play in plays if play.name not in finished]
        self.tally.done = self.tally.kept = len(plays) - len(pending)
        return pending

    def _writer(self) -> TraceWriter:
        assert self.folder is not None
        header = {
            "harness": versions(self.tasks.values())["harness"],
            "versions": versions(self.tasks.values()),
            "seed": self.spec.seed,
            "digest": self.spec.digest,
            "policy": self.policy.name,
            "created": now(),
        }
        writer = TraceWriter(self.folder.trace, header, append=True)
        self.cut = writer.sealed.size - writer.sealed.keep if writer.sealed is not None else 0
        return writer

    def _attach(self) -> None:
        info = RunInfo(
            tuple(sorted(self.tasks)),
            self.policy.name,
            self.spec.digest,
            self.tally.total,
            self.folder.path if self.folder else None,
        )
        for name in self.tasks:
            hook = self.tasks[name].hook
            self._observers += [o for o in hook.harness_rollout(run=info) if o is not None]
            self._loggers += [o for o in hook.harness_logger(run=info) if o is not None]

    async def _play_all(self, plays: list[Play], backend: Backend, writer: TraceWriter | None) -> None:
        samples = Samples(backend, self.spec.certify, self.spec.k)
        queue = iter(plays)
        async with anyio.create_task_group() as group:
            for lane in range(min(self.concurrency, len(plays))):
                group.start_soon(self._lane, lane, queue, samples, backend, writer, group.cancel_scope)

    async def _lane(
        self,
        lane: int,
        queue: Any,
        samples: Samples,
        backend: Backend,
        writer: TraceWriter | None,
        scope: anyio.CancelScope,
    ) -> None:
        for play in queue:
            with self._counted(lane, play) as watch:
                try:
                    record = await self._play(play, samples, backend, watch)
                except (EndpointRefused, EndpointDown) as error:
                    self._give_up(error, scope)
                    return
                self._finish(record, writer)
            samples.release(play.place)

    @contextmanager
    def _counted(self, lane: int, play: Play) -> Iterator[InFlight]:
        watch = self.in_flight[lane] = InFlight(f"{play.place.label} rep {play.repetition}", "sampling")
        self.tally.in_flight += 1
        self.tally.most_in_flight = max(self.tally.most_in_flight, self.tally.in_flight)
        try:
            yield watch
        finally:
            self.tally.in_flight -= 1
            self.in_flight.pop(lane, None)

    async def _play(self, play: Play, samples: Samples, backend: Backend, watch: InFlight) -> dict[str, Json]:
        """Play an episode, again if it ends invalid; return its record with what went wrong before."""
        tries: list[dict[str, Json]] = []
        while True:
            begun = time.perf_counter()
            record = await self._try(play, samples, backend, watch)
            record["timing"]["total"] = round(time.perf_counter() - begun, 6)
            outcome = record["outcome"]
            if outcome["status"] == "scored" or len(tries) >= RETRIES:
                break
            tries.append({"reason": outcome["reason"], "detail": outcome.get("detail", "")})
        return record | ({"tries": tries} if tries else {})

    async def _try(self, play: Play, samples: Samples, backend: Backend, watch: InFlight) -> dict[str, Json]:
        watch.now("sampling")
        try:
            sample = await samples.get(play.place)
        except HarnessError as error:
            return self._not_played(play, "task_error", error)
        task = task_of(play.place.ref)
        context = Context(sample, play.repetition, self.spec.seed, task=task)
        watch.now("opening")
        try:
            episode = await play_episode(task, sample, self.policy, backend, context, watch)
        except EndpointDown as error:
            self._down += 1
            if self._down >= min(DOWN_LIMIT, self.tally.total):
                raise
            return self._not_played(play, "policy_error", error)
        self._down = 0
        self._keep_images(episode)
        policy = {"name": self.policy.name, "view": self._view(task)}
        try:
            return episode_record(episode, policy, repetition=play.repetition)
        except RecordError as error:  # a number or value that JSON has no form for
            return self._not_played(play, "task_error", error)

    def _keep_images(self, episode: Episode) -> None:
        if self.folder and episode.blobs:
            store = BlobStore(self.folder.path)
            for data in episode.blobs.values():
                store.put(data)

    def _view(self, task: Task) -> str:
        finder = getattr(self.policy, "view_of", None)
        return str(finder(task)) if finder else self.policy.view

    def _not_played(self, play: Play, reason: str, error: HarnessError) -> dict[str, Json]:
        """Record an episode that has no conversation: its instance could not be made, or nobody answered."""
        task, place = task_of(play.place.ref), play.place
        sample = Sample(
            task.name,
            task.card.version,
            task.options_json,
            task.options_digest,
            place.split,
            place.ref.group,
            place.index,
            key="",
            identity={},
            messages=(),
            language=place.language,
            seed=place.seed,
        )
        episode = InlineEpisode(task, sample)
        episode.abort(reason, str(error)[:2000])
        episode.close()
        return episode_record(episode, {"name": self.policy.name, "view": self._view(task)}, repetition=play.repetition)

    def _finish(self, record: dict[str, Json], writer: TraceWriter | None) -> None:
        if writer is not None:
            writer.write(record)
        else:
            self.records.append(record)
        self.tally.add(record)
        if record["outcome"]["status"] == "invalid":
            self.troubles[f"{record['outcome']['reason']}: {record['outcome'].get('detail', '')}"] += 1
        for observer in self._observers:
            observer.episode(record)
        tally = self.tally
        mean = {"reward": tally.reward / tally.scored} if tally.scored else {}  # of nothing there is no mean, and no 0
        for logger in self._loggers:
            logger.log({"scored": tally.scored, "invalid": tally.invalid} | mean, tally.done)

    def _give_up(self, error: HarnessError, scope: anyio.CancelScope) -> None:
        self._failure = self._failure or error
        scope.cancel()

    def _farewell(self, error: HarnessError) -> str:
        kept = f"{self.tally.done} of {self.tally.total} episodes are kept"
        then = f"; continue with `harness rollout --resume {self.folder.path}`" if self.folder else ""
        return f"{error} ({kept}{then})"

    def _close_loggers(self) -> None:
        for logger in self._loggers:
            logger.close()

    async def _close_policy(self) -> None:
        with anyio.CancelScope(shield=True), anyio.move_on_after(5):
            await self.policy.close()
