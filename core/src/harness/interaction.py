r"""The default interaction: take a typed final answer from a message without tool calls, else remind.

An answer may stand bare, in a fenced block or in `\boxed{}`; what a thinking block holds is no answer. It must fit the
parameters of the task's single final tool; a tool with one parameter also takes the bare value (`42`, `1,000`, `42.`).
Reminders are bounded by the limits of the sample.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, get_origin

import orjson

from harness.layers import Response, Turn
from harness.records import Json
from harness.schema import describe
from harness.tools import BadCall, ToolSpec, check_arguments

_THINKING = re.compile(r"<(think|thinking|reasoning)>.*?(</\1>|\Z)", re.DOTALL | re.IGNORECASE)
_FENCE = re.compile(r"```[\w-]*[ \t]*\n?(.*?)```", re.DOTALL)
_BOXED = re.compile(r"\\boxed\s*\{((?:[^{}]|\{[^{}]*\})*)\}")
_THOUSANDS = re.compile(r"[+-]?\d{1,3}(,\d{3})+(\.\d+)?")
_LABEL = re.compile(r"^\s*(?:the\s+)?(?:final\s+)?answer\s*(?:is)?\s*[:=]?\s*", re.IGNORECASE)

_NUDGE = {
    "en": "No tool was called and no answer was found in your message. {how} {left}",
    "zh": "你的消息里没有调用工具，也没有找到答案。{how}{left}",
}
_HOW = {"en": "Call {tool} to answer, or another tool to go on.", "zh": "请调用 {tool} 作答，或调用其他工具继续。"}
_HOW_ANY = {"en": "Call one of the tools to go on.", "zh": "请调用工具继续。"}
_LEFT = {"en": "Reminders left: {n}.", "zh": "剩余提醒次数：{n}。"}
_BAD = {"en": "Your answer could not be used: {error}.", "zh": "你的答案无法使用：{error}。"}


class AnswerOrNudge:
    """Accept a typed final answer, else nudge; the nudges of the limits are the cost."""

    every_turn = False

    def __init__(self, specs: Mapping[str, ToolSpec]) -> None:
        finals = [spec for spec in specs.values() if spec.final]
        self._final = finals[0] if len(finals) == 1 else None

    def respond(self, toolset: Any, turn: Turn) -> Response | None:
        """Find an answer in the turn's text, or remind the policy of how to answer."""
        clock = toolset.clock
        answer, problem = find_answer(turn.text, self._final) if self._final else (None, "")
        if answer is not None:
            return Response(answer=answer)
        reason = "bad_answer_format" if problem else "no_answer"
        if turn.nudges >= clock.limits.nudges:
            return Response(done=True, reason=reason)
        return Response(
            self._text(clock.language, problem, clock.limits.nudges - turn.nudges - 1), nudge=True, reason=reason
        )

    def _text(self, language: str, problem: str, left: int) -> str:
        tongue = language if language in _NUDGE else "en"
        how = _HOW[tongue].format(tool=self._final.name) if self._final else _HOW_ANY[tongue]
        remaining = _LEFT[tongue].format(n=left)
        if problem:
            return " ".join((_BAD[tongue].format(error=problem), how, remaining))
        return _NUDGE[tongue].format(how=how, left=remaining)


def find_answer(text: str, final: ToolSpec) -> tuple[dict[str, Json] | None, str]:
    """Look for a final answer in free text.

    Returns:
        The arguments of the final tool, or None and, if something looked like an answer, what is wrong with it.
    """
    problem = ""
    for candidate in _candidates(_THINKING.sub("", text)):
        value = _read(candidate, final)
        if value is None:
            continue
        try:
            check_arguments(value, final)
        except BadCall as error:
            problem = problem or error.message
        else:
            return value, ""
    return None, problem


def _candidates(text: str) -> Iterator[str]:
    for pattern in (_BOXED, _FENCE):
        yield from reversed(pattern.findall(text))
    yield text
    start, stop = text.rfind("{"), text.rfind("}")
    first = text.find("{")
    for begin in {first, start} - {-1}:
        if stop > begin:
            yield text[begin : stop + 1]
    yield text.strip().splitlines()[-1] if text.strip() else ""


def _read(text: str, final: ToolSpec) -> dict[str, Json] | None:
    text = text.strip()
    try:
        value = orjson.loads(text)
    except (orjson.JSONDecodeError, UnicodeEncodeError):
        value = None
    if isinstance(value, dict):
        return value
    if len(final.hints) != 1:
        return None
    (name, kind), *_ = final.hints.items()
    bare = _bare(text, kind)
    return None if bare is None else {name: bare}


def _bare(text: str, kind: Any) -> Json:
    """Read a bare value for a one-parameter answer; None when the text is none."""
    text = _LABEL.sub("", text).strip().strip("`*").strip()
    shape = describe(kind)
    name = shape["type"]
    if name in ("integer", "number"):
        digits = text.rstrip(".").strip().strip("$").strip()
        digits = digits.replace(",", "") if _THOUSANDS.fullmatch(digits) else digits
        try:
            number = float(digits) if len(digits) <= 40 else None
        except ValueError:
            return None
        if number is None or number != number or abs(number) == float("inf"):
            return None
        return int(number) if number.is_integer() and name == "integer" else number
    if name == "string" and get_origin(kind) is not list:
        plain = text.rstrip(".").strip().strip("\"'")
        fits = plain in shape["enum"] if "enum" in shape else 0 < len(plain) <= 200 and "\n" not in plain
        return plain if fits else None
    return None
