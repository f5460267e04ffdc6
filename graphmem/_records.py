"""Storing records: what was derived, with the turns it came from."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Annotated, Any, Self

from pydantic import BeforeValidator, model_validator

from graphmem._errors import (
    ConflictError,
    InvalidInputError,
    NoSourceError,
    UnknownRecordError,
    UsageError,
    raise_all,
)
from graphmem._models import Claim, Id, Kind, Model, Record, Source, Text
from graphmem._turns import as_fields, hash_of, place_missing
from graphmem.store import Row, Transaction, queries


def _as_source(item: Any) -> Any:
    if isinstance(item, str):
        return Source(turn=item)
    if isinstance(item, Record | Claim):
        return Source(record=item.id)
    return item


def _as_sources(items: Any) -> Any:
    if isinstance(items, str) or not isinstance(items, Iterable | None):
        raise ValueError(f"sources is a list; write [{items!r}]")
    return tuple(_as_source(item) for item in items or ())


class NewRecord(Model):
    """A record to remember. ``sources`` are turn ids, `Source` objects or records.

    Without an ``id`` the record gets one made of its content, so that remembering the same thing
    from the same sources again changes nothing.

    >>> NewRecord(text="moves to Hangzhou", sources=["u2"]).kind
    'fact'
    """

    text: Text
    sources: Annotated[tuple[Source, ...], BeforeValidator(_as_sources)]
    kind: Kind = "fact"
    id: Id | None = None

    @model_validator(mode="after")
    def _check(self) -> Self:
        if not self.text.strip():
            raise ValueError("the text is blank; say what was learnt")
        passages = set(self.sources)
        if len({source.turn for source in passages if source.turn}) < sum(
            source.turn is not None for source in passages
        ):
            raise ValueError("one turn is quoted twice; give one passage, or two records")
        return self


def as_records(items: Iterable[NewRecord | Mapping[str, Any]]) -> list[NewRecord]:
    """Read new records or mappings; every item that cannot be stored is reported."""
    records: list[NewRecord] = []
    errors: list[UsageError] = []
    for item in items:
        try:
            record = item if isinstance(item, NewRecord) else NewRecord(**as_fields(item, "record"))
        except InvalidInputError as error:
            errors.append(error)
            continue
        if not record.sources:
            errors.append(
                NoSourceError(
                    f"{record.kind} {record.text[:40]!r} has no source; name the turns it comes "
                    "from, without them it could never be shown"
                )
            )
        records.append(record)
    raise_all(errors)
    return records


def add(tx: Transaction, space: str, new: Sequence[NewRecord]) -> list[Record]:
    """Store records in the transaction; raise and leave nothing when one of them is refused."""
    records, hashes = _flattened(tx, space, new)
    rows = tx.run(queries.record.stored, space=space, ids=sorted(hashes))
    stored = {row["id"]: row["contentHash"] for row in rows}
    raise_all([_conflict(id) for id, content in stored.items() if content != hashes[id]])
    missing = {record.id: record for record in records if record.id not in stored}
    _write(tx, space, [missing[id] for id in sorted(missing)], hashes)
    unreachable = _unreachable(tx, space, records)
    return [
        record.model_copy(update={"unreachable": True}) if record.id in unreachable else record
        for record in records
    ]


def content_hash(kind: str, text: str, sources: Iterable[Source], inputs: Iterable[str]) -> str:
    """Return what tells one content from another. The order of the sources is no part of it."""
    passages = [[source.turn, source.quote, source.start, source.end] for source in sources]
    passages.sort(key=lambda passage: str(passage[0]))  # a turn is there once
    return hash_of([kind, text, passages, sorted(inputs)])


def _conflict(id_: str) -> ConflictError:
    return ConflictError(
        f"record {id_!r} is stored with other content; records never change: leave the id out, or "
        "give the new one its own",
        id=id_,
    )


def _flattened(
    tx: Transaction, space: str, new: Sequence[NewRecord]
) -> tuple[list[Record], dict[str, str]]:
    """Give each record the turns of those it is built from, which may be earlier in the batch.

    Return the records, and the hash of each one's content by its id.
    """
    known = _turns_of_records(tx, space, new)
    errors: list[UsageError] = []
    records: list[Record] = []
    hashes: dict[str, str] = {}
    for item in new:
        unknown = [s.record for s in item.sources if s.record is not None and s.record not in known]
        if unknown:
            errors.append(_unknown_input(unknown[0], item))
            continue
        record, content = _record(item, known)
        known.setdefault(record.id, [source.turn or "" for source in record.sources])
        if hashes.setdefault(record.id, content) != content:
            errors.append(_conflict(record.id))
        records.append(record)
    raise_all(errors)
    return records, hashes


def _unknown_input(record: str, item: NewRecord) -> UnknownRecordError:
    return UnknownRecordError(
        f"there is no record {record!r} in this space to build {item.text[:40]!r} from"
    )


def _turns_of_records(
    tx: Transaction, space: str, new: Sequence[NewRecord]
) -> dict[str, list[str]]:
    ids = sorted({source.record for item in new for source in item.sources if source.record})
    if not ids:
        return {}
    return {
        row["id"]: row["sourceIds"] for row in tx.run(queries.record.stored, space=space, ids=ids)
    }


def _record(item: NewRecord, known: Mapping[str, list[str]]) -> tuple[Record, str]:
    """Return the record as it will be stored, and the hash of its content."""
    turns: dict[str | None, Source] = {}
    for source in item.sources:
        if source.record is None:
            turns[source.turn] = source
        else:
            for turn in known[source.record]:
                turns.setdefault(turn, Source.model_construct(turn=turn))
    inputs = tuple(dict.fromkeys(source.record for source in item.sources if source.record))
    content = content_hash(item.kind, item.text, turns.values(), inputs)
    record = Record.model_construct(
        id=item.id or content,
        kind=item.kind,
        text=item.text,
        sources=tuple(turns.values()),
        built_from=inputs,
    )
    return record, content


def _write(
    tx: Transaction, space: str, records: Sequence[Record], hashes: Mapping[str, str]
) -> None:
    if not records:
        return
    tx.run(queries.space.add, space=space)
    named = {source.turn for record in records for source in record.sources if source.turn}
    place_missing(tx, space, named)
    rows = [_row(record, hashes[record.id]) for record in records]
    late = tx.run(queries.record.add, space=space, rows=rows)
    raise_all([_conflict(row["id"]) for row in late if row["storedHash"] != hashes[row["id"]]])
    inputs = [{"record": r.id, "input": id} for r in records for id in r.built_from]
    if inputs:
        tx.run(queries.record.build, space=space, rows=inputs)


def _row(record: Record, hash_: str) -> Row:
    return {
        "id": record.id,
        "label": record.kind.capitalize(),
        "kind": record.kind,
        "text": record.text,
        "contentHash": hash_,
        "sources": [_passage(source) for source in record.sources],
    }


def _passage(source: Source) -> Row:
    passage = {
        "turn": source.turn,
        "quote": source.quote,
        "start": source.start,
        "end": source.end,
    }
    return {name: value for name, value in passage.items() if value is not None}


def _unreachable(tx: Transaction, space: str, records: Sequence[Record]) -> set[str]:
    ids = [record.id for record in records if len(record.sources) > 1]
    if not ids:
        return set()
    return {row["id"] for row in tx.run(queries.record.unreachable, space=space, ids=ids)}
