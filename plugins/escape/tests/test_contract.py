"""The contract of the framework, on this task."""

from harness.testing import TaskContract


class TestContract(TaskContract):
    task = "escape"
