"""Insights: what was learnt about the world, in versions, each with the evidence it stands on.

A version is a record like any other, derived from the turns that its text was written from. A merge
writes another version, and an invalidation of those it takes the place of; both are gated by the
new version's evidence. So an anchor sees the newest version that is derived wholly from its path:
an edit takes it back to an older one, going back brings the newer one back, and nothing is written.

Apart from this stands what was cited, by any version on any branch: at an anchor each of these
turns is live or revoked. How much an insight is supported counts the questions that its live
evidence belongs to, so that a second answer to one question adds nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Annotated, Any

from pydantic import BeforeValidator

from graphmem import _records
from graphmem._errors import InvalidInputError, NoSourceError, UnknownRecordError
from graphmem._explain import reason_of
from graphmem._gate import Gate
from graphmem._invalidation import refuse_own_ground, replacing
from graphmem._models import Evidence, Id, Insight, Label, Model, Reason, Share, Source
from graphmem._records import Flat, NewRecord, as_sources
from graphmem._text import entity_key
from graphmem.store import Row, Transaction, queries

KIND, CONFIDENCE = "observation", 1.0
"""What an insight is, and how sure, where nothing is said."""
PARTED = ": "
"""What stands between label and body in the record's text, which is what recall searches."""

# --- writing


def _as_evidence(items: Any) -> Any:
    """Read what a version was written from; an insight is the version that is shown."""
    if isinstance(items, str | Mapping) or not isinstance(items, Iterable):
        raise ValueError(f"evidence is a list; write [{items!r}]")
    return as_sources(
        Source(record=item.records[0]) if isinstance(item, Insight) else item for item in items
    )


class Version(Model):
    """What is to be said. None is taken over from the version before, with what that came from."""

    id: Id | None = None
    label: Label | None = None
    body: Label | None = None
    kind: Label | None = None
    confidence: Share | None = None
    evidence: Annotated[tuple[Source, ...], BeforeValidator(_as_evidence)]

    def after(self, last: Insight | None) -> Version:
        """Return what is to be stored after ``last``, with nothing left open."""
        if not self.evidence:
            raise NoSourceError(
                "the insight has no evidence; name the turns it was learnt from, without them it "
                "could never be shown"
            )
        if last is None:
            if self.label is None or self.body is None:
                raise InvalidInputError(
                    "there is no version here to take over from; give the insight a label and a "
                    "body"
                )
            return self.model_copy(update={**_DEFAULTS, **self.said()})
        before = {name: getattr(last, name) for name in ("label", "body", "kind", "confidence")}
        takes_over = self.label is None or self.body is None
        more = (Source(record=last.records[0]),) if takes_over else ()
        return self.model_copy(update={**before, **self.said(), "evidence": self.evidence + more})

    def said(self) -> dict[str, Any]:
        """Return what is said, by the names of an insight's fields."""
        fields = {
            "label": self.label,
            "body": self.body,
            "kind": self.kind,
            "confidence": self.confidence,
        }
        return {name: value for name, value in fields.items() if value is not None}


_DEFAULTS = {"kind": KIND, "confidence": CONFIDENCE}


def add(tx: Transaction, space: str, draft: Version) -> Insight:
    """Store the first version of an insight."""
    return _store(tx, space, draft.after(None), insight=None)


def merge(tx: Transaction, space: str, draft: Version, target: str | Insight | None) -> Insight:
    """Store another version: of the target, else of the insight with a label of the same words."""
    tx.run(queries.space.lock, space=space)  # of two at once, the second knows of the first
    seen = _seen_from(tx, space, draft.evidence)
    if target is None:
        insight = _of_like_label(draft, seen.values())
        if insight is None:
            return add(tx, space, draft)
    else:
        insight = target.id if isinstance(target, Insight) else target
        if not tx.run(queries.insight.versions, space=space, insight=insight):
            raise _unknown(insight)
    full = draft.after(seen.get(insight) or (target if isinstance(target, Insight) else None))
    if full.evidence != draft.evidence:  # what was taken over may lie further down
        seen = _seen_from(tx, space, full.evidence)
    last = seen.get(insight)
    if last and _says(tx, space, last, full):
        return last
    return _store(tx, space, full, insight=insight)


def _says(tx: Transaction, space: str, last: Insight, full: Version) -> bool:
    """Say whether a version says this already, from the same turns and records."""
    if full.said() != last.model_dump(include={*full.said()}):
        return False
    flat = _flat_sources(tx, space, full.evidence)
    [stored] = tx.run(queries.record.stored, space=space, ids=[last.records[0]])
    turns = {source.turn for source in flat.record.sources}
    return turns == {*stored["sourceIds"]} and {*flat.inputs} == {*stored["inputs"]}


def _of_like_label(draft: Version, seen: Iterable[Insight]) -> str | None:
    """Return the insight whose label has the same words, in any order and case."""
    if draft.label is None:
        raise InvalidInputError("name the insight to merge into, or give a label to find it by")
    wanted = _words(draft.label)
    return next((one.id for one in seen if _words(one.label) == wanted), None)


def _words(label: str) -> list[str]:
    return sorted(entity_key(label, None).split())


def _unknown(insight: str) -> UnknownRecordError:
    return UnknownRecordError(
        f"there is no insight {insight!r} in this space; `graphmem insights` lists them"
    )


def _flat_sources(tx: Transaction, space: str, evidence: Sequence[Source]) -> Flat:
    """Return evidence as turns and inputs.

    A version of an insight stands for what it came from: built from it, another would fall with it.
    """
    named = sorted({source.record for source in evidence if source.record})
    rows = tx.run(queries.record.stored, space=space, ids=named) if named else []
    versions = {row["id"]: row for row in rows if row["kind"] == "insight"}
    found: dict[tuple[str | None, str | None], Source] = {}
    for source in evidence:
        for one in _grounds(source, versions.get(source.record or "")):
            found.setdefault((one.turn, one.record), one)  # a passage may be quoted for one of them
    [flat] = _records.flattened(tx, space, [NewRecord(text="evidence", sources=(*found.values(),))])
    return flat


def _grounds(source: Source, version: Row | None) -> list[Source]:
    if version is None:
        return [source]
    turns = [Source(turn=turn) for turn in version["sourceIds"]]
    return turns + [Source(record=record) for record in version["inputs"]]


def _seen_from(tx: Transaction, space: str, evidence: Sequence[Source]) -> dict[str, Insight]:
    """Return the insights, by id, that can be seen where all of some evidence is."""
    turns = [source.turn for source in _flat_sources(tx, space, evidence).record.sources]
    tips = tx.run(queries.turn.tip, space=space, ids=turns)
    return {one.id: one for one in insights(tx, Gate(space, tips[0]["tip"]))} if tips else {}


def _store(
    tx: Transaction,
    space: str,
    draft: Version,
    *,
    insight: str | None,
) -> Insight:
    flat = _flat(tx, space, draft, insight)
    own = insight or flat.record.id
    known = tx.run(queries.record.stored, space=space, ids=[flat.record.id])
    others = tx.run(queries.insight.versions, space=space, insight=own)
    version = _version(others, flat.record.id)
    falls: list[Flat] = []
    if insight and not known:
        old = [row["id"] for row in others]
        refuse_own_ground(tx, space, old, flat.inputs)
        falls = replacing(old, flat, flat.record.sources)
    [stored, *_] = _records.store(tx, space, [flat, *falls])
    if not known:
        mark = {"id": stored.id, "insight": own, "version": version}
        tx.run(queries.insight.mark, space=space, rows=[mark])
    return _seen_from(tx, space, draft.evidence).get(own) or Insight(
        id=own,
        **draft.said(),
        version=version,
        sources=tuple(str(source.turn) for source in stored.sources),
        support=0,
        records=(stored.id,),
        unreachable=stored.unreachable,
    )


def _flat(
    tx: Transaction,
    space: str,
    draft: Version,
    insight: str | None,
) -> Flat:
    sources = _flat_sources(tx, space, draft.evidence)
    record = sources.record.model_copy(
        update={
            "id": draft.id or "",
            "kind": "insight",
            "text": f"{draft.label}{PARTED}{draft.body}",
        }
    )
    held = {
        "label": draft.label,
        "insightKind": draft.kind,
        "confidence": draft.confidence,
        "insight": insight,
    }
    more = {name: value for name, value in held.items() if value is not None}
    return Flat(record, sources.inputs, more).named()


def _version(others: Sequence[Row], record: str) -> int:
    """Return the number of a version: its own, or the one after all others."""
    own = [row["version"] for row in others if row["id"] == record]
    return int(own[0] if own else others[0]["version"] + 1 if others else 1)


# --- reading


def insights(tx: Transaction, gate: Gate) -> list[Insight]:
    """Return the insights that can be seen, the newest current version of each, by label."""
    settled = gate.settled(tx)
    rows = settled.rows(tx, settled.current().then(queries.insight.row))
    versions: dict[str, list[Row]] = {}
    for row in rows:
        versions.setdefault(row["insight"], []).append(row)
    newest = {
        insight: next(row for row in found if row["current"])
        for insight, found in versions.items()
        if any(row["current"] for row in found)
    }
    support = _support(tx, settled, newest)
    found = [_insight(row, versions[insight], support[insight]) for insight, row in newest.items()]
    return sorted(found, key=lambda one: (one.label.casefold(), one.id))


def _insight(row: Row, versions: Sequence[Row], support: int) -> Insight:
    return Insight.model_construct(
        id=row["insight"],
        label=row["label"],
        body=row["text"].removeprefix(row["label"] + PARTED),
        kind=row["kind"],
        confidence=row["confidence"],
        version=row["version"],
        sources=tuple(row["sourceIds"]),
        support=support,
        records=tuple(dict.fromkeys([row["id"], *(version["id"] for version in versions)])),
    )


def _support(tx: Transaction, gate: Gate, newest: Mapping[str, Row]) -> dict[str, int]:
    """Count the questions that live evidence belongs to, where each insight is seen from."""
    trees: dict[int, list[str]] = {}
    for insight, row in newest.items():
        trees.setdefault(row["tree"], []).append(insight)
    leaves = {row["rank"]: row["leafId"] for row in gate.leaves or ()} or {0: gate.anchor}
    questions: dict[str, set[str]] = {insight: set() for insight in newest}
    for tree, ids in trees.items():
        for row in _cited_by(tx, Gate(gate.space, leaves[tree]), ids):
            if _is_live(row):
                questions[row["insight"]].add(row["question"] or row["cited"])
    return {insight: len(found) for insight, found in questions.items()}


def _cited_by(tx: Transaction, gate: Gate, ids: Sequence[str]) -> list[Row]:
    runs = gate.runs(tx)
    return tx.run(queries.insight.evidence, space=gate.space, ids=ids, runs=runs)


def _is_live(row: Row) -> bool:
    hidden = row["awaited"] or row["revoked"] or row["purged"]
    return bool(row["stored"] and row["onPath"] and not hidden)


def evidence(tx: Transaction, gate: Gate, insight: str | Insight) -> list[Evidence]:
    """Return every turn that an insight ever cited: what an anchor's path still has of it."""
    id_ = insight.id if isinstance(insight, Insight) else insight
    rows = _cited_by(tx, gate, [id_])
    if not rows:
        raise _unknown(id_)
    rows.sort(key=lambda row: (min(row["versions"]), row["cited"]))
    return [_evidence(tx, gate, row) for row in rows]


def _evidence(tx: Transaction, gate: Gate, row: Row) -> Evidence:
    if gate.anchor is None:
        reason: Reason | None = Reason(code="no_anchor", source=row["cited"])
    else:
        reason = reason_of(
            tx, gate, row["cited"], {**row, "space": gate.space} if row["stored"] else None
        )
    return Evidence(
        turn=row["cited"],
        status="revoked" if reason else "live",
        versions=tuple(sorted(row["versions"])),
        question=row["question"],
        reason=reason,
    )
