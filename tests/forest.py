"""Small trees for tests: growing them, reading claims, meddling by hand, and vectors to choose."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from graphmem import Claim, Memory, Store


def grow(memory: Memory, *lines: str, conversation: str | None = None) -> None:
    """Store turns written as paths: ``grow(memory, "u1 a1 u2", "a1 u2b")`` forks after a1.

    Ids that start with ``a`` are the assistant's, all others the user's.
    """
    seen: dict[str, str | None] = {}
    for line in lines:
        parent: str | None = None
        for turn in line.split():
            seen.setdefault(turn, parent)
            parent = turn
    memory.add_turns(
        {
            "id": turn,
            "role": "assistant" if turn.startswith("a") else "user",
            "text": f"text of {turn}",
            "parent": parent,
            "conversation": conversation,
        }
        for turn, parent in seen.items()
    )


def texts(claims: Iterable[Claim]) -> set[str]:
    """Return the texts of claims."""
    return {claim.text for claim in claims}


def by_hand(memory: Memory, cypher: str, **params: Any) -> None:
    """Change the graph as its owner could in Neo4j Browser."""
    with memory.store._session("write") as session:
        session.run(cypher, {"space": memory.space, **params}).consume()


def look(memory: Memory, cypher: str, **params: Any) -> list[dict[str, Any]]:
    """Return rows of the graph as its owner could see them in Neo4j Browser."""
    with memory.store._session("read") as session:
        return session.run(cypher, {"space": memory.space, **params}).data()


class Compass:
    """Embeds a text as the direction that a test gave it, any other one anywhere."""

    name = "test-compass"
    dimensions = 8

    def __init__(self) -> None:
        self.directions: dict[str, Sequence[float] | None] = {"zero": None}

    def point(self, text: str, *direction: float) -> str:
        """Give a text its direction, the rest of it zeros; return the text."""
        self.directions[text] = [*direction, *[0.0] * (self.dimensions - len(direction))]
        return text

    def passages(self, texts: Sequence[str]) -> list[Sequence[float] | None]:
        return [self.directions.get(text, self._anywhere(text)) for text in texts]

    def query(self, text: str) -> Sequence[float]:
        return self.directions.get(text) or self._anywhere(text)

    def _anywhere(self, text: str) -> list[float]:
        digest = hashlib.shake_128(text.encode()).digest(self.dimensions)
        return [(byte - 127.5) / 127.5 for byte in digest]


@contextmanager
def only_model(store: Store) -> Iterator[None]:
    """Let the test be the one with vectors: a database has one live model."""
    _forget_models(store)
    yield
    _forget_models(store)


def _forget_models(store: Store) -> None:
    statements = (
        "DROP INDEX record_vector_0 IF EXISTS",
        "DROP INDEX record_vector_1 IF EXISTS",
        "MATCH (record:Record) REMOVE record.vector0, record.vector1",
        "MATCH (embedding:Embedding) DELETE embedding",
    )
    with store._session("write") as session:
        for statement in statements:
            session.run(statement).consume()


NUMBERS = {"segment", "spaceKey", "tokens"}
"""What is made of the space's name, and so differs between two spaces that hold the same."""


def dump(memory: Memory) -> list[str]:
    """Return all nodes and relationships of a space as sorted lines, without its name."""
    cypher = """
    MATCH (node) WHERE coalesce(node.space, node.id) = $space
    OPTIONAL MATCH (node)-[link]->(other)
    RETURN labels(node) AS labels, properties(node) AS node, type(link) AS type,
      properties(link) AS link, other.id AS other
    """
    with memory.store._session("read") as session:
        rows = session.run(cypher, {"space": memory.space}).data()
    for row in rows:
        row["node"] = {name: row["node"][name] for name in row["node"].keys() - NUMBERS}
        if "Segment" in row["labels"]:
            del row["node"]["id"], row["other"]
    lines = (json.dumps(row, sort_keys=True, default=str) for row in rows)
    return sorted(line.replace(memory.space, "SPACE") for line in lines)
