"""The package's contract test."""

from harness.testing import TaskContract


class TestContract(TaskContract):
    task = "battery"
