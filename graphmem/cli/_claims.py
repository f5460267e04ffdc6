"""Claims as the commands show them: as a table for people, as JSON for programs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from rich.table import Table

from graphmem._models import Claim, Invalidated, Source
from graphmem.cli._output import shown, table

TURNS_SHOWN = 3


def claim_json(claim: Claim) -> dict[str, Any]:
    """Return a claim as JSON, without what it leaves open."""
    return {
        "id": claim.id,
        "text": claim.text,
        "kind": claim.kind,
        "supports": claim.supports,
        "sources": [_source_json(source) for source in claim.sources],
        "records": list(claim.records),
        "current": claim.current,
        "invalidated": [one.model_dump(mode="json") for one in claim.invalidated],
    }


def _source_json(source: Source) -> dict[str, Any]:
    return {"turn": source.turn, "quote": source.quote, "start": source.start, "end": source.end}


def claim_table(claims: Sequence[Claim], what: str = "fact") -> Table:
    """Return a table of claims, with a column for what became of them if one no longer holds."""
    dated = any(not claim.current for claim in claims)
    rows = table(what, *(["no longer holds"] if dated else []), "supports", "from", "id")
    for claim in claims:
        row = [str(claim.supports), turns_of(claim.sources), shown(claim.id)]
        rows.add_row(shown(claim.text, 90), *([end_of(claim)] if dated else []), *row)
    return rows


def turns_of(sources: Sequence[Source]) -> str:
    """Return the first turns that something comes from, and how many more there are."""
    turns = ", ".join(shown(str(source.turn)) for source in sources[:TURNS_SHOWN])
    more = len(sources) - TURNS_SHOWN
    return f"{turns} +{more}" if more > 0 else turns


def end_of(claim: Claim) -> str:
    """Return by what a claim no longer holds; nothing while it does."""
    if claim.current:
        return ""
    return "; ".join(map(ended_by, claim.invalidated)) or "no longer"


def ended_by(one: Invalidated) -> str:
    """Return which turns took a record back, and what they put in its place."""
    by = f"since {_names(one.sources)}"
    return f"{by}: {shown(one.text, 60)}" if one.text else f"{by}: retracted"


def _names(ids: Iterable[str]) -> str:
    return ", ".join(map(shown, ids))
