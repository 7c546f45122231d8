"""Check that the first line of a trace is its JSON header, with the `zstd` program where there is one."""

from __future__ import annotations

import io
import json
import shutil
import subprocess
import sys
from pathlib import Path


def first_line(path: str) -> bytes:
    """Return the first line of a zstd file."""
    program = shutil.which("zstd")
    if program:
        return subprocess.run([program, "-dc", path], capture_output=True, check=True).stdout.splitlines()[0]
    import zstandard

    with Path(path).open("rb") as file:
        reader = zstandard.ZstdDecompressor().stream_reader(file, read_across_frames=True)
        return io.BufferedReader(reader).readline()


if __name__ == "__main__":
    header = json.loads(first_line(sys.argv[1]))
    sys.exit(0 if header["type"] == "header" and header["schema"] >= 1 else f"no header: {header}")
