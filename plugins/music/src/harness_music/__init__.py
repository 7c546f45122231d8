"""Four-part writing as an executable environment: rule checker, certifying solver, exercises, scores to hear."""

__all__: list[str] = []
