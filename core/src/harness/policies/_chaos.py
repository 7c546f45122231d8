"""`chaos:SEED`: a model that makes every mistake of the table, in this process and without an endpoint.

Half of its turns are legal calls with random arguments, the other half a fault drawn from `MISCHIEF`. Everything is
decided by hashing seed, sample, repetition and turn, so that a run can be repeated exactly.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from harness.errors import UnknownName, UserError
from harness.policies import Context, Setup
from harness.policies._mischief import MISCHIEF, Choice, Draw, legal
from harness.policies._wire import parse
from harness.records import Completion, Message, ToolSchema
from harness.seeds import fraction, generator


def chaos_policy(argument: str, setup: Setup) -> ChaosPolicy:
    """Make the policy `chaos:SEED`, or `chaos` for seed 0."""
    if argument and not argument.isdigit():
        raise UserError(f"policy 'chaos:{argument}': the seed after the colon must be a whole number")
    return ChaosPolicy(int(argument or 0))


class ChaosPolicy:
    """A fault-injecting model.

    Args:
        seed: Decides every draw, together with the run's seed.
        faults: Names from `MISCHIEF` to draw from; all by default.
        rate: Share of turns that are faults.
    """

    view = "observation"

    def __init__(self, seed: int, faults: Sequence[str] = tuple(MISCHIEF), rate: float = 0.5) -> None:
        for name in faults:
            if name not in MISCHIEF:
                raise UnknownName("fault", name, MISCHIEF)
        self.name = f"chaos:{seed}"
        self.seed, self.faults, self.rate = seed, tuple(faults), rate

    async def start(self, context: Context) -> ChaosPlayer:
        """Make the player of one episode."""
        return ChaosPlayer(self, context)

    async def close(self) -> None:
        """Hold nothing."""


class ChaosPlayer:
    """The fault-injecting model in one episode."""

    def __init__(self, policy: ChaosPolicy, context: Context) -> None:
        sample = context.sample
        self._policy = policy
        self._words = ("chaos", policy.seed, context.seed, sample.task, sample.key, sample.index, context.repetition)
        self._turn = 0

    async def reply(self, messages: Sequence[Message], tools: Sequence[ToolSchema]) -> Completion:
        """Answer with a legal call or with a fault."""
        self._turn += 1
        policy = self._policy
        draw = Draw(self._turn, [tool.openai() for tool in tools], generator(*self._words, self._turn))
        make: Callable[[Draw], Choice] = legal
        if policy.faults and fraction("fault", *self._words, self._turn) < policy.rate:
            make = MISCHIEF[policy.faults[int(draw.rng.integers(len(policy.faults)))]]
        return parse({"choices": [make(draw)]})

    async def close(self) -> None:
        """Hold nothing."""
