"""Correcting and retracting: records that say which others no longer hold, gated like all else."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from graphmem import _records
from graphmem._errors import InvalidInputError, NoSourceError, UnknownRecordError
from graphmem._gate import Gate
from graphmem._models import Claim, Correction, Insight, Record, Source
from graphmem._records import Flat, NewRecord
from graphmem.store import Row, Transaction, queries

Old = str | Record | Claim | Insight | Sequence["str | Record | Claim | Insight"]


def invalidate(
    tx: Transaction,
    space: str,
    old: Old,
    sources: Iterable[Any],
    new: NewRecord | Mapping[str, Any] | None = None,
) -> Correction:
    """Store that some records no longer hold, by what some turns say; ``new`` takes their place."""
    targets = _targets(tx, space, _ids(old))
    replacement, turns = _learnt(tx, space, sources, new)
    ids = sorted({row["id"] for row in targets} | _equal(tx, space, targets, turns))
    if replacement and replacement.built_from:
        refuse_own_ground(tx, space, ids, replacement.built_from)
    if replacement and replacement.id in ids:
        raise InvalidInputError(f"the correction says the same as what it corrects: {ids[0]!r}")
    [stored] = _records.store(tx, space, [_flat(ids, turns, replacement)])
    return Correction(
        id=stored.id,
        invalidates=stored.invalidates,
        replacement=replacement,
        sources=stored.sources,
        unreachable=stored.unreachable,
    )


def _flat(
    ids: Iterable[str],
    turns: Sequence[Source],
    new: Record | None,
    inputs: tuple[str, ...] = (),
) -> Flat:
    bare = Record.model_construct(
        id="",
        kind="invalidation",
        text="",
        sources=tuple(turns),
        invalidates=tuple(sorted(ids)),
        replaced_by=new.id if new else None,
    )
    return Flat(bare, inputs).named()


def replacing(ids: Sequence[str], new: Flat, turns: Sequence[Source]) -> list[Flat]:
    """Return what says, by some turns, that a new record takes the place of others, if any.

    It is built from the new one, so that the others hold again while that one is revoked.
    """
    inputs = (new.record.id, *new.inputs)
    return [_flat(ids, _turns_only(turns), new.record, inputs)] if ids else []


def refuse_own_ground(
    tx: Transaction, space: str, falling: Sequence[str], inputs: Sequence[str]
) -> None:
    """Raise when something would be built from what falls with it."""
    rows = tx.run(queries.record.built_on, space=space, ids=list(inputs), others=list(falling))
    if rows:
        raise InvalidInputError(
            f"the correction is built from {rows[0]['id']!r}, which falls with what it corrects; "
            "name the turns it comes from instead"
        )


def _ids(old: Old) -> list[str]:
    if isinstance(old, Claim | Insight):
        return list(old.records)
    if isinstance(old, Record):
        return [old.id]
    if isinstance(old, str):
        return [old]
    return list(dict.fromkeys(id for one in old for id in _ids(one)))


def _targets(tx: Transaction, space: str, ids: Sequence[str]) -> list[Row]:
    if not ids:
        raise InvalidInputError("no record is named to correct or to retract")
    rows = {row["id"]: row for row in tx.run(queries.record.stored, space=space, ids=ids)}
    unknown = [id for id in ids if id not in rows or rows[id]["purged"]]
    if unknown:
        raise UnknownRecordError(f"there is no record {unknown[0]!r} in this space to correct")
    if final := [id for id in ids if rows[id]["kind"] == "invalidation"]:
        raise InvalidInputError(
            f"record {final[0]!r} is an invalidation, which nothing takes back; remember the fact "
            "again, from the turn that says so"
        )
    return [rows[id] for id in ids]


def _learnt(
    tx: Transaction,
    space: str,
    sources: Iterable[Any],
    new: NewRecord | Mapping[str, Any] | None,
) -> tuple[Record | None, tuple[Source, ...]]:
    """Store what takes the old records' place; return it, and the turns that say so."""
    if new is not None:
        [replacement] = _records.add(tx, space, _records.as_records([new]))
        return replacement, _turns_only(replacement.sources)
    stand_in = NewRecord(text="retracted", sources=tuple(sources))
    if not stand_in.sources:
        raise NoSourceError("a retraction has no source; name the turns that say so")
    return None, _turns_only(_records.flattened(tx, space, [stand_in])[0].record.sources)


def _turns_only(sources: Iterable[Source]) -> tuple[Source, ...]:
    return tuple(Source.model_construct(turn=source.turn) for source in sources)


def _equal(
    tx: Transaction, space: str, targets: Sequence[Row], sources: Sequence[Source]
) -> set[str]:
    """Return the records that make the same claims where the correction is said.

    A claim that several turns support would else go on with the next of them.
    """
    ids = [source.turn for source in sources]
    tips = tx.run(queries.turn.tip, space=space, ids=ids)
    if not tips:
        return set()
    claims = {(row["kind"], row["text"]) for row in targets}
    rows = Gate(space, tips[0]["tip"]).saying(tx, [text for _, text in claims if text])
    return {id for row in rows if (row["kind"], row["text"]) in claims for id in row["ids"]}
