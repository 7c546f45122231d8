"""Pictures: pixels alone, by content; what could carry more is refused."""

from __future__ import annotations

import hashlib
from typing import Any

import pytest

from harness import TaskError, image, png


class Canvas:
    """A picture that knows how to save itself, as Pillow's do."""

    def save(self, fp: Any, format: str, **params: Any) -> None:  # noqa: A002
        assert (format, set(params)) == ("PNG", {"compress_level"}), "no metadata is passed"
        fp.write(PIXELS)


def chunk(kind: bytes, body: bytes) -> bytes:
    return len(body).to_bytes(4, "big") + kind + body + b"\0\0\0\0"


HEAD = b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", (7).to_bytes(4, "big") + (5).to_bytes(4, "big") + b"\x08\x02\0\0\0")
PIXELS = HEAD + chunk(b"IDAT", b"") + chunk(b"IEND", b"")


def test_a_picture_is_its_bytes_size_and_facts() -> None:
    drawn = image(png(Canvas()), facts={"bore": "40"})
    assert drawn.data == PIXELS
    assert (drawn.part.width, drawn.part.height, drawn.part.media_type) == (7, 5, "image/png")
    assert drawn.sha256 == hashlib.sha256(PIXELS).hexdigest()
    assert dict(drawn.part.facts) == {"bore": "40"}


@pytest.mark.parametrize("kind", [b"tEXt", b"zTXt", b"iTXt", b"eXIf", b"tIME"])
def test_a_picture_that_carries_more_than_pixels_is_refused(kind: bytes) -> None:
    with pytest.raises(TaskError, match=f"{kind.decode()} metadata chunk"):
        image(HEAD + chunk(kind, b"answer") + chunk(b"IEND", b""))


def test_what_is_no_png_is_refused() -> None:
    with pytest.raises(TaskError, match="expected PNG bytes, got b'GIF89a'"):
        image(b"GIF89a")
