"""Pictures of the table: cards, board, stacks, bets, pot, button, the betting so far and the legal actions.

The same fields always give the same pixels: shapes are drawn with Pillow at a multiple of their size and reduced,
text is set in the font that Pillow carries. Backgrounds and card faces are drawn once per worker. The file holds
pixels only, no metadata.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache, lru_cache

import attrs
from PIL import Image, ImageDraw, ImageFont

from harness import png

SIZE = (800, 480)
_SCALE = 4
_PANEL = 560
_CENTRE = 280

Colour = tuple[int, int, int]
Draw = ImageDraw.ImageDraw


@attrs.frozen
class Design:
    """The look of a table and its cards; ``suits`` are the colours of clubs, diamonds, hearts and spades."""

    felt: Colour
    edge: Colour
    rail: Colour
    room: Colour
    face: Colour
    border: Colour
    back: Colour
    suits: Mapping[str, Colour]


_INK, _RED, _PLATE = (24, 26, 32), (200, 30, 44), (12, 14, 18)
_TEXT, _MUTED, _GOLD = (236, 238, 242), (150, 158, 172), (240, 196, 92)
_TWO = {"c": _INK, "d": _RED, "h": _RED, "s": _INK}
_FOUR = {"c": (22, 128, 60), "d": (30, 92, 200), "h": _RED, "s": _INK}
_NIGHT = {"c": (120, 214, 150), "d": (250, 170, 90), "h": (250, 110, 120), "s": (226, 230, 238)}

DESIGNS: Mapping[str, Design] = {
    "classic": Design(
        (28, 104, 70), (44, 130, 90), (92, 58, 34), (20, 26, 30), (252, 252, 248), (190, 190, 184), (150, 32, 44), _TWO
    ),
    "four-colour": Design(
        (34, 82, 128),
        (54, 106, 156),
        (52, 56, 66),
        (18, 24, 34),
        (255, 255, 255),
        (186, 192, 202),
        (24, 60, 112),
        _FOUR,
    ),
    "night": Design(
        (54, 44, 68), (80, 66, 100), (26, 24, 34), (14, 14, 20), (34, 37, 46), (96, 102, 118), (110, 84, 150), _NIGHT
    ),
}


def picture(fields: Mapping[str, str], design: str) -> bytes:
    """Draw the fields of a table as a PNG of 800 × 480 pixels."""
    return _drawn(tuple(fields.items()), design)


@lru_cache(maxsize=512)
def _drawn(fields: tuple[tuple[str, str], ...], design: str) -> bytes:
    canvas = _composed(dict(fields), design)
    return png(canvas.quantize(palette=_palette(design), dither=Image.Dither.NONE))


def _composed(fields: Mapping[str, str], design: str) -> Image.Image:
    canvas = _background(design).copy()
    draw = ImageDraw.Draw(canvas)
    _seats(canvas, draw, fields, design)
    _middle(canvas, draw, fields, design)
    _panel(draw, fields)
    _button(draw, fields["button"], DESIGNS[design])
    return canvas


def _seats(canvas: Image.Image, draw: Draw, fields: Mapping[str, str], design: str) -> None:
    """Draw both players: cards, plates with stacks, bets."""
    for place in (-1, 1):
        canvas.paste(_back(design, 54, 76), (_CENTRE - 27 + 31 * place, 34), _mask(54, 76))
    for place, card in zip((-1, 1), fields["your_cards"].split(), strict=True):
        canvas.paste(_card(card, design, 70, 98), (_CENTRE - 35 + 40 * place, 318), _mask(70, 98))
    _plate(draw, 114, "Opponent", fields["their_stack"])
    _plate(draw, 424, "You", fields["your_stack"])
    _bet(draw, 154, fields["their_bet"])
    _bet(draw, 294, fields["your_bet"])


def _middle(canvas: Image.Image, draw: Draw, fields: Mapping[str, str], design: str) -> None:
    """Draw the board and the pot."""
    cards = fields["board"].split()
    for place in range(5):
        left, top = _CENTRE - 163 + 66 * place, 184
        if place < len(cards):
            canvas.paste(_card(cards[place], design, 62, 88), (left, top), _mask(62, 88))
        else:
            draw.rounded_rectangle((left, top, left + 61, top + 87), 8, outline=DESIGNS[design].edge, width=2)
    text = f"Pot {fields['pot']}"
    width = draw.textlength(text, _font(17))
    draw.rounded_rectangle((402 - width / 2, 147, 422 + width / 2, 173), 13, fill=_PLATE)
    draw.text((412, 160), text, _GOLD, _font(17), anchor="mm")


def _plate(draw: Draw, top: int, name: str, stack: str) -> None:
    draw.rounded_rectangle((_CENTRE - 80, top, _CENTRE + 80, top + 28), 9, fill=_PLATE, outline=(74, 80, 92))
    draw.text((_CENTRE - 70, top + 14), name, _MUTED, _font(14), anchor="lm")
    draw.text((_CENTRE + 70, top + 14), stack, _TEXT, _font(17), anchor="rm")


def _bet(draw: Draw, top: int, amount: str) -> None:
    """Draw the chips that a player has bet on this street; nothing for a bet of zero."""
    if amount == "0":
        return
    for lift in (6, 3, 0):
        chip = (_CENTRE - 34, top - lift, _CENTRE - 13, top + 13 - lift)
        draw.ellipse(chip, fill=(206, 58, 62), outline=(250, 236, 220))
    draw.text((_CENTRE - 5, top + 4), amount, _TEXT, _font(18), anchor="lm")


def _button(draw: Draw, owner: str, look: Design) -> None:
    left, top = _CENTRE + 92, 352 if owner == "you" else 58
    draw.ellipse((left, top, left + 28, top + 28), fill=(246, 244, 236), outline=look.rail, width=2)
    draw.text((left + 14, top + 14), "D", _INK, _font(16), anchor="mm")


def _panel(draw: Draw, fields: Mapping[str, str]) -> None:
    """Write the number of the hand, the betting so far and the legal actions on the right."""
    left = _PANEL + 18
    draw.text((left, 18), f"Hand {fields['hand']}", _TEXT, _font(20))
    draw.text((left, 45), fields["street"].capitalize(), _GOLD, _font(16))
    top = _heading(draw, 76, "Betting")
    lines = _told(draw, fields["betting"], 13)
    size = 13 if len(lines) <= 14 else 10
    for street, line in lines if size == 13 else _told(draw, fields["betting"], size):
        draw.text((left, top), street, _GOLD, _font(size))
        draw.text((left + 54, top), line, _TEXT, _font(size))
        top += size + 3
    top = _heading(draw, 344, "Your actions")
    for action in fields["legal"].split("; "):
        draw.text((left, top), action, _TEXT, _font(17))
        top += 23


def _heading(draw: Draw, top: int, text: str) -> int:
    left = _PANEL + 18
    draw.text((left, top), text, _MUTED, _font(13))
    draw.line((left, top + 18, SIZE[0] - 18, top + 18), fill=(60, 66, 78))
    return top + 24


def _told(draw: Draw, betting: str, size: int) -> list[tuple[str, str]]:
    """Break the betting into lines that fit the panel: (street on its first line, steps)."""
    found: list[tuple[str, str]] = []
    for part in betting.split(" | ") if betting else ():
        street, _, steps = part.partition(": ")
        line = ""
        for step in steps.split(", "):
            longer = f"{line}, {step}" if line else step
            if line and draw.textlength(longer, _font(size)) > 156:
                found.append((street, line + ","))
                street, line = "", step
            else:
                line = longer
        found.append((street, line))
    return found


@cache
def _background(design: str) -> Image.Image:
    """Draw the room, the table and the panel."""
    look = DESIGNS[design]
    big = Image.new("RGB", (SIZE[0] * 2, SIZE[1] * 2), look.room)
    draw = ImageDraw.Draw(big)
    draw.rounded_rectangle((36, 92, 1084, 856), 330, fill=look.rail)
    draw.rounded_rectangle((62, 118, 1058, 830), 306, fill=look.edge)
    draw.rounded_rectangle((68, 124, 1052, 824), 300, fill=look.felt)
    draw.rounded_rectangle((128, 184, 992, 764), 246, outline=look.edge, width=3)
    draw.rectangle((_PANEL * 2, 0, SIZE[0] * 2, SIZE[1] * 2), fill=(30, 33, 41))
    return big.resize(SIZE, Image.Resampling.LANCZOS)


@cache
def _palette(design: str) -> Image.Image:
    """Return the palette of a design: that of a table on which everything is to be seen."""
    everything = {
        "hand": "1 of 2",
        "street": "river",
        "button": "you",
        "your_cards": "As Kh",
        "board": "Qd Tc 9s 8h",
        "pot": "800",
        "your_bet": "200",
        "their_bet": "100",
        "your_stack": "900",
        "their_stack": "1000",
        "betting": "preflop: you call, they check | flop: they bet 100, you raise to 200",
        "legal": "fold; call 100; raise_to 300-900; all_in",
    }
    return _composed(everything, design).quantize(224, method=Image.Quantize.MEDIANCUT)


@cache
def _card(name: str, design: str, width: int, height: int) -> Image.Image:
    """Draw a face: the rank above its suit in the corner, the suit large beside it."""
    look, big = DESIGNS[design], _SCALE
    face = Image.new("RGB", (width * big, height * big), look.face)
    draw = ImageDraw.Draw(face)
    colour = look.suits[name[1]]
    rank = "10" if name[0] == "T" else name[0]
    corner = (round(width * (0.3 if rank == "10" else 0.26) * big), round(height * 0.2 * big))
    font = _font(round(width * (0.4 if rank == "10" else 0.46) * big))
    draw.text(corner, rank, colour, font, anchor="mm", stroke_width=big // 2, stroke_fill=colour)
    _suit(draw, name[1], (width * 0.25 * big, height * 0.44 * big), width * 0.12 * big, colour)
    _suit(draw, name[1], (width * 0.63 * big, height * 0.7 * big), width * 0.25 * big, colour)
    edge = (0, 0, width * big - 1, height * big - 1)
    draw.rounded_rectangle(edge, 8 * big, outline=look.border, width=big)
    return face.resize((width, height), Image.Resampling.LANCZOS)


@cache
def _back(design: str, width: int, height: int) -> Image.Image:
    look, big = DESIGNS[design], _SCALE
    back = Image.new("RGB", (width * big, height * big), look.back)
    draw = ImageDraw.Draw(back)
    lighter = tuple(min(255, part + 34) for part in look.back)
    for offset in range(-height * big, width * big, 9 * big):
        draw.line((offset, 0, offset + height * big, height * big), fill=lighter, width=big)
        draw.line((offset, height * big, offset + height * big, 0), fill=lighter, width=big)
    draw.rounded_rectangle((0, 0, width * big - 1, height * big - 1), 8 * big, outline=(240, 240, 236), width=4 * big)
    return back.resize((width, height), Image.Resampling.LANCZOS)


@cache
def _mask(width: int, height: int) -> Image.Image:
    """Return the shape of a card: a rectangle with round corners."""
    big = Image.new("L", (width * _SCALE, height * _SCALE), 0)
    ImageDraw.Draw(big).rounded_rectangle((0, 0, width * _SCALE - 1, height * _SCALE - 1), 8 * _SCALE, fill=255)
    return big.resize((width, height), Image.Resampling.LANCZOS)


def _suit(draw: Draw, suit: str, centre: tuple[float, float], r: float, colour: Colour) -> None:
    """Draw a suit sign of half-height ``r`` about a centre."""
    x, y = centre
    if suit == "d":
        draw.polygon([(x, y - r * 1.1), (x + r * 0.82, y), (x, y + r * 1.1), (x - r * 0.82, y)], fill=colour)
        return
    if suit == "c":
        for cx, cy in ((x, y - 0.5 * r), (x - 0.52 * r, y + 0.25 * r), (x + 0.52 * r, y + 0.25 * r)):
            _disc(draw, cx, cy, 0.48 * r, colour)
        _disc(draw, x, y, 0.3 * r, colour)
    else:
        turn = 1 if suit == "h" else -1
        for cx in (x - 0.46 * r, x + 0.46 * r):
            _disc(draw, cx, y - turn * 0.35 * r, 0.54 * r, colour)
        side, top = y - turn * 0.12 * r, y - turn * 0.4 * r
        draw.polygon([(x - 0.95 * r, side), (x, y + turn * r), (x + 0.95 * r, side), (x, top)], fill=colour)
    if suit in "cs":
        draw.polygon([(x, y + 0.1 * r), (x + 0.36 * r, y + r), (x - 0.36 * r, y + r)], fill=colour)


def _disc(draw: Draw, x: float, y: float, r: float, colour: Colour) -> None:
    draw.ellipse((x - r, y - r, x + r, y + r), fill=colour)


@cache
def _font(size: int) -> ImageFont.FreeTypeFont | ImageFont.ImageFont:
    return ImageFont.load_default(size)
