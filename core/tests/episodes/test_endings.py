"""How episodes end: answers in free text, nudges, limits, scores, and faults that are nobody's."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import anyio
import pytest

from harness import Completion, Episode, InlineEpisode, TaskError, ToolCall, UserError, load_task
from harness.backends import BackendLost, InlineBackend, Job, ProcessBackend

Begin = Callable[..., InlineEpisode]


@pytest.mark.parametrize(
    "text",
    [
        "{v}",
        "  {v}  ",
        "{v}.",
        "The answer is {v}",
        "Final answer: {v}.",
        "Some thought.\n\\boxed{{{v}}}",
        '```json\n{{"value": {v}}}\n```',
        '{{"value": {v}}}',
        'I am sure: {{"value": {v}}}',
        "<think>It is 3? no.</think>{v}",
        "```\n{v}\n```",
    ],
)
def test_the_right_answer_counts_in_every_free_form(begin: Begin, text: str) -> None:
    episode = begin()
    target = episode.sample.identity["target"]
    turn = episode.step(Completion(text.format(v=target)))
    assert turn.done, [m.text for m in turn.messages]
    outcome = episode.close()
    assert (outcome.success, outcome.reward) == (True, 1.0)


def test_thousands_separators_are_read(begin: Begin) -> None:
    episode = begin()
    episode.step(Completion("1,000"))
    assert episode.log.answer == {"value": 1000}


@pytest.mark.parametrize(
    "text", ["<think>{v}</think>", "<think>{v}", "", "no idea", "{{}}", "[{v}]", "9**9**9", "9e9999"]
)
def test_what_is_no_answer_is_nudged_then_ends(begin: Begin, text: str) -> None:
    episode = begin()
    said = text.format(v=episode.sample.identity["target"])
    turns = [episode.step(Completion(said)) for _ in range(3)]
    assert [t.done for t in turns] == [False, False, True]
    assert "Reminders left: 1" in turns[0].messages[0].text
    outcome = episode.close()
    assert outcome.reason in ("no_answer", "bad_answer_format")
    assert (outcome.status, outcome.success) == ("scored", False)
    assert outcome.reward is not None
    assert outcome.reward <= 0.6


@pytest.mark.parametrize("kind", ["", "0", "the prompt", "every option"])
def test_an_answer_that_says_nothing_stays_at_the_floor(begin: Begin, kind: str) -> None:
    episode = begin()
    options = ", ".join(str(number) for number in range(1, episode.sample.identity["size"] + 1))
    text = {"the prompt": episode.sample.messages[0].text, "every option": options}.get(kind, kind)
    while not episode.done:
        episode.step(Completion(text))
    outcome = episode.close()
    assert (outcome.status, outcome.success) == ("scored", False)
    assert outcome.reward is not None
    assert outcome.reward <= 0.6


def test_a_message_with_an_answer_of_the_wrong_form_says_so(begin: Begin) -> None:
    episode = begin()
    turn = episode.step(Completion('{"value": "three"}'))
    assert "could not be used" in turn.messages[0].text
    for _ in range(2):
        episode.step(Completion('{"value": "three"}'))
    assert episode.close().reason == "bad_answer_format"


def test_the_turn_limit_ends_the_episode(begin: Begin) -> None:
    episode = begin("faulty", turns=2)
    episode.step(Completion(tool_calls=(ToolCall("c", "increment", "{}"),)))
    turn = episode.step(Completion(tool_calls=(ToolCall("c", "increment", "{}"),)))
    assert (turn.done, turn.reason) == (True, "budget_exhausted")
    assert episode.close().reason == "budget_exhausted"
    assert episode.log.metrics == {"count": 2, "weeks": 0}
    with pytest.raises(TaskError, match="takes no further turn"):
        episode.step(Completion("more"))


def test_giving_up_is_scored(begin: Begin) -> None:
    episode = begin()
    outcome = episode.close()
    assert (outcome.status, outcome.reason, outcome.reward) == ("scored", "premature_end", 0.0)
    assert episode.close() is outcome


def test_an_environment_driven_task_acts_after_every_turn(begin: Begin) -> None:
    episode = begin("faulty", every_turn=True)
    turn = episode.step(Completion(tool_calls=(ToolCall("c", "increment", "{}"),)))
    assert [m.role for m in turn.messages] == ["tool", "user"]
    assert turn.messages[1].text == "week 1"
    assert (episode.feedback[0].score, episode.feedback[0].extra) == (0.5, {"weeks": 1})
    episode.close()
    assert episode.log.metrics["weeks"] == 1


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        ("none", "Reward.score of faulty-v1 returned NoneType"),
        ("nan", "nan is not a finite number"),
        ("inf", "inf is not a finite number"),
        ("big", "1.5 is outside"),
        ("raise", "no score"),
    ],
)
def test_a_reward_layer_that_breaks_its_word_is_named(begin: Begin, kind: str, words: str) -> None:
    episode = begin("faulty", reward=kind)
    outcome = episode.close()
    assert (outcome.status, outcome.reason, outcome.reward) == ("invalid", "task_error", None)
    assert words in outcome.detail


class Losing:
    """A backend that loses its worker for one operation."""

    def __init__(self, operation: bytes) -> None:
        self.operation, self.inner = operation, InlineBackend()

    async def warm(self, job: Job) -> None: ...

    async def call(self, job: Job) -> bytes:
        if b'"op":"' + self.operation + b'"' in job.payload:
            raise BackendLost("the cluster is gone")
        return await self.inner.call(job)

    async def __aenter__(self) -> Losing:
        return self

    async def __aexit__(self, *_: Any) -> None: ...


@pytest.mark.parametrize("operation", [b"open", b"execute", b"respond", b"close"])
def test_a_lost_backend_is_nobodys_fault(operation: bytes) -> None:
    task = load_task("toy", "easy")

    async def play() -> Any:
        episode = Episode(task, task.sample(0), Losing(operation))
        await episode.open()
        if not episode.done:
            await episode.step(Completion(tool_calls=(ToolCall("c", "ask", '{"value": 3}'),)))
        if not episode.done:
            await episode.step(Completion("no idea"))
        return await episode.close()

    outcome = anyio.run(play)
    assert (outcome.status, outcome.reason, outcome.reward) == ("invalid", "backend_lost", None)
    assert "the cluster is gone" in outcome.detail


@pytest.mark.parametrize(
    ("kind", "reason"), [("hang", "tool_timeout"), ("die", "infeasible_state"), ("raise", "infeasible_state")]
)
def test_a_call_that_breaks_the_world_every_time_is_the_policys(kind: str, reason: str) -> None:
    task = load_task("faulty", "plain", {"call_seconds": 0.3})

    async def play() -> Any:
        async with ProcessBackend(2) as backend:
            episode = Episode(task, task.sample(0), backend)
            await episode.open()
            await episode.step(Completion(tool_calls=(ToolCall("c", "act", f'{{"kind": "{kind}"}}'),)))
            await episode.step(Completion(tool_calls=(ToolCall("d", "increment", "{}"),)))
            return episode.log, await episode.close()

    log, outcome = anyio.run(play)
    assert [a.status for a in log.actions] == [reason, "ok"]
    assert log.actions[0].budget == "breaks"
    assert outcome.status == "scored"


def test_a_scorer_that_never_returns_is_stopped_and_others_keep_pace(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("harness._machine.CLOSE_SECONDS", 0.5)
    hanging, good = (load_task("faulty", "plain", {"reward": kind}) for kind in ("hang", "good"))
    outcomes: dict[str, Any] = {}

    async def play() -> None:
        async with ProcessBackend(2) as backend, anyio.create_task_group() as group:
            for name, task in (("hang", hanging), ("good", good)):
                group.start_soon(one, name, task, backend)

    async def one(name: str, task: Any, backend: ProcessBackend) -> None:
        episode = Episode(task, task.sample(0), backend)
        await episode.open()
        await episode.step(Completion(tool_calls=(ToolCall("c", "submit", "{}"),)))
        outcomes[name] = await episode.close()

    anyio.run(play)
    assert (outcomes["hang"].status, outcomes["hang"].reason, outcomes["hang"].reward) == (
        "scored",
        "tool_timeout",
        0.0,
    )
    assert outcomes["good"].success


def test_unknown_options_and_groups_name_the_nearest() -> None:
    with pytest.raises(UserError, match="did you mean 'size'"):
        load_task("toy", "easy", {"sise": 3})
    with pytest.raises(UserError, match="did you mean 'medium'"):
        load_task("toy", "mediun")
    with pytest.raises(UserError, match="17"):
        load_task("toy", "easy", {"size": 17})
    with pytest.raises(UserError, match="did you mean 'toy'"):
        load_task("tay")


def test_a_world_that_is_too_large_is_the_authors_error(monkeypatch: pytest.MonkeyPatch, begin: Begin) -> None:
    monkeypatch.setattr("harness.world.MAX_WORLD", 10)
    episode = begin()
    outcome = episode.close()
    assert outcome.reason == "task_error"
    assert "at most 10 are allowed" in outcome.detail
