"""Pictures of a cell: arm, goal and known bodies, seen at a slant, from above and from the side.

Drawn with Pillow from the twin's geometry, back to front, without OpenGL. Bodies that have to be found are not drawn.
The same cell always gives the same pixels.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

import numpy as np
from attrs import frozen
from PIL import Image, ImageDraw, ImageFont

from harness import png
from harness_bot.arms import ARMS
from harness_bot.sample import Instance
from harness_bot.scene import Obstacle
from harness_bot.twin import radii, segments

_PANEL, _SCALE = 380, 2
_REACH = 1.15
_PAPER, _FRAME, _INK, _GRID = (250, 250, 248), (120, 124, 130), (40, 44, 52), (226, 228, 232)
_ARM, _JOINT, _GOAL = (232, 126, 48), (176, 84, 22), (24, 140, 72)
_BODIES = {"sphere": (96, 140, 200), "box": (128, 116, 176), "capsule": (88, 160, 160)}

Colour = tuple[int, int, int]


@frozen
class Eye:
    """A parallel projection: two directions on the paper and one away from the eye."""

    name: str
    right: tuple[float, float, float]
    up: tuple[float, float, float]
    away: tuple[float, float, float]
    middle: tuple[float, float, float]

    def paper(self, points: np.ndarray) -> np.ndarray:
        """Return places on the panel in pixels, shape (…, 2)."""
        moved = points - np.array(self.middle)
        x, y = moved @ np.array(self.right), moved @ np.array(self.up)
        scale = _SCALE * _PANEL / (2 * _REACH)
        return np.stack((_SCALE * _PANEL / 2 + scale * x, _SCALE * _PANEL / 2 - scale * y), axis=-1)

    def depth(self, points: np.ndarray) -> float:
        """Return how far away points are in the mean."""
        return float((points @ np.array(self.away)).mean())


_R, _S = 0.7071, 0.4082
EYES = (
    Eye("at a slant", (_R, _R, 0), (-_S, _S, 0.8165), (-0.5774, 0.5774, -0.5774), (0, 0, 0.4)),
    Eye("from above: x right, y up", (1, 0, 0), (0, 1, 0), (0, 0, -1), (0, 0, 0)),
    Eye("from the side: x right, z up", (1, 0, 0), (0, 0, 1), (0, 1, 0), (0, 0, 0.4)),
)


def scene_picture(instance: Instance) -> bytes:
    """Draw the start of an instance as a PNG of three panels."""
    arm = ARMS[instance.arm]
    posture = np.radians(np.array([instance.start]))
    return cell_picture(segments(arm, posture)[0], radii(arm), instance.told, np.array(instance.goal.position))


def cell_picture(links: np.ndarray, thick: np.ndarray, bodies: Sequence[Obstacle], goal: np.ndarray) -> bytes:
    """Draw capsules of links (n, 2, 3) with their radii, bodies, and a goal point."""
    canvas = Image.new("RGB", (_PANEL * len(EYES), _PANEL), _PAPER)
    for number, eye in enumerate(EYES):
        canvas.paste(_panel(eye, links, thick, bodies, goal), (number * _PANEL, 0))
    return png(canvas)


def _panel(eye: Eye, links: np.ndarray, thick: np.ndarray, bodies: Sequence[Obstacle], goal: np.ndarray) -> Image.Image:
    panel = Image.new("RGB", (_SCALE * _PANEL, _SCALE * _PANEL), _PAPER)
    draw = ImageDraw.Draw(panel)
    _floor(draw, eye)
    for _, item in sorted(_items(eye, links, bodies), key=lambda pair: -pair[0]):
        if isinstance(item, Obstacle):
            _body(draw, eye, item)
        else:
            _capsule(draw, eye, links[item], float(thick[item]), _ARM if item % 2 else _JOINT)
    x, y = eye.paper(goal)
    for size in (10, 18):
        draw.ellipse((x - size, y - size, x + size, y + size), outline=_GOAL, width=5)
    side = _SCALE * _PANEL
    draw.rectangle((0, 0, side - 1, side - 1), outline=_FRAME, width=2)
    draw.text((14, 10), eye.name, _INK, ImageFont.load_default(26))
    return panel.resize((_PANEL, _PANEL), Image.Resampling.BOX)


def _items(eye: Eye, links: np.ndarray, bodies: Sequence[Obstacle]) -> list[tuple[float, Obstacle | int]]:
    """Everything solid with its distance from the eye."""
    far: list[tuple[float, Obstacle | int]] = [(eye.depth(np.array([body.centre])), body) for body in bodies]
    return far + [(eye.depth(ends), number) for number, ends in enumerate(links)]


def _floor(draw: ImageDraw.ImageDraw, eye: Eye) -> None:
    for at in np.linspace(-1, 1, 9):
        for ends in (((at, -1, 0), (at, 1, 0)), ((-1, at, 0), (1, at, 0))):
            draw.line([tuple(p) for p in eye.paper(np.array(ends))], fill=_GRID, width=2)


def _capsule(draw: ImageDraw.ImageDraw, eye: Eye, ends: np.ndarray, radius: float, colour: Colour) -> None:
    """A thick line with round ends, its outline drawn first."""
    (x, y), (u, v) = eye.paper(ends)
    wide = radius * _SCALE * _PANEL / (2 * _REACH)
    for size, fill in ((wide, _dark(colour)), (wide - 3, colour)):
        draw.line((x, y, u, v), fill=fill, width=max(1, round(2 * size)))
        for a, b in ((x, y), (u, v)):
            draw.ellipse((a - size, b - size, a + size, b + size), fill=fill)


def _body(draw: ImageDraw.ImageDraw, eye: Eye, body: Obstacle) -> None:
    colour = _BODIES[body.kind]
    if body.kind == "box":
        _box(draw, eye, body, colour)
    elif body.kind == "capsule":
        _capsule(draw, eye, body.ends, body.size[0], colour)
    else:
        _capsule(draw, eye, np.array((body.centre, body.centre)), body.size[0], colour)
    x, y = eye.paper(np.array(body.centre))
    draw.text((x, y), body.name.split()[-1], (255, 255, 255), ImageFont.load_default(24), anchor="mm")


def _box(draw: ImageDraw.ImageDraw, eye: Eye, body: Obstacle, colour: Colour) -> None:
    """The six faces, farthest first."""
    turn = np.radians(body.turn)
    out = np.array(((np.cos(turn), np.sin(turn), 0), (-np.sin(turn), np.cos(turn), 0), (0, 0, 1)))
    faces = []
    for axis, sign in product(range(3), (-1, 1)):
        others = [a for a in range(3) if a != axis]
        corners = np.zeros((4, 3))
        corners[:, axis] = sign
        corners[:, others] = ((-1, -1), (1, -1), (1, 1), (-1, 1))
        placed = (corners * np.array(body.size)) @ out + np.array(body.centre)
        faces.append((eye.depth(placed), axis, placed))
    for _, axis, placed in sorted(faces, key=lambda face: -face[0]):
        shade = tuple(min(255, round(c * (1.15 if axis == 2 else 1 - 0.12 * axis))) for c in colour)
        draw.polygon([tuple(p) for p in eye.paper(placed)], fill=shade, outline=_dark(colour), width=3)


def _dark(colour: Colour) -> Colour:
    r, g, b = (round(0.62 * c) for c in colour)
    return (r, g, b)
