"""The contract test of a task package.

Its whole text is a subclass that names the task:

    from harness.testing import TaskContract

    class TestContract(TaskContract):
        task = "battery"
"""

from __future__ import annotations

from typing import ClassVar

import pytest

from harness.check import CHECKS, Subject, run_check
from harness.suite import Check, stale

__all__ = ["TaskContract"]


class TaskContract:
    """Runs every check of `harness check` as a test of its own.

    Attributes:
        task: Entry point name of the task.
        count: Certified instances per group that the reference has to solve.
    """

    task: ClassVar[str]
    count: ClassVar[int] = 20

    @pytest.fixture(scope="class")
    @classmethod
    def subject(cls) -> Subject:
        """The task under test, shared by the checks so that instances are made once."""
        return Subject(cls.task, cls.count)

    @pytest.mark.parametrize("title", [title.replace(" ", "-") for title in CHECKS])
    def test_contract(self, subject: Subject, title: str) -> None:
        """One check of the contract holds."""
        name = next(n for n in CHECKS if n.replace(" ", "-") == title)
        result: Check = run_check(name, CHECKS[name], subject)
        assert result.ok, result.detail

    def test_measured_suite_is_current(self, subject: Subject) -> None:
        """The committed certification describes the sources as they are, and keeps its rules."""
        if subject.first.card.certified:
            assert stale(subject.first) == ""
