"""Four-part writing as an executable environment: a rule checker, a certifying solver, exercises, and scores to hear."""

__all__: list[str] = []
