"""Storing records: what was derived, with the turns it came from."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Annotated, Any, Self

from pydantic import BeforeValidator, model_validator

from graphmem._errors import (
    ConflictError,
    InvalidInputError,
    NoSourceError,
    PurgedError,
    UnknownRecordError,
    UsageError,
    raise_all,
)
from graphmem._models import CLAIMS, Claim, Id, Kind, Mention, Model, Record, Source, Text
from graphmem._text import space_key, space_token, turn_token
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


def _as_mention(item: Any) -> Any:
    return Mention(name=item) if isinstance(item, str) else item


def _as_mentions(items: Any) -> Any:
    if isinstance(items, str) or not isinstance(items, Iterable | None):
        raise ValueError(f"mentions is a list; write [{items!r}]")
    return tuple(_as_mention(item) for item in items or ())


Named = Annotated[Mention | None, BeforeValidator(_as_mention)]


class NewRecord(Model):
    """A record to remember. ``sources`` are turn ids, `Source` objects or records.

    ``mentions`` name the entities it is about. A relation has a ``subject``, a ``predicate`` and an
    ``object``; its text, if it has none of its own, is the three in a row. ``same_as`` says that
    its subject and its object are one. Without an ``id`` the record gets one made of its content,
    so that remembering the same thing from the same sources again changes nothing.

    >>> NewRecord(text="moves to Hangzhou", sources=["u2"]).kind
    'fact'
    >>> NewRecord(subject="Ira", predicate="leads", object="Helix", sources=["u2"]).text
    'Ira leads Helix'
    """

    text: Text = ""
    sources: Annotated[tuple[Source, ...], BeforeValidator(_as_sources)]
    kind: Kind = "fact"
    id: Id | None = None
    mentions: Annotated[tuple[Mention, ...], BeforeValidator(_as_mentions)] = ()
    subject: Named = None
    predicate: Text | None = None
    object: Named = None

    @model_validator(mode="before")
    @classmethod
    def _relation_by_its_parts(cls, data: Any) -> Any:
        if isinstance(data, dict) and data.get("predicate") and "kind" not in data:
            return {**data, "kind": "relation"}
        return data

    @model_validator(mode="after")
    def _check_relation(self) -> Self:
        if self.kind == "invalidation":
            raise ValueError("an invalidation is made by `correct` or `retract`")
        joins = self.kind in ("relation", "same_as")
        if joins != bool(self.subject and self.object) or (self.kind == "relation") != bool(
            self.predicate and self.predicate.strip()
        ):
            raise ValueError(
                "a relation has a subject, a predicate and an object, a same_as has the first and "
                "the last, other kinds have none of them"
            )
        if joins and not self.text and self.subject and self.object:
            predicate = self.predicate or "is"
            text = f"{self.subject.name} {predicate} {self.object.name}"
            object.__setattr__(self, "text", text)
        return self

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
    return store(tx, space, records, hashes)


def store(
    tx: Transaction, space: str, records: Sequence[Record], hashes: Mapping[str, str]
) -> list[Record]:
    """Store records whose sources are turns; ``hashes`` tell their content, by their ids."""
    rows = tx.run(queries.record.stored, space=space, ids=sorted(hashes))
    stored = {row["id"]: row for row in rows}
    raise_all([_refusal(row) for row in rows if row["contentHash"] != hashes[row["id"]]])
    missing = {record.id: record for record in records if record.id not in stored}
    _write(tx, space, [missing[id] for id in sorted(missing)], hashes)
    unreachable = _unreachable(tx, space, records)
    return [
        record.model_copy(update={"unreachable": True}) if record.id in unreachable else record
        for record in records
    ]


def _refusal(row: Row) -> ConflictError:
    return _purged("record", row["id"]) if row["purged"] else _conflict(row["id"])


def _purged(what: str, id_: str) -> PurgedError:
    return PurgedError(
        f"{what} {id_!r} was purged; it does not come back, and nothing can be derived from it",
        id=id_,
    )


def content_hash(record: Record) -> str:
    """Return what tells one content from another.

    The order of the sources is no part of it, nor is what the text mentions: that may be read from
    the same text in other ways.
    """
    passages = [[source.turn, source.quote, source.start, source.end] for source in record.sources]
    passages.sort(key=lambda passage: str(passage[0]))  # a turn is there once
    content: list[Any] = [record.kind, record.text, passages, sorted(record.built_from)]
    if record.subject and record.object:
        content += [record.subject.key, record.predicate, record.object.key]
    if record.invalidates:
        content += [sorted(record.invalidates), record.replaced_by]
    return hash_of(content)


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
    rows = _inputs(tx, space, new)
    raise_all([_purged("record", row["id"]) for row in rows if row["purged"]])
    known: dict[str, list[str]] = {row["id"]: row["sourceIds"] for row in rows}
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


def flattened(tx: Transaction, space: str, new: NewRecord) -> Record:
    """Return a record as it would be stored, with the turns of those it is built from."""
    return _flattened(tx, space, [new])[0][0]


def _unknown_input(record: str, item: NewRecord) -> UnknownRecordError:
    return UnknownRecordError(
        f"there is no record {record!r} in this space to build {item.text[:40]!r} from"
    )


def _inputs(tx: Transaction, space: str, new: Sequence[NewRecord]) -> list[Row]:
    """Return what is stored of the records that new ones are built from."""
    ids = sorted({source.record for item in new for source in item.sources if source.record})
    return tx.run(queries.record.stored, space=space, ids=ids) if ids else []


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
    record = Record.model_construct(
        id=item.id or "",
        kind=item.kind,
        text=item.text,
        sources=tuple(turns.values()),
        built_from=inputs,
        mentions=_all_mentions(item),
        subject=item.subject,
        predicate=item.predicate,
        object=item.object,
    )
    return identified(record)


def identified(record: Record) -> tuple[Record, str]:
    """Return a record, with an id made of its content if it has none, and the content's hash."""
    content = content_hash(record)
    return (record if record.id else record.model_copy(update={"id": content})), content


def _all_mentions(item: NewRecord) -> tuple[Mention, ...]:
    """Return what a record mentions, each entity once; the ends of a relation are among them."""
    named = [*(end for end in (item.subject, item.object) if end), *item.mentions]
    return tuple({mention.key: mention for mention in reversed(named)}.values())[::-1]


def _write(
    tx: Transaction, space: str, records: Sequence[Record], hashes: Mapping[str, str]
) -> None:
    if not records:
        return
    tx.run(queries.space.add, space=space)
    named = {source.turn for record in records for source in record.sources if source.turn}
    place_missing(tx, space, named)
    raise_all([_purged("turn", row["id"]) for row in _purged_turns(tx, space, named)])
    rows = [_row(space, record, hashes[record.id]) for record in records]
    late = tx.run(queries.record.add, space=space, spaceKey=space_key(space), rows=rows)
    raise_all([_conflict(row["id"]) for row in late if row["storedHash"] != hashes[row["id"]]])
    _link(tx, space, records)


def _purged_turns(tx: Transaction, space: str, turns: Iterable[str]) -> list[Row]:
    return tx.run(queries.turn.purged, space=space, ids=sorted(turns))


LABELS: Mapping[Kind, str] = {
    "fact": "Fact",
    "relation": "Relation",
    "summary": "Summary",
    "same_as": "SameAs",
    "invalidation": "Invalidation",
}
UNEMBEDDED = "Unembedded"
"""The label of a record whose vector is still to be made."""


def _row(space: str, record: Record, hash_: str) -> Row:
    turns = [source.turn for source in record.sources if source.turn]
    labels = [LABELS[record.kind], *([UNEMBEDDED] if record.kind in CLAIMS else [])]
    content = {
        "kind": record.kind,
        "text": record.text or None,
        "predicate": record.predicate,
        "sourceIds": turns,
        "contentHash": hash_,
        "tokens": [space_token(space), *(turn_token(space, turn) for turn in turns)],
    }
    sources = [_passage(source) for source in record.sources]
    return {"id": record.id, "labels": labels, "content": content, "sources": sources}


def _passage(source: Source) -> Row:
    passage = {
        "turn": source.turn,
        "quote": source.quote,
        "start": source.start,
        "end": source.end,
    }
    return {name: value for name, value in passage.items() if value is not None}


def _link(tx: Transaction, space: str, records: Sequence[Record]) -> None:
    links = {
        queries.record.build: [
            {"record": r.id, "input": id} for r in records for id in r.built_from
        ],
        queries.record.mention: sorted(
            (_mention(record, one) for record in records for one in record.mentions),
            key=lambda row: str(row["key"]),  # all lock entities in one order
        ),
        queries.record.invalidate: [
            {"record": r.id, "old": old, "new": r.replaced_by}
            for r in records
            for old in r.invalidates
        ],
    }
    for query, rows in links.items():
        if rows:
            tx.run(query, space=space, rows=rows)


def _mention(record: Record, mention: Mention) -> Row:
    return {
        "record": record.id,
        "key": mention.key,
        "name": mention.name,
        "type": mention.type,
        "subject": record.subject is not None and record.subject.key == mention.key,
        "object": record.object is not None and record.object.key == mention.key,
    }


def _unreachable(tx: Transaction, space: str, records: Sequence[Record]) -> set[str]:
    ids = [record.id for record in records if len(record.sources) > 1]
    if not ids:
        return set()
    return {row["id"] for row in tx.run(queries.record.unreachable, space=space, ids=ids)}
