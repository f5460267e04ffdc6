"""Reading from an anchor. Every verb goes through the gate in ``cypher/gate/visible.cypher``."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, get_args

from graphmem._errors import InvalidInputError, UnknownRecordError, UnknownTurnError
from graphmem._models import (
    Claim,
    Difference,
    Explanation,
    Kind,
    Reason,
    Record,
    Scope,
    Source,
    Turn,
)
from graphmem._turns import turn_of
from graphmem.store import Query, Row, Store, Transaction, queries

KINDS: tuple[Kind, ...] = get_args(Kind)


class View:
    """What can be seen from one turn, the anchor. Made by `Memory.at`; holds no state of the graph.

    With anchor None every verb returns nothing; with one that is not stored, or still awaited, it
    raises `UnknownTurnError`.
    """

    def __init__(self, store: Store, space: str, anchor: str | None, scope: Scope = "path") -> None:
        if scope not in get_args(Scope):
            raise InvalidInputError(f"scope is 'path' or 'space', not {scope!r}")
        self._store = store
        self._space = space
        self.anchor = anchor
        self.scope = scope

    def path(self) -> list[Turn]:
        """Return the anchor and its ancestors, the root first.

        >>> [turn.id for turn in memory.at("u2").path()]
        ['u2']
        """
        query = queries.gate.path.then(queries.turn.row)
        rows = self._store.read(lambda tx: self._rows(tx, query))
        return [turn_of(row) for row in rows if not row["awaited"]]

    def visible(self, kinds: Iterable[Kind] | None = None) -> list[Claim]:
        """Return the visible records of some kinds (default: all), equal claims collapsed.

        They come in the order of the path; under scope ``space`` other trees follow, each in its
        own order.

        >>> [claim.text for claim in memory.at("u1").visible(kinds=["fact"])]
        ['moves to Chengdu']
        """
        wanted = _checked(kinds)
        return _collapsed(self._store.read(lambda tx: self._claims(tx, wanted)))

    def facts(self) -> list[Claim]:
        """Return the visible facts: `visible` for that kind.

        >>> [fact.text for fact in memory.at("u2").facts()]
        ['moves to Hangzhou']
        """
        return self.visible(["fact"])

    def summaries(self) -> list[Claim]:
        """Return the visible summaries: `visible` for that kind.

        >>> memory.at("u2").summaries()
        []
        """
        return self.visible(["summary"])

    def get(self, record: str) -> Record | None:
        """Return one record if it is visible here, else None.

        >>> chengdu = memory.at("u1").facts()[0].id
        >>> memory.at("u1").get(chengdu).text, memory.at("u2").get(chengdu)
        ('moves to Chengdu', None)
        """
        rows = self._store.read(lambda tx: self._claims(tx, ids=[record]))
        return _record(rows[0]) if rows else None

    def explain(self, record: str) -> Explanation:
        """Say whether a record is visible here and, if it is hidden, why, source by source.

        Errors: `UnknownRecordError` when the space has no such record.

        >>> chengdu = memory.at("u1").facts()[0].id
        >>> memory.at("u2").explain(chengdu).reasons[0].code
        'off_path'
        """
        return self._store.read(lambda tx: self._explained(tx, record))

    def fork_point(self, other: str) -> str | None:
        """Return the last turn that this path and another's share; None without one.

        They share none when they are of different trees. Errors: `UnknownTurnError`.

        >>> memory.at("u1").fork_point("u2") is None      # two first messages
        True
        """
        return self._store.read(lambda tx: self._fork(tx, other))[0]

    def diff(self, other: str) -> Difference:
        """Return the claims that are visible here and not at ``other``, and the other way round.

        Compares the two paths; the scope plays no part. Errors: `UnknownTurnError`.

        >>> difference = memory.at("u1").diff("u2")
        >>> difference.only_a[0].text, difference.only_b[0].text
        ('moves to Chengdu', 'moves to Hangzhou')
        """
        return self._store.read(lambda tx: self._difference(tx, other))

    def cypher(self, text: str, /, **params: Any) -> list[Row]:
        """Run your own read-only Cypher on what is visible here; return its rows.

        It goes on where the gate ended, once for each visible record. Bound are ``fact`` (the
        record, of any kind), ``anchor`` (the turn) and ``distance`` (turns from the anchor back to
        the record's last source). What you MATCH beyond them is not gated. Give parameters other
        names than ``space``, ``anchor`` and ``scope``. Errors: `CypherError`, also for anything
        that writes.

        >>> memory.at("u2").cypher("RETURN fact.text AS text")
        [{'text': 'moves to Hangzhou'}]
        """
        query = self._gate().then(queries.gate.user).then_by_user(text)
        if taken := query.params & params.keys():
            raise InvalidInputError(
                f"the parameters {sorted(taken)} are the gate's own; rename yours"
            )

        def work(tx: Transaction) -> list[Row]:
            if self.anchor is None:
                return []
            require_turn(tx, self._space, self.anchor)  # an aggregate has a row even of nothing
            return tx.run(query, space=self._space, anchor=self.anchor, **params)

        return self._store.read(work)

    def _gate(self) -> Query:
        """Return the gate: for the anchor's path, or also for the heads of other trees."""
        gate = queries.gate
        if self.scope == "path":
            return gate.visible
        return gate.visible.for_each(gate.leaves, then=gate.merged, anchor="leafId")

    def _rows(self, tx: Transaction, query: Query, /, **params: Any) -> list[Row]:
        """Run a gated query; an empty answer is only believed when the anchor is there."""
        if self.anchor is None:
            return []
        rows = tx.run(query, space=self._space, anchor=self.anchor, **params)
        if not rows:
            require_turn(tx, self._space, self.anchor)
        return rows

    def _claims(
        self,
        tx: Transaction,
        kinds: Sequence[Kind] | None = None,
        ids: Sequence[str] | None = None,
        within: int | None = None,
    ) -> list[Row]:
        query = self._gate().then(queries.gate.claims)
        return self._rows(tx, query, kinds=kinds and list(kinds), ids=ids, within=within)

    def _explained(self, tx: Transaction, record: str) -> Explanation:
        rows = tx.run(queries.gate.sources, space=self._space, anchor=self.anchor, record=record)
        visible = bool(self._claims(tx, ids=[record]))
        if not rows:
            raise UnknownRecordError(f"there is no record {record!r} in this space")
        reasons = [] if visible else self._reasons(tx, rows[0])
        if not (visible or reasons):  # what was missing has arrived between the two queries
            return self._explained(tx, record)
        return Explanation(
            record=record,
            anchor=self.anchor,
            visible=visible,
            reasons=tuple(reasons),
            unreachable=bool(tx.run(queries.record.unreachable, space=self._space, ids=[record])),
        )

    def _reasons(self, tx: Transaction, row: Row) -> list[Reason]:
        if self.anchor is None:
            return [Reason(code="no_anchor")]
        # Of two links to one id, the one into another space is what hides the record.
        foreign_last = sorted(row["linked"], key=lambda source: source["space"] != self._space)
        linked = {source["id"]: source for source in foreign_last}
        ids = dict.fromkeys([*(row["declared"] or ()), *linked])
        if not row["declared"]:
            return [Reason(code="no_source")]
        reasons = [self._reason(tx, id, linked.get(id)) for id in ids]
        return [reason for reason in reasons if reason]

    def _reason(self, tx: Transaction, source: str, linked: Row | None) -> Reason | None:
        if linked is None:
            return Reason(code="lost", source=source)
        if linked["space"] != self._space:
            return Reason(code="other_space", source=source)
        if linked["awaited"]:
            return Reason(code="awaited", source=source)
        if linked["onPath"]:
            return None
        return Reason(code="off_path", source=source, fork=self._fork(tx, source)[0])

    def _fork(self, tx: Transaction, other: str) -> tuple[str | None, int | None]:
        """Return the fork with ``other`` and how many turns it lies before the anchor."""
        rows = tx.run(queries.gate.fork, space=self._space, a=self.anchor, b=other)
        if rows:
            return rows[0]["fork"], rows[0]["distance"]
        for turn in (self.anchor, other):
            if turn is not None:
                require_turn(tx, self._space, turn)
        return None, None

    def _difference(self, tx: Transaction, other: str) -> Difference:
        here = View(self._store, self._space, self.anchor)
        there = View(self._store, self._space, other)
        fork, distance = here._fork(tx, other)
        _, back = there._fork(tx, str(self.anchor)) if self.anchor is not None else (None, None)
        ours = _collapsed(here._claims(tx, within=distance))
        theirs = _collapsed(there._claims(tx, within=back))
        shared = {_claim_key(claim) for claim in ours} & {_claim_key(claim) for claim in theirs}
        shared |= View(self._store, self._space, fork)._among(tx, [*ours, *theirs])
        return Difference(
            fork=fork,
            only_a=tuple(claim for claim in ours if _claim_key(claim) not in shared),
            only_b=tuple(claim for claim in theirs if _claim_key(claim) not in shared),
        )

    def _among(self, tx: Transaction, claims: Sequence[Claim]) -> set[tuple[str, str]]:
        """Return which of some claims are visible here too; at a fork that is awaited, none."""
        texts = sorted({claim.text for claim in claims})
        if self.anchor is None or not texts:
            return set()
        query = self._gate().then(queries.gate.among)
        rows = tx.run(query, space=self._space, anchor=self.anchor, texts=texts)
        return {(row["kind"], row["text"]) for row in rows}


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


def _checked(kinds: Iterable[Kind] | None) -> tuple[Kind, ...] | None:
    if kinds is None:
        return None
    wanted = tuple(kinds) if isinstance(kinds, Iterable) else (kinds,)
    for kind in wanted:
        if kind not in KINDS:
            raise InvalidInputError(f"there is no kind {kind!r}; use {', '.join(KINDS)}")
    return wanted


def _claim_key(claim: Claim) -> tuple[str, str]:
    return claim.kind, claim.text


def _sources(row: Row) -> tuple[Source, ...]:
    """Read the sources as they are: what someone added to a link by hand is no concern of ours."""
    by_turn = {link["turn"]: link for link in row["sources"]}
    return tuple(
        Source.model_construct(
            turn=turn,
            quote=by_turn[turn].get("quote"),
            start=by_turn[turn].get("start"),
            end=by_turn[turn].get("end"),
        )
        for turn in row["sourceIds"]
    )


def _record(row: Row) -> Record:
    return Record.model_construct(
        id=row["id"],
        kind=row["kind"],
        text=row["text"],
        sources=_sources(row),
        built_from=tuple(row["builtFrom"]),
    )


def _collapsed(rows: Iterable[Row]) -> list[Claim]:
    """Make one claim of the records that say the same, in the order of the first."""
    groups: dict[tuple[str, str], list[Row]] = {}
    for row in rows:
        groups.setdefault((row["kind"], row["text"]), []).append(row)
    return [_claim(same) for same in groups.values()]


def _claim(same: Sequence[Row]) -> Claim:
    sources: dict[str | None, Source] = {}
    for row in same:
        for source in _sources(row):
            sources.setdefault(source.turn, source)
    first = same[0]
    return Claim.model_construct(
        id=first["id"],
        kind=first["kind"],
        text=first["text"],
        supports=len({frozenset(row["sourceIds"]) for row in same}),
        records=tuple(row["id"] for row in same),
        sources=tuple(sources.values()),
    )
