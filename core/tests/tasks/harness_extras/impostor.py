"""Another reward under the id of the task's own, which would mix what cannot be compared."""

from __future__ import annotations

from typing import Any

from harness import hookimpl
from harness_extras.strict import Strict


class Impostor(Strict):
    id = "toy-1"


@hookimpl
def harness_reward(options: Any) -> Impostor:
    return Impostor()
