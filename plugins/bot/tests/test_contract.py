"""The package keeps the framework's contract."""

from harness.testing import TaskContract


class TestContract(TaskContract):
    task = "bot"
    count = 6
