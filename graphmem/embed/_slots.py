"""The two places for vectors in a database, and which of them is live.

A place (slot) is ``empty``, ``live`` (searched, and filled behind every write), ``filling`` (being
made ready by `reembed`) or ``leaving`` (no longer live, to be emptied). At most one is live. Who
changes that, or writes vectors, holds both places until the end of the transaction.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Literal

import stamina

from graphmem._errors import EmbedderMismatchError, StoreError
from graphmem._models import Model
from graphmem.embed._vector import Embedder
from graphmem.store import Store, Transaction, queries

State = Literal["empty", "live", "filling", "leaving"]


class Slot(Model):
    """One place for vectors: whose they are and what it is used for."""

    slot: int
    model: str | None = None
    dimensions: int | None = None
    state: State = "empty"

    def holds(self, embedder: Embedder) -> bool:
        """Say whether its vectors can be compared with those of an embedder."""
        return (self.model, self.dimensions) == (embedder.name, embedder.dimensions)


class Live(Model):
    """The place that is searched: ``vector0`` or ``vector1`` of the records."""

    slot: int
    model: str
    dimensions: int


def slots(source: Store | Transaction) -> list[Slot]:
    """Return the places that were ever used, without holding them."""
    return [Slot(**row) for row in source.run(queries.embed.slots)]


def held(tx: Transaction) -> list[Slot]:
    """Return both places, held until the transaction ends."""
    return [Slot(**row) for row in tx.run(queries.embed.lock)]


def live(source: Store | Transaction) -> Live | None:
    """Return the place to search, None as long as no vectors were ever made.

    In one transaction with the search: the place may change between two.
    """
    return live_of(slots(source))


def live_of(found: list[Slot]) -> Live | None:
    """Return the live one of some places."""
    for slot in found:
        if slot.state == "live" and slot.model is not None and slot.dimensions is not None:
            return Live(slot=slot.slot, model=slot.model, dimensions=slot.dimensions)
    return None


def other(found: list[Slot], slot: int) -> Slot:
    """Return the place beside another one."""
    return next((place for place in found if place.slot != slot), Slot(slot=1 - slot))


def start(store: Store, embedder: Embedder) -> Live:
    """Return the live place; the first embedder of a database makes it.

    Errors: EmbedderMismatchError when it is of another model.
    """
    found = live(store) or _first(store, embedder)
    require_model(found, embedder)
    return found


def require_model(found: Live, embedder: Embedder) -> None:
    """Raise EmbedderMismatchError unless the vectors can be compared with an embedder's."""
    if (found.model, found.dimensions) != (embedder.name, embedder.dimensions):
        raise mismatch(found, embedder)


def mismatch(found: Live, embedder: Embedder) -> EmbedderMismatchError:
    """Return the error of vectors that cannot be compared."""
    return EmbedderMismatchError(
        f"the vectors of this database are of {found.model} ({found.dimensions} dimensions), not "
        f"of {embedder.name} ({embedder.dimensions} dimensions): use that model, or change all "
        "vectors over with `graphmem reembed`"
    )


def _helps_to_try_again(error: Exception) -> bool:
    return isinstance(error, StoreError) and error.retryable


@stamina.retry(on=_helps_to_try_again, attempts=5, wait_initial=0.05, wait_max=1.0)
def _first(store: Store, embedder: Embedder) -> Live:
    with holding(store) as (tx, found):
        if existing := live_of(found):  # another process was faster
            return existing
        empty = next(slot for slot in found if slot.state == "empty")
        new_index(store, empty.slot, embedder.dimensions)
        mark(tx, empty, "live", embedder)
    return Live(slot=empty.slot, model=embedder.name, dimensions=embedder.dimensions)


@contextmanager
def holding(store: Store) -> Iterator[tuple[Transaction, list[Slot]]]:
    """Hold both places while the schema is changed, which cannot be done in one transaction."""
    with store.transaction("write") as tx:
        yield tx, held(tx)


def new_index(store: Store, slot: int, dimensions: int) -> None:
    """Make the index of an empty place; a start that was killed may have left another one."""
    create = queries.embed.create_index.for_slot(slot).with_dimensions(dimensions)
    store.run(queries.embed.drop_index.for_slot(slot))
    store.run(create)
    store.run(queries.store.await_indexes)


def mark(tx: Transaction, slot: Slot, state: State, embedder: Embedder | None = None) -> None:
    """Note what a place is used for from now on."""
    model = embedder.name if embedder else slot.model
    dimensions = embedder.dimensions if embedder else slot.dimensions
    tx.run(queries.embed.set, slot=slot.slot, model=model, dimensions=dimensions, state=state)
