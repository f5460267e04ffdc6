"""The gate as Python sees it: what one anchor may be shown, within a transaction.

The rule itself stands in ``cypher/gate/visible.cypher``; every read that leads to a record is
composed with it here.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, get_args

from graphmem._errors import InvalidInputError, UnknownTurnError
from graphmem._models import Kind, Scope
from graphmem.store import Query, Row, Transaction, queries

KINDS: tuple[Kind, ...] = get_args(Kind)


@dataclass(frozen=True)
class Gate:
    """What can be seen of a space from one anchor."""

    space: str
    anchor: str | None
    scope: Scope = "path"

    def __post_init__(self) -> None:
        if self.scope not in get_args(Scope):
            raise InvalidInputError(f"scope is 'path' or 'space', not {self.scope!r}")

    def visible(self, candidates: Query | None = None) -> Query:
        """Return the gate: for the anchor's path, or also for the heads of other trees.

        With ``candidates``, a query that returns some records and all their sources, only these are
        looked at: the answer for them is the same, and comes sooner on a long path.
        """
        gate = queries.gate
        given = {"candidates": "candidates", "sources": "sources"} if candidates else {}
        rows = [candidates] if candidates else []
        if self.scope == "path":
            return gate.visible.for_each(rows, gate.own, **given) if candidates else gate.visible
        return gate.visible.for_each([*rows, gate.leaves], gate.merged, anchor="leafId", **given)

    def current(self, candidates: Query | None = None) -> Query:
        """Return the gate, and of each record whether it is current."""
        return self.visible(candidates).then(queries.gate.current)

    def rows(self, tx: Transaction, query: Query, /, **params: Any) -> list[Row]:
        """Run a gated query; an empty answer is only believed when the anchor is there."""
        if self.anchor is None:
            return []
        rows = tx.run(query, **self.bound(), **params)
        if not rows:
            self.require(tx)
        return rows

    def bound(self) -> dict[str, Any]:
        """Return the gate's own parameters."""
        return {"space": self.space, "anchor": self.anchor, "candidates": None, "sources": None}

    def require(self, tx: Transaction) -> None:
        """Raise UnknownTurnError unless the anchor is stored and has arrived."""
        if self.anchor is not None:
            require_turn(tx, self.space, self.anchor)

    def claims(
        self,
        tx: Transaction,
        kinds: Sequence[Kind] | None = None,
        ids: Sequence[str] | None = None,
        within: int | None = None,
        history: bool = True,
    ) -> list[Row]:
        """Return visible records with their sources, or with ``history=False`` the current ones."""
        found = queries.gate.candidates if ids is not None else None
        start = queries.record.some.then(found) if found else None
        return self.rows(
            tx,
            self.current(start).then(queries.gate.claims),
            kinds=kinds and list(kinds),
            ids=ids,
            within=within,
            history=history,
        )

    def among(self, tx: Transaction, texts: Iterable[str]) -> list[Row]:
        """Return which of some texts are current claims here, each with its records' ids."""
        wanted = sorted(set(texts))
        if self.anchor is None or not wanted:
            return []
        query = self.current().then(queries.gate.among)
        return tx.run(query, **self.bound(), texts=wanted)


def require_turn(tx: Transaction, space: str, turn: str) -> None:
    """Raise UnknownTurnError unless the turn is stored and has arrived."""
    rows = tx.run(queries.turn.stored, space=space, ids=[turn])
    if not rows:
        raise UnknownTurnError(
            f"there is no turn {turn!r} in space {space!r}; `graphmem tree` lists them"
        )
    if rows[0]["awaited"]:
        raise UnknownTurnError(
            f"turn {turn!r} has not arrived in space {space!r}: others name it; store it first"
        )


def checked_kinds(kinds: Iterable[Kind] | None, default: Sequence[Kind]) -> tuple[Kind, ...]:
    """Return the kinds that are asked for; InvalidInputError when there is none such."""
    if kinds is None:
        return tuple(default)
    wanted = tuple(kinds) if isinstance(kinds, Iterable) else (kinds,)
    for kind in wanted:
        if kind not in KINDS:
            raise InvalidInputError(f"there is no kind {kind!r}; use {', '.join(KINDS)}")
    return wanted
