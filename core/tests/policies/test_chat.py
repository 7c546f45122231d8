"""Both endpoint policies against the fake model, over real HTTP on the loopback interface."""

from __future__ import annotations

import hashlib
import socket
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager
from typing import Any

import anyio
import pytest

from harness.errors import ContextOverflow, EndpointDown, EndpointRefused, PolicyFault, UserError
from harness.policies import ChatPolicy, Setup, openai_policy, sdk_policy
from harness.records import Completion, Evidence, ImagePart, Message, TextPart, ToolCall, Usage
from harness.testing import ChaosServer, Request, Rules
from harness.testing._tokens import logprob, token_ids

from .conftest import TOOLS, FakeTime, context, user

pytestmark = pytest.mark.anyio

Connect = Callable[..., AbstractAsyncContextManager[ChatPolicy]]

CALL = Completion("I measure.", "Hm.", (ToolCall("c1", "measure", '{"count": 2}'),), "tool_calls")


def sequence(*names: str | None) -> Callable[[Request], str | None]:
    """Fault of the first attempt, of the second …; none after the last."""
    return lambda request: names[request.attempt] if request.attempt < len(names) else None


async def ask(policy: ChatPolicy, *messages: Message, **more: Any) -> Completion:
    player = await policy.start(context(**more))
    try:
        return await player.reply(messages or (user("hello"),), TOOLS)
    finally:
        await player.close()


@pytest.fixture
async def server() -> AsyncIterator[ChaosServer]:
    async with ChaosServer([CALL, "done"]) as running:
        yield running


class TestConversation:
    async def test_two_turns(self, server: ChaosServer, connect: Connect) -> None:
        async with connect(server.url) as policy:
            player = await policy.start(context())
            messages = [user("hello")]
            first = await player.reply(messages, TOOLS)
            messages.append(Message("assistant", (TextPart("I measure."),), first.tool_calls, reasoning="Hm."))
            messages.append(Message("tool", (TextPart("two"),), tool_call_id="c1"))
            second = await player.reply(messages, TOOLS)
        assert (first.content, first.reasoning, first.tool_calls, first.finish_reason) == (
            "I measure.",
            "Hm.",
            CALL.tool_calls,
            "tool_calls",
        )
        assert (second.content, second.finish_reason, second.attempts) == ("done", "stop", ())
        assert isinstance(second.usage, Usage)
        assert second.usage.prompt_tokens > first.usage.prompt_tokens > 0  # type: ignore[union-attr]
        assert [seen.request.turn for seen in server.seen] == [1, 2]
        sent = server.seen[1].request.body
        assert [message["role"] for message in sent["messages"]] == ["user", "assistant", "tool"]
        assert sent["messages"][1]["reasoning_content"] == "Hm."
        assert sent["tools"] == [tool.openai() for tool in TOOLS]
        assert sent["model"] == "fake"

    async def test_no_tools_sends_no_tools(self, server: ChaosServer, connect: Connect) -> None:
        async with connect(server.url) as policy:
            player = await policy.start(context())
            await player.reply([user("hello")], ())
        assert "tools" not in server.seen[0].request.body

    async def test_agent_settings_reach_the_endpoint(self, server: ChaosServer, connect: Connect) -> None:
        agent = {
            "system": "Be brief.",
            "headers": {"X-Org": "acme-secret"},
            "sampling": {"temperature": 0.5, "max_tokens": 9, "seed": None, "extra_body": {"top_k": 3}},
        }
        async with connect(server.url, agent) as policy:
            await ask(policy)
        body, headers = server.seen[0].request.body, server.seen[0].request.headers
        assert body["messages"][0] == {"role": "system", "content": "Be brief."}
        assert (body["temperature"], body["max_tokens"], body["top_k"]) == (0.5, 9, 3)
        assert "seed" not in body
        assert headers["x-org"] == "acme-secret"

    async def test_images_travel_as_data_urls(self, server: ChaosServer, connect: Connect) -> None:
        png = b"\x89PNG not really"
        digest = hashlib.sha256(png).hexdigest()
        message = Message("user", (TextPart("see"), ImagePart(digest, facts={"bore": "40 mm"})))
        async with connect(server.url) as policy:
            await ask(policy, message, image={digest: png}.__getitem__)
        (_, picture) = server.seen[0].request.body["messages"][0]["content"]
        assert picture["image_url"]["url"].startswith("data:image/png;base64,iVBORyBub3Q")
        assert "40 mm" not in str(server.seen[0].request.body)

    async def test_the_identity_is_never_sent(self, server: ChaosServer, connect: Connect) -> None:
        async with connect(server.url) as policy:
            await ask(policy)
        assert "hidden-identity" not in str(server.seen[0].request.body)

    async def test_a_lone_surrogate_in_the_conversation_is_sent_as_text(
        self, server: ChaosServer, connect: Connect
    ) -> None:
        async with connect(server.url) as policy:
            await ask(policy, user("x\ud835"))
        assert server.seen[0].request.body["messages"][0]["content"] == "x?"


class TestSeeds:
    async def seeds(self, connect: Connect, **changes: Any) -> list[int]:
        async with ChaosServer([CALL] * 3) as server, connect(server.url) as policy:
            for repetition in (0, 1):
                player = await policy.start(context(repetition, **changes))
                await player.reply([user("a")], TOOLS)
                await player.reply([user("a"), Message("assistant", (TextPart("x"),)), user("b")], TOOLS)
        return [seen.request.body["seed"] for seen in server.seen]

    async def test_every_repetition_and_turn_has_its_own_and_a_rerun_the_same(self, connect: Connect) -> None:
        first, again, other = await self.seeds(connect), await self.seeds(connect), await self.seeds(connect, seed=1)
        assert first == again
        assert len(set(first + other)) == 8
        assert all(0 <= seed < 2**31 for seed in first)


class TestEvidence:
    @pytest.mark.parametrize("dialect", ["vllm", "sglang"])
    async def test_ids_and_logprobs_are_kept(self, connect: Connect, dialect: str) -> None:
        async with ChaosServer(["abc"]) as server:
            async with connect(server.url, {"dialect": {"evidence": dialect}}) as policy:
                made = await ask(policy)
            prompt = tuple(token_ids(server.seen[0].request.body["messages"]))
        ids = tuple(b"abc")
        assert made.evidence == Evidence(prompt, ids, tuple(map(logprob, ids)))

    async def test_none_is_asked_for_by_default(self, server: ChaosServer, connect: Connect) -> None:
        async with connect(server.url) as policy:
            assert (await ask(policy)).evidence is None
        assert not {"logprobs", "return_token_ids", "return_meta_info"} & server.seen[0].request.body.keys()


class TestFaultsThatPass:
    @pytest.mark.parametrize(
        ("fault", "status"),
        [
            ("429", 429),
            ("500", 500),
            ("502", 502),
            ("503", 503),
            ("cut_body", "cut"),
            ("reset", "lost"),
            ("not_json", "not_json"),
            ("no_choices", "no_choices"),
            ("error_in_200", 502),
            ("abort", "aborted"),
        ],
    )
    async def test_one_fault_then_an_answer(
        self, connect: Connect, time: FakeTime, fault: str, status: int | str
    ) -> None:
        async with ChaosServer(["fine"], faults=sequence(fault)) as server, connect(server.url) as policy:
            made = await ask(policy)
        assert made.content == "fine"
        assert [seen.outcome for seen in server.seen] == [fault, "ok"]
        failed, last = made.attempts
        # the SDK does not tell a body that was cut from a connection that was lost
        assert failed["status"] in ({"cut", "lost"} if fault == "cut_body" else {status})
        assert last == {"status": 200, "wait": 0.0}
        assert time.slept == [pytest.approx(failed["wait"], abs=1e-3)]

    async def test_a_hang_ends_at_the_time_limit(self, connect: Connect) -> None:
        agent = {"transport": {"timeout": 0.2}}
        async with ChaosServer(["fine"], faults=sequence("hang")) as server, connect(server.url, agent) as policy:
            made = await ask(policy)
        assert made.content == "fine"
        assert [attempt["status"] for attempt in made.attempts] == ["timeout", 200]

    @pytest.mark.parametrize(("header", "low"), [("7", 7.0), ("Fri, 15 Jan 2027 08:00:20 GMT", 20.0), ("9999", 30.0)])
    async def test_retry_after_is_honoured_up_to_the_cap(
        self, connect: Connect, time: FakeTime, header: str, low: float
    ) -> None:
        agent = {"transport": {"longest_wait": 30}}
        rules = Rules(retry_after=header)
        async with (
            ChaosServer(["fine"], faults=sequence("429"), rules=rules) as server,
            connect(server.url, agent) as policy,
        ):
            await ask(policy)
        (waited,) = time.slept
        assert low <= waited <= low + 0.5

    async def test_waits_are_the_same_in_every_run(self, connect: Connect, time: FakeTime) -> None:
        for _ in range(2):
            async with ChaosServer(["x"], faults=sequence("500", "reset")) as server, connect(server.url) as policy:
                await ask(policy)
        assert time.slept[:2] == time.slept[2:]
        assert len(set(time.slept)) == 2

    async def test_many_conversations_lose_and_double_no_turn(self, connect: Connect) -> None:
        """Refusals, server errors, cut bodies: every turn of 24 conversations is answered exactly once."""
        faults = {"429": 0.3, "500": 0.05, "cut_body": 0.05, "reset": 0.05}
        answered: list[list[str | None]] = []

        async def play(policy: ChatPolicy, number: int) -> None:
            player = await policy.start(context(number))
            messages, got = [user(f"conversation {number}")], []
            for _ in range(3):
                completion = await player.reply(messages, TOOLS)
                got.append(completion.content)
                messages += [Message("assistant", (TextPart(completion.content or ""),)), user("next")]
            answered.append(got)

        async with ChaosServer(["one", "two", "three"], faults=faults, seed=3) as server:
            async with connect(server.url) as policy, anyio.create_task_group() as group:
                for number in range(24):
                    group.start_soon(play, policy, number)
            outcomes = server.outcomes
        assert answered == [["one", "two", "three"]] * 24
        assert outcomes["ok"] == 72
        assert outcomes["429"] >= 10
        assert server.requests == outcomes.total()

    async def test_attempts_are_bounded(self, connect: Connect, time: FakeTime) -> None:
        rules = Rules(rate=1.0, most=None)
        agent = {"transport": {"retries": 3}}
        async with ChaosServer(["x"], faults=["500"], rules=rules) as server, connect(server.url, agent) as policy:
            with pytest.raises(EndpointDown, match=r"answered 500: .* \(after 4 attempts\)$") as raised:
                await ask(policy)
        assert server.requests == 4
        assert len(time.slept) == 3
        assert [attempt["status"] for attempt in raised.value.attempts] == [500] * 4

    async def test_time_outs_are_repeated_twice_at_most(self, connect: Connect) -> None:
        agent = {"transport": {"timeout": 0.1, "retries": 9}}
        rules = Rules(rate=1.0, most=None)
        async with ChaosServer(["x"], faults=["hang"], rules=rules) as server, connect(server.url, agent) as policy:
            with pytest.raises(EndpointDown, match=r"gave no answer within 0.1 s \(after 3 attempts\)"):
                await ask(policy)
        assert server.requests == 3

    async def test_cancellation_passes_through(self, connect: Connect) -> None:
        def hang_first(request: Request) -> str | None:
            return None if "again" in request.first_text else "hang"

        async with ChaosServer(["x"], faults=hang_first) as server, connect(server.url) as policy:
            with anyio.move_on_after(0.2) as scope:
                await ask(policy)
            assert scope.cancelled_caught
            assert (await ask(policy, user("again"))).content == "x"


class TestFaultsThatStand:
    async def refused(self, policy: ChatPolicy, error: type[Exception], match: str) -> str:
        with pytest.raises(error, match=match) as raised:
            await ask(policy)
        assert "\n" not in str(raised.value)
        return str(raised.value)

    async def test_wrong_key_is_named_but_not_shown(self, connect: Connect, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("OPENAI_API_KEY", "sk-wrong-key")
        async with ChaosServer(["x"], rules=Rules(api_key="right")) as server, connect(server.url) as policy:
            text = await self.refused(
                policy, EndpointRefused, r"refused the key \(401: Incorrect API key provided: \*\*\*"
            )
        assert "sk-wrong-key" not in text
        assert "OPENAI_API_KEY" in text
        assert server.requests == 1

    async def test_the_key_of_the_environment_is_used(self, connect: Connect, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("OPENAI_API_KEY", "right")
        async with ChaosServer(["x"], rules=Rules(api_key="right")) as server, connect(server.url) as policy:
            assert (await ask(policy)).content == "x"

    async def test_a_header_of_the_agent_wins_over_the_environment(
        self, connect: Connect, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("OPENAI_API_KEY", "sk-wrong-key")
        agent = {"headers": {"Authorization": "Bearer right"}}
        async with ChaosServer(["x"], rules=Rules(api_key="right")) as server, connect(server.url, agent) as policy:
            assert (await ask(policy)).content == "x"

    async def test_unknown_model_names_the_nearest(self, connect: Connect) -> None:
        rules = Rules(models=("qwen3-8b", "llama"))
        async with ChaosServer(["x"], rules=rules) as server, connect(server.url, model="qwen3-8") as policy:
            text = await self.refused(policy, EndpointRefused, r"404: .*; did you mean 'qwen3-8b'\?")
        assert ":qwen3-8 at http://127.0.0.1:" in text
        assert server.requests == 1

    async def test_a_wrong_path_is_refused(self, connect: Connect) -> None:
        async with ChaosServer(["x"]) as server, connect(server.url.removesuffix("/v1")) as policy:
            await self.refused(policy, EndpointRefused, "knows no such model or path")

    async def test_nothing_listens(self, connect: Connect) -> None:
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))  # bound and not listening: connections are refused
            async with connect(f"http://127.0.0.1:{taken.getsockname()[1]}/v1") as policy:
                text = await self.refused(policy, EndpointDown, r"cannot be reached.*\(after 2 attempts\)$")
        assert "--base-url" in text

    async def test_context_overflow_is_the_policys_own(self, connect: Connect) -> None:
        async with ChaosServer(["x"], rules=Rules(context_tokens=10)) as server, connect(server.url) as policy:
            await self.refused(policy, ContextOverflow, "does not fit the model")
        assert server.requests == 1

    @pytest.mark.parametrize(("answered", "error"), [(False, EndpointRefused), (True, ContextOverflow)])
    async def test_more_tokens_than_the_model_has_are_the_settings_slip(
        self, connect: Connect, answered: bool, error: type[Exception]
    ) -> None:
        text = "max_tokens is too large: 99999. This model's maximum context length is 8192 tokens."
        match = "maximum context length is 8192" + ("" if answered else ".*; lower max_tokens")
        server = ChaosServer(lambda _: {"error": {"message": text, "code": 400}, "choices": []})
        async with server, connect(server.url) as policy:
            policy.answered = answered
            await self.refused(policy, error, match)

    async def test_a_rejected_first_request_is_the_settings_and_a_later_one_the_conversations(
        self, connect: Connect
    ) -> None:
        async with ChaosServer(["x"]) as server:
            async with connect(server.url, {"sampling": {"extra_body": {"stream": True}}}) as policy:
                await self.refused(policy, EndpointRefused, "rejected the request.*streaming")
            async with connect(server.url) as policy:
                await ask(policy)
                policy.settings["stream"] = True
                with pytest.raises(PolicyFault) as raised:
                    await ask(policy)
                assert not isinstance(raised.value, EndpointRefused)

    async def test_header_values_are_in_no_error(self, connect: Connect) -> None:
        agent = {"headers": {"Authorization": "Bearer tok-secret", "X-Org": "org-secret"}}
        async with ChaosServer(["x"], rules=Rules(api_key="right")) as server, connect(server.url, agent) as policy:
            with pytest.raises(EndpointRefused) as raised:
                await ask(policy)
        chain = raised.value
        assert chain.__suppress_context__
        assert "secret" not in f"{chain!r}{chain.__cause__!r}{policy!r}{policy.agent!r}{chain.attempts!r}"


@pytest.mark.parametrize("make", [openai_policy, sdk_policy])
class TestAddress:
    async def test_needs_a_model(self, make: Any) -> None:
        with pytest.raises(UserError, match="names no model"):
            make("", Setup(base_url="http://localhost/v1"))

    async def test_needs_a_url(self, make: Any) -> None:
        with pytest.raises(UserError, match="expected http://HOST/v1") as raised:
            make("m", Setup(base_url="me:pw@localhost"))
        assert "pw" not in str(raised.value)

    async def test_openai_itself_needs_a_key(self, make: Any) -> None:
        with pytest.raises(UserError, match="set OPENAI_API_KEY, or --base-url"):
            make("m", Setup())

    async def test_command_line_wins_over_environment(self, make: Any, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("OPENAI_BASE_URL", "http://env/v1/")
        assert make("m", Setup()).endpoint.shown == "http://env/v1"
        assert make("m", Setup(base_url="http://flag/v1")).endpoint.shown == "http://flag/v1"

    async def test_credentials_of_a_url_are_a_header_and_are_not_shown(self, make: Any) -> None:
        async with ChaosServer(["x"]) as server:
            policy = make("fake", Setup(base_url=server.url.replace("//", "//me:pw%21@")))
            await ask(policy)
            await policy.close()
        assert server.seen[0].request.headers["authorization"] == "Basic bWU6cHch"
        assert "pw" not in policy.where

    async def test_a_query_stays_at_the_end_of_the_url(self, make: Any) -> None:
        async with ChaosServer(["x"]) as server:
            policy = make("fake", Setup(base_url=f"{server.url}?api-version=1"))
            assert (await ask(policy)).content == "x"
            await policy.close()


async def test_the_pool_is_as_large_as_the_concurrency() -> None:
    policy = openai_policy("fake", Setup(base_url="http://localhost/v1", concurrency=321))
    session = policy.endpoint._session()  # type: ignore[attr-defined]
    assert session.connector.limit == 321
    await policy.close()


async def test_a_closed_policy_can_be_used_again(server: ChaosServer) -> None:
    policy = openai_policy("fake", Setup(base_url=server.url))
    for _ in range(2):
        assert (await ask(policy)).content == "I measure."
        await policy.close()
