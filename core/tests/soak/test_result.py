"""The committed result of the soak is a statement about the sources as they are."""

from __future__ import annotations

import json

import kill9


def test_the_soak_is_current() -> None:
    result = json.loads(kill9.RESULT.read_text())
    assert result["digest"] == kill9.digest(), "run `nox -s soak` and commit core/tests/soak/result.json"


def test_it_killed_often_enough() -> None:
    result = json.loads(kill9.RESULT.read_text())
    assert result["kills"] >= 50
    assert result["episodes"] == kill9.EPISODES


def test_the_digest_sees_every_file_it_is_about() -> None:
    for name in kill9.MEASURED:
        assert (kill9.SOURCES / name).exists()
