"""Check that every installed `harness-*` distribution came from a wheel of this repository: FOLDER COUNT."""

from __future__ import annotations

import json
import sys
from importlib.metadata import distributions
from pathlib import Path
from urllib.parse import unquote, urlparse


def main(folder: str, count: str) -> int:
    """Look at the origin that pip recorded of each distribution."""
    found, strangers = 0, []
    built = {wheel.name: wheel for wheel in Path(folder).rglob("*.whl")}
    for dist in distributions():
        name = dist.metadata["Name"]
        if not name.startswith("harness-"):
            continue
        found += 1
        stem = f"{name.replace('-', '_')}-{dist.version}-py3-none-any.whl"
        origin = json.loads(dist.read_text("direct_url.json") or "{}").get("url")
        local = stem in built if origin is None else Path(unquote(urlparse(origin).path)) in built.values()
        if not local:
            strangers.append(f"{name} {dist.version} ({origin or 'from an index'})")
    if strangers or found != int(count):
        sys.stderr.write(f"{found} harness distributions, {count} expected; strangers: {strangers}\n")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2]))
