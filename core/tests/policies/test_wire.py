from __future__ import annotations

import json
from typing import Any

import pytest

from harness.errors import TaskError
from harness.policies._agent import Dialect
from harness.policies._faults import Fault
from harness.policies._wire import Transcript, encode, object_text, parse
from harness.records import Evidence, ImagePart, Message, TextPart, ToolCall, Usage


def text(role: Any, content: str) -> Message:
    return Message(role, (TextPart(content),))


def transcript(system: str | None = None, **dialect: str) -> Transcript[dict[str, Any]]:
    blobs = {"a" * 64: b"PNG"}
    return Transcript(system, blobs.__getitem__, Dialect(**dialect), lambda wire: wire)


def payload(message: dict[str, Any], finish: str | None = "stop", **more: Any) -> dict[str, Any]:
    return {"choices": [{"index": 0, "message": message, "finish_reason": finish}], **more}


def call(name: str = "measure", arguments: Any = "{}", **more: Any) -> dict[str, Any]:
    return {"type": "function", "function": {"name": name, "arguments": arguments}, **more}


class TestRender:
    def test_roles(self) -> None:
        made = transcript().render(
            [
                text("system", "s"),
                text("user", "u"),
                Message("assistant", (), (ToolCall("c1", "measure", '{"count": 1}'),)),
                Message("tool", (TextPart("one"),), tool_call_id="c1"),
                text("assistant", "done"),
            ]
        )
        assert made == [
            {"role": "system", "content": "s"},
            {"role": "user", "content": "u"},
            {
                "role": "assistant",
                "content": None,
                "tool_calls": [
                    {"id": "c1", "type": "function", "function": {"name": "measure", "arguments": '{"count": 1}'}}
                ],
            },
            {"role": "tool", "content": "one", "tool_call_id": "c1"},
            {"role": "assistant", "content": "done"},
        ]

    def test_the_agents_system_prompt_comes_first(self) -> None:
        assert transcript("be brief").render([text("user", "u")])[0] == {"role": "system", "content": "be brief"}

    def test_the_agents_system_prompt_joins_the_tasks_own(self) -> None:
        made = transcript("be brief").render([text("system", "rules"), text("user", "u")])
        assert [m["role"] for m in made] == ["system", "user"]
        assert made[0]["content"] == "be brief\n\nrules"

    def test_each_message_is_rendered_once(self) -> None:
        encoded: list[dict[str, Any]] = []

        def keep(wire: dict[str, Any]) -> dict[str, Any]:
            encoded.append(wire)
            return wire

        growing = [text("user", "a")]
        made = Transcript(None, lambda _: b"", Dialect(), keep)
        for turn in range(20):
            growing += [text("assistant", f"{turn}"), text("user", "more")]
            assert len(made.render(growing)) == len(growing)
        assert len(encoded) == len(growing)

    def test_a_changed_history_is_rendered_anew(self) -> None:
        made = transcript()
        made.render([text("user", "a"), text("user", "b")])
        assert made.render([text("user", "c")]) == [{"role": "user", "content": "c"}]

    def test_images_of_the_prompt_are_data_urls(self) -> None:
        message = Message("user", (TextPart("see"), ImagePart("a" * 64, facts={"bore": "40 mm"})))
        (made,) = transcript().render([message])
        assert made["content"] == [
            {"type": "text", "text": "see"},
            {"type": "image_url", "image_url": {"url": "data:image/png;base64,UE5H"}},
        ]
        assert "40 mm" not in json.dumps(made)

    def test_images_of_tools_follow_the_last_tool_message(self) -> None:
        picture = Message("tool", (TextPart("drawn"), ImagePart("a" * 64)), tool_call_id="c1")
        made = transcript().render(
            [picture, Message("tool", (TextPart("two"),), tool_call_id="c2"), text("user", "go on")]
        )
        assert [m["role"] for m in made] == ["tool", "tool", "user", "user"]
        assert made[0]["content"] == "drawn"
        assert made[2]["content"][1]["type"] == "image_url"
        assert made[3]["content"] == "go on"

    def test_images_of_tools_stay_in_the_tool_message_when_the_server_takes_them(self) -> None:
        picture = Message("tool", (ImagePart("a" * 64),), tool_call_id="c1")
        (made,) = transcript(tool_images="tool").render([picture])
        assert made["content"][0]["type"] == "image_url"

    def test_an_image_without_bytes_is_named(self) -> None:
        with pytest.raises(TaskError, match="no bytes: sha256 bbbb"):
            transcript().render([Message("user", (ImagePart("b" * 64),))])

    def test_reasoning_goes_back_in_the_field_in_which_it_came(self) -> None:
        thought = Message("assistant", (TextPart("x"),), reasoning="hm")
        made = transcript()
        assert "reasoning" not in made.render([thought])[0]
        made = transcript()
        made.noticed(payload({"content": "x", "reasoning": "hm"}))
        assert made.render([thought])[0]["reasoning"] == "hm"

    @pytest.mark.parametrize(("setting", "field"), [("none", None), ("reasoning_content", "reasoning_content")])
    def test_reasoning_field_can_be_set(self, setting: str, field: str | None) -> None:
        made = transcript(reasoning=setting)
        made.noticed(payload({"content": "x", "reasoning": "hm"}))
        (wire,) = made.render([Message("assistant", (TextPart("x"),), reasoning="hm")])
        assert {name for name in wire if "reasoning" in name} == ({field} if field else set())

    @pytest.mark.parametrize("bad", ['{"cmd": "ls', "[1]", "3", "null", '"\\"{}\\""'])
    def test_malformed_arguments_go_back_as_an_object(self, bad: str) -> None:
        message = Message("assistant", (), (ToolCall("c", "measure", bad),))
        (made,) = transcript().render([message])
        assert json.loads(made["tool_calls"][0]["function"]["arguments"]) == {"malformed_arguments": bad}
        (raw,) = transcript(arguments="raw").render([message])
        assert raw["tool_calls"][0]["function"]["arguments"] == bad

    def test_whole_arguments_go_back_byte_for_byte(self) -> None:
        assert object_text('{"b" :1, "a": "\\u00e9"}') == '{"b" :1, "a": "\\u00e9"}'
        assert object_text("") == "{}"

    def test_a_lone_surrogate_is_sent_as_valid_text(self) -> None:
        (made,) = transcript().render([text("user", "x\ud835y")])
        assert json.loads(encode(made)) == {"role": "user", "content": "x?y"}


class TestParse:
    def test_text_usage_and_reason(self) -> None:
        usage = {"prompt_tokens": 7, "completion_tokens": 3, "completion_tokens_details": {"reasoning_tokens": 2}}
        made = parse(payload({"role": "assistant", "content": "hi"}, usage=usage))
        assert (made.content, made.finish_reason, made.usage) == ("hi", "stop", Usage(7, 3, 2))
        assert made.evidence is None
        assert made.attempts == ()

    @pytest.mark.parametrize(
        ("content", "expected"),
        [
            (None, None),
            ("", ""),
            ([{"type": "text", "text": "a"}, {"type": "text", "text": "b"}], "ab"),
            ([{"type": "thinking", "thinking": [{"type": "text", "text": "hm"}]}, {"type": "text", "text": "b"}], "b"),
            (["a", {"type": "image_url"}], "a"),
            (17, None),
        ],
    )
    def test_content_in_all_its_forms(self, content: Any, expected: str | None) -> None:
        assert parse(payload({"content": content})).content == expected

    def test_reasoning_in_all_its_forms(self) -> None:
        assert parse(payload({"content": "x", "reasoning_content": "r"})).reasoning == "r"
        assert parse(payload({"content": "x", "reasoning": "r"})).reasoning == "r"
        assert parse(payload({"content": [{"type": "thinking", "thinking": "r"}]})).reasoning == "r"
        assert parse(payload({"content": "x"})).reasoning is None

    def test_a_refusal_is_content(self) -> None:
        assert parse(payload({"content": None, "refusal": "I will not."})).content == "I will not."

    def test_calls_are_kept_as_they_came(self) -> None:
        calls = [
            call(id="c"),
            call("submit", '{"cut', id="c"),
            call(),
            call(arguments={"count": 1}),
            call(arguments=None),
        ]
        made = parse(payload({"content": None, "tool_calls": calls}, "tool_calls"))
        assert [c.id for c in made.tool_calls] == ["c", "c", "", "", ""]
        assert [c.arguments for c in made.tool_calls] == ["{}", '{"cut', "{}", '{"count": 1}', ""]
        assert made.finish_reason == "tool_calls"

    @pytest.mark.parametrize(
        "broken", [None, "x", {}, {"function": None}, {"function": {"name": None, "arguments": None}}]
    )
    def test_a_broken_call_is_not_dropped(self, broken: Any) -> None:
        assert parse(payload({"tool_calls": [broken]})).tool_calls == (ToolCall("", "", ""),)

    def test_a_legacy_function_call_is_a_call(self) -> None:
        made = parse(
            payload({"content": None, "function_call": {"name": "measure", "arguments": "{}"}}, "function_call")
        )
        assert made.tool_calls == (ToolCall("", "measure", "{}"),)
        assert made.finish_reason == "tool_calls"

    def test_a_missing_finish_reason_follows_from_the_calls(self) -> None:
        assert parse(payload({"content": "x"}, None)).finish_reason == "stop"
        assert parse(payload({"tool_calls": [call()]}, None)).finish_reason == "tool_calls"

    @pytest.mark.parametrize(
        "bad", [None, [], {}, {"choices": []}, {"choices": [{"message": None}]}, {"choices": None}]
    )
    def test_a_reply_without_a_message_is_a_fault(self, bad: Any) -> None:
        with pytest.raises(Fault, match="holds no message") as raised:
            parse(bad)
        assert raised.value.retry

    def test_an_aborted_generation_is_a_fault(self) -> None:
        with pytest.raises(Fault, match="gave up"):
            parse(payload({"content": "half"}, "abort"))


class TestEvidence:
    def test_vllm(self) -> None:
        body = payload({"content": "x"}, prompt_token_ids=[1, 2])
        body["choices"][0] |= {
            "token_ids": [3, 4],
            "logprobs": {"content": [{"token": "x", "logprob": -0.5}, {"logprob": -1}]},
        }
        assert parse(body).evidence == Evidence((1, 2), (3, 4), (-0.5, -1.0))

    def test_sglang(self) -> None:
        body = payload({"content": "x"})
        body["choices"][0] |= {
            "prompt_token_ids": [1],
            "meta_info": {"output_token_logprobs": [[-0.5, 3, None], [-1.0, 4, None]]},
        }
        assert parse(body).evidence == Evidence((1,), (3, 4), (-0.5, -1.0))

    def test_ids_spelled_as_tokens(self) -> None:
        body = payload({"content": "x"})
        body["choices"][0]["logprobs"] = {"content": [{"token": "token_id:9", "logprob": -0.1}]}
        assert parse(body).evidence == Evidence(None, (9,), (-0.1,))

    def test_plain_logprobs_have_no_ids(self) -> None:
        body = payload({"content": "x"})
        body["choices"][0]["logprobs"] = {"content": [{"token": "x", "logprob": -0.1}]}
        assert parse(body).evidence == Evidence(None, None, (-0.1,))

    def test_a_missing_logprob_is_never_padded(self) -> None:
        body = payload({"content": "x"})
        body["choices"][0] |= {"token_ids": [3, 4], "logprobs": {"content": [{"logprob": -0.5}, {"logprob": None}]}}
        evidence = parse(body).evidence
        assert evidence == Evidence(None, (3, 4), (-0.5,))

    @pytest.mark.parametrize("ids", [[1, None], ["1"], "12", [True], {}])
    def test_what_is_no_list_of_ids_is_no_evidence(self, ids: Any) -> None:
        assert parse(payload({"content": "x"}, prompt_token_ids=ids)).evidence is None
