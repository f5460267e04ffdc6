"""Storing records: what was derived, with the turns it came from."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Annotated, Any, NamedTuple, Self

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
from graphmem._text import entity_token, number_of, place_token, space_token
from graphmem._turns import as_fields, hash_of, place_missing
from graphmem.store import Row, Transaction, queries


def _as_source(item: Any) -> Any:
    if isinstance(item, str):
        return Source(turn=item)
    if isinstance(item, Record | Claim):
        return Source(record=item.id)
    return item


def as_sources(items: Any) -> Any:
    """Read sources as callers give them: ids of turns, sources, records."""
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


_MADE_BY: Mapping[Kind, str] = {
    "invalidation": "`correct` or `retract`",
    "insight": "`add_insight` or `merge_insight`",
    "credit": "`reward`",
}


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
    sources: Annotated[tuple[Source, ...], BeforeValidator(as_sources)]
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
        if verb := _MADE_BY.get(self.kind):
            raise ValueError(f"records of the kind {self.kind} are made by {verb}")
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


def add(
    tx: Transaction, space: str, new: Sequence[NewRecord], *, skip_purged: bool = False
) -> list[Record]:
    """Store records in the transaction; raise and leave nothing when one of them is refused.

    Those that were purged, or come from what was, can be left out instead.
    """
    if not skip_purged:
        return store(tx, space, flattened(tx, space, new))
    flat = flattened(tx, space, _without_purged(tx, space, new))
    rows = tx.run(queries.record.stored, space=space, ids=sorted({one.record.id for one in flat}))
    purged = {row["id"] for row in rows if row["purged"]}
    return store(tx, space, [one for one in flat if one.record.id not in purged])


def _without_purged(tx: Transaction, space: str, new: Sequence[NewRecord]) -> list[NewRecord]:
    turns = {source.turn for item in new for source in item.sources if source.turn}
    spots = tx.run(queries.turn.spots, space=space, ids=sorted(turns))
    gone_turns = {row["id"] for row in spots if row["purged"]}
    gone = {row["id"] for row in _inputs(tx, space, new) if row["purged"]}
    return [
        item
        for item in new
        if not any(source.turn in gone_turns or source.record in gone for source in item.sources)
    ]


@dataclass(frozen=True)
class Flat:
    """A record ready to be stored: its sources are turns, its ``inputs`` all it is built from.

    ``more`` is what records of its kind hold besides.
    """

    record: Record
    inputs: tuple[str, ...] = ()
    more: Mapping[str, Any] = field(default_factory=dict)

    @cached_property
    def hash(self) -> str:
        """What tells one content from another.

        The order of the sources is no part of it, nor is what the text mentions: that may be read
        from the same text in other ways.
        """
        record = self.record
        passages = [[one.turn, one.quote, one.start, one.end] for one in record.sources]
        passages.sort(key=lambda passage: str(passage[0]))  # a turn is there once
        content: list[Any] = [record.kind, record.text, passages, sorted(record.built_from)]
        if record.subject and record.object:
            content += [record.subject.key, record.predicate, record.object.key]
        if record.invalidates:
            content += [sorted(record.invalidates), record.replaced_by]
        if self.more:
            content.append(dict(self.more))
        return hash_of(content)

    def named(self) -> Flat:
        """Return it with an id made of its content if it has none."""
        if self.record.id:
            return self
        return replace(self, record=self.record.model_copy(update={"id": self.hash}))


def store(tx: Transaction, space: str, new: Sequence[Flat]) -> list[Record]:
    """Store records that have been flattened."""
    by_id = {flat.record.id: flat for flat in new}
    rows = tx.run(queries.record.stored, space=space, ids=sorted(by_id))
    raise_all([_refusal(row) for row in rows if row["contentHash"] != by_id[row["id"]].hash])
    stored = {row["id"] for row in rows}
    _write(tx, space, [by_id[id] for id in sorted(by_id.keys() - stored)])
    unreachable = _unreachable(tx, space, [flat.record for flat in new])
    return [
        flat.record.model_copy(update={"unreachable": True})
        if flat.record.id in unreachable
        else flat.record
        for flat in new
    ]


def _refusal(row: Row) -> ConflictError:
    return _purged("record", row["id"]) if row["purged"] else _conflict(row["id"])


def _purged(what: str, id_: str) -> PurgedError:
    return PurgedError(
        f"{what} {id_!r} was purged; it does not come back, and nothing can be derived from it",
        id=id_,
    )


def _conflict(id_: str) -> ConflictError:
    return ConflictError(
        f"record {id_!r} is stored with other content; records never change: leave the id out, or "
        "give the new one its own",
        id=id_,
    )


def flattened(tx: Transaction, space: str, new: Sequence[NewRecord]) -> list[Flat]:
    """Give each record the turns of those it is built from, which may be earlier in the batch.

    It is then built from what these are built from as well: what hides one of them is one step away
    from all that hangs on it.
    """
    rows = _inputs(tx, space, new)
    raise_all([_purged("record", row["id"]) for row in rows if row["purged"]])
    known = {row["id"]: _Known(row["sourceIds"], row["inputs"]) for row in rows}
    errors: list[UsageError] = []
    found: dict[str, Flat] = {}
    order: list[str] = []
    for item in new:
        unknown = [s.record for s in item.sources if s.record is not None and s.record not in known]
        if unknown:
            errors.append(_unknown_input(unknown[0], item))
            continue
        flat = _flat(item, known)
        id_ = flat.record.id
        known.setdefault(id_, _Known([str(s.turn) for s in flat.record.sources], flat.inputs))
        if found.setdefault(id_, flat).hash != flat.hash:
            errors.append(_conflict(id_))
        order.append(id_)
    raise_all(errors)
    return [found[id_] for id_ in order]


class _Known(NamedTuple):
    """The turns and the inputs of a record that others are built from."""

    turns: Sequence[str]
    inputs: Sequence[str]


def _unknown_input(record: str, item: NewRecord) -> UnknownRecordError:
    return UnknownRecordError(
        f"there is no record {record!r} in this space to build {item.text[:40]!r} from"
    )


def _inputs(tx: Transaction, space: str, new: Sequence[NewRecord]) -> list[Row]:
    """Return what is stored of the records that new ones are built from."""
    ids = sorted({source.record for item in new for source in item.sources if source.record})
    return tx.run(queries.record.stored, space=space, ids=ids) if ids else []


def _flat(item: NewRecord, known: Mapping[str, _Known]) -> Flat:
    turns: dict[str | None, Source] = {}
    for source in item.sources:
        if source.record is None:
            turns[source.turn] = source
        else:
            for turn in known[source.record].turns:
                turns.setdefault(turn, Source.model_construct(turn=turn))
    inputs = dict.fromkeys(source.record for source in item.sources if source.record)
    deeper = dict.fromkeys(deep for one in inputs for deep in known[one].inputs)
    record = Record.model_construct(
        id=item.id or "",
        kind=item.kind,
        text=item.text,
        sources=tuple(turns.values()),
        built_from=tuple(inputs),
        mentions=_all_mentions(item),
        subject=item.subject,
        predicate=item.predicate,
        object=item.object,
    )
    return Flat(record, tuple(inputs | deeper)).named()


def _all_mentions(item: NewRecord) -> tuple[Mention, ...]:
    """Return what a record mentions, each entity once; the ends of a relation are among them."""
    named = [*(end for end in (item.subject, item.object) if end), *item.mentions]
    return tuple({mention.key: mention for mention in reversed(named)}.values())[::-1]


def _write(tx: Transaction, space: str, new: Sequence[Flat]) -> None:
    if not new:
        return
    tx.run(queries.space.add, space=space)
    records = [flat.record for flat in new]
    named = {source.turn for record in records for source in record.sources if source.turn}
    place_missing(tx, space, named)
    spots = _spots(tx, space, named)
    rows = [_row(space, flat, spots) for flat in new]
    late = tx.run(queries.record.add, space=space, rows=rows)
    hashes = {flat.record.id: flat.hash for flat in new}
    raise_all([_refusal(row) for row in late if row["contentHash"] != hashes[row["id"]]])
    _spots(tx, space, named)  # the links hold the turns: whatever purges one comes later
    _link(tx, space, new)


def _spots(tx: Transaction, space: str, turns: Iterable[str]) -> dict[str, Row]:
    """Return where turns are; PurgedError when one of them has been purged."""
    rows = tx.run(queries.turn.spots, space=space, ids=sorted(turns))
    raise_all([_purged("turn", row["id"]) for row in rows if row["purged"]])
    return {row["id"]: row for row in rows}


LABELS: Mapping[Kind, str] = {
    "fact": "Fact",
    "relation": "Relation",
    "summary": "Summary",
    "insight": "Insight",
    "same_as": "SameAs",
    "invalidation": "Invalidation",
    "credit": "Credit",
}
UNEMBEDDED = "Unembedded"
"""The label of a record whose vector is still to be made."""


def _row(space: str, flat: Flat, spots: Mapping[str, Row]) -> Row:
    record = flat.record
    turns = [source.turn for source in record.sources if source.turn]
    labels = [LABELS[record.kind], *([UNEMBEDDED] if record.kind in CLAIMS else [])]
    content = {
        "kind": record.kind,
        "text": record.text or None,
        "predicate": record.predicate,
        "sourceIds": turns,
        "contentHash": flat.hash,
        **flat.more,
        **_found_by(space, _deepest([spots[turn] for turn in turns]), record.mentions),
    }
    sources = [_passage(source) for source in record.sources]
    return {"id": record.id, "labels": labels, "content": content, "sources": sources}


def _deepest(spots: Sequence[Row]) -> Row:
    """Return the last spot in the segment of the last source: few paths reach it in vain."""
    segment = spots[-1]["segment"]
    return max(
        (spot for spot in spots if spot["segment"] == segment), key=lambda spot: spot["place"] or 0
    )


def _found_by(space: str, spot: Row, mentions: Iterable[Mention]) -> Row:
    """Return what the indexes find a record by: its space, its entities, where one source is.

    Where that one is not on a path, the record cannot be visible.
    """
    segment, place = spot["segment"], spot["place"]
    tokens = [space_token(space), *(entity_token(space, mention.key) for mention in mentions)]
    if segment is not None:  # a store that an earlier graphmem filled has turns without a place
        tokens.append(place_token(segment, place))
    return {"spaceKey": number_of(space), "segment": segment, "place": place, "tokens": tokens}


def _passage(source: Source) -> Row:
    passage = {
        "turn": source.turn,
        "quote": source.quote,
        "start": source.start,
        "end": source.end,
    }
    return {name: value for name, value in passage.items() if value is not None}


def _link(tx: Transaction, space: str, new: Sequence[Flat]) -> None:
    records = [flat.record for flat in new]
    links = {
        queries.record.build: [
            {
                "record": flat.record.id,
                "input": id,
                "direct": id in flat.record.built_from or None,
            }
            for flat in new
            for id in flat.inputs
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
    _require_inputs(tx, space, {id for flat in new for id in flat.inputs})


def _require_inputs(tx: Transaction, space: str, inputs: Iterable[str]) -> None:
    """Raise unless all inputs, which their new links hold, are there: one may have been purged."""
    ids = sorted(inputs)
    rows = tx.run(queries.record.stored, space=space, ids=ids) if ids else []
    left = {row["id"] for row in rows if not row["purged"]}
    raise_all([_purged("record", id) for id in ids if id not in left])


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
