"""The framework's own contract test."""

from harness.testing import TaskContract


class TestContract(TaskContract):
    task = "flangeplane"
