"""The bare driver: the same nodes and relationships as graphmem's, with none of its checks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, LiteralString

import neo4j

from benchmarks.forest import Item, digest
from graphmem import Store

ROOM: LiteralString = """
MERGE (:Space {id: $space})
WITH 1 AS once
UNWIND $conversations AS id
MERGE (:Conversation {space: $space, id: id})
"""
TURNS: LiteralString = """
UNWIND $rows AS row
MATCH (conversation:Conversation {space: $space, id: row.conversation})
CREATE (turn:Turn {space: $space, id: row.id})-[:IN]->(conversation)
SET turn += row.content
"""
PARENTS: LiteralString = """
UNWIND $rows AS row
MATCH (turn:Turn {space: $space, id: row.id})
MATCH (parent:Turn {space: $space, id: row.parent})
CREATE (turn)-[:PARENT]->(parent)
"""
FACTS: LiteralString = """
UNWIND $rows AS row
MATCH (turn:Turn {space: $space, id: row.turn})
CREATE (record:Record:Fact {space: $space, id: row.id})-[:DERIVED_FROM]->(turn)
SET record += row.content
"""
ANCESTORS: LiteralString = """
MATCH (a:Turn {space: $space, id: $id})-[:PARENT]->*(t)
RETURN count(t) AS n
"""
ANCESTORS_OF_ALL: LiteralString = """
UNWIND $ids AS id
MATCH (a:Turn {space: $space, id: id})-[:PARENT]->*(t)
RETURN count(t) AS n
"""
COUNT: LiteralString = "MATCH (:Turn) RETURN count(*) AS n"
DELETE: Sequence[LiteralString] = (
    """
    MATCH (node:Record) WHERE node.space = $space AND node.id IS NOT NULL
    CALL (node) { DETACH DELETE node } IN TRANSACTIONS OF 2000 ROWS
    """,
    """
    MATCH (node:Turn) WHERE node.space = $space AND node.id IS NOT NULL
    CALL (node) { DETACH DELETE node } IN TRANSACTIONS OF 2000 ROWS
    """,
    """
    MATCH (node:Conversation) WHERE node.space = $space AND node.id IS NOT NULL
    CALL (node) { DETACH DELETE node } IN TRANSACTIONS OF 2000 ROWS
    """,
    "MATCH (node:Space {id: $space}) DETACH DELETE node",
)


def turn_rows(turns: Sequence[Item]) -> list[Item]:
    """Return what `add_turns` sends for ``turns``."""
    return [
        {
            "id": turn["id"],
            "parent": turn["parent"],
            "conversation": turn["conversation"],
            "content": {
                "role": turn["role"],
                "text": turn["text"],
                "createdAt": turn["created_at"],
                "contentHash": digest(turn["id"]),
            },
        }
        for turn in turns
    ]


def fact_rows(facts: Sequence[Item]) -> list[Item]:
    """Return what `remember_all` sends for ``facts`` of one source each."""
    return [
        {
            "id": digest(fact["text"]),
            "turn": fact["sources"][0],
            "content": {
                "kind": "fact",
                "text": fact["text"],
                "sourceIds": fact["sources"],
                "contentHash": digest(fact["text"]),
            },
        }
        for fact in facts
    ]


class Bare:
    """A driver on a store's server. Its own transactions, managed like graphmem's."""

    def __init__(self, store: Store) -> None:
        # The store keeps its driver to itself; a second one would need the local server's password.
        self._driver = store._driver
        self._database = store._database

    def _session(self) -> neo4j.Session:
        return self._driver.session(database=self._database)

    def add_turns(self, space: str, rows: Sequence[Item]) -> None:
        """Store a batch of `turn_rows` in one transaction."""
        links = [{"id": row["id"], "parent": row["parent"]} for row in rows if row["parent"]]
        names = sorted({row["conversation"] for row in rows})

        def work(tx: neo4j.ManagedTransaction) -> None:
            tx.run(ROOM, {"space": space, "conversations": names}).consume()
            tx.run(TURNS, {"space": space, "rows": rows}).consume()
            tx.run(PARENTS, {"space": space, "rows": links}).consume()

        with self._session() as session:
            session.execute_write(work)

    def add_facts(self, space: str, rows: Sequence[Item]) -> None:
        """Store a batch of `fact_rows` in one transaction."""
        with self._session() as session:
            session.execute_write(
                lambda tx: tx.run(FACTS, {"space": space, "rows": rows}).consume()
            )

    def rows(self, query: LiteralString, **params: Any) -> list[dict[str, Any]]:
        """Run a query that reads, and return its rows."""
        with self._session() as session:
            return session.execute_read(lambda tx: tx.run(query, params).data())

    def write(self, query: LiteralString, **params: Any) -> None:
        """Run a query that writes."""
        with self._session() as session:
            session.execute_write(lambda tx: tx.run(query, params).consume())

    def count(self, query: LiteralString, **params: Any) -> int:
        """Run a query that counts, and return its ``n``."""
        with self._session() as session:
            rows = session.execute_read(lambda tx: tx.run(query, params).data())
        return int(rows[0]["n"])

    def delete(self, space: str) -> None:
        """Delete a space with all that is in it, 2,000 nodes per transaction."""
        with self._session() as session:
            for query in DELETE:
                session.run(query, {"space": space}).consume()
