"""Text escape rooms: the task `escape` of the harness."""

from __future__ import annotations

__all__ = ["__version__"]

__version__ = "0.1.0"
