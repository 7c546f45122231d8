"""`harness play`: the picture of the arm and the bodies is saved for the person who plays."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from PIL import Image


@pytest.mark.parametrize(("extra", "count"), [([], 1), (["--set", "pictures=false"], 0)])
def test_a_person_is_shown_a_picture_unless_it_is_unwanted(tmp_path: Path, extra: list[str], count: int) -> None:
    command = [sys.executable, "-m", "harness", "play", "bot", "--group", "easy", "--images", str(tmp_path), *extra]
    done = subprocess.run(command, input="quit\n", capture_output=True, text=True, check=False, timeout=120)
    saved = list(tmp_path.glob("*.png"))
    assert len(saved) == count, done.stderr
    for path in saved:
        with Image.open(path) as picture:
            assert picture.width > 400
    assert "submit" in done.stdout
