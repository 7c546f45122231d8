"""A module that takes long to import, as simulators do."""

import time

time.sleep(2)


def echo(payload: bytes) -> bytes:
    return payload
