from __future__ import annotations

from collections import Counter
from typing import Any

import orjson
import pytest

from harness import seeds
from harness.backends import InlineBackend
from harness.errors import UnknownName, UserError
from harness.policies import ChaosPolicy, Context, Setup
from harness.policies._chaos import chaos_policy
from harness.policies._mischief import MISCHIEF, Draw, legal
from harness.policies._wire import parse
from harness.records import Completion, Sample
from harness.rollout import play_episode
from harness.schema import Misfit
from harness.task import Task
from harness.tools import BadCall, parse_arguments

from .conftest import TOOLS, context, sample, user

pytestmark = pytest.mark.anyio


def made(name: str, seed: int = 0) -> Completion:
    draw = Draw(1, [tool.openai() for tool in TOOLS], seeds.generator("test", seed))
    return parse({"choices": [MISCHIEF[name](draw)]})


@pytest.mark.parametrize("seed", range(5))
class TestMischief:
    def test_cut_json(self, seed: int) -> None:
        (call,) = made("cut_json", seed).tool_calls
        with pytest.raises(orjson.JSONDecodeError):
            orjson.loads(call.arguments)

    def test_double_encoded(self, seed: int) -> None:
        (call,) = made("double_encoded", seed).tool_calls
        assert isinstance(orjson.loads(orjson.loads(call.arguments)), dict)

    @pytest.mark.parametrize("kind", ["list", "number", "null"])
    def test_arguments_that_are_no_object(self, seed: int, kind: str) -> None:
        (call,) = made(f"arguments_{kind}", seed).tool_calls
        assert not isinstance(orjson.loads(call.arguments), dict)

    def test_length_with_complete_call(self, seed: int) -> None:
        completion = made("length_with_complete_call", seed)
        assert completion.finish_reason == "length"
        assert isinstance(orjson.loads(completion.tool_calls[0].arguments), dict)

    def test_three_calls(self, seed: int) -> None:
        assert len({call.id for call in made("three_calls", seed).tool_calls}) == 3

    def test_same_call_twice(self, seed: int) -> None:
        first, second = made("same_call_twice", seed).tool_calls
        assert (first.name, first.arguments) == (second.name, second.arguments)
        assert first.id != second.id

    def test_lone_surrogates(self, seed: int) -> None:
        assert "\ud835" in (made("lone_surrogate", seed).content or "")
        assert "\ud835" in made("lone_surrogate_arguments", seed).tool_calls[0].arguments

    def test_unknown_tool_is_nearly_a_tool(self, seed: int) -> None:
        (call,) = made("unknown_tool", seed).tool_calls
        assert call.name not in {tool.name for tool in TOOLS}
        assert call.name in ("measue", "submt", "measre", "submi") or len(call.name) >= 5

    def test_string_for_int(self, seed: int) -> None:
        (call,) = made("string_for_int", seed).tool_calls
        assert any(
            isinstance(value, str) and value.replace(".", "").isdigit()
            for value in orjson.loads(call.arguments).values()
        )

    def test_ids(self, seed: int) -> None:
        first, second = made("duplicate_ids", seed).tool_calls
        assert first.id == second.id != ""
        assert made("missing_id", seed).tool_calls[0].id == ""


@pytest.mark.parametrize("name", list(MISCHIEF))
def test_every_fault_works_without_tools_and_is_decided_by_its_seed(name: str) -> None:
    draws = [Draw(1, (), seeds.generator("test", 0)) for _ in range(2)]
    first, second = (MISCHIEF[name](draw) for draw in draws)
    assert first == second
    parse({"choices": [first]})


async def test_legal_calls_fit_the_tasks_own_schemas(toy: Task) -> None:
    for seed in range(50):
        draw = Draw(1, [spec.schema.openai() for spec in toy.specs.values()], seeds.generator("legal", seed))
        (call,) = parse({"choices": [legal(draw)]}).tool_calls
        try:
            parse_arguments(call.arguments, toy.specs[call.name])
        except (BadCall, Misfit) as error:
            pytest.fail(f"{call}: {error}")


class TestPolicy:
    async def replies(self, policy: ChaosPolicy, where: Context) -> list[Completion]:
        player = await policy.start(where)
        return [await player.reply([user("go")], TOOLS) for _ in range(30)]

    async def test_it_repeats_itself_exactly(self) -> None:
        first = await self.replies(ChaosPolicy(1), context())
        assert first == await self.replies(ChaosPolicy(1), context())
        for other in (await self.replies(ChaosPolicy(2), context()), await self.replies(ChaosPolicy(1), context(1))):
            assert other != first

    async def test_half_of_its_turns_are_faults(self) -> None:
        policy = ChaosPolicy(0, ["no_answer"])
        made = [c for n in range(20) for c in await self.replies(policy, Context(sample(f"k{n}"), 0, 0))]
        assert 240 <= sum(not completion.tool_calls for completion in made) <= 360

    async def test_names(self) -> None:
        assert chaos_policy("7", Setup()).name == "chaos:7"
        assert chaos_policy("", Setup()).name == "chaos:0"
        with pytest.raises(UserError, match="must be a whole number"):
            chaos_policy("x", Setup())
        with pytest.raises(UnknownName, match="did you mean 'cut_json'"):
            ChaosPolicy(0, ["cutjson"])

    async def test_a_whole_run_is_scored(self, toy: Task) -> None:
        """A model that makes every mistake is answered and scored, never excused."""
        reasons: Counter[str] = Counter()
        statuses: Counter[str] = Counter()
        async with InlineBackend() as backend:
            for index in range(40):
                instance: Sample = toy.sample(index)
                where = Context(instance, task=toy)
                episode = await play_episode(toy, instance, ChaosPolicy(0), backend, where)
                outcome: Any = episode.outcome
                assert outcome.status == "scored", outcome
                reasons[outcome.reason] += 1
                statuses.update(action.status for action in episode.log.actions)
        assert {"malformed_call", "unknown_tool", "invalid_arguments", "ok"} <= statuses.keys()
        assert "length_truncated" in reasons
