"""What the framework adds to a rollout: our runner beside a bare aiohttp loop on the same work.

Both play the task `light` (four tool calls and an answer) against the fake server, which runs in a process of its own,
and both write a trace of the same fields in the same layout (`bare_loop.py`). Measured is the CPU time of the client
process alone, from the laying out of the run to the closed trace file, and its peak memory. Each figure comes from a
fresh process; ours and the bare one take turns; told is the median.

Limits: CPU at most twice the bare loop's at every concurrency; memory per episode in flight (the slope of peak memory
from 64 to 1,024 in flight) at most twice the bare loop's.

    python benchmarks/rollout.py [--json] [--rounds 3] [--episodes 2048]
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import anyio

HERE = Path(__file__).parent
LEVELS, EDGES = (1, 32, 256, 1024), (64, 1024)
TURNS = 5
CPU_LIMIT = SLOPE_LIMIT = 2.0
KINDS = ("bare", "core")

sys.path[:0] = [str(HERE), str(HERE / "tasks")]


# ---- what is measured, each in a process of its own


def play_core(url: str, episodes: int, concurrency: int, folder: Path) -> None:
    """Play through the framework, as `harness rollout light --policy openai:fake` does."""
    from harness.policies import Setup, openai_policy
    from harness.rollout import Rollout
    from harness.runs import RunFolder, RunSpec, tasks_of

    spec = RunSpec(tasks=("light",), policy="openai:fake", n=episodes, certify=False)
    policy = openai_policy("fake", Setup(base_url=url, concurrency=concurrency))
    places = spec.places()
    run = RunFolder.create(folder / "run", spec, tasks_of(places).values())
    rollout = Rollout(spec, policy, folder=run, backend="inline", concurrency=concurrency, places=places)
    anyio.run(rollout.run)
    if rollout.tally.scored != episodes or rollout.tally.most_in_flight != min(concurrency, episodes):
        raise SystemExit(f"{rollout.tally}: {rollout.troubles}")


def play_bare(url: str, episodes: int, concurrency: int, folder: Path) -> None:
    """Play without it."""
    import bare_loop

    (folder / "run").mkdir()
    anyio.run(bare_loop.run, url, episodes, concurrency, folder / "run" / "traces.jsonl.zst")


def child(kind: str, url: str, episodes: int, concurrency: int) -> dict[str, Any]:
    """Measure one run in this process, after a short one that imports everything and fills the caches."""
    play = play_core if kind == "core" else play_bare
    with tempfile.TemporaryDirectory() as name:
        for folder, count in ((Path(name) / "warm", 8), (Path(name) / "real", episodes)):
            folder.mkdir()
            begun = time.process_time()
            play(url, count, min(concurrency, count), folder)
            spent = time.process_time() - begun
        return {"cpu": spent, "peak_kb": peak_kb(), **look_at(folder / "run" / "traces.jsonl.zst")}


def peak_kb() -> int:
    """Peak resident memory of this process alone (`ru_maxrss` would also count the parent before the exec)."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM"))


def look_at(trace: Path) -> dict[str, Any]:
    """Count what was written, and name the fields of one episode."""
    import zstandard

    with trace.open("rb") as file:
        reader = zstandard.ZstdDecompressor().stream_reader(file, read_across_frames=True)
        episodes = [line for line in reader.read().splitlines() if b'"type":"episode"' in line[:32]]
    return {
        "written": len(episodes),
        "bytes": trace.stat().st_size,
        "fields": sorted(set(paths(json.loads(episodes[-1])))),
    }


def paths(value: Any, path: str = "") -> Iterator[str]:
    """Name every field of a JSON value."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from paths(inner, f"{path}.{key}")
    elif isinstance(value, list):
        for inner in value:
            yield from paths(inner, f"{path}[]")
    else:
        yield path


# ---- the comparison


@contextmanager
def server() -> Iterator[str]:
    """Run the fake model in a process of its own."""
    command = [sys.executable, str(HERE / "fake_server.py"), "--turns", str(TURNS - 1), "--final", "submit"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        yield process.stdout.readline().strip()
    finally:
        process.kill()
        process.wait()


def measure_child(kind: str, url: str, episodes: int, concurrency: int) -> dict[str, Any]:
    """Run one measurement."""
    words = ["--child", kind, "--url", url, "--episodes", str(episodes), "--concurrency", str(concurrency)]
    done = subprocess.run([sys.executable, __file__, *words], capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{kind} at {concurrency} failed:\n{done.stderr}")
    found: dict[str, Any] = json.loads(done.stdout)
    if found["written"] != episodes:
        raise SystemExit(f"{kind} at {concurrency} wrote {found['written']} of {episodes} episodes")
    return found


def measure(episodes: int, rounds: int, levels: tuple[int, ...] = LEVELS) -> dict[str, Any]:
    """Measure every level, ours and the bare loop in turn."""
    found: dict[tuple[str, int], list[dict[str, Any]]] = {}
    wanted = sorted({*levels, *EDGES})
    with server() as url:
        for _ in range(rounds):
            for concurrency in wanted:
                count = max(episodes, 2 * EDGES[-1] if concurrency in EDGES else 0)  # at both edges the same
                for kind in KINDS:
                    one = measure_child(kind, url, count, concurrency)
                    found.setdefault((kind, concurrency), []).append(one | {"n": count})
    fields = {kind: found[kind, wanted[0]][0]["fields"] for kind in KINDS}
    if fields["bare"] != fields["core"]:
        raise SystemExit(f"the traces differ in fields: {set(fields['bare']) ^ set(fields['core'])}")
    return summarise(found, wanted)


def summarise(found: dict[tuple[str, int], list[dict[str, Any]]], wanted: list[int]) -> dict[str, Any]:
    """Reduce to medians and ratios."""
    rows = []
    for concurrency in wanted:
        row: dict[str, Any] = {"in_flight": concurrency}
        for kind in KINDS:
            runs = found[kind, concurrency]
            row[f"{kind}_us_per_turn"] = statistics.median(r["cpu"] / r["n"] / TURNS for r in runs) * 1e6
            row[f"{kind}_peak_mb"] = statistics.median(r["peak_kb"] for r in runs) / 1024
            row[f"{kind}_bytes_per_episode"] = statistics.median(r["bytes"] / r["n"] for r in runs)
        row["ratio"] = row["core_us_per_turn"] / row["bare_us_per_turn"]
        rows.append(row)
    low, high = (next(r for r in rows if r["in_flight"] == edge) for edge in EDGES)
    span = EDGES[1] - EDGES[0]
    slopes = {kind: (high[f"{kind}_peak_mb"] - low[f"{kind}_peak_mb"]) * 1024 / span for kind in KINDS}
    memory = {f"{kind}_kb_per_episode": slope for kind, slope in slopes.items()}
    return {"levels": rows, "memory": memory | {"ratio": slopes["core"] / slopes["bare"]}, "cpus": os.cpu_count()}


def broken(result: dict[str, Any]) -> list[str]:
    """Name the limits that are not kept."""
    lines = [f"CPU at {r['in_flight']}: {r['ratio']:.2f} times" for r in result["levels"] if r["ratio"] > CPU_LIMIT]
    if result["memory"]["ratio"] > SLOPE_LIMIT:
        lines.append(f"memory: {result['memory']['ratio']:.2f} times")
    return lines


def show(result: dict[str, Any]) -> None:
    """Print a table."""
    print("in flight   bare µs/turn   ours µs/turn   ratio   bare MB   ours MB")
    for r in result["levels"]:
        times = f"{r['bare_us_per_turn']:12.0f}   {r['core_us_per_turn']:12.0f}   {r['ratio']:5.2f}"
        print(f"{r['in_flight']:9}   {times}   {r['bare_peak_mb']:7.1f}   {r['core_peak_mb']:7.1f}")
    memory = result["memory"]
    slopes = f"bare {memory['bare_kb_per_episode']:.1f}, ours {memory['core_kb_per_episode']:.1f}"
    print(f"kB per episode in flight: {slopes}, ratio {memory['ratio']:.2f}")
    print("limits:", "; ".join(broken(result)) or "kept")


def main() -> int:
    """Measure, print, and say by the exit status whether the limits are kept."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--episodes", type=int, default=2048, help="episodes of each run, at least")
    parser.add_argument("--levels", type=int, nargs="+", default=LEVELS, help="episodes in flight")
    parser.add_argument("--child", choices=KINDS, help=argparse.SUPPRESS)
    parser.add_argument("--url", help=argparse.SUPPRESS)
    parser.add_argument("--concurrency", type=int, help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.child:
        print(json.dumps(child(asked.child, asked.url, asked.episodes, asked.concurrency)))
        return 0
    result = measure(asked.episodes, asked.rounds, tuple(asked.levels))
    if asked.json:
        print(json.dumps(result | {"broken": broken(result), "ok": not broken(result)}))
    else:
        show(result)
    return 1 if broken(result) else 0


if __name__ == "__main__":
    sys.exit(main())
