"""Where turns are: an index by which the gate finds out quickly what lies on a long path.

A segment is a run of turns, each following the one before; a turn that forks off, or whose parent
came later, starts a segment of its own. ``place`` is a turn's number in its segment. A turn lies on
the path of another when its segment is among those that the other's path runs through, at a place
that the path reaches. That says the same as the path of ``PARENT``, which stays the definition;
`graphmem doctor` compares the two.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from graphmem._models import Turn
from graphmem._text import number_of
from graphmem.store import Row, Transaction, queries


@dataclass(frozen=True)
class Spot:
    """Where a turn is, and whether another goes on with its segment."""

    segment: int
    place: int
    continued: bool = False

    @classmethod
    def of(cls, row: Row) -> Spot:
        """Read it from a row of the store."""
        return cls(row["segment"], row["place"], row["continued"])


def first_spot(space: str, turn: str) -> Spot:
    """Return the first place of the segment that a turn starts."""
    return Spot(number_of(f"{space}\0{turn}"), 0)


def locate(tx: Transaction, space: str, new: Sequence[Turn], placed: Mapping[str, Spot]) -> None:
    """Give new turns, the parents first, their places; ``placed`` are those that have one.

    All turns and their parents must be locked by the transaction, or be by this.
    """
    known = dict(placed)
    outside = {turn.parent for turn in new if turn.parent} - {turn.id for turn in new}
    if outside:
        rows = tx.run(queries.turn.hold, space=space, ids=sorted(outside))
        known |= {row["id"]: Spot.of(row) for row in rows if row["segment"] is not None}
    before = dict(known)
    for turn in new:
        if turn.id not in known:
            known[turn.id] = _next(space, turn, known)
    _write(tx, space, {id: spot for id, spot in known.items() if before.get(id) != spot})
    _add_segments(tx, space, new, known)


def _next(space: str, turn: Turn, known: dict[str, Spot]) -> Spot:
    """Return the place after the parent's, if that is still free, else a segment's first."""
    above = known.get(turn.parent) if turn.parent else None
    if turn.parent is None or above is None or above.continued:
        return first_spot(space, turn.id)
    known[turn.parent] = replace(above, continued=True)
    return Spot(above.segment, above.place + 1)


def _write(tx: Transaction, space: str, spots: Mapping[str, Spot]) -> None:
    rows = [
        {
            "id": id,
            "segment": spot.segment,
            "place": spot.place,
            "continued": spot.continued or None,
        }
        for id, spot in sorted(spots.items())
    ]
    tx.run(queries.turn.locate, space=space, rows=rows)


def _add_segments(
    tx: Transaction, space: str, new: Iterable[Turn], known: Mapping[str, Spot]
) -> None:
    rows = [
        _segment(known[turn.id], known.get(turn.parent) if turn.parent else None)
        for turn in new
        if known[turn.id].place == 0
    ]
    if rows:
        tx.run(queries.segment.add, space=space, rows=sorted(rows, key=lambda row: str(row["id"])))


def _segment(first: Spot, above: Spot | None) -> Row:
    if above is None:
        return {"id": first.segment, "above": None, "leavesAt": None}
    return {"id": first.segment, "above": above.segment, "leavesAt": above.place}
