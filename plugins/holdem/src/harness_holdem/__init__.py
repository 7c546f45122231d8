"""Heads-up no-limit hold'em against an opponent whose style must be learned: the task `holdem-v1`."""

__all__: list[str] = []
__version__ = "0.1.0"
