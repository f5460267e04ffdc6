"""Small trees for tests: growing them, reading claims, and meddling by hand."""

from __future__ import annotations

import json
from collections.abc import Iterable

from graphmem import Claim, Memory


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


def by_hand(memory: Memory, cypher: str, **params: str) -> None:
    """Change the graph as its owner could in Neo4j Browser."""
    with memory.store._session("write") as session:
        session.run(cypher, {"space": memory.space, **params}).consume()


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
    lines = (json.dumps(row, sort_keys=True, default=str) for row in rows)
    return sorted(line.replace(memory.space, "SPACE") for line in lines)
