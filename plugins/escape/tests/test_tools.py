"""Tools through the framework: exact names, a step a call, suggestions from what was seen, bounded codes."""

from __future__ import annotations

import orjson
import pytest
from attrs import evolve

from harness import Completion, InlineEpisode, ToolCall, load_task
from harness.testing import play_inline, scripts_of
from harness_escape.house import House, target_word
from harness_escape.lexicon import name
from harness_escape.trial import secrets
from harness_escape.world import World


class Player:
    """An open episode that is played by hand."""

    def __init__(self, level: str, index: int = 0, language: str = "en", **options: object) -> None:
        self.task = load_task("escape", level, options)
        self.sample = self.task.sample(index, seed=21, language=language)
        self.house: House = self.task.decode_identity(self.sample.identity)
        self.episode = InlineEpisode(self.task, self.sample)
        self.episode.open()

    def call(self, tool: str, **arguments: object) -> dict:
        raw = orjson.dumps(arguments).decode()
        turn = self.episode.step(Completion(tool_calls=(ToolCall("c", tool, raw),)))
        return orjson.loads(turn.messages[0].text)

    def names(self) -> list[str]:
        return [name(target_word(self.house, t), "en") for t in range(self.house.targets)]


def steps_left(answer: dict) -> int:
    return int(answer["budget"].split()[0])


def test_every_call_costs_one_step_refused_ones_too() -> None:
    player = Player("easy")
    total = player.house.budget
    seen = player.call("look")
    assert steps_left(seen) == total - 1
    assert steps_left(player.call("inspect", target="no such thing")) == total - 2
    assert steps_left(player.call("inventory")) == total - 3
    assert player.episode.log.spent("steps") == 3


def test_an_empty_name_is_refused_and_costs_nothing() -> None:
    player = Player("easy")
    for tool, argument in (("take", "item"), ("inspect", "target"), ("use", "item")):
        assert player.call(tool, **{argument: ""})["error"] == "invalid_arguments"
    assert player.episode.log.spent("steps") == 0


@pytest.mark.parametrize("change", [str.upper, lambda n: n[:-1], lambda n: n + " ", lambda n: f"the {n}"])
def test_only_the_exact_name_counts(change) -> None:
    player = Player("easy")
    door = next(iter(player.call("look")["doors"].values()))["name"]
    assert "error" not in player.call("inspect", target=door)
    refused = player.call("inspect", target=change(door))
    assert refused["error"] == "infeasible_state"
    assert repr(door) in refused["message"]


def test_suggestions_name_only_what_was_seen() -> None:
    player = Player("hard")
    hidden = player.names()
    for unseen in hidden:
        answer = player.call("inspect", target=unseen[:-1] + "~")
        assert answer["error"] == "infeasible_state"
        assert not any(repr(n) in answer["message"] for n in hidden)
    look = player.call("look")
    seen = {door["name"] for door in look["doors"].values()} | set(look["furniture"]) | set(look["items"])
    suggested = set()
    for other in hidden:
        told = player.call("inspect", target=other[:-1] + "~")["message"]
        suggested |= {n for n in hidden if f"mean {n!r}" in told}
    assert suggested == seen


def test_a_thing_out_of_reach_is_not_told_from_one_that_does_not_exist() -> None:
    player = Player("medium")
    far = next(t for t, thing in enumerate(player.house.things) if thing.room not in (player.house.start, -1))
    real = player.call("take", item=player.names()[far])["message"]
    invented = player.call("take", item="zzz")["message"]
    assert real.replace(repr(player.names()[far]), "X") == invented.replace("'zzz'", "X")


def test_things_inside_a_locked_container_cannot_be_taken() -> None:
    for index in range(40):
        player = Player("medium", index)
        inside = [
            t for t, thing in enumerate(player.house.things) if thing.inside >= 0 and thing.room == player.house.start
        ]
        for thing in inside:
            assert player.call("take", item=player.names()[thing])["error"] == "infeasible_state"
        if inside:
            return
    raise AssertionError("no house began beside a hiding place")


def test_wrong_codes_are_counted_and_seal_the_house() -> None:
    player = at_a_keypad()
    left = [player.call("enter_code", target=player.keypad, code="####") for _ in range(3)]
    assert left[0]["wrong_codes"] == "2 of 3 wrong codes left"
    assert left[1]["wrong_codes"] == "1 of 3 wrong codes left"
    assert "sealed" in left[2]["text"]
    assert player.episode.done
    outcome = player.episode.close()
    assert outcome.reason == "wrong_answer"
    assert outcome.reward <= 0.6


def test_the_right_code_opens_whatever_its_case() -> None:
    player = at_a_keypad()
    code = next(code for code in secrets(player.house) if code == player.lock.code)
    assert "open now" in player.call("enter_code", target=player.keypad, code=f" {code.lower()} ")["text"]


@pytest.mark.parametrize("cut", [lambda c: c[:-1], lambda c: c[1:], lambda c: c + c[-1], lambda c: c[::-1] + "x"])
def test_a_part_of_the_code_is_a_wrong_code(cut) -> None:
    player = at_a_keypad()
    answer = player.call("enter_code", target=player.keypad, code=cut(player.lock.code))
    assert answer["wrong_codes"] == "2 of 3 wrong codes left"


def test_nothing_is_left_to_do_after_leaving() -> None:
    task = load_task("escape", "easy")
    sample = task.sample(0, seed=21)
    episode = play_inline(task, sample, scripts_of(task)["reference"], "t")
    assert episode.log.end == "done"
    assert episode.log.actions[-1].name == "move"
    assert episode.outcome.success


def test_a_second_call_of_a_turn_is_not_executed_where_the_house_acts() -> None:
    player = Player("hard")
    calls = tuple(ToolCall(f"c{i}", "look", "{}") for i in range(3))
    player.episode.step(Completion(tool_calls=calls))
    assert [action.status for action in player.episode.log.actions] == ["ok", "not_executed", "not_executed"]
    player = Player("medium")
    player.episode.step(Completion(tool_calls=calls))
    assert [action.status for action in player.episode.log.actions] == ["ok"] * 3


def test_steps_run_out() -> None:
    player = Player("easy")
    while not player.episode.done:
        player.call("inventory")
    assert player.episode.log.spent("steps") == player.house.budget
    assert player.episode.close().reason == "budget_exhausted"


def test_talking_instead_of_acting_ends_the_episode() -> None:
    player = Player("easy", language="zh")
    texts = [m.text for _ in range(3) if not player.episode.done for m in player.episode.step(Completion("…")).messages]
    assert texts == ["你还在屋里。请调用工具行动。"] * 2
    assert player.episode.close().reason == "no_answer"


@pytest.mark.parametrize("level", ["easy", "medium", "hard", "tiny"])
def test_the_stored_world_is_small(level: str) -> None:
    task = load_task("escape", level)
    for index in range(5):
        episode = play_inline(task, task.sample(index, seed=21), scripts_of(task)["reference"], "t")
        assert 0 < len(episode.machine.world) < 400


class AtKeypad(Player):
    """A player who stands before a keypad."""

    keypad = ""
    lock = None


def at_a_keypad() -> AtKeypad:
    """Find a house whose start room has a code lock in reach, or wander to one with the explorer."""
    for index in range(200):
        player = AtKeypad("hard", index)
        for door in player.house.doors:
            if player.house.start in (door.a, door.b) and door.lock and door.lock.kind == "code":
                player.keypad, player.lock = name(door.word, "en"), door.lock
                return player
        for thing in player.house.things:
            if thing.room == player.house.start and thing.lock and thing.lock.kind == "code":
                player.keypad, player.lock = name(thing.word, "en"), thing.lock
                return player
    raise AssertionError("no house began at a keypad")


def test_world_holds_only_plain_numbers() -> None:
    world = World(room=3, held=5, phase=[0, 1, 2])
    assert all(isinstance(value, int | list) for value in (world.room, world.held, world.phase))
    assert evolve(world, room=-1).out
