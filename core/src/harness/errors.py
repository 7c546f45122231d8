"""The error tree, named for who must act.

`UserError` is the person at the keyboard, `TaskError` the author of a task or plugin, `PolicyFault` the model side,
`BackendFault` the environment. A message says what was being done, what was found, what was expected and what to do
next. Tool code raises `Refused`, `Infeasible` or `Unsafe` to answer the policy; those never leave an episode.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping


class HarnessError(Exception):
    """Root of all errors that this package raises on purpose."""


class UserError(HarnessError):
    """A slip at the keyboard or in a configuration file: shown in one line, exit code 2."""


class UnknownName(UserError):
    """A name that does not exist, with the nearest one that does."""

    def __init__(self, kind: str, name: str, known: Iterable[str], hint: str = "") -> None:
        self.kind, self.name, self.known = kind, name, sorted(known)
        super().__init__(f"unknown {kind} {name!r}{nearest(name, self.known)}{('; ' + hint) if hint else ''}")


class TaskError(HarnessError):
    """A task or plugin breaks its contract: its author must act."""


class Reject(HarnessError):
    """Raised by a sampler: this draw is no usable instance, draw again (counted against acceptance)."""


class PolicyFault(HarnessError):
    """The policy gave no reply; the episode is invalid with reason `policy_error`.

    Attributes:
        attempts: Transport attempts that were made, as in `Completion.attempts`.
    """

    attempts: tuple[Mapping[str, object], ...] = ()


class EndpointDown(PolicyFault):
    """The model endpoint cannot be reached or keeps failing after bounded retries."""


class EndpointRefused(PolicyFault):
    """The endpoint answered and will not serve us: wrong key, unknown model, bad request. The run ends."""


class ContextOverflow(HarnessError):
    """The conversation no longer fits the model's context: the episode is scored as it stands."""


class BackendFault(HarnessError):
    """World code could not be run to an answer."""


class CallError(Exception):
    """Answer to the policy raised by tool code; carries the reason code that the call is recorded with."""

    reason = "infeasible_state"
    charged = True

    def __init__(self, message: str, *, argument: str | None = None) -> None:
        super().__init__(message)
        self.message, self.argument = message, argument


class Infeasible(CallError):
    """The world cannot be put in the asked state (the solver fails, the part does not fit). Charged."""


class Unsafe(CallError):
    """The action is dangerous and is named as such (collision, over-temperature, overspend). Charged."""

    reason = "unsafe_action"


class Refused(CallError):
    """The arguments are well formed but not allowed here (illegal move, out of told bounds). Not charged."""

    reason = "invalid_arguments"
    charged = False


def nearest(name: str, known: Iterable[str]) -> str:
    """Return `; did you mean 'x'?` with the closest known name, or the list of names when none is close."""
    import difflib  # only when something went wrong: it costs as much as the rest of this module's start-up

    names = sorted(known)
    close = difflib.get_close_matches(name, names, n=1, cutoff=0.5)
    if close:
        return f"; did you mean {close[0]!r}?"
    return f"; known: {', '.join(names)}" if names else ""
