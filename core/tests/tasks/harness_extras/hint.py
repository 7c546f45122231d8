"""One more tool on the same world, by a wrapper; and a policy that uses it."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

from harness import Move, Observation, Scripted, Toolset, View, call, hookimpl, tool


@hookimpl(wrapper=True)
def harness_tools(options: Any) -> Generator[None, type[Toolset], type[Toolset]]:
    base = yield

    class WithHint(base):  # type: ignore[misc, valid-type]
        @tool
        def hint(self) -> dict[str, bool]:
            """Tell whether the number is even."""
            return {"even": self.identity.target % 2 == 0}

    return WithHint


def hinted(view: View) -> Generator[Move, Observation, None]:
    seen = yield call("hint")
    yield call("submit", value=2 if seen.data["even"] else 1)


@hookimpl
def harness_policies(options: Any) -> dict[str, Scripted]:
    return {"hinted": Scripted(hinted, "lazy", summary="one hint, one guess")}
