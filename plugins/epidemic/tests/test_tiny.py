"""Level `tiny`: bounds on size, and how rare success is among all that can be done."""

from __future__ import annotations

import re
from collections import Counter
from itertools import pairwise, product

import numpy as np
import pytest
from attrs import asdict

from harness import Task, load_task
from harness_epidemic import tiny
from harness_epidemic.naive import sweep_sequences
from harness_epidemic.score import QUANTITIES

MOST_TOKENS = 300
MERGES = 444


@pytest.fixture(scope="module")
def flat() -> Task:
    return load_task("epidemic", "tiny")


def test_the_group_keeps_its_bounds(flat: Task) -> None:
    assert len(flat.specs) <= 2
    assert flat.sample(0).limits.turns <= 6
    for spec in flat.specs.values():
        for shape in spec.schema.parameters["properties"].values():
            assert "enum" in shape


@pytest.mark.parametrize("language", ["en", "zh"])
def test_prompt_and_schemas_take_few_tokens_of_a_small_tokenizer(flat: Task, language: str) -> None:
    schemas = str([spec.schema.openai() for spec in flat.specs.values()])
    texts = [flat.sample(i, seed=8, language=language).messages[0].text + schemas for i in range(24)]
    merges = learn(texts[:16])
    assert max(len(encode(text, merges)) for text in texts[16:]) <= MOST_TOKENS


def test_few_of_all_sequences_succeed_and_the_planners_is_one(flat: Task) -> None:
    shares = []
    for index in range(4):
        identity = flat.decode_identity(flat.sample(index, seed=8).identity)
        sequences = np.array(list(product(range(4), repeat=identity.weeks // tiny.STEP)))
        found = sweep_sequences(identity, tiny.LADDER, sequences, tiny.STEP)
        targets = asdict(identity.targets)
        shares.append(np.all([found[name] <= targets[name] for name in QUANTITIES], axis=0).mean())
    assert min(shares) > 0
    assert np.mean(shares) < 0.08


def learn(texts: list[str]) -> list[tuple[bytes, bytes]]:
    """Learn the merges of a byte-pair vocabulary of 700 tokens, words and digits apart."""
    counts = Counter(word for text in texts for word in words(text))
    pieces = {word: [bytes([b]) for b in word.encode()] for word in counts}
    merges: list[tuple[bytes, bytes]] = []
    while len(merges) < MERGES:
        pairs: Counter[tuple[bytes, bytes]] = Counter()
        for word, piece in pieces.items():
            for pair in pairwise(piece):
                pairs[pair] += counts[word]
        if not pairs:
            break
        merges.append(max(pairs, key=lambda pair: (pairs[pair], pair)))
        pieces = {word: merged(piece, merges[-1]) for word, piece in pieces.items()}
    return merges


def encode(text: str, merges: list[tuple[bytes, bytes]]) -> list[bytes]:
    tokens: list[bytes] = []
    for word in words(text):
        piece = [bytes([b]) for b in word.encode()]
        for pair in merges:
            piece = merged(piece, pair)
        tokens += piece
    assert b"".join(tokens) == text.encode()
    return tokens


def words(text: str) -> list[str]:
    return re.findall(r"\s?[^\W\d_]+|\d|\s?[^\w\s]+|\s|_", text)


def merged(piece: list[bytes], pair: tuple[bytes, bytes]) -> list[bytes]:
    made: list[bytes] = []
    for part in piece:
        if made and (made[-1], part) == pair:
            made[-1] += part
        else:
            made.append(part)
    return made
