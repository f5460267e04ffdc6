"""Why a record is hidden, and what two anchors do not share."""

from __future__ import annotations

from graphmem._claims import claim_key, claim_of, collapsed, record_of
from graphmem._errors import UnknownRecordError
from graphmem._gate import Gate, require_turn
from graphmem._models import (
    CLAIMS,
    Claim,
    Difference,
    Explanation,
    Reason,
    ReasonCode,
    Record,
)
from graphmem.store import Row, Transaction, queries


def explain(tx: Transaction, gate: Gate, record: str) -> Explanation:
    """Say whether a record is visible and current at the gate's anchor, and if not, why."""
    for _ in range(2):  # again if what was missing has arrived between the two queries
        rows = tx.run(queries.gate.sources, space=gate.space, anchor=gate.anchor, record=record)
        seen = gate.claims(tx, ids=[record])
        if not rows:
            raise UnknownRecordError(f"there is no record {record!r} in this space")
        reasons = [] if seen else _reasons(tx, gate, rows[0])
        if seen or reasons:
            break
    claim = claim_of(seen) if seen else None
    return Explanation(
        record=record,
        anchor=gate.anchor,
        visible=bool(seen),
        current=claim is not None and claim.current,
        invalidated=claim.invalidated if claim else (),
        reasons=tuple(reasons),
        unreachable=bool(tx.run(queries.record.unreachable, space=gate.space, ids=[record])),
    )


def one_visible(tx: Transaction, gate: Gate, record: str) -> Record | None:
    """Return a record if it is visible; of what an invalidation names, only what is visible too."""
    rows = gate.claims(tx, ids=[record])
    if not rows:
        return None
    found = record_of(rows[0])
    named = [*found.invalidates, *([found.replaced_by] if found.replaced_by else [])]
    if not named:
        return found
    seen = {row["id"] for row in gate.claims(tx, ids=named)}
    return found.model_copy(
        update={
            "invalidates": tuple(id for id in found.invalidates if id in seen),
            "replaced_by": found.replaced_by if found.replaced_by in seen else None,
        }
    )


def _reasons(tx: Transaction, gate: Gate, row: Row) -> list[Reason]:
    if gate.anchor is None:
        return [Reason(code="no_anchor")]
    if row["purged"]:
        return [Reason(code="purged")]
    # Of two links to one id, the one into another space is what hides the record.
    foreign_last = sorted(row["linked"], key=lambda source: source["space"] != gate.space)
    linked = {source["id"]: source for source in foreign_last}
    ids = dict.fromkeys([*(row["declared"] or ()), *linked])
    if not row["declared"]:
        return [Reason(code="no_source")]
    reasons = [Reason(code="revoked", record=id) for id in row["revoked"]]
    reasons += [Reason(code="purged", record=id) for id in row["purgedInputs"]]
    found = [reason_of(tx, gate, id, linked.get(id)) for id in ids]
    return [*reasons, *(reason for reason in found if reason)]


def reason_of(tx: Transaction, gate: Gate, source: str, linked: Row | None) -> Reason | None:
    """Return why a source hides what came from it, None when it does not."""
    if code := _trouble(linked, gate.space):
        return Reason(code=code, source=source)
    if linked and linked["onPath"]:
        return None
    return Reason(code="off_path", source=source, fork=fork(tx, gate, source)[0])


def _trouble(linked: Row | None, space: str) -> ReasonCode | None:
    """Return what hides a source wherever it lies."""
    if linked is None:
        return "lost"
    if linked["space"] != space:
        return "other_space"
    states: tuple[ReasonCode, ...] = ("awaited", "purged", "revoked")
    return next((state for state in states if linked[state]), None)


def fork(tx: Transaction, gate: Gate, other: str) -> tuple[str | None, int | None]:
    """Return the fork with ``other`` and how many turns it lies before the anchor."""
    rows = tx.run(queries.gate.fork, space=gate.space, a=gate.anchor, b=other)
    if rows:
        return rows[0]["fork"], rows[0]["distance"]
    for turn in (gate.anchor, other):
        if turn is not None:
            require_turn(tx, gate.space, turn)
    return None, None


def difference(tx: Transaction, here: Gate, there: Gate) -> Difference:
    """Return the claims that are current at one anchor and not at the other."""
    shared, distance = fork(tx, here, str(there.anchor))
    _, back = fork(tx, there, str(here.anchor)) if here.anchor is not None else (None, None)
    return Difference(
        fork=shared,
        only_a=tuple(_only(tx, here, there, distance, back)),
        only_b=tuple(_only(tx, there, here, back, distance)),
    )


def _only(
    tx: Transaction, here: Gate, there: Gate, since: int | None, until: int | None
) -> list[Claim]:
    """Return what is current here and not there: learnt since the fork, or given up there."""
    given_up = there.claims(tx, kinds=["invalidation"], within=until)
    targets = sorted({old for row in given_up for old in row["invalidates"]})
    fallen = tx.run(queries.record.dependents, space=here.space, ids=targets)
    rows = here.claims(tx, ids=[row["id"] for row in fallen], history=False) if fallen else []
    rows += here.claims(tx, kinds=CLAIMS, within=since, history=False)
    ours = collapsed({row["id"]: row for row in rows if row["kind"] in CLAIMS}.values())
    theirs = {(row["kind"], row["text"]) for row in there.saying(tx, [c.text for c in ours])}
    return [claim for claim in ours if claim_key(claim) not in theirs]
