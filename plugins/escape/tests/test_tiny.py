"""The flat: small enough for a small model, with a shortest way that exhaustive search confirms."""

from __future__ import annotations

import re
from collections import Counter

import numpy as np
import pytest

from harness import load_task
from harness_escape import tiny
from harness_escape.tiny import BUTTONS, Flat, FlatWorld, pass_door, press, propose_flat

VOCABULARY = 700
MOST_TOKENS = 300


def fewest_steps(flat: Flat) -> int:
    """Breadth-first search over all action sequences by the rules of the flat."""
    layer, steps = {(0, 0, False)}, 0
    while steps < 10:
        steps += 1
        after = set()
        for room, pressed, jammed in layer:
            for action in range(4 + BUTTONS):
                world = FlatWorld(room, pressed, jammed)
                pass_door(flat, world, action) if action < 4 else press(flat, world, action - 4)
                if world.out:
                    return steps
                after.add((world.room, world.pressed, world.jammed))
        layer = after
    raise AssertionError("no way out")


def test_no_plan_is_shorter_than_the_explorers() -> None:
    for seed in range(200):
        assert fewest_steps(propose_flat(np.random.default_rng(seed))) == tiny.NEED
    assert 1.1 <= tiny.BUDGET / tiny.NEED <= 1.3


def test_a_flat_does_not_overlap_itself_and_its_presses_are_not_neighbours() -> None:
    for seed in range(300):
        flat = propose_flat(np.random.default_rng(seed))
        assert all((a + 2) % 4 != b for a, b in zip(flat.sides, flat.sides[1:], strict=False))
        assert flat.presses[1] != flat.presses[0] + 1


def test_one_wrong_press_is_final() -> None:
    flat = Flat(("room.0", "room.1", "room.2"), (0, 0, 0), (2, 5), False)
    world = FlatWorld(room=2)
    assert press(flat, world, 2) == "click"
    assert press(flat, world, 4) == "jam"
    assert press(flat, world, 2) == "none"
    assert pass_door(flat, world, 0) == "shut"


def test_the_group_keeps_its_bounds() -> None:
    task = load_task("escape", "tiny")
    assert len(task.specs) <= 2
    assert task.sample(0).limits.turns <= 6
    for spec in task.specs.values():
        for shape in spec.schema.parameters["properties"].values():
            assert "enum" in shape


@pytest.mark.parametrize("language", ["en", "zh"])
def test_prompt_and_schemas_take_few_tokens_of_a_small_tokenizer(language: str) -> None:
    task = load_task("escape", "tiny")
    schemas = str([spec.schema.openai() for spec in task.specs.values()])
    merges = train([rendered(task, index, "train", language) + schemas for index in range(60)])
    counts = [len(encode(rendered(task, index, "test", language) + schemas, merges)) for index in range(30)]
    assert max(counts) <= MOST_TOKENS


def rendered(task: object, index: int, split: str, language: str) -> str:
    return task.sample(index, split=split, language=language).messages[0].text


def train(texts: list[str]) -> list[tuple[bytes, bytes]]:
    """Learn the merges of a byte-pair vocabulary of `VOCABULARY` tokens, words apart."""
    words = Counter(word for text in texts for word in split(text))
    pieces = {word: tuple(bytes([b]) for b in word.encode()) for word in words}
    merges: list[tuple[bytes, bytes]] = []
    while len(merges) < VOCABULARY - 256:
        pairs: Counter[tuple[bytes, bytes]] = Counter()
        for word, count in words.items():
            for pair in zip(pieces[word], pieces[word][1:], strict=False):
                pairs[pair] += count
        if not pairs:
            break
        best = max(pairs, key=lambda pair: (pairs[pair], pair))
        merges.append(best)
        pieces = {word: merged(piece, best) for word, piece in pieces.items()}
    return merges


def encode(text: str, merges: list[tuple[bytes, bytes]]) -> list[bytes]:
    """Split a text into tokens."""
    tokens: list[bytes] = []
    for word in split(text):
        piece = tuple(bytes([b]) for b in word.encode())
        for pair in merges:
            piece = merged(piece, pair)
        tokens += piece
    assert b"".join(tokens) == text.encode()
    return tokens


def merged(piece: tuple[bytes, ...], pair: tuple[bytes, bytes]) -> tuple[bytes, ...]:
    """Join every occurrence of a pair."""
    made: list[bytes] = []
    for token in piece:
        if made and (made[-1], token) == pair:
            made[-1] += token
        else:
            made.append(token)
    return tuple(made)


def split(text: str) -> list[str]:
    """Cut a text into words, numbers and runs of signs, as byte-level tokenizers do."""
    return re.findall(r" ?\w+| ?[^\w\s]+|\s+", text)
