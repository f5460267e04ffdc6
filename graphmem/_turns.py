"""Storing turns: whole batches, in any order of arrival, each turn once and for ever.

A batch is one transaction. What can be refused without the store is refused before it; the rest is
decided inside the transaction, after the locks that make the decision hold.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from typing import Any

from graphmem._errors import (
    ConflictError,
    CycleError,
    InvalidInputError,
    MissingParentError,
    PurgedError,
    SecondParentError,
    UsageError,
    raise_all,
)
from graphmem._models import Branch, Stored, Tree, Turn
from graphmem._segments import Spot, first_spot, locate
from graphmem.store import Row, Transaction, queries

PROPERTY_PREFIX = "x_"
"""What the names of a host's own properties start with in the graph, so as never to meet ours."""


def as_turns(items: Iterable[Turn | Mapping[str, Any]]) -> list[Turn]:
    """Read turns or mappings, each id once; every item that cannot be stored is reported."""
    turns: dict[str, Turn] = {}
    errors: list[UsageError] = []
    for item in items:
        try:
            turn = item if isinstance(item, Turn) else Turn(**as_fields(item, "turn"))
        except InvalidInputError as error:
            errors.append(error)
            continue
        if turns.setdefault(turn.id, turn) != turn:
            message = f"the batch holds turn {turn.id!r} twice, with different content"
            errors.append(ConflictError(message, id=turn.id))
    raise_all(errors)
    return list(turns.values())


def as_fields(item: object, what: str) -> dict[str, Any]:
    """Return the fields that a mapping gives for a model, or raise InvalidInputError."""
    if isinstance(item, Mapping) and all(isinstance(name, str) for name in item):
        return dict(item)
    raise InvalidInputError(f"{item!r:.60} is no {what}; give a mapping of its fields")


def add(tx: Transaction, space: str, turns: Sequence[Turn]) -> Stored:
    """Store ``turns`` in the transaction; raise and leave nothing when one of them is refused."""
    named = {turn.id for turn in turns} | {turn.replaces for turn in turns if turn.replaces}
    known = {row["id"]: row for row in tx.run(queries.turn.stored, space=space, ids=sorted(named))}
    turns = _with_parents(turns, known)
    _refuse_loops(turns)
    hashes = {turn.id: content_hash(turn) for turn in turns}
    new = [turn for turn in turns if known.get(turn.id, _AWAITED)["awaited"]]
    raise_all(
        [_conflict(turn, known) for turn in turns if _differs(known.get(turn.id), hashes[turn.id])]
    )
    _refuse_unnamed_parents(tx, space, new)
    followed = {id for turn in new for id in (turn.parent, turn.replaces) if id}
    placed = place_missing(tx, space, followed - hashes.keys())
    late = _write(tx, space, sorted(new, key=lambda turn: turn.id), hashes)
    return Stored(new=len(new) - late, known=len(turns) - len(new) + late, awaited=placed)


_AWAITED: Row = {"awaited": True}


def content_hash(turn: Turn) -> str:
    """Return what tells one content from another: everything a turn holds but its id."""
    content = turn.model_dump(mode="json", exclude={"id"})
    if turn.credit_share is None:
        del content["credit_share"]  # a turn without one has the hash it always had
    return hash_of(content)


def hash_of(content: Any) -> str:
    """Return a short hash of JSON data."""
    data = json.dumps(content, sort_keys=True, separators=(",", ":"))
    return hashlib.blake2b(data.encode(), digest_size=16).hexdigest()


def _with_parents(turns: Sequence[Turn], known: Mapping[str, Row]) -> list[Turn]:
    """Give each turn that names only what it replaces the parent of that turn."""
    batch = {turn.id: turn for turn in turns}
    return [
        turn
        if _names_parent(turn)
        else turn.model_copy(update={"parent": _inherited(turn, batch, known)})
        for turn in turns
    ]


def _names_parent(turn: Turn) -> bool:
    return "parent" in turn.model_fields_set or turn.replaces is None


def _inherited(turn: Turn, batch: Mapping[str, Turn], known: Mapping[str, Row]) -> str | None:
    seen = {turn.id}
    while turn.replaces and not _names_parent(turn):
        stored = known.get(turn.replaces)
        if stored and not stored["awaited"]:
            parent: str | None = stored["parent"]
            return parent
        if turn.replaces not in batch or turn.replaces in seen:
            raise MissingParentError(
                f"turn {turn.id!r} replaces {turn.replaces!r}, which has not arrived, so its "
                "parent is unknown; name it with parent= (None for a first message)"
            )
        turn = batch[turn.replaces]
        seen.add(turn.id)
    return turn.parent


def _refuse_loops(turns: Sequence[Turn]) -> None:
    batch = {turn.id: turn for turn in turns}
    raise_all(
        [CycleError(f"turn {turn!r} is its own ancestor in this batch") for turn in _loops(batch)]
    )


def _loops(turns: Mapping[str, Turn]) -> Iterator[str]:
    """Yield one turn of each cycle that the batch closes by itself."""
    walked: dict[str, str] = {}
    for start in turns:
        turn: str | None = start
        while turn is not None and turn in turns and turn not in walked:
            walked[turn] = start
            turn = turns[turn].parent
        if turn is not None and walked.get(turn) == start:
            yield turn


def _differs(stored: Row | None, content: str) -> bool:
    return (
        stored is not None
        and (stored["purged"] or not stored["awaited"])
        and stored["contentHash"] != content
    )


def _conflict(turn: Turn, known: Mapping[str, Row]) -> UsageError:
    stored = known[turn.id]
    if stored["purged"]:
        return PurgedError(f"turn {turn.id!r} was purged; it does not come back", id=turn.id)
    if stored["parent"] != turn.parent:
        return SecondParentError(
            f"turn {turn.id!r} is stored under parent {stored['parent']!r}, not {turn.parent!r}; "
            "a turn has one parent for ever: store the other version under its own id",
            id=turn.id,
        )
    return ConflictError(
        f"turn {turn.id!r} is stored with other content; turns never change: store the new version "
        "under its own id, with replaces=",
        id=turn.id,
    )


def _refuse_unnamed_parents(tx: Transaction, space: str, new: Sequence[Turn]) -> None:
    unnamed = [
        turn
        for turn in new
        if turn.conversation and not turn.replaces and "parent" not in turn.model_fields_set
    ]
    if not unnamed:
        return
    ids = sorted({turn.conversation for turn in unnamed if turn.conversation})
    tx.run(queries.conversation.lock, space=space, ids=ids)
    rows = tx.run(queries.conversation.leaves, space=space, ids=ids)
    ends: dict[str | None, list[str]] = {row["conversation"]: row["leaves"] for row in rows}
    for turn in new:
        if turn.parent is None:
            ends.setdefault(turn.conversation, []).append(turn.id)
    others = {
        turn.id: [end for end in ends[turn.conversation] if end != turn.id] for turn in unnamed
    }
    raise_all([_missing_parent(turn, others[turn.id]) for turn in unnamed if others[turn.id]])


def _missing_parent(turn: Turn, others: Sequence[str]) -> MissingParentError:
    shown = ", ".join(repr(other) for other in others[:10])
    return MissingParentError(
        f"turn {turn.id!r} names no parent, but conversation {turn.conversation!r} has other turns "
        f"({shown}); name the parent, or parent=None for a first message"
    )


def place_missing(tx: Transaction, space: str, ids: Set[str]) -> tuple[str, ...]:
    """Create placeholders for those of some turns that the space lacks; return who is awaited."""
    if not ids:
        return ()
    rows = tx.run(queries.turn.missing, space=space, ids=sorted(ids))
    missing = sorted(row["id"] for row in rows if row["missing"])
    if missing:
        placeholders = [{"id": id, "segment": first_spot(space, id).segment} for id in missing]
        tx.run(queries.turn.place, space=space, rows=placeholders)
    return tuple(sorted(row["id"] for row in rows))


def _write(tx: Transaction, space: str, new: Sequence[Turn], hashes: Mapping[str, str]) -> int:
    """Write the new turns and their links; return how many were written by others meanwhile."""
    if not new:
        return 0
    _make_room(tx, space, new)
    rows = [{"id": turn.id, "content": _content(turn, hashes[turn.id])} for turn in new]
    seen = {row["id"]: row for row in tx.run(queries.turn.add, space=space, rows=rows)}
    late = [row for row in seen.values() if row["storedHash"]]
    raise_all([_overtaken(row["id"]) for row in late if row["storedHash"] != hashes[row["id"]]])
    closing = [turn.id for turn in new if turn.parent and seen.get(turn.id, {}).get("followed")]
    if closing:
        tx.run(queries.space.lock, space=space)
    _link(tx, space, new)
    _refuse_cycles(tx, space, closing)
    _locate(tx, space, new, seen)
    return len(late)


def _locate(tx: Transaction, space: str, new: Sequence[Turn], seen: Mapping[str, Row]) -> None:
    turns = {turn.id: turn for turn in new}
    in_order = [turns[id] for id in Skeleton.of(new).in_order()]
    placed = {id: Spot.of(row) for id, row in seen.items() if row["segment"] is not None}
    locate(tx, space, in_order, placed)


def _overtaken(turn: str) -> ConflictError:
    message = f"turn {turn!r} was stored meanwhile with other content; turns never change"
    return ConflictError(message, id=turn)


def _make_room(tx: Transaction, space: str, new: Sequence[Turn]) -> None:
    tx.run(queries.space.add, space=space)
    names = sorted({turn.conversation for turn in new if turn.conversation})
    if names:
        tx.run(
            queries.conversation.add,
            space=space,
            rows=[{"id": name, "content": {}} for name in names],
        )


def _link(tx: Transaction, space: str, new: Sequence[Turn]) -> None:
    links = {
        queries.turn.link: [{"id": turn.id, "parent": turn.parent} for turn in new if turn.parent],
        queries.turn.replace: [
            {"id": turn.id, "replaces": turn.replaces, "how": turn.how}
            for turn in new
            if turn.replaces
        ],
        queries.turn.join: [
            {"id": turn.id, "conversation": turn.conversation} for turn in new if turn.conversation
        ],
    }
    for query, rows in links.items():
        if rows:
            tx.run(query, space=space, rows=rows)


def _refuse_cycles(tx: Transaction, space: str, closing: Sequence[str]) -> None:
    if not closing:
        return
    rows = tx.run(queries.turn.cycles, space=space, ids=closing)
    raise_all([CycleError(f"turn {row['id']!r} would become its own ancestor") for row in rows])


def _content(turn: Turn, hash_: str) -> Row:
    own = {PROPERTY_PREFIX + name: value for name, value in turn.properties.items()}
    content = {
        "role": turn.role,
        "text": turn.text,
        "createdAt": turn.created_at,
        "rawText": turn.raw_text,
        "creditShare": turn.credit_share,
        "contentHash": hash_,
    }
    return own | content


def turn_of(row: Row) -> Turn:
    """Build a turn from a row of ``turn/row.cypher``, as it is in the graph."""
    properties, parent, replaced = row["properties"], row["parent"] or {}, row["replaced"] or {}
    return Turn.model_construct(
        id=properties["id"],
        role=properties.get("role", ""),
        text=properties.get("text", ""),
        parent=parent.get("id"),
        replaces=replaced.get("id"),
        how=replaced.get("how"),
        conversation=row["conversation"],
        created_at=properties.get("createdAt"),
        credit_share=properties.get("creditShare"),
        raw_text=properties.get("rawText"),
        properties={
            name.removeprefix(PROPERTY_PREFIX): value
            for name, value in properties.items()
            if name.startswith(PROPERTY_PREFIX)
        },
    )


@dataclass(frozen=True)
class Skeleton:
    """Who follows whom among some turns; parents outside are roots here."""

    parents: Mapping[str, str | None]

    @classmethod
    def of(cls, turns: Iterable[Turn]) -> Skeleton:
        """Read the links of ``turns``."""
        ids = {turn.id: turn for turn in turns}
        return cls({id: turn.parent if turn.parent in ids else None for id, turn in ids.items()})

    def children(self) -> dict[str | None, list[str]]:
        """Return the children of each turn; those of None are the roots."""
        found: dict[str | None, list[str]] = {}
        for turn, parent in self.parents.items():
            found.setdefault(parent, []).append(turn)
        return found

    def in_order(self) -> list[str]:
        """Return the turns, each parent before its children, each branch in one piece."""
        children = self.children()
        waiting = list(reversed(children.get(None, [])))
        order = []
        while waiting:
            turn = waiting.pop()
            order.append(turn)
            waiting.extend(reversed(children.get(turn, [])))
        return order


def branches(tree: Tree) -> list[Branch]:
    """Return one branch per leaf of the tree, in the order of its turns."""
    skeleton = Skeleton.of(tree.turns)
    children = skeleton.children()
    return [
        _branch(leaf, skeleton.parents, children, tree.head)
        for leaf in skeleton.parents
        if leaf not in children
    ]


def _branch(
    leaf: str,
    parents: Mapping[str, str | None],
    children: Mapping[str | None, list[str]],
    head: str | None,
) -> Branch:
    length, turn = 1, parents[leaf]
    while turn is not None and len(children[turn]) == 1:
        length, turn = length + 1, parents[turn]
    return Branch(leaf=leaf, fork=turn, turns=length, head=leaf == head)
