"""Filling in vectors behind the write.

A record that wants a vector is labelled ``Unembedded`` by the write that stores it. Filling takes
such records in batches: it embeds outside of any transaction, then writes the vectors and removes
the labels in one. Killed in between it has lost a batch of work and nothing else. A record whose
text cannot be embedded gets the label ``Unembeddable`` instead.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from graphmem._models import Model
from graphmem.embed._slots import Live, held, live_of, start
from graphmem.embed._vector import Embedder, passage_vectors
from graphmem.store import Row, Store, Transaction, queries
from graphmem.store._vectors import vector

BATCH = 64
"""Records that are embedded and written together: a second or two of the slowest embedder."""


class Filled(Model):
    """How many records got a vector, and how many go without because theirs was refused."""

    filled: int = 0
    refused: int = 0

    def __add__(self, other: Filled) -> Filled:
        return Filled(filled=self.filled + other.filled, refused=self.refused + other.refused)


def fill(
    store: Store,
    space: str,
    embedder: Embedder,
    *,
    batch: int = BATCH,
    progress: Callable[[int, int], object] | None = None,
    stop: Callable[[], bool] | None = None,
) -> Filled:
    """Give every record of the space that waits for a vector its own.

    ``progress`` hears how many are done and how many there are; ``stop`` is asked before every
    batch. Any number of processes may do it at once. Errors: EmbedderMismatchError when the
    database's vectors are of another model; ModelError from the embedder.
    """
    target = start(store, embedder)
    waiting = store.run(queries.embed.count_waiting, space=space)[0]["waiting"] if progress else 0
    done = Filled()
    while not (stop and stop()):
        rows = store.run(queries.embed.waiting, space=space, limit=batch)
        if not rows:
            break
        vectors = passage_vectors(embedder, [row["text"] for row in rows])
        written = _write(store, space, target, rows, vectors)
        if written is None:  # the place has changed hands meanwhile
            target = start(store, embedder)
            continue
        done += written
        if progress:
            progress(count := done.filled + done.refused, max(count, waiting))
    return done


def _write(
    store: Store,
    space: str,
    target: Live,
    rows: Sequence[Row],
    vectors: Sequence[list[float] | None],
) -> Filled | None:
    """Write vectors to the live place; None when that is no longer the one they are made for."""
    good, refused = parted(rows, vectors)

    def work(tx: Transaction) -> Filled | None:
        if live_of(held(tx)) != target:
            return None
        add = queries.embed.add.for_slot(target.slot)
        filled = tx.run(add, space=space, rows=good)[0]["filled"]
        gone = tx.run(queries.embed.refuse, space=space, ids=refused)[0]["refused"]
        return Filled(filled=filled, refused=gone)

    return store.write(work)


def parted(
    rows: Sequence[Row], vectors: Sequence[list[float] | None]
) -> tuple[list[Row], list[str]]:
    """Return the rows to write, and the ids of those whose vector was refused."""
    pairs = list(zip(rows, vectors, strict=True))
    good = [{"id": row["id"], "vector": vector(values)} for row, values in pairs if values]
    return good, [row["id"] for row, values in pairs if not values]
