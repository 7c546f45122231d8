"""What the documents point at exists, and nothing in the repository names the machine it was written on."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest
from repository import PACKAGES, ROOT, shown, texts

LINK = re.compile(r"(?<!\!)\[[^\]]*\]\(([^)\s]+)\)")
CODE = re.compile(r"```.*?```|`[^`\n]*`", re.DOTALL)
HEADING = re.compile(r"^#+ +(.*)$", re.MULTILINE)
DOCUMENTS = [path for path in texts() if path.suffix == ".md"]

PRIVATE_PLACE = re.compile(r"(?<![\w.])/(?:home|root|Users|mnt|work|opt)/[\w.-]+")
HARMLESS = {"/home/user", "/opt/anything"}  # examples, nobody's


def anchors(text: str) -> set[str]:
    """Anchors as code hosts derive them from headings."""
    return {re.sub(r"[^\w\- ]", "", title.lower()).strip().replace(" ", "-") for title in HEADING.findall(text)}


@pytest.mark.parametrize("document", DOCUMENTS, ids=shown)
def test_every_relative_link_resolves(document: Path) -> None:
    text = CODE.sub("", document.read_text(encoding="utf-8"))
    for target in LINK.findall(text):
        if re.match(r"[a-z]+:", target):
            continue
        place, _, anchor = target.partition("#")
        linked = (document.parent / place).resolve() if place else document
        assert linked.exists(), f"{shown(document)} links to {target}, which does not exist"
        assert linked.is_relative_to(ROOT), f"{shown(document)} links out of the repository: {target}"
        if anchor and linked.suffix == ".md":
            assert anchor in anchors(linked.read_text(encoding="utf-8")), f"{shown(document)}: no heading {target}"


def test_links_were_looked_at() -> None:
    assert sum(len(LINK.findall(path.read_text(encoding="utf-8"))) for path in DOCUMENTS) > 5


def test_no_file_names_a_place_on_somebodys_machine() -> None:
    for path in texts():
        if path == Path(__file__):
            continue
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            found = [place for place in PRIVATE_PLACE.findall(line) if place not in HARMLESS]
            assert not found, f"{shown(path, number)} names {found}"


@pytest.mark.parametrize("package", PACKAGES, ids=lambda path: path.name)
def test_every_package_says_what_users_need(package: Path) -> None:
    project = tomllib.loads((package / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    expected = "harness-envs" if package.name == "core" else f"harness-task-{package.name}"
    assert project["name"] in (expected, f"harness-{package.name}")
    assert project["license"] == "Apache-2.0"
    assert project["requires-python"].startswith(">=3.1")
    assert len(project["description"]) >= 20
    readme = package / project["readme"]
    assert readme.is_file()
    assert len(readme.read_text(encoding="utf-8")) > 200, f"{shown(readme)} says next to nothing"
    if package.name != "core":
        assert "harness-envs~=0.1" in project["dependencies"]
        assert all(path.parent.joinpath("py.typed").is_file() for path in package.glob("src/*/__init__.py"))
