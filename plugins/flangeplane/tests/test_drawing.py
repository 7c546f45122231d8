"""Drawings: every fact that the prompt leaves out stands on them, legibly; equal pixels everywhere; pixels only."""

from __future__ import annotations

import hashlib
import io
import subprocess
import sys
import time
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from attrs import evolve
from flange_cases import instance
from PIL import Image

from harness import image
from harness_flangeplane.brief import number, pictured
from harness_flangeplane.drawing import SIZE, Style, draw, style_of
from harness_flangeplane.reading import SHARE, reading_margins
from harness_flangeplane.sample import Identity

SEEDS = range(40)


def pixels(data: bytes) -> np.ndarray:
    return np.asarray(Image.open(io.BytesIO(data)).convert("L")).astype(int)


def drawn(identity: Identity, **style: object):  # type: ignore[no-untyped-def]
    return draw(identity.joint, identity.pictured, evolve(style_of(identity), **style))


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("level", ["easy", "medium", "hard"])
def test_every_fact_that_the_prompt_leaves_out_is_on_the_drawing(level: str, seed: int) -> None:
    identity = instance(level, seed)
    labels, joint = drawn(identity).labels, identity.joint
    assert number(labels["bore"]) == joint.bore
    assert number(labels["gasket_outer"]) == joint.gasket_outer
    assert number(labels["gasket_inner"]) == joint.gasket_inner
    assert number(labels["pipe_wall"]) == joint.pipe_wall
    assert labels["pressure"] == f"PN {joint.pressure}"
    seen = pictured(labels)
    exact = {"thickness": identity.pictured.thickness} if level == "hard" else {}
    assert evolve(seen, **exact) == identity.pictured
    assert ("thickness" in labels) == (level != "hard")
    read = evolve(identity.reading, thickness=seen.thickness, bolts=seen.bolts)
    assert min(reading_margins(read, identity.reading, level == "hard").values()) >= 0


def test_no_text_on_the_drawing_counts_the_bolts_and_in_hard_none_tells_the_thickness() -> None:
    for seed in SEEDS:
        identity = instance("hard", seed)
        labels = drawn(identity).labels
        printed = {name: text for name, text in labels.items() if name not in ("bolt_holes", "jacking_holes")}
        said = [text for name, text in printed.items() if not name.endswith("_pixels")]
        numbers = [number(text) for text in said if any(c.isdigit() for c in text)]
        sizes = {identity.pictured.size.diameter, identity.pictured.size.hole, identity.joint.pressure, 6.0, 20.0}
        if identity.pictured.bolts not in sizes:
            assert identity.pictured.bolts not in numbers
        assert f"{identity.pictured.thickness:g}" not in said


@pytest.mark.parametrize("level", ["easy", "medium", "hard"])
def test_texts_stand_on_the_sheet_and_apart(level: str) -> None:
    for seed in SEEDS:
        identity = instance(level, seed)
        for design in (identity.pictured, identity.known):
            boxes = draw(identity.joint, design, style_of(identity)).boxes
            for name, (left, top, right, foot) in boxes.items():
                assert min(left, top, SIZE[0] - right, SIZE[1] - foot) > 9, name
            for (one, a), (other, b) in combinations(boxes.items(), 2):
                assert not (a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]), (one, other)


def test_every_printed_text_has_ink_in_its_box() -> None:
    identity = instance("medium", 3)
    found = drawn(identity)
    seen = pixels(found.data)
    for name, (left, top, right, foot) in found.boxes.items():
        assert (seen[round(top) : round(foot), round(left) : round(right)] < 100).sum() > 12, name
    assert found.boxes.keys() == {n for n in found.labels if n not in ("bolt_holes", "jacking_holes")}


@pytest.mark.parametrize("seed", range(10))
def test_holes_are_where_the_list_says_and_no_hole_is_covered(seed: int) -> None:
    identity = instance("medium", seed)
    found = drawn(identity)
    seen = pixels(found.data)
    radius = identity.pictured.size.hole / 2 * 190 / (identity.pictured.outer_diameter / 2)
    turns = np.linspace(0, 2 * np.pi, 90, endpoint=False)
    for place in found.labels["bolt_holes"].split("; "):
        x, y = map(int, place.split(","))
        ring = [
            min(seen[round(y + r * np.sin(a)), round(x + r * np.cos(a))] for r in np.arange(radius - 2, radius + 2.1))
            for a in turns
        ]
        assert np.mean(np.array(ring) < 210) > 0.97, place


@pytest.mark.parametrize(
    "change",
    [{"bore": 1.0}, {"gasket_outer": 1.0}, {"gasket_inner": 1.0}, {"pipe_wall": 0.5}, {"pressure": 9}],
)
def test_every_size_of_the_joint_changes_the_picture(change: dict[str, float]) -> None:
    identity = instance("easy", 4)
    joint = evolve(identity.joint, **{name: getattr(identity.joint, name) + more for name, more in change.items()})
    other = draw(joint, identity.pictured, style_of(identity))
    assert (pixels(other.data) != pixels(drawn(identity).data)).any()


def test_layouts_differ_and_put_the_bore_into_either_view() -> None:
    identity = instance("easy", 5)
    found = [drawn(identity, look=look) for look in range(4)]
    assert len({hashlib.sha256(each.data).hexdigest() for each in found}) == 4
    assert len({round(each.boxes["bore"][0] / 50) for each in found}) > 2
    assert all(each.labels["bore"] == found[0].labels["bore"] for each in found)


@pytest.mark.parametrize("seed", SEEDS)
def test_the_scale_bar_measures_the_thickness(seed: int) -> None:
    identity = instance("hard", seed)
    error = pictured(drawn(identity).labels).thickness / identity.pictured.thickness - 1
    assert abs(error) < SHARE / 2, "half of what is allowed"


def test_the_file_holds_pixels_only() -> None:
    found = drawn(instance("hard", 6))
    part = image(found.data, facts=found.labels).part  # refuses metadata chunks
    assert (part.width, part.height) == SIZE
    assert not Image.open(io.BytesIO(found.data)).info


_CODE = """
import hashlib, sys
sys.path.insert(0, sys.argv[1])
from flange_cases import instance
from harness_flangeplane.drawing import draw, style_of
for level in ("easy", "medium", "hard"):
    for seed in range(3):
        i = instance(level, seed)
        print(hashlib.sha256(draw(i.joint, i.pictured, style_of(i)).data).hexdigest())
"""


def test_two_other_processes_draw_the_same_pixels() -> None:
    here = [
        hashlib.sha256(drawn(instance(level, seed)).data).hexdigest()
        for level in ("easy", "medium", "hard")
        for seed in range(3)
    ]
    for _ in range(2):
        done = subprocess.run(
            [sys.executable, "-c", _CODE, str(Path(__file__).parent)], capture_output=True, text=True, check=True
        )
        assert done.stdout.split() == here


def test_a_drawing_takes_less_than_a_tenth_of_a_second() -> None:
    identity = instance("hard", 7)
    drawn(identity)
    begun = time.process_time()
    for angle in range(10):
        drawn(identity, angle=float(angle) + 0.5)
    assert (time.process_time() - begun) / 10 < 0.1


def test_extreme_designs_can_be_drawn() -> None:
    identity = instance("hard", 8)
    for thickness, rim in ((6.0, 700.0), (120.0, identity.known.outer_diameter), (120.0, 700.0)):
        design = evolve(identity.known, thickness=thickness, outer_diameter=rim)
        assert draw(identity.joint, design, Style(scale_bar=True)).labels["scale_bar"].endswith("mm")


@pytest.mark.parametrize(("level", "seed"), [("medium", 12), ("hard", 3)])
def test_the_pictures_of_the_page_are_what_is_drawn(level: str, seed: int) -> None:
    saved = Path(__file__).parents[1] / f"drawing-{level}.png"
    assert saved.read_bytes() == drawn(instance(level, seed)).data
