"""Images as the rest of the system handles them: bytes once, content hash everywhere else.

A task draws with Pillow, encodes with `png`, makes an `Image` with `image` and puts it into a prompt or a tool result;
messages and traces then carry an `ImagePart` with its SHA-256, and the bytes travel beside them in a mapping from hash
to bytes. The core itself does not import Pillow.
"""

from __future__ import annotations

import hashlib
import io
import struct
from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from attrs import field, frozen

from harness.errors import TaskError
from harness.records import ImagePart, Message, Part, Role, TextPart

_PNG = b"\x89PNG\r\n\x1a\n"
_LEAKY = (b"tEXt", b"zTXt", b"iTXt", b"eXIf", b"tIME")


@frozen
class Image:
    """Encoded picture with what is printed in it.

    Attributes:
        facts: Name → printed text, handed to policies of view `perception` only.
    """

    data: bytes = field(repr=False)
    part: ImagePart

    @property
    def sha256(self) -> str:
        """Hex digest of the encoded bytes."""
        return self.part.sha256


class Drawn(Protocol):
    """What `png` needs of a picture; `PIL.Image.Image` has it."""

    def save(self, fp: Any, format: str, **params: Any) -> None:  # noqa: A002 - Pillow's own name
        """Write the picture to a file."""


def png(canvas: Drawn) -> bytes:
    """Encode a Pillow image as PNG: its pixels and nothing else, the same bytes for the same pixels."""
    buffer = io.BytesIO()
    canvas.save(buffer, "PNG", compress_level=4)
    return buffer.getvalue()


def image(png: bytes, facts: Mapping[str, str] | None = None) -> Image:
    """Wrap PNG bytes.

    Args:
        png: A whole PNG file without metadata chunks (text, EXIF, time), which could carry what must stay hidden.
        facts: What is printed in the picture, for policies of view `perception`.

    Raises:
        TaskError: The bytes are no PNG, or the file carries metadata.
    """
    if not png.startswith(_PNG) or len(png) < 33:
        raise TaskError(f"image(): expected PNG bytes, got {png[:8]!r}…")
    for kind in _chunks(png):
        if kind in _LEAKY:
            raise TaskError(f"image(): the PNG has a {kind.decode()} metadata chunk; save it without metadata")
    width, height = struct.unpack(">II", png[16:24])
    digest = hashlib.sha256(png).hexdigest()
    return Image(png, ImagePart(digest, "image/png", width, height, dict(facts or {})))


def _chunks(png: bytes) -> list[bytes]:
    kinds, at = [], len(_PNG)
    while at + 8 <= len(png):
        (length,) = struct.unpack(">I", png[at : at + 4])
        kinds.append(png[at + 4 : at + 8])
        at += 12 + length
    return kinds


def message(role: Role, *parts: str | Part | Image) -> tuple[Message, dict[str, bytes]]:
    """Make a message of texts and images; return it with the bytes of its images by hash."""
    content, blobs = split_parts(parts)
    return Message(role, content), blobs


def split_parts(parts: Sequence[str | Part | Image]) -> tuple[tuple[Part, ...], dict[str, bytes]]:
    """Separate what messages carry from the image bytes that travel beside them."""
    content: list[Part] = []
    blobs: dict[str, bytes] = {}
    for part in parts:
        if isinstance(part, str):
            content.append(TextPart(part))
        elif isinstance(part, Image):
            content.append(part.part)
            blobs[part.sha256] = part.data
        else:
            content.append(part)
    return tuple(content), blobs
