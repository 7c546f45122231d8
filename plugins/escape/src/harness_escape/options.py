"""What can be set: the level, and for houses how much slack and how many wrong codes are granted."""

from __future__ import annotations

from attrs import field, frozen, validators

from harness import option

LEVELS = ("easy", "medium", "hard", "tiny")


@frozen
class Options:
    """Options of the task.

    Attributes:
        slack: Budget as a multiple of the fair explorer's steps.
        wrong_codes: Wrong codes after which the house is sealed.
        events: Whether the house acts by itself at level `hard`.
    """

    level: str = option("medium", "size and tangle of the house; `tiny` is a world of its own", choices=LEVELS)
    slack: float = field(
        default=1.2,
        validator=[validators.ge(1.1), validators.le(1.3)],
        metadata={"help": "steps granted, as a multiple of the fair explorer's", "seeded": True, "choices": ()},
    )
    wrong_codes: int = field(
        default=3,
        validator=[validators.ge(1), validators.le(10)],
        metadata={"help": "wrong codes after which the house is sealed", "seeded": False, "choices": ()},
    )
    events: bool = option(True, "at level hard, whether doors shut, lights fail and a guard passes")
