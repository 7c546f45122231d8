from harness.testing import TaskContract


class TestContract(TaskContract):
    task = "holdem"
