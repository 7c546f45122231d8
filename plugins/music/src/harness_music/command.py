"""`harness engrave`: the submitted passages of a run as scores to open and hear."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click


@click.command("engrave", epilog="Example: harness engrave run --out scores")
@click.argument("run", type=click.Path(path_type=Path, exists=True))
@click.option("--out", type=click.Path(path_type=Path), required=True, help="Folder for the files.")
def command(run: Path, out: Path) -> None:
    """Write every music answer in RUN as MusicXML, MIDI and ABC; an episode without an answer is passed over."""
    from harness.trace import episodes, find_trace

    number = 0
    for record in episodes(find_trace(run)):
        answer = answer_of(record)
        if answer is not None:
            write_score(record, answer, out)
            number += 1
    click.echo(f"{number} scores → {out}")


def answer_of(record: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """Return the submitted passage of an episode record, None when it is of another task or has none."""
    if record["sample"]["task"] != "music":
        return None
    submitted = [a for a in record["actions"] if a["name"] == "submit" and a["status"] == "ok"]
    return submitted[-1]["arguments"]["passage"] if submitted else None


def write_score(record: Mapping[str, Any], answer: Mapping[str, Any], folder: Path) -> Path:
    """Write one answer in three formats; return the path without suffix."""
    from harness_music.chords import key_of
    from harness_music.engrave import to_midi, to_musicxml
    from harness_music.notation import to_abc
    from harness_music.pitch import VOICES, read_passage

    sample, identity = record["sample"], record["identity"]
    title = f"{sample['group']} {sample['index']}, try {record['repetition']}"
    path = folder / f"{sample['group']}-{sample['index']:04d}-{record['repetition']}"
    passage = read_passage(answer[voice] for voice in VOICES)
    key, metre = key_of(identity["tonic"], identity["mode"]), identity["metre"]
    folder.mkdir(parents=True, exist_ok=True)
    path.with_suffix(".musicxml").write_text(to_musicxml(passage, key, metre, identity["symbols"], title), "utf-8")
    path.with_suffix(".mid").write_bytes(to_midi(passage, key, metre))
    path.with_suffix(".abc").write_text(to_abc(passage, key, metre, title), "utf-8")
    return path
