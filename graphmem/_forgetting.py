"""Forgetting: to revoke hides and can be undone, to purge removes for good. Neither needs a model.

What depends on what is known from the graph: records are `DERIVED_FROM` all their turns, also those
of the records they are `BUILT_FROM`, and they are `BUILT_FROM` all that these are. So all that a
turn or a record has led to is one step away from it.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from graphmem._errors import (
    InvalidInputError,
    PurgedError,
    UnknownRecordError,
    UnknownTurnError,
    UsageError,
    raise_all,
)
from graphmem._models import Model
from graphmem.store import Query, Row, Store, Transaction, queries

BATCH = 1000
"""Nodes deleted in one transaction: enough for speed, and little to hold in memory."""

Progress = Callable[[int, int], object]


class Forgotten(Model):
    """How many turns and records `revoke` has hidden, or `restore` has brought back.

    Those that were so already do not count.
    """

    turns: int = 0
    records: int = 0


class Purged(Forgotten):
    """How much was removed for good, or would be.

    ``records`` are those that were named and all that depend on what was. ``invalidations`` are
    those others whose every target is among them, ``entities`` those that no other record mentions.
    Only a whole space takes its ``conversations`` with it.
    """

    invalidations: int = 0
    entities: int = 0
    vectors: int = 0
    conversations: int = 0


@dataclass(frozen=True)
class _Named:
    """The turns and records of a space that a caller named, each once and in one order."""

    space: str
    turns: list[str]
    records: list[str]

    @classmethod
    def of(cls, space: str, turns: Iterable[str], records: Iterable[str]) -> _Named:
        return cls(space, _ids("turns", turns), _ids("records", records))

    def rows(self) -> list[Row]:
        return [{"turn": id} for id in self.turns] + [{"record": id} for id in self.records]

    def require(self, turns: Iterable[str | None], records: Iterable[str | None]) -> None:
        """Raise unless all that is named is among what was found."""
        known_turns, known_records = set(turns), set(records)
        errors: list[UsageError] = [
            UnknownTurnError(f"there is no turn {id!r} in space {self.space!r}; nothing was done")
            for id in self.turns
            if id not in known_turns
        ]
        errors += [
            UnknownRecordError(
                f"there is no record {id!r} in space {self.space!r}; nothing was done"
            )
            for id in self.records
            if id not in known_records
        ]
        raise_all(errors)


def _ids(what: str, ids: Iterable[str]) -> list[str]:
    if isinstance(ids, str):
        raise InvalidInputError(f"{what} is a list; write [{ids!r}]")
    return sorted(set(ids))


# --- hiding, and taking it back


def revoke(
    tx: Transaction, space: str, *, turns: Iterable[str] = (), records: Iterable[str] = ()
) -> Forgotten:
    """Hide turns, and records, with all that was derived from them, until they are restored.

    A turn that is awaited stays revoked when it arrives. Revoking twice changes nothing. Errors:
    `UnknownTurnError`, `UnknownRecordError`, `PurgedError`; then nothing is revoked.
    """
    return _relabel(tx, queries.forget.revoke, _Named.of(space, turns, records))


def restore(
    tx: Transaction, space: str, *, turns: Iterable[str] = (), records: Iterable[str] = ()
) -> Forgotten:
    """Take `revoke` back: the graph is again as it was before. Errors: as for `revoke`."""
    return _relabel(tx, queries.forget.restore, _Named.of(space, turns, records))


def _relabel(tx: Transaction, query: Query, named: _Named) -> Forgotten:
    if not named.rows():
        return Forgotten()
    rows = tx.run(query, space=named.space, rows=named.rows())
    named.require((row["turnId"] for row in rows), (row["recordId"] for row in rows))
    raise_all([_purged(row) for row in rows if row["purged"]])
    changed = [row for row in rows if row["changes"]]
    return Forgotten(
        turns=sum(row["turnId"] is not None for row in changed),
        records=sum(row["recordId"] is not None for row in changed),
    )


def _purged(row: Row) -> PurgedError:
    what, id_ = ("turn", row["turnId"]) if row["turnId"] else ("record", row["recordId"])
    return PurgedError(f"{what} {id_!r} was purged; that cannot be taken back", id=id_)


# --- removing for good


def purge(
    store: Store,
    space: str,
    *,
    turns: Iterable[str] = (),
    records: Iterable[str] = (),
    dry_run: bool = False,
) -> Purged:
    """Remove turns and records for good, with every record that depends on them.

    What was named leaves a tombstone: an id without content, which keeps the tree connected and
    refuses to be stored again. All is hidden by the first transaction; what depends on it is then
    deleted in small ones. A purge that was cut off is completed by calling it again, which counts
    what is left to do; when nothing is, that is no error. ``dry_run`` counts and writes nothing.

    Not removed: the title of a conversation, and the turns that a purged record came from. Errors:
    `UnknownTurnError`, `UnknownRecordError`; then nothing is touched.
    """
    named = _Named.of(space, turns, records)
    if dry_run:
        return store.read(lambda tx: _foreseen(tx, named))
    steps = [store.write(lambda tx: _bury(tx, named))]
    while (step := store.write(lambda tx: _delete_dependents(tx, named))).records:
        steps.append(step)
    return _sum(steps)


def _unburied(tx: Transaction, named: _Named) -> tuple[list[str], list[str]]:
    """Return the turns and the records that are no tombstones yet."""
    turns = tx.run(queries.turn.stored, space=named.space, ids=named.turns)
    records = tx.run(queries.record.stored, space=named.space, ids=named.records)
    named.require((row["id"] for row in turns), (row["id"] for row in records))
    return _fresh(turns), _fresh(records)


def _fresh(rows: Iterable[Row]) -> list[str]:
    return [row["id"] for row in rows if not row["purged"]]


def _bury(tx: Transaction, named: _Named) -> Purged:
    """Leave tombstones. Turns come first, so that what depends on them is known to."""
    turns, records = _unburied(tx, named)
    space = named.space
    buried = tx.run(queries.forget.bury_turns, space=space, ids=turns)[0]["buried"]
    touched = _touched(tx, space, records)
    tx.run(queries.forget.bury_records, space=space, ids=records)
    left = _delete_left_over(tx, space, touched)
    return left.model_copy(update={"turns": buried, "records": len(records)})


def _delete_dependents(tx: Transaction, named: _Named) -> Purged:
    """Delete some of the records that depend on tombstones, and what is left over without them."""
    space = named.space
    rows = tx.run(queries.forget.derived, space=space, ids=named.turns, limit=BATCH)
    rows = rows or tx.run(queries.forget.built, space=space, ids=named.records, limit=BATCH)
    ids = sorted(row["id"] for row in rows)
    touched = _touched(tx, space, ids)
    tx.run(queries.forget.delete, space=space, rows=[{"record": id} for id in ids])
    return _delete_left_over(tx, space, touched).model_copy(update={"records": len(ids)})


def _touched(tx: Transaction, space: str, ids: Sequence[str]) -> list[Row]:
    return tx.run(queries.forget.touched, space=space, ids=list(ids))


def _delete_left_over(tx: Transaction, space: str, touched: Iterable[Row]) -> Purged:
    """Delete the invalidations and entities that nothing holds any more; count the vectors too."""
    touched = list(touched)
    keys = sorted({one["key"] for row in touched for one in row["entities"]})
    ids = sorted({one["id"] for row in touched for one in row["invalidations"]})
    [aimless] = tx.run(queries.forget.aimless, space=space, ids=ids)
    rows = [{"key": key} for key in keys]
    [unmentioned] = tx.run(queries.forget.unmentioned, space=space, rows=rows)
    return Purged(
        invalidations=aimless["deleted"],
        entities=unmentioned["deleted"],
        vectors=sum(row["vectors"] for row in touched),
    )


def _foreseen(tx: Transaction, named: _Named) -> Purged:
    """Count what a purge would remove. What has no link but to that would be left over."""
    turns, records = _unburied(tx, named)
    space = named.space
    derived = tx.run(queries.forget.derived, space=space, ids=named.turns, limit=sys.maxsize)
    built = tx.run(queries.record.dependents, space=space, ids=named.records)
    tombstones = set(named.records) - set(records)
    gone = {row["id"] for row in (*derived, *built)} - tombstones
    touched = _touched(tx, space, sorted(gone))
    return Purged(
        turns=len(turns),
        records=len(gone),
        invalidations=len(_left_over(touched, "invalidations", "id") - gone),
        entities=len(_left_over(touched, "entities", "key")),
        vectors=sum(row["vectors"] for row in touched),
    )


def _left_over(touched: Iterable[Row], what: str, name: str) -> set[str]:
    """Return what has all its links to the touched records."""
    all_links = [one for row in touched for one in row[what]]
    links = Counter(one[name] for one in all_links)
    return {one[name] for one in all_links if one["links"] == links[one[name]]}


def _sum(steps: Sequence[Purged]) -> Purged:
    names = Purged.model_fields
    return Purged(**{name: sum(getattr(step, name) for step in steps) for name in names})


# --- a whole space


def forget_space(
    store: Store, space: str, *, dry_run: bool = False, progress: Progress | None = None
) -> Purged:
    """Delete all that a space holds, and the space; no tombstone is left.

    This takes many small transactions and may be cut off: call it again to complete it. The
    counts are those of this call. ``progress`` hears how many nodes of how many are deleted.
    ``dry_run`` counts and writes nothing. Whoever writes to the space meanwhile begins it anew.
    """
    found = store.read(lambda tx: _contents(tx, space))
    if dry_run:
        return found
    total, steps = _nodes(found), [Purged()]
    while step := store.write(lambda tx: _delete_some(tx, space)):
        steps.append(step)
        if progress:
            done = _nodes(_sum(steps))
            progress(done, max(done, total))
    rows = [{"space": space}]
    store.write(lambda tx: tx.run(queries.forget.delete, space=space, rows=rows))
    return _sum(steps)


def _contents(tx: Transaction, space: str) -> Purged:
    [row] = tx.run(queries.forget.totals, space=space)
    return Purged(
        turns=row["turnTotal"],
        records=row["recordTotal"],
        entities=row["entityTotal"],
        vectors=row["vectorTotal"],
        conversations=row["conversationTotal"],
    )


def _nodes(counts: Purged) -> int:
    return counts.turns + counts.records + counts.entities + counts.conversations


def _delete_some(tx: Transaction, space: str) -> Purged | None:
    found = tx.run(queries.forget.contents, space=space, limit=BATCH)
    if not found:
        return None
    tx.run(queries.forget.delete, space=space, rows=[row["row"] for row in found])
    kinds = Counter(kind for row in found for kind in row["row"])
    return Purged(
        turns=kinds["turn"],
        records=kinds["record"],
        entities=kinds["entity"],
        vectors=sum(row["vectors"] for row in found),
        conversations=kinds["conversation"],
    )
