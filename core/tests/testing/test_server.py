from __future__ import annotations

import json
import subprocess
import sys
import urllib.request
from collections import Counter
from pathlib import Path
from typing import Any

import aiohttp
import anyio
import openai
import pytest
from click.testing import CliRunner

from harness.errors import UnknownName, UserError
from harness.policies._mischief import MISCHIEF
from harness.records import Completion, ToolCall
from harness.testing import TRANSPORT, ChaosServer, FastServer, Request, Rules
from harness.testing._script import load_script
from harness.testing.server import main

pytestmark = pytest.mark.anyio

TOOL = {
    "type": "function",
    "function": {
        "name": "measure",
        "description": "Measure.",
        "parameters": {
            "type": "object",
            "properties": {"count": {"type": "integer", "minimum": 1, "maximum": 9}},
            "required": ["count"],
        },
    },
}


def body(*texts: str, **more: Any) -> dict[str, Any]:
    """A conversation in which user and assistant speak in turn."""
    roles = ("user", "assistant")
    messages = [{"role": roles[n % 2], "content": text} for n, text in enumerate(texts)]
    return {"model": "fake", "messages": messages, **more}


async def post(
    session: aiohttp.ClientSession, server: ChaosServer | FastServer, content: dict[str, Any]
) -> tuple[int, Any]:
    async with session.post(f"{server.url}/chat/completions", json=content) as response:
        return response.status, json.loads(await response.read())


class TestWithTheOpenAiClient:
    """The openai package is a client that we did not write."""

    async def test_a_conversation(self) -> None:
        call = Completion("Let me see.", "Hm.", (ToolCall("c1", "measure", '{"count": 2}'),), "tool_calls")
        async with (
            ChaosServer([call, "two"]) as server,
            openai.AsyncOpenAI(base_url=server.url, api_key="none", max_retries=0) as client,
        ):
            messages: list[Any] = [{"role": "user", "content": "hello"}]
            first = await client.chat.completions.create(model="fake", messages=messages, tools=[TOOL])  # type: ignore[list-item]
            calls = first.choices[0].message.tool_calls
            assert calls is not None
            (made,) = calls
            assert first.choices[0].finish_reason == "tool_calls"
            assert made.type == "function"
            assert (made.id, made.function.name, made.function.arguments) == ("c1", "measure", '{"count": 2}')
            assert first.choices[0].message.reasoning_content == "Hm."  # type: ignore[attr-defined]
            assert first.usage is not None
            assert first.usage.total_tokens == first.usage.prompt_tokens + first.usage.completion_tokens
            messages += [first.choices[0].message, {"role": "tool", "tool_call_id": "c1", "content": "2"}]
            second = await client.chat.completions.create(model="fake", messages=messages)
            assert second.choices[0].message.content == "two"
            assert second.choices[0].finish_reason == "stop"
            assert [model.id async for model in client.models.list()] == ["fake"]

    async def test_logprobs(self) -> None:
        async with (
            ChaosServer(["ab"]) as server,
            openai.AsyncOpenAI(base_url=server.url, api_key="none", max_retries=0) as client,
        ):
            made = await client.chat.completions.create(
                model="fake", messages=[{"role": "user", "content": "x"}], logprobs=True
            )
            logprobs = made.choices[0].logprobs
            assert logprobs is not None
            assert [entry.logprob <= 0 for entry in logprobs.content or ()] == [True, True]

    async def test_its_own_retries_get_through(self) -> None:
        rules = Rules(retry_after="0.01", rate=1.0, most=2)
        async with (
            ChaosServer(["fine"], faults=["429"], rules=rules) as server,
            openai.AsyncOpenAI(base_url=server.url, api_key="none", max_retries=2) as client,
        ):
            made = await client.chat.completions.create(model="fake", messages=[{"role": "user", "content": "x"}])
        assert made.choices[0].message.content == "fine"
        assert server.outcomes == {"429": 2, "ok": 1}

    @pytest.mark.parametrize(
        ("rules", "error"),
        [
            (Rules(api_key="right"), openai.AuthenticationError),
            (Rules(models=("other",)), openai.NotFoundError),
            (Rules(context_tokens=3), openai.BadRequestError),
        ],
    )
    async def test_refusals_are_the_errors_that_it_knows(
        self, rules: Rules, error: type[openai.APIStatusError]
    ) -> None:
        async with (
            ChaosServer(["x"], rules=rules) as server,
            openai.AsyncOpenAI(base_url=server.url, api_key="wrong", max_retries=0) as client,
        ):
            with pytest.raises(error):
                await client.chat.completions.create(model="fake", messages=[{"role": "user", "content": "hello"}])

    @pytest.mark.parametrize("fault", list(MISCHIEF))
    async def test_every_model_fault_is_readable(self, fault: str) -> None:
        async with (
            ChaosServer(faults={fault: 1.0}) as server,
            openai.AsyncOpenAI(base_url=server.url, api_key="none", max_retries=0) as client,
        ):
            made = await client.chat.completions.with_raw_response.create(
                model="fake",
                messages=[{"role": "user", "content": "x"}],
                tools=[TOOL],  # type: ignore[list-item]
            )
        payload = json.loads(made.content)
        assert payload["choices"][0]["message"]["role"] == "assistant"
        assert server.outcomes == {fault: 1}


class TestScripts:
    async def test_every_conversation_plays_the_list_from_its_start(self) -> None:
        async with ChaosServer(["one", "two"]) as server, aiohttp.ClientSession() as session:
            replies = [
                await post(session, server, body(*texts))
                for texts in (("a",), ("b",), ("a", "one", "more"), ("a",), ("a", "1", "b", "2", "c"))
            ]
        texts = [reply["choices"][0]["message"]["content"] for _, reply in replies]
        assert texts == ["one", "one", "two", "one", "The script has ended."]
        assert len({seen.request.conversation for seen in server.seen}) == 2
        assert [seen.request.attempt for seen in server.seen] == [0, 0, 0, 1, 0]

    async def test_a_mapping_chooses_by_the_first_user_text(self) -> None:
        async with ChaosServer({"cell": ["battery"], "hand": ["holdem"]}) as server, aiohttp.ClientSession() as session:
            _, reply = await post(session, server, body("Play this hand."))
        assert reply["choices"][0]["message"]["content"] == "holdem"

    async def test_a_callable_sees_the_request(self) -> None:
        def script(request: Request) -> str:
            return f"turn {request.turn}, {len(request.body['tools'])} tool"

        async with ChaosServer(script) as server, aiohttp.ClientSession() as session:
            _, reply = await post(session, server, body("x", tools=[TOOL]))
        assert reply["choices"][0]["message"]["content"] == "turn 1, 1 tool"

    async def test_without_a_script_it_makes_legal_calls(self) -> None:
        async with ChaosServer() as server, aiohttp.ClientSession() as session:
            _, reply = await post(session, server, body("x", tools=[TOOL]))
        function = reply["choices"][0]["message"]["tool_calls"][0]["function"]
        assert function["name"] == "measure"
        assert 1 <= json.loads(function["arguments"])["count"] <= 9

    async def test_a_file(self, tmp_path: Path) -> None:
        replies = [
            "hi",
            {
                "content": "c",
                "tool_calls": [
                    {"name": "measure", "arguments": {"count": 1}},
                    {"name": "m", "arguments": "{cut", "id": "z"},
                ],
            },
        ]
        (tmp_path / "s.json").write_text(json.dumps(replies))
        first, second = load_script(tmp_path / "s.json")
        assert first == "hi"
        calls = (ToolCall("call_1", "measure", '{"count": 1}'), ToolCall("z", "m", "{cut"))
        assert second == Completion("c", None, calls, "tool_calls")

    @pytest.mark.parametrize(
        ("content", "match"),
        [
            ("{", "is not JSON"),
            ("3", "expected a list of replies"),
            ('[{"text": "x"}]', "reply 1: expected a text, or content"),
            ('[{"tool_calls": [{}]}]', "expected a tool call with name"),
            (None, "No such file"),
        ],
    )
    async def test_a_bad_file_is_the_users_slip(self, tmp_path: Path, content: str | None, match: str) -> None:
        if content is not None:
            (tmp_path / "s.json").write_text(content)
        with pytest.raises(UserError, match=match):
            load_script(tmp_path / "s.json")


class TestFaults:
    async def outcomes(self, concurrency: int, seed: int = 5) -> dict[str, list[str]]:
        """Send 40 conversations until each is answered; return what became of each."""
        faults = {"429": 0.3, "500": 0.1, "cut_json": 0.1}
        async with ChaosServer(["x"], faults=faults, seed=seed) as server, aiohttp.ClientSession() as session:
            limiter = anyio.CapacityLimiter(concurrency)

            async def play(number: int) -> None:
                async with limiter:
                    while (await post(session, server, body(f"conversation {number}", tools=[TOOL])))[0] != 200:
                        pass

            async with anyio.create_task_group() as group:
                for number in range(40):
                    group.start_soon(play, number)
        found: dict[str, list[str]] = {}
        for seen in server.seen:
            found.setdefault(seen.request.first_text, []).append(seen.outcome)
        return found

    async def test_draws_do_not_depend_on_the_order_of_arrival(self) -> None:
        alone = await self.outcomes(1)
        assert alone == await self.outcomes(16)
        assert alone != await self.outcomes(1, seed=6)
        counts = Counter(outcome for outcomes in alone.values() for outcome in outcomes)
        assert counts["ok"] + counts["cut_json"] == 40
        assert 8 <= counts["429"] <= 40
        assert all(len(outcomes) <= 3 for outcomes in alone.values())

    @pytest.mark.parametrize(
        ("fault", "status"),
        [
            ("429", 429),
            ("500", 500),
            ("502", 502),
            ("503", 503),
            ("not_json", 200),
            ("no_choices", 200),
            ("error_in_200", 200),
            ("abort", 200),
        ],
    )
    async def test_statuses(self, fault: str, status: int) -> None:
        async with (
            ChaosServer(["x"], faults={fault: 1.0}) as server,
            aiohttp.ClientSession() as session,
            session.post(f"{server.url}/chat/completions", json=body("x")) as response,
        ):
            assert response.status == status
            assert ("Retry-After" in response.headers) == (fault in ("429", "503"))

    @pytest.mark.parametrize(
        ("fault", "error"), [("cut_body", aiohttp.ClientPayloadError), ("reset", aiohttp.ServerDisconnectedError)]
    )
    async def test_broken_connections(self, fault: str, error: type[Exception]) -> None:
        async with ChaosServer(["x"], faults={fault: 1.0}) as server, aiohttp.ClientSession() as session:
            with pytest.raises(error):
                await post(session, server, body("x"))
        assert server.outcomes == {fault: 1}

    async def test_a_hang_ends_with_the_server(self) -> None:
        arrived = anyio.Event()

        def hang(_: Request) -> str:
            arrived.set()
            return "hang"

        async def wait(session: aiohttp.ClientSession, server: ChaosServer) -> None:
            with pytest.raises(aiohttp.ServerDisconnectedError):
                await post(session, server, body("x"))

        with anyio.fail_after(30):
            async with (
                aiohttp.ClientSession() as session,
                anyio.create_task_group() as group,
                ChaosServer(faults=hang) as server,
            ):
                group.start_soon(wait, session, server)
                await arrived.wait()

    async def test_unknown_faults_name_the_nearest(self) -> None:
        with pytest.raises(UnknownName, match="did you mean 'cut_body'"):
            ChaosServer(faults=["cut_bdy"])
        assert not MISCHIEF.keys() & TRANSPORT.keys()

    @pytest.mark.parametrize("data", [b"", b"[]", b"{}", b'{"messages": 3}', b'{"messages": [1]}'])
    async def test_what_is_no_request_is_refused(self, data: bytes) -> None:
        async with (
            ChaosServer(["x"]) as server,
            aiohttp.ClientSession() as session,
            session.post(f"{server.url}/chat/completions", data=data) as response,
        ):
            assert response.status == 400


def test_in_a_thread() -> None:
    with ChaosServer(["hello"]) as server:
        request = urllib.request.Request(f"{server.url}/chat/completions", json.dumps(body("x")).encode())
        with urllib.request.urlopen(request) as response:
            assert json.load(response)["choices"][0]["message"]["content"] == "hello"
    assert server.outcomes == {"ok": 1}


class TestFast:
    async def test_it_plays_the_script_by_turns(self) -> None:
        call = Completion(None, None, (ToolCall("c", "measure", "{}"),), "tool_calls")
        async with FastServer([call, "done"]) as server, aiohttp.ClientSession() as session:
            replies = [await post(session, server, body(*texts)) for texts in (("a",), ("a", "b", "c"), ("a",))]
        messages = [reply["choices"][0]["message"] for _, reply in replies]
        assert messages[0] == messages[2]
        assert messages[0]["tool_calls"][0]["function"]["name"] == "measure"
        assert messages[1]["content"] == "done"
        assert server.requests == 3

    async def test_pipelined_and_split_requests(self) -> None:
        data = json.dumps(body("x")).encode()
        request = b"POST /v1/chat/completions HTTP/1.1\r\ncontent-length: %d\r\n\r\n%s" % (len(data), data)
        async with FastServer(["one"]) as server, await anyio.connect_tcp("127.0.0.1", server.port) as stream:
            await stream.send(request + request[:40])
            await stream.send(request[40:-3])
            await stream.send(request[-3:])
            received = b""
            while received.count(b"chat.completion") < 2:
                received += await stream.receive()
        assert server.requests == 2

    async def test_it_needs_a_script(self) -> None:
        with pytest.raises(ValueError, match="at least one reply"):
            FastServer([])


class TestCommand:
    @pytest.mark.parametrize(
        ("arguments", "match"),
        [
            (["--faults", "cutbody"], "did you mean 'cut_body'"),
            (["--faults", "429=often"], "often"),
            (["--fast"], "needs a --script"),
            (["--script", "/does/not/exist.json"], "No such file"),
        ],
    )
    def test_slips(self, arguments: list[str], match: str) -> None:
        result = CliRunner().invoke(main, arguments)
        assert result.exit_code == 2
        assert match in result.output

    @pytest.mark.parametrize("more", [[], ["--fast"], ["--faults", "cut_json,429=0.0"]])
    def test_it_serves_until_interrupted(self, tmp_path: Path, more: list[str]) -> None:
        (tmp_path / "s.json").write_text('["hello"]')
        command = [
            sys.executable,
            "-m",
            "harness.testing.server",
            "--script",
            str(tmp_path / "s.json"),
            "--rate",
            "0",
            *more,
        ]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
            assert process.stdout is not None
            url = process.stdout.readline().strip()
            request = urllib.request.Request(f"{url}/chat/completions", json.dumps(body("x")).encode())
            with urllib.request.urlopen(request) as response:
                assert json.load(response)["choices"][0]["message"]["content"] == "hello"
            process.terminate()
