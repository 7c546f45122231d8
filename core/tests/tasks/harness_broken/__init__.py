"""The toy with one fault per group: what `harness check` must find."""
