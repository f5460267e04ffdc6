"""What was held when, and what took its place: in the order of the path, not of any clock."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from graphmem._entities import Place, closed, named, places
from graphmem._gate import Gate
from graphmem._graph_models import Moment
from graphmem._models import CLAIMS, Claim, Mention, Record
from graphmem._text import clean_text
from graphmem.store import Query, Row, Transaction, queries

Places = Mapping[frozenset[str], Place]


def timeline(tx: Transaction, gate: Gate, subject: str | Mention | Record | Claim) -> list[Moment]:
    """Return what was held on the path, the oldest first, each with what took its place.

    Of a record: itself, what it replaced and what replaced it, as far as corrections that are
    visible here lead. Of an entity: all visible claims that mention it. A text is taken for a
    record's id if one is visible here, else for an entity's name. What is hidden here has no
    history, no more than what does not exist.
    """
    if gate.anchor is None:
        return []
    gate.require(tx)
    if isinstance(subject, Record | Claim):
        return _of_record(tx, gate, subject.id)
    of_record = _of_record(tx, gate, clean_text(subject)) if isinstance(subject, str) else []
    return of_record or _of_entity(tx, gate, subject)


def _of_record(tx: Transaction, gate: Gate, id_: str) -> list[Moment]:
    seen = _seen(tx, gate, queries.entity.one, record=id_)
    if id_ not in seen:
        return []
    return _moments(tx, gate, seen, _chain(seen, id_))


def _of_entity(tx: Transaction, gate: Gate, entity: str | Mention) -> list[Moment]:
    keys = closed(tx, gate, named(tx, gate, entity))
    if not keys:
        return []
    seen = _seen(tx, gate, queries.entity.mentioning, keys=sorted(keys))
    about = [row["id"] for row in seen.values() if row["kind"] in CLAIMS and keys & {*row["keys"]}]
    return _moments(tx, gate, seen, about)


def _seen(tx: Transaction, gate: Gate, start: Query, **params: Any) -> dict[str, Row]:
    """Return visible records by their ids: those of ``start``, and all that corrections lead to."""
    found = start.then(queries.entity.corrections).then(queries.gate.candidates)
    rows = gate.rows(tx, gate.current(found).then(queries.entity.history), **params)
    return {row["id"]: row for row in rows}


def _chain(seen: Mapping[str, Row], id_: str) -> set[str]:
    """Return a record with those before and after it, by corrections that are visible."""
    older: dict[str, set[str]] = {}
    newer: dict[str, set[str]] = {}
    for row in seen.values():
        new = row["replacedBy"]
        for old in seen.keys() & row["invalidates"] if new in seen else ():
            older.setdefault(new, set()).add(old)
            newer.setdefault(old, set()).add(new)
    return _reached(older, id_) | _reached(newer, id_)


def _reached(links: Mapping[str, Collection[str]], start: str) -> set[str]:
    found, new = {start}, [start]
    while new:
        more = {id for one in new for id in links.get(one, ())} - found
        found |= more
        new = list(more)
    return found


def _moments(
    tx: Transaction, gate: Gate, seen: Mapping[str, Row], ids: Iterable[str]
) -> list[Moment]:
    """Make moments of records, in the order of the path; what is equal and fell together is one."""
    rows = [seen[id] for id in ids]
    ends = [end["sourceIds"] for row in rows for end in row["invalidatedBy"]]
    where = places(tx, gate, [*(row["sourceIds"] for row in rows), *ends])
    groups: dict[tuple[Any, ...], list[Row]] = {}
    for row in _oldest_first(rows, where):
        end = _end(row, where)
        held = (row["kind"], row["text"] or row["id"], end and (end[0].turn, end[1]))
        groups.setdefault(held, []).append(row)
    return [_moment(same, where, seen) for same in groups.values()]


def _oldest_first(rows: Iterable[Row], where: Places) -> list[Row]:
    placed = [(where[ids], row) for row in rows if (ids := frozenset(row["sourceIds"])) in where]
    return [row for _, row in sorted(placed, key=lambda pair: (*_age(pair[0]), pair[1]["id"]))]


def _age(place: Place) -> tuple[int, int]:
    return place.rank, -place.distance


def _end(row: Row, where: Places) -> tuple[Place, str | None] | None:
    """Return the first turn on the path by which a record no longer holds, and what does."""
    ends = [
        (where[ids], one["replacedBy"])
        for one in row["invalidatedBy"]
        if (ids := frozenset(one["sourceIds"])) in where
    ]
    return min(ends, key=lambda end: (*_age(end[0]), end[1] or ""), default=None)


def _moment(same: Sequence[Row], where: Places, seen: Mapping[str, Row]) -> Moment:
    first = same[0]
    since = where[frozenset(first["sourceIds"])]
    end = _end(first, where)
    new = seen.get(end[1]) if end and end[1] else None
    return Moment.model_construct(
        text=first["text"] or "",
        record=first["id"],
        records=tuple(row["id"] for row in same),
        kind=first["kind"],
        since=since.turn,
        since_at=since.created_at,
        until=end[0].turn if end else None,
        replaced_by=new["id"] if new else None,
        replacement=new["text"] if new else None,
    )
