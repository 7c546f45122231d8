"""`harness play`: the drawing is saved for the person who plays."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from PIL import Image

from harness_flangeplane.drawing import SIZE


def test_the_drawing_is_saved_and_shown_to_the_player(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "harness", "play", "flangeplane", "--group", "hard", "--images", str(tmp_path)]
    done = subprocess.run(command, input="quit\n", capture_output=True, text=True, check=False, timeout=120)
    saved = list(tmp_path.glob("*.png"))
    assert len(saved) == 1, done.stderr
    with Image.open(saved[0]) as picture:
        assert picture.size == SIZE
    assert f"images: {tmp_path}" in done.stdout.replace("\n", "")
    assert "submit" in done.stdout
