"""A large memory to search: one deep tree with much off its path, among many small ones.

The vectors are drawn around topics, as those of real texts are: a question has near neighbours, and
most facts are far from it. The words of a text follow Zipf's law.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.forest import Item, digest
from graphmem._text import entity_key, entity_token, number_of, place_token, space_token

Vectors = NDArray[np.float32]
DIMENSIONS = 384


@dataclass(frozen=True)
class Crowd:
    """How much there is. Of the small trees every other one is of another space."""

    facts: int = 100_000
    path: int = 13_000
    """Turns of the deep tree that lie on the path of its leaf."""
    off_path: int = 10_000
    per_turn: int = 3
    small: int = 20
    """Turns of a small tree."""
    topics: int = 1_000
    words: int = 4_000
    entities: int = 500


def deep_turns(crowd: Crowd) -> list[Item]:
    """Return the deep tree: its path, and branches of ten turns that leave it everywhere."""
    path = [_turn(f"deep-{n}", f"deep-{n - 1}" if n else None, "deep") for n in range(crowd.path)]
    branches = [
        _turn(
            f"side-{branch}-{n}",
            f"side-{branch}-{n - 1}" if n else f"deep-{branch * crowd.path * 10 // crowd.off_path}",
            "deep",
        )
        for branch in range(crowd.off_path // 10)
        for n in range(10)
    ]
    return path + branches


def small_turns(crowd: Crowd, number: int) -> list[Item]:
    """Return one small tree."""
    name = f"small-{number}"
    return [
        _turn(f"{name}-{n}", f"{name}-{n - 1}" if n else None, name) for n in range(crowd.small)
    ]


def _turn(id_: str, parent: str | None, conversation: str) -> Item:
    return {
        "id": id_,
        "role": "user",
        "text": f"text of {id_}",
        "parent": parent,
        "conversation": conversation,
        "created_at": None,
    }


class Library:
    """Texts and vectors, made up by one random source."""

    def __init__(self, crowd: Crowd, seed: int = 7) -> None:
        self._random = np.random.default_rng(seed)
        self._crowd = crowd
        self._topics = _unit(self._random.standard_normal((crowd.topics, DIMENSIONS)))

    def vectors(self, count: int) -> Vectors:
        """Return vectors of facts, each near one of the topics."""
        topics = self._topics[self._random.integers(len(self._topics), size=count)]
        return self.near(topics, 0.75)

    def near(self, vectors: Vectors, distance: float) -> Vectors:
        """Return vectors at about that distance from others."""
        noise = self._random.standard_normal(vectors.shape) / np.sqrt(DIMENSIONS)
        return _unit(vectors + distance * noise)

    def text(self) -> str:
        """Return ten words."""
        ranks = self._random.zipf(1.3, size=10) % self._crowd.words
        return " ".join(f"word{rank}" for rank in ranks)

    def entity(self) -> str:
        """Return the name of an entity; a few are mentioned often."""
        return f"Entity {self._random.zipf(1.5) % self._crowd.entities}"

    def records(self, space: str, turns: Sequence[Item], per_turn: int) -> list[Item]:
        """Return ``per_turn`` facts with each turn as their only source, as they are stored."""
        vectors = iter(self.vectors(len(turns) * per_turn))
        return [
            self._record(space, turn["id"], number, next(vectors))
            for turn in turns
            for number in range(per_turn)
        ]

    def _record(self, space: str, turn: str, number: int, vector: Vectors) -> Item:
        text, entity = f"{self.text()} {number}", self.entity()
        return {
            "id": digest(f"{turn} {number}"),
            "turn": turn,
            "entity": entity,
            "vector": vector,
            "content": {
                "kind": "fact",
                "text": text,
                "sourceIds": [turn],
                "contentHash": digest(text),
                "tokens": [
                    space_token(space),
                    entity_token(space, entity_key(entity)),
                    place_token(0, 0),
                ],
                "spaceKey": number_of(space),
                "segment": 0,
                "place": 0,
            },
        }


def _unit(vectors: Any) -> Vectors:
    unit: Vectors = (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)
    return unit


def spaces(crowd: Crowd, mine: str, theirs: str) -> Iterator[tuple[str, list[Item]]]:
    """Yield each tree with the space that it belongs to, until there are facts enough."""
    deep = deep_turns(crowd)
    yield mine, deep
    stored, number = len(deep) * crowd.per_turn, 0
    while stored < crowd.facts:
        yield (theirs if number % 2 else mine), small_turns(crowd, number)
        stored, number = stored + crowd.small * crowd.per_turn, number + 1
