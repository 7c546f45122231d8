"""A task that misbehaves on request, for tests of how the framework takes it."""
