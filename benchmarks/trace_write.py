"""What live trace writing costs beside the bare loop it is made of.

Three numbers, each from one run with both sides measured in turn on the same records:

- time: CPU of `TraceWriter.write` per episode, over a bare loop of dumps, compress, flush and write (limit 1.5);
- the same for records with nulls in every message, which have to be told from NaN (limit 1.5);
- size: the finished file, over the same lines in frames of 64 compressed without flushing (limit 1.1).

Reading and access are told beside them: an access opens the file, loads the stored index and decodes one frame.

The corpus is 256 episodes of 13 messages, about 9 kB of JSON each, made from a fixed seed; `--corpus FILE` takes the
episodes of a trace or of any JSON-lines file instead.

    python benchmarks/trace_write.py [--json] [--corpus FILE] [--rounds N]
"""

from __future__ import annotations

import argparse
import gc
import json
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import orjson
import zstandard

from harness.trace import TraceFile, TraceWriter, read

EPISODES, MESSAGES, FRAME = 256, 13, 64
TIME_LIMIT, SIZE_LIMIT = 1.5, 1.1


def corpus() -> list[dict[str, Any]]:
    """Make the fixed corpus: words by a power law, numbers as simulators give them, six calls an episode."""
    rng = np.random.default_rng(20251129)
    letters = np.array(list("etaoinshrdlucmfwypvbgk"))
    words = np.array(["".join(rng.choice(letters, rng.integers(2, 10))) for _ in range(3000)])
    weights = 1 / np.arange(1, len(words) + 1)
    weights /= weights.sum()

    def prose(count: int) -> str:
        return " ".join(rng.choice(words, count, p=weights))

    return [episode(number, rng, prose) for number in range(EPISODES)]


def episode(number: int, rng: np.random.Generator, prose: Callable[[int], str]) -> dict[str, Any]:
    messages: list[dict[str, Any]] = [{"role": "user", "content": [{"type": "text", "text": prose(220)}]}]
    actions = []
    for turn in range(1, (MESSAGES - 1) // 2 + 1):
        design = {f"x{k}": round(float(rng.uniform()), 4) for k in range(4)}
        told = {f"margin_{k}": float(rng.normal()) for k in range(6)} | {"budget": f"{8 - turn} of 8 simulations left"}
        call = {"id": f"call_{turn}", "name": "simulate", "arguments": json.dumps(design)}
        messages.append({"role": "assistant", "content": [], "reasoning": prose(110), "tool_calls": [call]})
        text = {"type": "text", "text": orjson.dumps(told).decode()}
        messages.append({"role": "tool", "content": [text], "tool_call_id": call["id"]})
        actions.append({"turn": turn, "call_id": call["id"], "name": "simulate", "arguments": design, "status": "ok"})
    outcome = {"status": "scored", "reason": "wrong_answer", "detail": "", "reward": 0.41, "success": False}
    terms = {name: {"value": float(rng.uniform()), "weight": 1.0, "kind": "progress"} for name in ("energy", "heat")}
    sample = {"task": "bench", "version": 1, "split": "test", "group": "hard", "index": number, "key": f"{number:016x}"}
    return {
        "type": "episode",
        "sample": sample,
        "repetition": 0,
        "identity": {f"p{k}": float(rng.normal()) for k in range(12)},
        "policy": {"name": "bench", "view": "observation"},
        "messages": messages,
        "actions": actions,
        "log": {"metrics": {}, "turns": 6, "nudges": 0, "end": "answered"},
        "interaction": [],
        "outcome": outcome | {"reward_id": "bench-1", "terms": terms},
        "usage": {"prompt_tokens": 3120, "completion_tokens": 880, "reasoning_tokens": 700},
        "timing": {"total": 1.5, "world": 0.25},
    }


def bare(records: list[dict[str, Any]], path: Path) -> None:
    """Write with nothing around it: dumps, compress, flush, write, a frame every 64."""
    compressor = zstandard.ZstdCompressor(level=3, write_content_size=False)
    fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    frame = compressor.compressobj()
    for count, record in enumerate(records, 1):
        line = orjson.dumps(record) + b"\n"
        os.write(fd, frame.compress(line) + frame.flush(zstandard.COMPRESSOBJ_FLUSH_BLOCK))
        if count % FRAME == 0:
            os.write(fd, frame.flush())
            frame = compressor.compressobj()
    os.write(fd, frame.flush())
    os.close(fd)


def live(records: list[dict[str, Any]], path: Path) -> None:
    """Write as a run does."""
    path.unlink(missing_ok=True)
    with TraceWriter(path, {"seed": 0}) as writer:
        for record in records:
            writer.write(record)


def compact_size(records: list[dict[str, Any]]) -> int:
    """Size of the same lines in frames of 64, each compressed in one go."""
    compressor = zstandard.ZstdCompressor(level=3)
    lines = [orjson.dumps(record) + b"\n" for record in records]
    return sum(len(compressor.compress(b"".join(lines[at : at + FRAME]))) for at in range(0, len(lines), FRAME))


def cpu(work: Callable[[], object]) -> float:
    gc.collect()
    begun = time.process_time()
    work()
    return time.process_time() - begun


def measure(records: list[dict[str, Any]], rounds: int, folder: Path) -> dict[str, float]:
    """Measure both sides in turn; ratios are medians over rounds, times are the best ones."""
    loop, file = folder / "bare.zst", folder / "live.jsonl.zst"
    nulls = [{**record, "messages": [{**m, "name": None} for m in record.get("messages", [])]} for record in records]
    with_nulls = in_turn(nulls, rounds, loop, file)
    pairs = in_turn(records, rounds, loop, file)
    reading = min(cpu(lambda: sum(1 for _ in read(file))) for _ in range(3))
    size = sum(len(orjson.dumps(record)) + 1 for record in records)
    count = len(records)
    places = np.random.default_rng(0).integers(0, count, 100)
    access = cpu(lambda: [get(file, int(place)) for place in places]) / len(places)
    return {
        "episodes": count,
        "bytes_per_episode": size / count,
        "bare_us": min(one for one, _ in pairs) / count * 1e6,
        "live_us": min(other for _, other in pairs) / count * 1e6,
        "time_ratio": statistics.median(other / one for one, other in pairs),
        "time_ratio_with_nulls": statistics.median(other / one for one, other in with_nulls),
        "size_ratio": file.stat().st_size / compact_size(records),
        "compression": size / file.stat().st_size,
        "read_mb_per_s": size / reading / 1e6,
        "access_ms": access * 1e3,
    }


def in_turn(records: list[dict[str, Any]], rounds: int, loop: Path, file: Path) -> list[tuple[float, float]]:
    """Return the CPU seconds of the bare and of the live side, round by round."""
    return [(cpu(lambda: bare(records, loop)), cpu(lambda: live(records, file))) for _ in range(rounds)]


def get(path: Path, number: int) -> dict[str, Any]:
    """Open a trace and take one episode."""
    with TraceFile(path) as trace:
        return trace[number]


def load(path: Path) -> list[dict[str, Any]]:
    """Return the episodes of a trace, or the lines of another JSON-lines file."""
    data = path.read_bytes()
    if path.name.endswith(".zst"):
        data = zstandard.ZstdDecompressor().stream_reader(data, read_across_frames=True).read()
    records = [orjson.loads(line) for line in data.splitlines() if line]
    return [record for record in records if record.get("type") in (None, "episode")]


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument("--corpus", type=Path, help="take the episodes of this file")
    parser.add_argument("--rounds", type=int, default=15)
    options = parser.parse_args()
    records = load(options.corpus) if options.corpus else corpus()
    with tempfile.TemporaryDirectory() as folder:
        found = measure(records, options.rounds, Path(folder))
    slowest = max(found["time_ratio"], found["time_ratio_with_nulls"])
    ok = slowest <= TIME_LIMIT and found["size_ratio"] <= SIZE_LIMIT
    if options.json:
        print(json.dumps(found | {"time_limit": TIME_LIMIT, "size_limit": SIZE_LIMIT, "ok": ok}))
    else:
        for name, value in found.items():
            print(f"{name:>22}  {value:.3f}")
        print(f"limits: time {TIME_LIMIT}, size {SIZE_LIMIT}: {'kept' if ok else 'BROKEN'}")
    return 0 if ok else 1


if __name__ == "__main__":
    sys.exit(main())
