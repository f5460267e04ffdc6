"""The gate as Python sees it: what one anchor may be shown, within a transaction.

The rule itself stands in ``cypher/gate/visible.cypher``; every read that leads to a record is
composed with it here.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
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
    leaves: tuple[Row, ...] | None = None
    """Where the scope ``space`` looks from, once that is known; see `settled`."""

    def __post_init__(self) -> None:
        if self.scope not in get_args(Scope):
            raise InvalidInputError(f"scope is 'path' or 'space', not {self.scope!r}")

    def visible(self, candidates: Query | None = None) -> Query:
        """Return the gate: for the anchor's path, or also for the heads of other trees.

        With ``candidates``, a query that ends in `gate/candidates.cypher`, it judges only these.
        The answer for them is the same; it does not take longer on a longer path.
        """
        gate = queries.gate
        one = gate.located if candidates else gate.visible
        whole = one
        if self.scope == "space":
            leaves = gate.leaves if self.leaves is None else gate.given
            whole = one.for_each(leaves, gate.merged, anchor="leafId")
        return candidates.then(whole) if candidates else whole

    def settled(self, tx: Transaction) -> Gate:
        """Return the gate with its leaves found, for several queries of one transaction.

        To find them takes longer than to use them: all conversations of the space are looked at.
        """
        if self.scope == "path" or self.anchor is None or self.leaves is not None:
            return self
        rows = tx.run(queries.gate.leaves, space=self.space, anchor=self.anchor)
        return replace(self, leaves=tuple(rows))

    def current(self, candidates: Query | None = None) -> Query:
        """Return the gate, and of each record whether it is current."""
        return self.visible(candidates).then(queries.gate.current)

    def among(self, records: Query, then: Query) -> Query:
        """Return a query for records that another one brings, and ``then`` on those visible.

        ``then`` may use what the first query returned besides.
        """
        return self.current(queries.gate.candidates).for_each(records, then)

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
        known = {} if self.leaves is None else {"leaves": list(self.leaves)}
        return {"space": self.space, "anchor": self.anchor} | known

    def runs(self, tx: Transaction) -> list[tuple[int, int]]:
        """Return which segments the anchor's path runs through, and up to which place each."""
        rows = self.rows(tx, queries.recall.reach)
        return [(run[0], run[1]) for row in rows for run in row["runs"]]

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
        return self.rows(
            tx,
            self.current().then(queries.gate.chosen).then(queries.record.row),
            kinds=kinds and list(kinds),
            ids=ids,
            within=within,
            history=history,
        )

    def saying(self, tx: Transaction, texts: Iterable[str]) -> list[Row]:
        """Return which of some texts are current claims here, each with its records' ids."""
        wanted = sorted(set(texts))
        if self.anchor is None or not wanted:
            return []
        query = self.current().then(queries.gate.saying)
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
