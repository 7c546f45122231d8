"""The drawing: a dimensioned sheet with a front view, a half section and a title block, as a PNG and a list of labels.

The same arguments always give the same pixels: lines are drawn with Pillow at twice their size and reduced, text is set
in the font that Pillow carries. Everything that a reader can take from the sheet is put on it through `_Sheet`, which
keeps the list as it draws: printed texts by name, the places of the holes to be counted, lengths in pixels where only
the scale tells. The file holds pixels only.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from functools import cache, lru_cache

from attrs import frozen
from PIL import Image, ImageDraw, ImageFont

from harness import png
from harness_flangeplane.design import Design
from harness_flangeplane.joint import Joint
from harness_flangeplane.sample import Identity

SIZE = (1040, 680)
_BIG = 2
_PAPER, _INK, _THIN = 255, 20, 90
_STEPS = [(value + 8) // 17 for value in range(256)]

Point = tuple[float, float]
Box = tuple[float, float, float, float]


@frozen
class Style:
    """How a sheet is laid out.

    Attributes:
        angle: how far the bolt holes are turned, degrees.
        look: which view stands left, and in which view the bore is dimensioned.
        jacks: whether there are two jacking holes among the bolt holes.
        scale_bar: whether the thickness is only drawn to scale.
    """

    angle: float = 0.0
    look: int = 0
    jacks: bool = False
    scale_bar: bool = False


@frozen
class Drawn:
    """A drawing.

    Attributes:
        data: the PNG.
        labels: what stands on it by name.
        boxes: where each printed text stands: left, top, right, foot.
    """

    data: bytes
    labels: Mapping[str, str]
    boxes: Mapping[str, Box]


@lru_cache(maxsize=512)
def draw(joint: Joint, design: Design, style: Style) -> Drawn:
    """Draw a flange in its joint."""
    sheet = _Sheet()
    sheet.box(8, 8, SIZE[0] - 8, SIZE[1] - 8, 2)
    mirrored = bool(style.look & 1)
    bore_in_front = bool(style.look & 2)
    _front(sheet, joint, design, style, (760.0 if mirrored else 285.0, 290.0), bore_in_front)
    _section(sheet, joint, design, style, 120.0 if mirrored else 640.0, not bore_in_front)
    _title(sheet, joint, design)
    data = png(sheet.finished())
    return Drawn(data, dict(sheet.labels), dict(sheet.boxes))


def style_of(identity: Identity) -> Style:
    """Return the layout of an instance's drawings."""
    return Style(identity.angle, identity.look, identity.jacks, identity.scale_bar)


# ---- the views


def _front(sheet: _Sheet, joint: Joint, design: Design, style: Style, centre: Point, with_bore: bool) -> None:
    """Draw the face that carries the gasket, with the holes to be counted."""
    x, y = centre
    scale = 190 / (design.outer_diameter / 2)
    rim, circle, bore = (scale * size / 2 for size in (design.outer_diameter, design.bolt_circle, joint.bore))
    sheet.circle(centre, rim, 3)
    sheet.circle(centre, bore, 3)
    sheet.dashed_circle(centre, circle)
    sheet.centre_lines(centre, rim + 14)
    for place in range(design.bolts):
        at = _around(centre, circle, style.angle + 360 * place / design.bolts)
        sheet.circle(at, scale * design.size.hole / 2, 3)
        sheet.place("bolt_holes", at)
    if style.jacks:
        _jacks(sheet, design, style, centre, scale)
    sheet.text("view_front", "FRONT VIEW", (x, 38), 15)
    sheet.level("outer_diameter", f"Ø{design.outer_diameter:g}", x - rim, x + rim, y + rim + 42, y)
    slope = -32.0
    sheet.through("bolt_circle", f"Ø{design.bolt_circle:g}", centre, circle, slope, rim)
    if with_bore:
        sheet.through("bore", f"Ø{joint.bore:g}", centre, bore, 58.0, bore * 0.2, inside=True)
    lowest = style.angle + 360 / design.bolts * round((135 - style.angle) * design.bolts / 360)
    sheet.call_out("hole", f"holes Ø{design.size.hole:g}", _around(centre, circle, lowest), (x - 128, y + rim + 18))


def _jacks(sheet: _Sheet, design: Design, style: Style, centre: Point, scale: float) -> None:
    """Draw two threaded holes midway between bolts, which are no bolt holes and say so."""
    step = 360 / design.bolts
    first = style.angle + step * (round((225 - style.angle) / step - 0.5) + 0.5)
    for turn in (first, first + 180):
        at = _around(centre, scale * design.bolt_circle / 2, turn)
        sheet.circle(at, scale * 2.6, 2)
        sheet.arc(at, scale * 3.6, 20, 290)
        sheet.place("jacking_holes", at)
    pointed = _around(centre, scale * design.bolt_circle / 2, first)
    sheet.call_out("jacking", "M6 jacking", pointed, _around(centre, 190 + 36, first))


def _section(sheet: _Sheet, joint: Joint, design: Design, style: Style, left: float, with_bore: bool) -> None:
    """Draw the half above the axis: gasket, flange cut through a bolt hole, weld and pipe."""
    axis, top = 545.0, 130.0
    scale = min((axis - top) / (design.outer_diameter / 2), 130 / design.thickness)
    front = left + 110
    back = front + scale * design.thickness

    def height(diameter: float) -> float:
        return axis - scale * diameter / 2

    hole, circle = design.size.hole, design.bolt_circle
    rim, bore = height(design.outer_diameter), height(joint.bore)
    sheet.hatched(front, height(circle - hole), back, bore)
    sheet.hatched(front, rim, back, height(circle + hole))
    for diameter in (circle - hole, circle + hole):
        sheet.line((front, height(diameter)), (back, height(diameter)), 2)
    sheet.box(front, rim, back, bore, 3)
    pipe = height(joint.bore + 2 * joint.pipe_wall)
    sheet.hatched(back, pipe, back + 66, bore, falling=True)
    sheet.box(back, pipe, back + 66, bore, 3)
    weld = scale * joint.pipe_wall
    sheet.polygon([(back, pipe), (back + weld, pipe), (back, pipe - weld)])
    sheet.filled(front - 5, height(joint.gasket_outer), front, height(joint.gasket_inner))
    sheet.dash_dot((front - 95, axis), (back + 110, axis))
    sheet.dash_dot((front - 16, height(circle)), (back + 16, height(circle)))
    for x in (front, back + 66):
        sheet.line((x, bore), (x, axis), 1)
    sheet.text("view_section", "SECTION A-A, upper half", (front + 60, 38), 15)
    sheet.upright("gasket_outer", f"Ø{joint.gasket_outer:g}", front - 34, height(joint.gasket_outer), axis, front - 5)
    sheet.upright("gasket_inner", f"Ø{joint.gasket_inner:g}", front - 74, height(joint.gasket_inner), axis, front - 5)
    if with_bore:
        sheet.upright("bore", f"Ø{joint.bore:g}", back + 92, bore, axis, back + 66)
    sheet.call_out("pipe_wall", f"wall {joint.pipe_wall:g}", (back + 56, (pipe + bore) / 2), (back + 60, pipe - 46))
    sheet.call_out("gasket", "gasket", (front - 3, height(joint.gasket_mean)), (front - 62, rim + 8))
    if style.scale_bar:
        sheet.measured("thickness", back - front)
        _scale_bar(sheet, scale, front - 40, 592)
    else:
        sheet.across("thickness", f"{design.thickness:g}", front, back, rim - 26, rim)


def _scale_bar(sheet: _Sheet, scale: float, left: float, y: float) -> None:
    """Draw a bar of a round length below the section."""
    length = next(mm for mm in (10, 20, 50, 100) if mm * scale >= 60)
    for part in range(5):
        start = left + part * scale * length / 5
        if part % 2 == 0:
            sheet.filled(start, y, start + scale * length / 5, y + 7)
    sheet.box(left, y, left + scale * length, y + 7, 1)
    sheet.text("scale_bar", f"{length} mm", (left + scale * length + 34, y + 4), 14)
    sheet.text("scale_of", "scale of section", (left + 55, y - 17), 14)
    sheet.measured("scale_bar", scale * length)


def _title(sheet: _Sheet, joint: Joint, design: Design) -> None:
    """Draw the block at the foot of the sheet."""
    top, right, foot = 622, SIZE[0] - 8, SIZE[1] - 8
    cells = (8, 230, 360, 560, 700, right)
    sheet.box(8, top, right, foot, 2)
    for x in cells[1:-1]:
        sheet.line((x, top), (x, foot), 1)
    texts = {
        "title": "PLATE FLANGE",
        "pressure": f"PN {joint.pressure}",
        "material": f"MATERIAL {design.material}",
        "bolt": f"BOLTS {design.bolt}",
        "units": "lengths in mm, PN in bar",
    }
    for (name, text), start, stop in zip(texts.items(), cells[:-1], cells[1:], strict=True):
        sheet.text(name, text, ((start + stop) / 2, (top + foot) / 2), 17 if name != "units" else 15)


def _around(centre: Point, radius: float, degrees: float) -> Point:
    turn = math.radians(degrees)
    return centre[0] + radius * math.cos(turn), centre[1] + radius * math.sin(turn)


# ---- the sheet


class _Sheet:
    """A canvas that remembers what can be read from it.

    Lines go onto a canvas of twice the size; texts are kept and set last, at their true size, on cleared paper.

    Attributes:
        labels: what stands on the sheet by name.
        boxes: where each printed text stands, once the sheet is finished.
    """

    def __init__(self) -> None:
        self._canvas = Image.new("L", (SIZE[0] * _BIG, SIZE[1] * _BIG), _PAPER)
        self._pen = ImageDraw.Draw(self._canvas)
        self._texts: list[tuple[str, Point, int]] = []
        self.labels: dict[str, str] = {}
        self.boxes: dict[str, Box] = {}

    def finished(self) -> Image.Image:
        """Reduce the canvas, set the texts, and keep sixteen greys."""
        small = self._canvas.reduce(_BIG)
        pen = ImageDraw.Draw(small)
        for name, at, size in self._texts:
            self.boxes[name] = _set(pen, self.labels[name], at, size)
        sheet = Image.frombytes("P", SIZE, small.point(_STEPS).tobytes())
        sheet.putpalette([17 * step for step in range(16) for _ in range(3)])
        return sheet

    # ---- what can be read

    def text(self, name: str, text: str, at: Point, size: int = 16) -> None:
        """Print a text about a point."""
        self._texts.append((name, at, size))
        self.labels[name] = text

    def place(self, name: str, at: Point) -> None:
        """Remember where something to be counted was drawn."""
        told = f"{at[0]:.0f},{at[1]:.0f}"
        self.labels[name] = f"{self.labels[name]}; {told}" if name in self.labels else told

    def measured(self, name: str, pixels: float) -> None:
        """Remember a length that only the scale tells, in whole pixels."""
        self.labels[f"{name}_pixels"] = f"{pixels:.0f}"

    # ---- dimensions

    def level(self, name: str, text: str, start: float, stop: float, y: float, origin: float) -> None:
        """Dimension a horizontal length below a view."""
        for x in (start, stop):
            self.line((x, origin), (x, y + 6), 1)
        self._arrow((stop, y), 0)
        self._arrow((start, y), 180)
        self.line((start, y), (stop, y), 1)
        self.text(name, text, ((start + stop) / 2, y))

    def across(self, name: str, text: str, start: float, stop: float, y: float, origin: float) -> None:
        """Dimension a short horizontal length above a view, arrows from outside."""
        for x in (start, stop):
            self.line((x, origin - 3), (x, y - 8), 1)
        self._arrow((start, y), 0)
        self._arrow((stop, y), 180)
        self.line((start - 26, y), (start, y), 1)
        self.line((stop, y), (stop + 64, y), 1)
        self.text(name, text, (stop + 42, y - 12))

    def upright(self, name: str, text: str, x: float, y: float, axis: float, origin: float) -> None:
        """Dimension a diameter of which the upper half is shown: one arrow, the line ends beyond the axis."""
        self.line((origin, y), (x + (-6 if x < origin else 6), y), 1)
        self._arrow((x, y), -90)
        self.line((x, y), (x, axis + 14), 1)
        self.text(name, text, (x, axis - 0.38 * (axis - y) + (16 if x < origin - 50 else -10)))

    def through(self, name: str, text: str, centre: Point, radius: float, degrees: float, far: float, *,
                inside: bool = False) -> None:  # fmt: skip
        """Dimension a circle through its centre; the text stands beyond the rim, or inside the circle."""
        for turn in (degrees, degrees + 180):
            self._arrow(_around(centre, radius, turn), turn)
        end = _around(centre, radius if inside else far + 34, degrees)
        self.line(_around(centre, radius, degrees + 180), end, 1)
        self.text(name, text, _around(centre, radius * 0.45, degrees) if inside else _around(end, 14, degrees))

    def call_out(self, name: str, text: str, at: Point, where: Point) -> None:
        """Point at something from a text."""
        self.line(where, at, 1)
        self._arrow(at, math.degrees(math.atan2(at[1] - where[1], at[0] - where[0])), 8)
        self.text(name, text, where, 14)

    # ---- lines

    def line(self, start: Point, stop: Point, width: int) -> None:
        """Draw a line; a width of one is drawn thin."""
        self._pen.line([_scaled(start), _scaled(stop)], fill=_INK if width > 1 else _THIN, width=max(2, width))

    def circle(self, centre: Point, radius: float, width: int) -> None:
        """Draw a circle."""
        self._pen.ellipse(_around_box(centre, radius), outline=_INK, width=width)

    def arc(self, centre: Point, radius: float, start: float, stop: float) -> None:
        """Draw a thin arc."""
        self._pen.arc(_around_box(centre, radius), start, stop, fill=_THIN, width=2)

    def dashed_circle(self, centre: Point, radius: float) -> None:
        """Draw a circle of dashes and dots, each as straight pieces."""
        for turn in range(0, 360, 10):
            for start, stop in ((0, 2), (2, 4), (4, 6), (7.5, 8.5)):
                self.line(_around(centre, radius, turn + start), _around(centre, radius, turn + stop), 1)

    def centre_lines(self, centre: Point, reach: float) -> None:
        """Draw the two axes of a circle."""
        x, y = centre
        self.dash_dot((x - reach, y), (x + reach, y))
        self.dash_dot((x, y - reach), (x, y + reach))

    def dash_dot(self, start: Point, stop: Point) -> None:
        """Draw a line of dashes and dots."""
        length = math.dist(start, stop)
        for begin, end in _dashes(length):
            first, last = begin / length, end / length
            self.line(_between(start, stop, first), _between(start, stop, last), 1)

    def box(self, left: float, top: float, right: float, foot: float, width: int) -> None:
        """Draw a rectangle."""
        corners = (*_scaled((left, top)), *_scaled((right, foot)))
        self._pen.rectangle(corners, outline=_INK if width > 1 else _THIN, width=max(2, width))

    def filled(self, left: float, top: float, right: float, foot: float) -> None:
        """Fill a rectangle."""
        self._pen.rectangle((*_scaled((left, top)), *_scaled((right, foot))), fill=_INK)

    def polygon(self, corners: list[Point]) -> None:
        """Fill a polygon."""
        self._pen.polygon([_scaled(corner) for corner in corners], fill=_INK)

    def hatched(self, left: float, top: float, right: float, foot: float, *, falling: bool = False) -> None:
        """Hatch a rectangle with lines of 45 degrees."""
        width, height = right - left, foot - top
        for offset in range(4, int(width + height), 9):
            low, high = max(0.0, offset - height), min(width, float(offset))
            start, stop = ((left + (width - x if falling else x), top + offset - x) for x in (low, high))
            self.line(start, stop, 1)

    def _arrow(self, tip: Point, degrees: float, length: float = 11) -> None:
        """Draw the head of an arrow that points in a direction."""
        sides = [_around(tip, length, degrees + 180 + turn) for turn in (-14, 14)]
        self._pen.polygon([_scaled(corner) for corner in (tip, *sides)], fill=_INK)


def _set(pen: ImageDraw.ImageDraw, text: str, at: Point, size: int) -> Box:
    """Set a text about a point on cleared paper; the sign of a diameter is drawn, for the font has none."""
    font, sign = _font(size), size * 0.78
    parts = text.split("Ø")
    widths = [pen.textlength(part, font) for part in parts]
    total = sum(widths) + (len(parts) - 1) * (sign + 2)
    left, y = round(at[0] - total / 2), round(at[1])
    box = (left - 3, y - size * 0.62, left + total + 3, y + size * 0.62)
    pen.rectangle(box, fill=_PAPER)
    start = float(left)
    for place, (part, width) in enumerate(zip(parts, widths, strict=True)):
        if place:
            pen.ellipse((start + 1, y - sign / 2 + 1, start + sign - 1, y + sign / 2 - 1), outline=_INK, width=1)
            pen.line((start, y + sign / 2 + 1, start + sign, y - sign / 2 - 1), fill=_INK, width=1)
            start += sign + 2
        pen.text((start, y), part, _INK, font, anchor="lm")
        start += width
    return box


def _dashes(length: float) -> Iterator[tuple[float, float]]:
    at = 0.0
    while at < length:
        yield at, min(at + 14, length)
        if at + 18 < length:
            yield at + 17, min(at + 19, length)
        at += 22


def _between(start: Point, stop: Point, share: float) -> Point:
    return start[0] + share * (stop[0] - start[0]), start[1] + share * (stop[1] - start[1])


def _scaled(point: Point) -> Point:
    return point[0] * _BIG, point[1] * _BIG


def _around_box(centre: Point, radius: float) -> tuple[float, float, float, float]:
    x, y = _scaled(centre)
    return x - radius * _BIG, y - radius * _BIG, x + radius * _BIG, y + radius * _BIG


@cache
def _font(size: int) -> ImageFont.FreeTypeFont | ImageFont.ImageFont:
    return ImageFont.load_default(size)
