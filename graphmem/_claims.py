"""From rows of ``record/row.cypher`` to records and claims."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from graphmem._models import Claim, Invalidated, Mention, Record, Source
from graphmem.store import Row

Key = tuple[str, str]


def claim_key(claim: Claim) -> Key:
    """Return what makes two claims one."""
    return claim.kind, claim.text


def sources_of(row: Row) -> tuple[Source, ...]:
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


def mention_of(row: Row) -> Mention:
    """Read how a record names an entity."""
    return Mention.model_construct(name=row["name"], type=row["type"])


def record_of(row: Row) -> Record:
    """Build a record as it is in the graph."""
    named = [(one, mention_of(one)) for one in row["mentions"]]
    return Record.model_construct(
        id=row["id"],
        kind=row["kind"],
        text=row["text"] or "",
        sources=sources_of(row),
        built_from=tuple(row["builtFrom"]),
        mentions=tuple(mention for _, mention in named),
        subject=next((mention for one, mention in named if one["subject"]), None),
        predicate=row["predicate"],
        object=next((mention for one, mention in named if one["object"]), None),
        invalidates=tuple(row["invalidates"]),
        replaced_by=row["replacedBy"],
    )


def collapsed(rows: Iterable[Row]) -> list[Claim]:
    """Make one claim of the records that say the same, in the order of the first."""
    groups: dict[Key, list[Row]] = {}
    for row in rows:
        groups.setdefault((row["kind"], row["text"] or row["id"]), []).append(row)
    return [claim_of(same) for same in groups.values()]


def claim_of(same: Sequence[Row]) -> Claim:
    """Build a claim of records that say the same: of those that are current, if any is."""
    standing = [row for row in same if row["current"]] or list(same)
    sources: dict[str | None, Source] = {}
    mentions: dict[str, Mention] = {}
    for row in standing:
        for source in sources_of(row):
            sources.setdefault(source.turn, source)
        for mention in map(mention_of, row["mentions"]):
            mentions.setdefault(mention.key, mention)
    first = standing[0]
    return Claim.model_construct(
        id=first["id"],
        kind=first["kind"],
        text=first["text"] or "",
        supports=len({frozenset(row["sourceIds"]) for row in standing}),
        records=tuple(row["id"] for row in standing),
        sources=tuple(sources.values()),
        mentions=tuple(mentions.values()),
        current=first["current"],
        invalidated=() if first["current"] else _invalidated(standing),
    )


def _invalidated(rows: Sequence[Row]) -> tuple[Invalidated, ...]:
    found = {one["id"]: one for row in rows for one in row["invalidatedBy"]}
    return tuple(
        Invalidated.model_construct(
            id=one["id"],
            sources=tuple(one["sourceIds"]),
            replaced_by=(one["replacedBy"] or {}).get("id"),
            text=(one["replacedBy"] or {}).get("text"),
        )
        for one in found.values()
    )
