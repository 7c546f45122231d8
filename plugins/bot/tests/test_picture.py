from __future__ import annotations

import io
import subprocess
import sys
from pathlib import Path

import numpy as np
from attrs import evolve
from PIL import Image

from harness import load_task
from harness_bot.picture import EYES, scene_picture


def pixels(data: bytes) -> np.ndarray:
    return np.asarray(Image.open(io.BytesIO(data)).convert("RGB"))


def test_arm_bodies_and_goal_are_drawn_in_every_panel(instance_of) -> None:  # type: ignore[no-untyped-def]
    picture = pixels(scene_picture(instance_of("easy")))
    assert picture.shape == (380, 380 * len(EYES), 3)
    for number in range(len(EYES)):
        panel = picture[:, number * 380 : (number + 1) * 380].reshape(-1, 3)
        colours = {tuple(c) for c in panel.tolist()}
        assert (232, 126, 48) in colours
        assert (24, 140, 72) in colours
        assert len(colours) > 20


def test_the_same_cell_gives_the_same_bytes(instance_of) -> None:  # type: ignore[no-untyped-def]
    instance = instance_of("medium")
    assert scene_picture(instance) == scene_picture(evolve(instance))


def test_bodies_that_have_to_be_found_are_not_drawn(instance_of) -> None:  # type: ignore[no-untyped-def]
    instance = instance_of("hard")
    assert instance.told == ()
    assert scene_picture(instance) == scene_picture(evolve(instance, obstacles=(), hidden=()))
    shown = evolve(instance, hidden=())
    assert scene_picture(shown) != scene_picture(instance)


def test_pictures_are_an_option_that_changes_no_instance() -> None:
    plain, drawn = load_task("bot", "easy"), load_task("bot", "easy", {"pictures": True})
    assert plain.sample(0).identity == drawn.sample(0).identity


def test_play_writes_a_picture(tmp_path: Path) -> None:
    words = ["play", "bot", "--policy", "lazy:stay", "--images", str(tmp_path), "--set", "pictures=true"]
    done = subprocess.run(
        [sys.executable, "-m", "harness", *words[:2], *words[4:]],
        input="quit\n",
        text=True,
        capture_output=True,
        check=False,
    )
    assert "image" in done.stdout, done.stderr
    (file,) = tmp_path.glob("*.png")
    assert pixels(file.read_bytes()).shape == (380, 1140, 3)
