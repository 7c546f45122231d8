"""The contract of a task, checked by trying to break it.

Each check is a function that returns what it looked at, or raises `Broken` with the likely cause. `check_task` runs
them in order and never stops at the first failure. Whoever writes a task runs `harness check`; its package's own test
is `harness.testing.TaskContract`, which runs the same functions.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from harness.check import _episodes, _secrecy, _sources
from harness.check._subject import Broken, Subject
from harness.errors import HarnessError
from harness.plan import choose_groups
from harness.suite import Check
from harness.task import load_task

__all__ = ["CHECKS", "Broken", "Subject", "check_task"]

CHECKS: dict[str, Callable[[Subject], str]] = {
    "card": _sources.card,
    "schemas": _sources.schemas,
    "import is light": _sources.light_import,
    "sampling repeats": _sources.sampling_repeats,
    "splits and seeds are disjoint": _sources.disjoint,
    "wordings carry every fact": _sources.wordings,
    "reference solves certified instances": _episodes.reference,
    "reference reads every language": _episodes.reads,
    "empty play stays at the floor": _episodes.floor,
    "reward keeps the scale": _episodes.scale,
    "bad calls are answered": _episodes.bad_calls,
    "budgets are enforced": _episodes.budgets,
    "episodes repeat": _episodes.repeat,
    "interleaved episodes are isolated": _episodes.isolated,
    "score is the same everywhere": _episodes.rescore,
    "same in other processes and hash seeds": _episodes.other_processes,
    "nothing is left behind": _episodes.nothing_left,
    "secrets stay secret": _secrecy.secrets,
    "canaries stay hidden": _secrecy.canaries,
    "held-out rows": _sources.heldout,
}


def check_task(name: str, count: int = 20, groups: tuple[str, ...] = ()) -> Iterator[Check]:
    """Check a task; yield each result as it is known.

    Args:
        name: Task name.
        count: Instances per group for the checks that play episodes.
        groups: Only these groups; all by default.

    Raises:
        UserError: There is no such task or group.
    """
    card = load_task(name).card
    subject = Subject(name, count, tuple(choose_groups(card, groups)) if groups else ())
    for title, function in CHECKS.items():
        yield run_check(title, function, subject)


def run_check(title: str, function: Callable[[Subject], str], subject: Subject) -> Check:
    """Run one check; an error of the task is a failed check, not a crash."""
    try:
        return Check(title, True, function(subject))
    except Broken as error:
        return Check(title, False, str(error))
    except HarnessError as error:
        return Check(title, False, f"{type(error).__name__}: {error}")
    except Exception as error:  # noqa: BLE001 - whatever a task raises is the finding
        return Check(title, False, f"the task raised {type(error).__name__}: {error}")
