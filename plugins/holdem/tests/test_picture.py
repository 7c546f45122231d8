"""Pictures: deterministic pixels, no metadata, everything that the facts say, in bounds, quick."""

from __future__ import annotations

import hashlib
import io
import subprocess
import sys
import time

import numpy as np
import pytest
from PIL import Image

from harness import image
from harness_holdem.picture import DESIGNS, SIZE, _drawn, picture

FIELDS = {
    "hand": "3 of 8",
    "street": "turn",
    "button": "you",
    "your_cards": "As Td",
    "board": "Js Qd 9h 7c",
    "pot": "1238",
    "your_bet": "300",
    "their_bet": "719",
    "your_stack": "981",
    "their_stack": "562",
    "betting": "preflop: you raise to 250, they call | flop: they check, you bet 149, they raise to 370, you call",
    "legal": "fold; call 419; raise_to 1138-1281; all_in",
}


def pixels(design: str, **changes: str) -> np.ndarray:
    return np.asarray(Image.open(io.BytesIO(picture({**FIELDS, **changes}, design))).convert("RGB")).astype(int)


@pytest.mark.parametrize("design", DESIGNS)
def test_the_file_holds_pixels_only(design: str) -> None:
    drawn = image(picture(FIELDS, design), facts=FIELDS)  # refuses metadata chunks
    assert (drawn.part.width, drawn.part.height) == SIZE
    assert Image.open(io.BytesIO(drawn.data)).info.keys() <= {"transparency", "gamma"}


@pytest.mark.parametrize("design", DESIGNS)
@pytest.mark.parametrize(
    ("field", "other"),
    [("hand", "4 of 8"), ("street", "river"), ("button", "they"), ("your_cards", "As Tc"), ("your_cards", "Ah Td"),
     ("board", "Js Qd 9h 7s"), ("pot", "1239"), ("your_bet", "301"), ("their_bet", "718"), ("your_stack", "980"),
     ("their_stack", "563"), ("betting", "preflop: you call, they check"), ("legal", "check")],
)  # fmt: skip
def test_every_field_changes_the_picture(design: str, field: str, other: str) -> None:
    assert (pixels(design) != pixels(design, **{field: other})).any()


@pytest.mark.parametrize("design", DESIGNS)
def test_all_52_cards_can_be_told_apart(design: str) -> None:
    seen = {}
    for rank in "23456789TJQKA":
        for suit in "cdhs":
            face = pixels(design, board=rank + suit)[184:272, 117:179]
            seen[hashlib.sha256(face.tobytes()).hexdigest()] = rank + suit
            assert len(np.unique(face.reshape(-1, 3), axis=0)) > 4
    assert len(seen) == 52


@pytest.mark.parametrize("design", DESIGNS)
def test_suits_of_one_colour_differ_clearly(design: str) -> None:
    faces = {suit: pixels(design, board="9" + suit)[184:272, 117:179] for suit in "cdhs"}
    for one in "cdhs":
        for other in "cdhs":
            if one < other:
                assert (np.abs(faces[one] - faces[other]).sum(axis=2) > 60).sum() > 60


def test_longest_betting_stays_on_the_canvas() -> None:
    street = "they check, you bet 100, they raise to 300, you raise to 700, they raise to 1500, you call"
    betting = " | ".join(f"{name}: {street}" for name in ("preflop", "flop", "turn", "river"))
    drawn = pixels("classic", betting=betting)
    plain = pixels("classic", betting=betting, legal="")
    assert (drawn[400:470, 570:] != plain[400:470, 570:]).any(), "the legal actions are pushed out of the picture"
    assert (drawn[474:, 570:] == plain[474:, 570:]).all()
    assert (drawn[338:343, 570:790] == plain[2:3, 570:571]).all(), "betting runs into the legal actions"


def test_the_same_pixels_in_another_process() -> None:
    code = (
        "import hashlib, json, sys; from harness_holdem.picture import picture;"
        "print(hashlib.sha256(picture(json.loads(sys.argv[1]), 'night')).hexdigest())"
    )
    import json

    other = subprocess.run(
        [sys.executable, "-c", code, json.dumps(FIELDS)], capture_output=True, text=True, check=True
    ).stdout.strip()
    assert other == hashlib.sha256(picture(FIELDS, "night")).hexdigest()


def test_a_picture_takes_less_than_a_tenth_of_a_second() -> None:
    picture(FIELDS, "classic")
    _drawn.cache_clear()
    begun = time.process_time()
    for pot in range(10):
        picture({**FIELDS, "pot": str(pot)}, "classic")
    assert (time.process_time() - begun) / 10 < 0.1
