"""Changing a whole database over to another model.

The new vectors go to the place that is not live, while the live one goes on being searched and
filled. When no record lacks its new vector the two change roles in one transaction; then what came
meanwhile is labelled to be filled, the old index is dropped and the old vectors are removed. What
has been reached is noted in the graph, so a change that was killed goes on where it stood.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from graphmem._errors import EmbedderMismatchError
from graphmem._models import CLAIMS
from graphmem.embed._filling import BATCH, Filled, fill, parted
from graphmem.embed._slots import (
    Live,
    Slot,
    held,
    holding,
    live,
    live_of,
    mark,
    new_index,
    other,
    slots,
    start,
)
from graphmem.embed._vector import Embedder, passage_vectors
from graphmem.store import Query, Store, Transaction, queries

PASSES = 10
"""How often records that came meanwhile are looked for before the change; the rest is filled."""
SWEEP = 1000
"""Records that are labelled or cleared in one transaction."""

Progress = Callable[[int, int], object]


def reembed(
    store: Store,
    embedder: Embedder,
    *,
    batch: int = BATCH,
    progress: Progress | None = None,
) -> Filled:
    """Change the vectors of all spaces over to another model, or go on with such a change.

    Searches keep finding all along. ``progress`` hears how many records have their new vector and
    how many there are. A change to a third model that was not finished is given up. With the
    model that is live already only what is left to do is done. Errors: ModelError from the
    embedder.
    """
    done = Filled()
    while (aside := _begin(store, embedder)) is not None:
        if aside.state == "leaving":
            _empty(store, aside.slot)
            continue
        done += _Aside(store, embedder, aside, batch, progress).fill()
        _change_over(store, embedder)
    leaving = other(slots(store), start(store, embedder).slot)
    if leaving.state == "leaving":
        _empty(store, leaving.slot)
    for space in spaces(store):
        done += fill(store, space, embedder, batch=batch)
    return done


def spaces(store: Store) -> Iterator[str]:
    """Yield the spaces that have records, in order."""
    rows = store.run(queries.embed.next_space, space="")
    while rows:
        yield rows[0]["space"]
        rows = store.run(queries.embed.next_space, space=rows[0]["space"])


def _begin(store: Store, embedder: Embedder) -> Slot | None:
    """Return the place to fill or, before that, to empty; None when the model is live."""
    if live(store) is None:
        start(store, embedder)
    with holding(store) as (tx, found):
        current = live_of(found)
        assert current is not None
        aside = other(found, current.slot)
        if (current.model, current.dimensions) == (embedder.name, embedder.dimensions):
            if aside.state == "filling":  # a change to a third model, given up
                mark(tx, aside, "leaving")
            return None
        if aside.state == "empty":
            new_index(store, aside.slot, embedder.dimensions)
            mark(tx, aside, "filling", embedder)
        elif aside.state == "filling" and not aside.holds(embedder):
            mark(tx, aside, "leaving")
    return other(slots(store), current.slot)


def _change_over(store: Store, embedder: Embedder) -> None:
    """Let both places change roles, unless another process has done so."""
    store.run(queries.store.await_indexes)

    def work(tx: Transaction) -> Slot | None:
        found = held(tx)
        current = live_of(found)
        assert current is not None
        aside = other(found, current.slot)
        if found[current.slot].holds(embedder):
            return None
        if aside.state != "filling" or not aside.holds(embedder):
            return aside
        mark(tx, found[current.slot], "leaving")
        mark(tx, aside, "live")
        return None

    if taken := store.write(work):
        raise EmbedderMismatchError(
            f"another process has begun to change this database over to {taken.model} instead of "
            f"{embedder.name}; let it end, then run `graphmem reembed` again"
        )


class _Aside:
    """Fills the place that is not live, until no record lacks a vector there."""

    def __init__(
        self, store: Store, embedder: Embedder, aside: Slot, batch: int, progress: Progress | None
    ) -> None:
        self._store = store
        self._embedder = embedder
        self._slot = aside
        self._batch = batch
        self._progress = progress
        self._done = self._total = 0

    def fill(self) -> Filled:
        """Go through all spaces until nothing new turns up."""
        if self._progress:
            counts = [counted(self._store, space, self._slot.slot) for space in spaces(self._store)]
            self._total = sum(count["records"] for count in counts)
            self._done = sum(count["embedded"] for count in counts)
        filled = 0
        for _ in range(PASSES):
            # Texts that were refused turn up again in every pass: they are not news.
            passed = sum((self._pass(space) for space in spaces(self._store)), start=Filled())
            filled += passed.filled
            if not passed.filled:
                break
        return Filled(filled=filled, refused=passed.refused)

    def _pass(self, space: str) -> Filled:
        lacking = queries.embed.lacking.for_slot(self._slot.slot)
        passed = Filled()
        after = ""
        while rows := self._store.run(
            lacking, space=space, id=after, kinds=list(CLAIMS), limit=self._batch
        ):
            after = rows[-1]["id"]
            good, refused = parted(
                rows, passage_vectors(self._embedder, [row["text"] for row in rows])
            )
            filled = self._write(space, good)
            if filled is None:
                break
            passed += Filled(filled=filled, refused=len(refused))
            self._report(filled)
        return passed

    def _write(self, space: str, rows: list[Any]) -> int | None:
        """Write vectors; None when the place is no longer there for this model."""
        prepare = queries.embed.prepare.for_slot(self._slot.slot)

        def work(tx: Transaction) -> int | None:
            place = held(tx)[self._slot.slot]
            if place.state not in ("filling", "live") or not place.holds(self._embedder):
                return None
            filled: int = tx.run(prepare, space=space, rows=rows)[0]["filled"]
            return filled

        return self._store.write(work)

    def _report(self, filled: int) -> None:
        self._done += filled
        if self._progress and filled:
            self._total = max(self._total, self._done)
            self._progress(self._done, self._total)


def _empty(store: Store, slot: int) -> None:
    """Empty a place that is leaving: label what lacks a vector, drop the index, clear the vectors.

    Every step asks anew whether the place is still leaving: another process may have emptied it,
    and begun to fill it again.
    """
    for space in spaces(store):
        _settle(store, space)
    with holding(store) as (_, found):
        if found[slot].state != "leaving":
            return
        store.run(queries.embed.drop_index.for_slot(slot))
    for space in spaces(store):
        _clear(store, space, slot)
    with holding(store) as (tx, found):
        if found[slot].state == "leaving":
            mark(tx, Slot(slot=slot), "empty")


def _settle(store: Store, space: str) -> None:
    """Label the records of a space by what the live place holds."""
    current = live(store)
    assert current is not None
    unsettled = queries.embed.unsettled.for_slot(current.slot)
    settle = queries.embed.settle.for_slot(current.slot)
    after = ""
    while rows := store.run(unsettled, space=space, id=after, kinds=list(CLAIMS), limit=SWEEP):
        after = rows[-1]["id"]
        _while_live(store, current, settle, space, [row["id"] for row in rows])


def _while_live(store: Store, current: Live, query: Query, space: str, ids: list[str]) -> None:
    def work(tx: Transaction) -> None:
        if live_of(held(tx)) == current:
            tx.run(query, space=space, ids=ids)

    store.write(work)


def _clear(store: Store, space: str, slot: int) -> None:
    clear = queries.embed.clear.for_slot(slot)

    def work(tx: Transaction, *, after: str) -> str | None:
        if held(tx)[slot].state != "leaving":
            return None
        last: str | None = tx.run(clear, space=space, id=after, limit=SWEEP)[0]["last"]
        return last

    after: str | None = ""
    while after is not None:
        after = store.write(partial(work, after=after))


def counted(store: Store, space: str, slot: int) -> dict[str, Any]:
    """Count the records of a space by what one place holds."""
    counts = queries.embed.counts.for_slot(slot)
    row: dict[str, Any] = store.run(counts, space=space, kinds=list(CLAIMS))[0]
    return row
