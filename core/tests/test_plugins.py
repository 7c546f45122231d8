"""Discovery, faults of installed plugins, and plugins that change layers of a task."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from harness import InlineEpisode, load_task
from harness.cli import doctor
from harness.errors import TaskError, UnknownName, UserError
from harness.plugins import Listing, forget, listings, load
from harness.policies._scripted import play_inline
from harness.runs import RunSpec
from harness.trace import read

Roll = Callable[..., tuple[Any, dict[str, Any]]]

BROKEN = {
    "raises": "raise RuntimeError('no licence found')\n",
    "prints": "print('hello from a plugin')\n",
    "sleeps": "import time\ntime.sleep(10)\n",
}


def distribution(folder: Path, name: str, points: str, modules: dict[str, str] | None = None) -> None:
    """Write what an installed package leaves in a folder."""
    info = folder / f"{name.replace('-', '_')}-0.1.0.dist-info"
    info.mkdir(parents=True)
    head = f"Metadata-Version: 2.1\nName: {name}\nVersion: 0.1.0\nSummary: About {name}\n\nSummary: not this line\n"
    (info / "METADATA").write_text(head)
    (info / "entry_points.txt").write_text(points)
    for module, text in (modules or {}).items():
        (folder / f"{module}.py").write_text(text)


def harness(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    path = os.pathsep.join((str(folder), os.environ["PYTHONPATH"]))
    environment = {**os.environ, "PYTHONPATH": path}
    return subprocess.run(
        [sys.executable, "-m", "harness", *words], capture_output=True, text=True, check=False, env=environment
    )


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Put a folder of distributions on the path of this process."""
    monkeypatch.syspath_prepend(str(tmp_path))
    yield tmp_path
    forget()


# ---- plugins that are broken


@pytest.fixture
def broken(tmp_path: Path) -> Path:
    points = (
        "[harness.tasks]\n" + "".join(f"{name} = broken_{name}\n" for name in BROKEN) + "missing = not_there.task\n"
    )
    distribution(tmp_path, "broken-tasks", points, {f"broken_{name}": text for name, text in BROKEN.items()})
    return tmp_path


def test_list_tasks_is_quick_and_clean_whatever_is_installed(broken: Path) -> None:
    begun = time.monotonic()
    done = harness(broken, "list-tasks", "--json")
    assert time.monotonic() - begun < 9.5, "nothing waited for the plugin that sleeps"
    assert (done.returncode, done.stderr) == (0, "")
    found = {item["name"]: item for item in json.loads(done.stdout)}
    assert {*BROKEN, "missing", "toy", "faulty"} <= found.keys()
    assert found["raises"]["summary"] == "About broken-tasks"
    assert not any(found[name]["faults"] for name in BROKEN), "nothing of what shows only at import"
    assert "'not_there.task' does not exist" in found["missing"]["faults"][0]


def test_doctor_shows_each_fault_and_lives(broken: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    done = harness(broken, "doctor", "--json")
    assert done.returncode == 1
    found = {f["name"]: f for f in json.loads(done.stdout)["plugins"] if f["distribution"] == "broken-tasks"}
    assert not found["raises"]["ok"]
    assert "no licence found" in found["raises"]["detail"]
    assert "'not_there' was not found" in found["missing"]["detail"]
    assert not found["prints"]["ok"], "it has no hooks, so it is no task"
    item = Listing("prints", "broken-tasks", "0.1.0", "broken_prints")
    monkeypatch.syspath_prepend(str(broken))
    assert doctor.examine(item, "harness.policies").detail == "prints at import: hello from a plugin"
    monkeypatch.setattr(doctor, "SECONDS", 1.0)
    slow = doctor.examine(Listing("sleeps", "broken-tasks", "0.1.0", "broken_sleeps"), "harness.policies")
    assert (slow.ok, slow.detail) == (False, "import takes over 1 s")


def test_a_broken_task_names_its_owner_when_it_is_asked_for(broken: Path) -> None:
    done = harness(broken, "show", "raises")
    assert done.returncode == 1
    assert "task 'raises' of broken-tasks cannot be imported (broken_raises): RuntimeError: no licence" in done.stderr
    assert "Traceback" not in done.stderr


def test_one_broken_task_hurts_no_other(broken: Path) -> None:
    assert harness(broken, "show", "toy").returncode == 0


# ---- two distributions, one name


@pytest.fixture
def twins(installed: Path) -> Path:
    for name in ("first-toys", "other-toys"):
        distribution(installed, name, "[harness.tasks]\ntwin = harness_toy.task\n")
    forget()
    return installed


def test_two_distributions_with_one_name_are_both_named(twins: Path) -> None:
    both = [item for item in listings() if item.name == "twin"]
    assert [item.distribution for item in both] == ["first-toys", "other-toys"]
    assert both[0].faults == ("also declared by other-toys; choose with 'first-toys:twin'",)
    with pytest.raises(UserError, match="declared by 2 distributions: choose one of 'first-toys:twin'"):
        load_task("twin")


def test_a_qualified_name_chooses(twins: Path) -> None:
    assert load_task("other-toys:twin", "easy").sample(0).task == "toy"
    with pytest.raises(UnknownName, match="'third-toys:twin'"):
        load_task("third-toys:twin")


def test_a_qualified_name_is_played_and_resumed(twins: Path, roll: Roll) -> None:
    spec = RunSpec(tasks=("other-toys:twin",), n=3, certify=False)
    rollout, report = roll(spec, folder="twins", backend="inline")
    assert report["tasks"]["toy"]["scored"] == 3
    again, _ = roll(spec, folder="twins", backend="inline")
    assert again.tally.done == again.tally.total == rollout.tally.total == 3, "nothing was played again"


def test_an_unknown_name_says_what_is_meant() -> None:
    with pytest.raises(UnknownName, match="unknown task 'tyo'; did you mean 'toy'"):
        load("tyo", "harness.tasks", "task")


# ---- one test for each hook: what a plugin can do with it


def play(task: Any, policy: str) -> InlineEpisode:
    return play_inline(task, task.sample(0), task.policies[policy], "test")


def test_harness_card_is_the_tasks_own() -> None:
    assert load_task("toy", "easy", with_plugins=("strict", "hint", "talk")).card == load_task("toy").card


def test_harness_prompt_can_be_worded_differently() -> None:
    plain, polite = load_task("toy", "easy"), load_task("toy", "easy", with_plugins=("talk",))
    assert polite.sample(0).key == plain.sample(0).key
    assert polite.sample(0).messages[0].text == f"Be polite. {plain.sample(0).messages[0].text}"
    assert not load_task("toy", "easy").sample(0).messages[0].text.startswith("Be polite")


def test_harness_tools_can_be_extended_by_a_wrapper() -> None:
    task = load_task("toy", "easy", with_plugins=("hint",))
    assert list(task.specs) == ["ask", "submit", "hint"]
    assert list(load_task("toy", "easy").specs) == ["ask", "submit"]
    episode = play(task, "hinted")
    assert [(action.name, action.status) for action in episode.log.actions] == [("hint", "ok"), ("submit", "ok")]
    assert play(task, "reference").outcome.success, "what was there before works on"


def test_harness_interaction_can_be_replaced() -> None:
    episode = play(load_task("toy", "easy", with_plugins=("talk",)), "reference")
    assert episode.feedback[0].text == "That was turn 1."
    assert not play(load_task("toy", "easy"), "reference").feedback


def test_harness_reward_can_be_replaced_under_its_own_id() -> None:
    plain, strict = load_task("toy", "easy"), load_task("toy", "easy", with_plugins=("strict",))
    assert (plain.reward.id, strict.reward.id) == ("toy-1", "toy-strict-1")
    outcome = play(strict, "middle").outcome
    assert outcome.reward_id == "toy-strict-1"
    assert [term.name for term in outcome.score.progress] == ["frugal"]


def test_harness_reward_of_a_plugin_needs_an_id_of_its_own() -> None:
    with pytest.raises(TaskError, match=r"plugins impostor .* id 'toy-1'.* id of its own"):
        load_task("toy", "easy", with_plugins=("impostor",))


def test_harness_policies_are_merged() -> None:
    assert {"reference", "middle", "hinted"} <= load_task("toy", "easy", with_plugins=("hint",)).policies.keys()
    assert "hinted" not in load_task("toy", "easy").policies


def test_harness_rollout_and_harness_logger_are_told_everything(roll: Roll) -> None:
    watch: Any = load("watch", "harness.plugins", "plugin")
    for kept in (watch.EPISODES, watch.METRICS, watch.RUNS, watch.CLOSED):
        kept.clear()
    spec = RunSpec(tasks=("toy",), n=4, k=2, certify=False, plugins=("watch",))
    rollout, report = roll(spec, folder="watched", backend="inline", concurrency=2)
    written = [record for record in read(rollout.folder.trace) if record["type"] == "episode"]
    assert [e["sample"]["key"] for e in watch.EPISODES] == [e["sample"]["key"] for e in written]
    assert [step for step, _ in watch.METRICS] == list(range(1, 9))
    assert watch.METRICS[-1][1]["reward"] == pytest.approx(report["tasks"]["toy"]["mean_reward"])
    assert watch.CLOSED == [True]
    (run,) = watch.RUNS
    assert (run.tasks, run.policy, run.total, run.digest) == (("toy",), "reference", 8, spec.digest)


def test_harness_logger_is_not_there_unless_it_is_chosen(roll: Roll) -> None:
    watch: Any = load("watch", "harness.plugins", "plugin")
    watch.EPISODES.clear()
    roll(RunSpec(tasks=("toy",), n=2, certify=False), backend="inline")
    assert watch.EPISODES == []


def test_harness_training_shapes_beside_the_outcome() -> None:
    shaped, plain = (play(load_task("toy", "easy", with_plugins=p), "reference") for p in (("bonus",), ()))
    assert shaped.outcome.reward == plain.outcome.reward
    assert plain.machine.training is None
    assert shaped.machine.training == pytest.approx(plain.outcome.reward + 10 * plain.log.turns)


# ---- choosing plugins


@pytest.mark.parametrize(("name", "message"), [("misspelt", "harness_rewrad"), ("wronglyput", "settings")])
def test_a_hook_that_does_not_exist_is_an_error(name: str, message: str) -> None:
    with pytest.raises(TaskError, match=rf"plugin '{name}' does not fit the hooks: (.|\n)*{message}"):
        load_task("toy", "easy", with_plugins=(name,))


def test_an_unknown_plugin_names_the_nearest() -> None:
    with pytest.raises(UnknownName, match="unknown plugin 'strickt'; did you mean 'strict'"):
        load_task("toy", "easy", with_plugins=("strickt",))


def test_plugins_are_in_header_digest_and_run(roll: Roll) -> None:
    plain = RunSpec(tasks=("toy",), n=2, certify=False)
    changed = RunSpec(tasks=("toy",), n=2, certify=False, plugins=("hint", "strict"))
    assert plain.digest != changed.digest
    assert changed.digest != RunSpec(tasks=("toy",), n=2, certify=False, plugins=("strict", "hint")).digest
    rollout, _ = roll(changed, folder="changed", backend="process", workers=1)
    header, *records = read(rollout.folder.trace)
    about = header["versions"]["tasks"]["toy"]
    assert (about["plugins"], about["reward"]) == (["hint", "strict"], "toy-strict-1")
    assert header["digest"] == changed.digest
    assert {r["outcome"]["reward_id"] for r in records if r["type"] == "episode"} == {"toy-strict-1"}


def test_the_command_line_takes_plugins_in_order(tmp_path: Path) -> None:
    words = ("rollout", "toy", "-n", "2", "--policy", "lazy:hinted", "--no-certify", "--out", str(tmp_path / "run"))
    done = harness(tmp_path, *words, "--with", "hint", "--with", "strict")
    assert done.returncode == 0, done.stderr
    assert json.loads((tmp_path / "run" / "run.json").read_text())["spec"]["plugins"] == ["hint", "strict"]
