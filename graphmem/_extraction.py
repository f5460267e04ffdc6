"""Reading turns with an extractor, and storing what it finds together with the turn's state.

A turn keeps, for each extractor, whether it is ``done`` or ``failed`` and why. The state and what
was found are written in one transaction, in which the sources are looked at once more: a crash
loses nothing, and nothing is stored twice. A result that comes late belongs to the turn that was
read, wherever the conversation went meanwhile.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from graphmem import _invalidation, _records
from graphmem._claims import claim_key, collapsed
from graphmem._errors import (
    GraphmemError,
    InvalidInputError,
    ModelUnavailableError,
    PurgedError,
    StoreError,
    UnknownRecordError,
    UnknownTurnError,
    raise_all,
)
from graphmem._gate import Gate
from graphmem._models import CLAIMS, Claim, Id, Model, Turn
from graphmem._recall import Question, recall
from graphmem._records import NewRecord
from graphmem._turns import turn_of
from graphmem.extract import ExtractedFact, ExtractedRelation, Extraction, Extractor, Reading
from graphmem.store import RefusedError, Store, Transaction, queries

logger = logging.getLogger("graphmem.extract")

PATH = 12
"""Turns before the one that is read that the extractor is shown."""
OFFERED = 40
"""Claims that it is shown: the latest, and those that a question in the turn's words would find."""
RECENT = 40
"""The last turns of a path whose claims are shown, whatever words they use."""
GIVE_UP = 3
"""Turns in a row for which the endpoint gives no answer, before the rest is left for later."""
LONGEST_REASON = 500
_NAME = re.compile(r"[a-z0-9_]{1,64}")
Progress = Callable[[int, int], object]


class Failure(Model):
    """A turn that could not be read, and why. It can be read again with ``retry_failed``."""

    turn: Id
    reason: str


class Extracted(Model):
    """What a run of an extractor did.

    ``read`` turns gave ``records`` (facts, relations and merges, new or known) and ``corrections``.
    ``rejected`` items were dropped because they named what they had not been offered, or said
    nothing. ``failed`` turns are kept for another try.
    """

    extractor: str
    read: int = 0
    records: int = 0
    corrections: int = 0
    rejected: int = 0
    failed: tuple[Failure, ...] = ()


def extract(
    store: Store,
    space: str,
    extractor: Extractor,
    *,
    turns: Iterable[str] | None = None,
    retry_failed: bool = False,
    lazy: bool = False,
    progress: Progress | None = None,
) -> Extracted:
    """Read the turns that the extractor has not read yet, each after its parent.

    Errors: `UnknownTurnError`; `ModelUnavailableError` when the endpoint stops answering: what was
    read is kept, the turns it failed for are marked, and the others wait.
    """
    turns = None if turns is None else sorted(set(turns))
    _require(store, space, turns or ())
    job = _Job(store, space, checked_extractor(extractor))
    waiting = job.waiting(retry_failed=retry_failed, lazy=lazy, turns=turns)
    total = Extracted(extractor=extractor.name)
    in_a_row = 0
    for done, turn in enumerate(waiting, 1):
        try:
            total = _sum(total, job.read(turn))
            in_a_row = 0
        except ModelUnavailableError as error:
            in_a_row += 1
            total = _sum(total, job.fail(turn, error))
            if in_a_row == GIVE_UP or not error.retryable:
                raise
        except RefusedError as error:  # this turn's doing: the others may be read
            total = _sum(total, job.fail(turn, error))
        except StoreError:
            raise
        except GraphmemError as error:
            in_a_row = 0
            total = _sum(total, job.fail(turn, error))
        if progress:
            progress(done, len(waiting))
    return total


def _require(store: Store, space: str, turns: Sequence[str]) -> None:
    """Raise unless the space knows all of some turns."""
    rows = store.run(queries.turn.stored, space=space, ids=list(turns)) if turns else []
    known = {row["id"] for row in rows}
    raise_all(
        [
            UnknownTurnError(f"there is no turn {id!r} in space {space!r} to read")
            for id in turns
            if id not in known
        ]
    )


def failures(store: Store, space: str, extractor: str) -> list[Failure]:
    """Return the turns that an extractor could not read."""
    rows = store.run(queries.extraction.failed, space=space, **_state(extractor))
    return [Failure(turn=row["id"], reason=row["reason"] or "unknown") for row in rows]


def waiting(store: Store, space: str, extractor: str) -> int:
    """Return how many turns an extractor has not read. Reads the whole space."""
    state = _state(extractor)["state"]
    query = queries.extraction.all.then(queries.extraction.waiting)
    return len(store.run(query, space=space, state=state, retry=False, lazy=False))


def mark_read(store: Store, space: str, extractor: str, turns: Sequence[str]) -> None:
    """Note that an extractor need not read some turns: what it would find is stored."""
    state = _state(extractor)
    unread = store.run(
        queries.extraction.unread, space=space, ids=list(turns), state=state["state"]
    )
    rows = [{"id": id, "state": "done", "reason": None} for id in sorted(r["id"] for r in unread)]
    if rows:
        store.run(queries.extraction.note, space=space, rows=rows, **state)


def checked_extractor(extractor: Extractor) -> Extractor:
    """Return the extractor; InvalidInputError when its name cannot be a key on a turn."""
    if not _NAME.fullmatch(extractor.name):
        raise InvalidInputError(
            f"{extractor.name!r} is no name for an extractor; use a-z, 0-9 and _ (at most 64)"
        )
    return extractor


def _state(extractor: str) -> dict[str, str]:
    return {"state": f"read_{extractor}", "reason": f"readError_{extractor}"}


class _Job:
    """One extractor at work on one space."""

    def __init__(self, store: Store, space: str, extractor: Extractor) -> None:
        self._store = store
        self._space = space
        self._extractor = extractor
        self._state = _state(extractor.name)

    def waiting(self, *, retry_failed: bool, lazy: bool, turns: Sequence[str] | None) -> list[str]:
        """Return the turns to read, each after those that it follows."""
        every, named = queries.extraction.all, queries.extraction.named
        rows = self._store.run(
            (every if turns is None else named).then(queries.extraction.waiting),
            space=self._space,
            state=self._state["state"],
            retry=retry_failed,
            lazy=lazy,
            **({} if turns is None else {"ids": turns}),
        )
        return [row["id"] for row in rows]

    def read(self, turn: str) -> Extracted:
        """Read one turn and store what it says."""
        reading = self._store.read(lambda tx: self._reading(tx, turn))
        if reading is None:
            return Extracted(extractor=self._extractor.name)
        extraction = self._extractor.extract(reading)
        return self._store.write(lambda tx: self._keep(tx, reading, extraction))

    def fail(self, turn: str, error: Exception) -> Extracted:
        """Note on the turn that it could not be read."""
        reason = f"{type(error).__name__}: {error}"[:LONGEST_REASON]
        logger.warning("turn could not be read: %s", type(error).__name__)
        if not self._store.write(lambda tx: self._failed(tx, turn, reason)):
            return Extracted(extractor=self._extractor.name)
        return Extracted(
            extractor=self._extractor.name, failed=(Failure(turn=turn, reason=reason),)
        )

    def _failed(self, tx: Transaction, turn: str, reason: str) -> bool:
        """Note a failure, unless the turn has been read or purged meanwhile; say whether."""
        if self._settled(tx, turn):
            return False
        self._note(tx, turn, "failed", reason)
        return True

    def _settled(self, tx: Transaction, turn: str) -> bool:
        """Say whether a turn, held from now on, needs no more reading."""
        state = self._state["state"]
        [held] = tx.run(queries.extraction.hold, space=self._space, id=turn, state=state)
        return bool(held["purged"]) or held["state"] == "done"

    def _reading(self, tx: Transaction, turn: str) -> Reading | None:
        """Return what the extractor is given, None for a turn that has been forgotten meanwhile."""
        gate = Gate(self._space, turn)
        query = queries.extraction.context.then(queries.turn.row)
        rows = gate.rows(tx, query, length=RECENT)
        path = [turn_of(row) for row in rows if not (row["awaited"] or row["forgotten"])]
        if not path or path[-1].id != turn:
            return None
        return Reading(
            turn=path[-1],
            path=tuple(path[:-1][-PATH:]),
            claims=tuple(_offered(tx, gate, path)),
        )

    def _keep(self, tx: Transaction, reading: Reading, extraction: Extraction) -> Extracted:
        # What is purged while this writes would undo half of it: hold all that is cited.
        tx.run(queries.turn.hold, space=self._space, ids=_cited(reading, extraction))
        if self._settled(tx, reading.turn.id):  # while it was read
            return Extracted(extractor=self._extractor.name)
        kept = self._store_all(tx, reading, extraction)
        self._note(tx, reading.turn.id, "done", None)
        return kept

    def _store_all(self, tx: Transaction, reading: Reading, extraction: Extraction) -> Extracted:
        stated: list[ExtractedFact | ExtractedRelation] = [
            *extraction.facts,
            *extraction.relations,
        ]
        named = {id for one in stated for id in one.supersedes}
        named |= {one.claim for one in extraction.retractions}
        claims = self._there(tx, [claim for claim in reading.claims if claim.id in named])
        olds = [_superseded(one, claims) for one in stated]
        plain = [_record(one) for one, old in zip(stated, olds, strict=True) if not old]
        plain += [
            NewRecord(kind="same_as", subject=one.a, object=one.b, sources=one.sources)
            for one in extraction.same_as
        ]
        stored = _records.add(tx, self._space, plain, skip_purged=True)
        replaced = [
            self._invalidate(tx, old, (), _record(one))
            for one, old in zip(stated, olds, strict=True)
            if old
        ]
        retracted = [
            self._invalidate(tx, [claims[one.claim]], one.sources, None)
            for one in extraction.retractions
            if one.claim in claims
        ]
        return Extracted(
            extractor=self._extractor.name,
            read=1,
            records=len(stored) + sum(replaced),
            corrections=sum(replaced) + sum(retracted),
            rejected=len(extraction.rejected),
        )

    def _there(self, tx: Transaction, claims: Sequence[Claim]) -> dict[str, Claim]:
        """Return, by their ids, the claims that were not purged while the turn was read."""
        ids = [id for claim in claims for id in claim.records]
        rows = tx.run(queries.record.stored, space=self._space, ids=ids) if ids else []
        there = {row["id"] for row in rows if not row["purged"]}
        left = {claim.id: [id for id in claim.records if id in there] for claim in claims}
        return {
            claim.id: claim.model_copy(update={"records": tuple(left[claim.id])})
            for claim in claims
            if left[claim.id]
        }

    def _invalidate(
        self, tx: Transaction, old: Sequence[Claim], sources: Any, new: NewRecord | None
    ) -> bool:
        """Correct or retract claims, if they and what says so are still there."""
        try:
            _invalidation.invalidate(tx, self._space, list(old), sources, new=new)
        except (PurgedError, UnknownRecordError):
            # Purged while the turn was read. It is said before the first write: the turns are held.
            return False
        return True

    def _note(self, tx: Transaction, turn: str, state: str, reason: str | None) -> None:
        rows = [{"id": turn, "state": state, "reason": reason}]
        tx.run(queries.extraction.note, space=self._space, rows=rows, **self._state)


def _cited(reading: Reading, extraction: Extraction) -> list[str]:
    """Return the turns that an extraction names, in the order in which all writers lock them."""
    passages = [
        *(item.sources for item in extraction.facts),
        *(item.sources for item in extraction.relations),
        *(item.sources for item in extraction.same_as),
        *(item.sources for item in extraction.retractions),
    ]
    named = {source.turn for sources in passages for source in sources if source.turn}
    return sorted({reading.turn.id, *named})


def _offered(tx: Transaction, gate: Gate, path: Sequence[Turn]) -> list[Claim]:
    """Return current claims that the last turn of a path may be about.

    Half of the places are for the latest: "I have moved" shares no word with what it corrects.
    """
    turn = path[-1]
    if not turn.text.strip():
        return []
    asked = Question(text=turn.text, k=OFFERED, kinds=CLAIMS)
    found = [Claim.model_construct(**_claim_fields(hit)) for hit in recall(tx, gate, asked)]
    latest = _latest(tx, gate, path)
    ranked = [*latest[: OFFERED // 2], *found, *latest[OFFERED // 2 :]]
    offered: dict[tuple[str, str], Claim] = {}
    for claim in ranked:
        offered.setdefault(claim_key(claim), claim)
    return list(offered.values())[:OFFERED]


def _latest(tx: Transaction, gate: Gate, path: Sequence[Turn]) -> list[Claim]:
    """Return the current claims that come from the turns of a path, the latest first."""
    query = gate.among(queries.extraction.recent, queries.recall.hits).then(queries.record.row)
    rows = tx.run(query, **gate.bound(), length=len(path), history=False)
    order = {turn.id: number for number, turn in enumerate(path)}
    rows = [row for row in rows if row["kind"] in CLAIMS]
    rows.sort(key=lambda row: max(order.get(turn, -1) for turn in row["sourceIds"]), reverse=True)
    return collapsed(rows)


def _claim_fields(claim: Claim) -> dict[str, Any]:
    return {name: getattr(claim, name) for name in Claim.model_fields}


def _superseded(
    stated: ExtractedFact | ExtractedRelation, claims: Mapping[str, Claim]
) -> list[Claim]:
    """Return the claims that a statement takes the place of; one that says the same is none."""
    olds = [claims[id] for id in stated.supersedes if id in claims]
    return [old for old in olds if old.text != stated.text]


def _record(stated: ExtractedFact | ExtractedRelation) -> NewRecord:
    if isinstance(stated, ExtractedFact):
        return NewRecord(text=stated.text, sources=stated.sources, mentions=stated.mentions)
    return NewRecord(
        kind="relation",
        subject=stated.subject,
        predicate=stated.predicate,
        object=stated.object,
        text=stated.text,
        sources=stated.sources,
    )


def _sum(a: Extracted, b: Extracted) -> Extracted:
    return Extracted(
        extractor=a.extractor,
        read=a.read + b.read,
        records=a.records + b.records,
        corrections=a.corrections + b.corrections,
        rejected=a.rejected + b.rejected,
        failed=(*a.failed, *b.failed),
    )
